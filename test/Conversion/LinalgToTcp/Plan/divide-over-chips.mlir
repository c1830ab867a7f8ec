// A product on four chips: blocks of rows, and of a sum that a pin divides, whose parts a
// collective exchanges and a reduction adds.
//
// RUN: sequin-opt %s --tcp-plan-divide-over-chips --verify-roundtrip --mlir-print-local-scope | FileCheck %s
// RUN: sequin-opt %s --tcp-plan-divide-over-chips --tcp-plan-divide-over-chips --mlir-print-local-scope | FileCheck %s

module attributes {tcp.target = #tcp.target<"rngd", chips = 4>} {

// CHECK-LABEL: plan.program @rows
// CHECK-SAME: chips 4 record <kind = "chips"
// CHECK: plan.tensor @{{.*}} layout <{{.*}}chip_dim = 0> : tensor<512x1024xbf16>
// CHECK: plan.group contraction of "linalg.matmul" loops [#plan.loop<extent = 512>, {{.*}} tiling <division = "4 chips over loop 0 of 2048">
plan.program @rows (tensor<2048x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<2048x1024xf32> returns [@out] {
  plan.tensor @a argument 0 layout <inner = 1, order = [0, 1], may_reorder> : tensor<2048x1024xbf16>
  plan.tensor @b argument 1 layout <inner = 0, order = [1, 0], may_reorder> : tensor<1024x1024xbf16>
  plan.tensor @out layout <inner = 1, order = [0, 1]> : tensor<2048x1024xf32>
  plan.group contraction of "linalg.matmul" loops [#plan.loop<extent = 2048>, #plan.loop<extent = 1024>, #plan.loop<extent = 1024, reduced>] {
    %0 = plan.read @a affine_map<(d0, d1, d2) -> (d0, d2)> : bf16
    %1 = plan.read @b affine_map<(d0, d1, d2) -> (d2, d1)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    plan.write %2 to @out affine_map<(d0, d1, d2) -> (d0, d1)> : f32
  }
}

// CHECK-LABEL: plan.program @sum
// CHECK: plan.group contraction {{.*}}division = "4 chips over the sum, loop 2 of 1024
// CHECK: plan.group collective of "linalg.matmul" {{.*}} collective <name = "{{all-reduce|reduce-scatter}}", source = d0
// CHECK: plan.group reduction of "linalg.matmul"
plan.program @sum (tensor<256x1024xbf16>, tensor<1024x256xbf16>) -> tensor<256x256xf32> returns [@out] {
  plan.tensor @a argument 0 layout <inner = 1, order = [0, 1], may_reorder> : tensor<256x1024xbf16>
  plan.tensor @b argument 1 layout <inner = 0, order = [1, 0], may_reorder> : tensor<1024x256xbf16>
  plan.tensor @out layout <inner = 1, order = [0, 1]> : tensor<256x256xf32>
  plan.group contraction of "linalg.matmul" loops [#plan.loop<extent = 256>, #plan.loop<extent = 256>, #plan.loop<extent = 1024, reduced, pinned_chips = 4>] {
    %0 = plan.read @a affine_map<(d0, d1, d2) -> (d0, d2)> : bf16
    %1 = plan.read @b affine_map<(d0, d1, d2) -> (d2, d1)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    plan.write %2 to @out affine_map<(d0, d1, d2) -> (d0, d1)> : f32
  }
}

// Dimensions of size one have no loop.
// CHECK-LABEL: plan.program @unit
// CHECK: plan.group contraction {{.*}}division = "4 chips over the sum, loop 2 of 1024
// CHECK: plan.group collective of "linalg.matmul" {{.*}} collective <name = "{{all-reduce|reduce-scatter}}", source = d0
// CHECK: plan.group reduction of "linalg.matmul"
plan.program @unit (tensor<256x1024xbf16>, tensor<1024x256xbf16>) -> tensor<256x1x256xf32> returns [@out] {
  plan.tensor @a argument 0 layout <inner = 1, order = [0, 1], may_reorder> : tensor<256x1024xbf16>
  plan.tensor @b argument 1 layout <inner = 0, order = [1, 0], may_reorder> : tensor<1024x256xbf16>
  plan.tensor @out layout <inner = 2, order = [0, 1, 2]> : tensor<256x1x256xf32>
  plan.group contraction of "linalg.matmul" loops [#plan.loop<extent = 256>, #plan.loop<extent = 256>, #plan.loop<extent = 1024, reduced, pinned_chips = 4>] {
    %0 = plan.read @a affine_map<(d0, d1, d2) -> (d0, d2)> : bf16
    %1 = plan.read @b affine_map<(d0, d1, d2) -> (d2, d1)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    plan.write %2 to @out affine_map<(d0, d1, d2) -> (d0, 0, d1)> : f32
  }
}

}
