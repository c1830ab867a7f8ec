// The maximum of a row and the row less it are stages of one group, of which each row is
// loaded once. The column is two loops, flits and the lanes of a flit.
//
// RUN: sequin-opt %s --tcp-plan-fuse-rows --verify-roundtrip --mlir-print-local-scope | FileCheck %s
// RUN: not sequin-opt %s --tcp-plan-fuse-groups --tcp-plan-assign-memory 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: 'linalg.reduce' op has loops without a mapping; run tcp-plan-choose-mappings first

module attributes {tcp.target = #tcp.target<"rngd">} {

// CHECK-LABEL: plan.program @main
// CHECK-NOT: plan.group {{stream|reduction}}
// CHECK: plan.group rows of "linalg.sub" loops [#plan.loop<extent = 4096, tile = 4096, parts = 512, local = 8>, #plan.loop<extent = 32, tile = 32, local = 32>, #plan.loop<extent = 8, tile = 8, local = 8>] tiling <dealt = d0>
// CHECK: plan.group reduction of "linalg.reduce"
// CHECK: plan.read @a affine_map<(d0, d1, d2) -> (d0, d1 * 8 + d2)> : f32
// CHECK: plan.group reduction of "linalg.reduce"
// CHECK: plan.group stream of "linalg.sub"
// CHECK: plan.step arithmetic sub
// CHECK-NOT: plan.group
plan.program @main (tensor<4096x256xf32>) -> tensor<4096x256xf32> returns [@out] {
  plan.tensor @a argument 0 layout <inner = 1, order = [0, 1]> : tensor<4096x256xf32>
  plan.tensor @most layout <inner = 0, order = [0]> : tensor<4096xf32>
  plan.tensor @out layout <inner = 1, order = [0, 1]> : tensor<4096x256xf32>
  plan.group reduction of "linalg.reduce" loops [#plan.loop<extent = 4096>, #plan.loop<extent = 256, reduced>] {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head combines max %0 : (f32) -> f32
    plan.write %1 to @most affine_map<(d0, d1) -> (d0)> : f32
  }
  plan.group stream of "linalg.sub" loops [#plan.loop<extent = 4096>, #plan.loop<extent = 256>] {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.read @most affine_map<(d0, d1) -> (d0)> : f32
    %3 = plan.step arithmetic sub(%1, %2) : (f32, f32) -> f32
    plan.write %3 to @out affine_map<(d0, d1) -> (d0, d1)> : f32
  }
}

// A group that stands between the stages and reads nothing of theirs runs before them.
// CHECK-LABEL: plan.program @apart
// CHECK: plan.group stream of "linalg.exp"
// CHECK: plan.group rows of "linalg.sub"
plan.program @apart (tensor<4096x256xf32>, tensor<64xf32>) -> (tensor<1x4096x256xf32>, tensor<64xf32>) returns [@out, @other] {
  plan.tensor @a argument 0 layout <inner = 1, order = [0, 1]> : tensor<4096x256xf32>
  plan.tensor @b argument 1 layout <inner = 0, order = [0]> : tensor<64xf32>
  plan.tensor @most layout <inner = 1, order = [0, 1]> : tensor<1x4096xf32>
  plan.tensor @out layout <inner = 2, order = [0, 1, 2]> : tensor<1x4096x256xf32>
  plan.tensor @other layout <inner = 0, order = [0]> : tensor<64xf32>
  plan.group reduction of "linalg.reduce" loops [#plan.loop<extent = 4096>, #plan.loop<extent = 256, reduced>] {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head combines max %0 : (f32) -> f32
    plan.write %1 to @most affine_map<(d0, d1) -> (0, d0)> : f32
  }
  plan.group stream of "linalg.exp" loops [#plan.loop<extent = 64>] {
    %0 = plan.read @b affine_map<(d0) -> (d0)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.step function Exp(%1) : (f32) -> f32
    plan.write %2 to @other affine_map<(d0) -> (d0)> : f32
  }
  plan.group stream of "linalg.sub" loops [#plan.loop<extent = 4096>, #plan.loop<extent = 256>] {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.read @most affine_map<(d0, d1) -> (0, d0)> : f32
    %3 = plan.step arithmetic sub(%1, %2) : (f32, f32) -> f32
    plan.write %3 to @out affine_map<(d0, d1) -> (0, d0, d1)> : f32
  }
}

}
