// A product by rings, whose loops are divided; one of odd sizes, whose loops are padded; a
// stream by tiles; tiles and parts
// that somebody has fixed stay, or are refused. What has a mapping keeps it.
//
// RUN: sequin-opt %s --split-input-file --tcp-plan-choose-mappings --verify-roundtrip --mlir-print-local-scope | FileCheck %s
// RUN: sequin-opt %s --split-input-file --tcp-plan-choose-mappings --tcp-plan-choose-mappings --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: plan.program @rings
// CHECK: plan.group contraction of "linalg.matmul" loops [#plan.loop<{{.*}}name = "M">, {{.*}}#plan.loop<extent = {{[0-9]+}}, reduced, {{.*}}name = "K">
// CHECK-SAME: tiling <packet = d1, {{.*}}has_rows> ring <ring = {{[0-9]+}}, {{.*}}slices = [d
// CHECK-SAME: record <kind = "rings"
module attributes {tcp.target = #tcp.target<"rngd">} {
plan.program @rings (tensor<512x1024xbf16>, tensor<1024x512xbf16>) -> tensor<512x512xf32> returns [@out] {
  plan.tensor @a argument 0 layout <inner = 1, order = [0, 1], may_reorder> : tensor<512x1024xbf16>
  plan.tensor @b argument 1 layout <inner = 0, order = [1, 0], may_reorder> : tensor<1024x512xbf16>
  plan.tensor @out layout <inner = 1, order = [0, 1]> : tensor<512x512xf32>
  plan.group contraction of "linalg.matmul" loops [#plan.loop<extent = 512>, #plan.loop<extent = 512>, #plan.loop<extent = 1024, reduced>] {
    %0 = plan.read @a affine_map<(d0, d1, d2) -> (d0, d2)> : bf16
    %1 = plan.read @b affine_map<(d0, d1, d2) -> (d2, d1)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    plan.write %2 to @out affine_map<(d0, d1, d2) -> (d0, d1)> : f32
  }
}
}

// -----

// Rows of 997 and columns of 1013 run past their end, and so does the sum over what the host
// has sent; what lies behind the end of what the program has computed is masked.

// CHECK-LABEL: plan.program @padded
// CHECK: plan.group contraction of "linalg.matmul" loops [#plan.loop<extent = {{[0-9]+}}, {{.*}}#plan.loop<extent = {{[0-9]+}}, reduced, {{.*}}name = "K">
// CHECK-SAME: ring <
// CHECK-NOT: sum_end
// CHECK-SAME: record <kind = "rings"
// CHECK: plan.group contraction of "linalg.contract" loops [#plan.loop<extent = {{[0-9]+}}, {{.*}}#plan.loop<extent = 1024, reduced, {{.*}}name = "K">
// CHECK-SAME: ring <{{.*}}sum_end = {{[0-9]+}},
// CHECK-SAME: record <kind = "rings"
module attributes {tcp.target = #tcp.target<"rngd">} {
plan.program @padded (tensor<997x1009xbf16>, tensor<1009x1013xbf16>, tensor<1013x640xbf16>) -> tensor<997x640xf32> returns [@out] {
  plan.tensor @a argument 0 layout <inner = 1, order = [0, 1], may_reorder> : tensor<997x1009xbf16>
  plan.tensor @b argument 1 layout <inner = 0, order = [1, 0], may_reorder> : tensor<1009x1013xbf16>
  plan.tensor @c argument 2 layout <inner = 0, order = [1, 0], may_reorder> : tensor<1013x640xbf16>
  plan.tensor @between layout <inner = 1, order = [0, 1]> : tensor<997x1013xbf16>
  plan.tensor @out layout <inner = 1, order = [0, 1]> : tensor<997x640xf32>
  plan.group contraction of "linalg.matmul" loops [#plan.loop<extent = 997>, #plan.loop<extent = 1013>, #plan.loop<extent = 1009, reduced>] {
    %0 = plan.read @a affine_map<(d0, d1, d2) -> (d0, d2)> : bf16
    %1 = plan.read @b affine_map<(d0, d1, d2) -> (d2, d1)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    %3 = plan.step narrow(%2) : (f32) -> bf16
    plan.write %3 to @between affine_map<(d0, d1, d2) -> (d0, d1)> : bf16
  }
  plan.group contraction of "linalg.contract" loops [#plan.loop<extent = 997>, #plan.loop<extent = 640>, #plan.loop<extent = 1013, reduced>] {
    %0 = plan.read @between affine_map<(d0, d1, d2) -> (d0, d2)> : bf16
    %1 = plan.read @c affine_map<(d0, d1, d2) -> (d2, d1)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    plan.write %2 to @out affine_map<(d0, d1, d2) -> (d0, d1)> : f32
  }
}
}

// -----

// CHECK-LABEL: plan.program @tiles
// CHECK: plan.group stream of "linalg.exp" loops [#plan.loop<extent = 100, tile = {{[0-9]+}}, parts = {{[0-9]+}}, {{.*}}name = "D">, #plan.loop<extent = 77, {{.*}}name = "D1">] tiling <packet = d1{{.*}}> record <cycles =
module attributes {tcp.target = #tcp.target<"rngd">} {
plan.program @tiles (tensor<100x77xf32>) -> tensor<100x77xf32> returns [@out] {
  plan.tensor @a argument 0 layout <inner = 1, order = [0, 1]> : tensor<100x77xf32>
  plan.tensor @out layout <inner = 1, order = [0, 1]> : tensor<100x77xf32>
  plan.group stream of "linalg.exp" loops [#plan.loop<extent = 100>, #plan.loop<extent = 77>] {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.step function Exp(%1) : (f32) -> f32
    plan.write %2 to @out affine_map<(d0, d1) -> (d0, d1)> : f32
  }
}
}

// -----

// CHECK-LABEL: plan.program @pinned
// CHECK: loops [#plan.loop<extent = 128, pinned_tile = 16, pinned_parts = 4, tile = 16, parts = 4, local = 4, name = "D">
// CHECK-SAME: #plan.loop<extent = 64, pinned_tile = 32, {{.*}}tile = 32
module attributes {tcp.target = #tcp.target<"rngd">} {
plan.program @pinned (tensor<128x64xf32>) -> tensor<128x64xf32> returns [@out] {
  plan.tensor @a argument 0 layout <inner = 1, order = [0, 1]> : tensor<128x64xf32>
  plan.tensor @out layout <inner = 1, order = [0, 1]> : tensor<128x64xf32>
  plan.group stream of "linalg.exp" loops [#plan.loop<extent = 128, tile = 16, parts = 4, local = 4>, #plan.loop<extent = 64, pinned_tile = 32>] {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.step function Exp(%1) : (f32) -> f32
    plan.write %2 to @out affine_map<(d0, d1) -> (d0, d1)> : f32
  }
}
}
