// A group takes over the steps of the elementwise group that alone reads its result, by
// its own loops; a result that two groups read stays.
//
// RUN: sequin-opt %s --tcp-plan-fuse-groups --verify-roundtrip --mlir-print-local-scope | FileCheck %s

module attributes {tcp.target = #tcp.target<"rngd">} {

// CHECK-LABEL: plan.program @chain
// CHECK-NOT: plan.tensor @between
// CHECK: plan.group reduction of "linalg.reduce" loops [#plan.loop<extent = 16, reduced>, #plan.loop<extent = 8>] {
// CHECK: %[[HEAD:.*]] = plan.head combines max %{{.*}} : (f32) -> f32
// CHECK: %[[BIAS:.*]] = plan.read @bias affine_map<(d0, d1) -> (d1)> : f32
// CHECK: %[[SUM:.*]] = plan.step arithmetic add(%[[HEAD]], %[[BIAS]])
// CHECK: plan.write %[[SUM]] to @out affine_map<(d0, d1) -> (d1)> : f32
// CHECK-NOT: plan.group
plan.program @chain (tensor<16x8xf32>, tensor<8xf32>) -> tensor<8xf32> returns [@out] {
  plan.tensor @a argument 0 : tensor<16x8xf32>
  plan.tensor @bias argument 1 : tensor<8xf32>
  plan.tensor @between : tensor<8xf32>
  plan.tensor @out : tensor<8xf32>
  plan.group reduction of "linalg.reduce" loops [#plan.loop<extent = 16, reduced>, #plan.loop<extent = 8>] {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head combines max %0 : (f32) -> f32
    plan.write %1 to @between affine_map<(d0, d1) -> (d1)> : f32
  }
  plan.group stream of "linalg.add" loops [#plan.loop<extent = 8>] {
    %0 = plan.read @between affine_map<(d0) -> (d0)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.read @bias affine_map<(d0) -> (d0)> : f32
    %3 = plan.step arithmetic add(%1, %2) : (f32, f32) -> f32
    plan.write %3 to @out affine_map<(d0) -> (d0)> : f32
  }
}

// CHECK-LABEL: plan.program @twice
// CHECK-COUNT-2: plan.group
plan.program @twice (tensor<16x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) returns [@sum, @out] {
  plan.tensor @a argument 0 : tensor<16x8xf32>
  plan.tensor @sum : tensor<8xf32>
  plan.tensor @out : tensor<8xf32>
  plan.group reduction of "linalg.reduce" loops [#plan.loop<extent = 16, reduced>, #plan.loop<extent = 8>] {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    plan.write %1 to @sum affine_map<(d0, d1) -> (d1)> : f32
  }
  plan.group stream of "linalg.exp" loops [#plan.loop<extent = 8>] {
    %0 = plan.read @sum affine_map<(d0) -> (d0)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.step function Exp(%1) : (f32) -> f32
    plan.write %2 to @out affine_map<(d0) -> (d0)> : f32
  }
}

// Dimensions of size one, which views add and drop, are no loops that anything differs in.
// CHECK-LABEL: plan.program @units
// CHECK: plan.group contraction of "linalg.matmul" loops [#plan.loop<extent = 32>, #plan.loop<extent = 8>, #plan.loop<extent = 64, reduced>] {
// CHECK: %[[HEAD:.*]] = plan.head
// CHECK: %[[BIAS:.*]] = plan.read @bias affine_map<(d0, d1, d2) -> (d1)> : f32
// CHECK: %[[SUM:.*]] = plan.step arithmetic add(%[[HEAD]], %[[BIAS]])
// CHECK: plan.write %[[SUM]] to @out affine_map<(d0, d1, d2) -> (0, d0, d1)> : f32
// CHECK-NOT: plan.group
plan.program @units (tensor<32x64xbf16>, tensor<64x8xbf16>, tensor<8xf32>) -> tensor<1x32x8xf32> returns [@out] {
  plan.tensor @a argument 0 : tensor<32x64xbf16>
  plan.tensor @b argument 1 : tensor<64x8xbf16>
  plan.tensor @bias argument 2 : tensor<8xf32>
  plan.tensor @between : tensor<32x8xf32>
  plan.tensor @out : tensor<1x32x8xf32>
  plan.group contraction of "linalg.matmul" loops [#plan.loop<extent = 32>, #plan.loop<extent = 8>, #plan.loop<extent = 64, reduced>] {
    %0 = plan.read @a affine_map<(d0, d1, d2) -> (d0, d2)> : bf16
    %1 = plan.read @b affine_map<(d0, d1, d2) -> (d2, d1)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    plan.write %2 to @between affine_map<(d0, d1, d2) -> (d0, d1)> : f32
  }
  plan.group stream of "linalg.add" loops [#plan.loop<extent = 1>, #plan.loop<extent = 32>, #plan.loop<extent = 8>] {
    %0 = plan.read @between affine_map<(d0, d1, d2) -> (d1, d2)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.read @bias affine_map<(d0, d1, d2) -> (d2)> : f32
    %3 = plan.step arithmetic add(%1, %2) : (f32, f32) -> f32
    plan.write %3 to @out affine_map<(d0, d1, d2) -> (d0, d1, d2)> : f32
  }
}

// A loop that the new result does not have is gone.
// CHECK-LABEL: plan.program @row
// CHECK: plan.group contraction of "linalg.matmul" loops [#plan.loop<extent = 8>, #plan.loop<extent = 64, reduced>] {
// CHECK: plan.read @a affine_map<(d0, d1) -> (0, d1)> : bf16
// CHECK: plan.write %{{.*}} to @out affine_map<(d0, d1) -> (d0)> : f32
// CHECK-NOT: plan.group
plan.program @row (tensor<1x64xbf16>, tensor<64x8xbf16>) -> tensor<8xf32> returns [@out] {
  plan.tensor @a argument 0 : tensor<1x64xbf16>
  plan.tensor @b argument 1 : tensor<64x8xbf16>
  plan.tensor @between : tensor<1x8xf32>
  plan.tensor @out : tensor<8xf32>
  plan.group contraction of "linalg.matmul" loops [#plan.loop<extent = 1>, #plan.loop<extent = 8>, #plan.loop<extent = 64, reduced>] {
    %0 = plan.read @a affine_map<(d0, d1, d2) -> (d0, d2)> : bf16
    %1 = plan.read @b affine_map<(d0, d1, d2) -> (d2, d1)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    plan.write %2 to @between affine_map<(d0, d1, d2) -> (d0, d1)> : f32
  }
  plan.group stream of "linalg.exp" loops [#plan.loop<extent = 8>] {
    %0 = plan.read @between affine_map<(d0) -> (0, d0)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.step function Exp(%1) : (f32) -> f32
    plan.write %2 to @out affine_map<(d0) -> (d0)> : f32
  }
}

// A part of a result is no reason to write all of it.
// CHECK-LABEL: plan.program @part
// CHECK-COUNT-2: plan.group
plan.program @part (tensor<16x8xf32>) -> tensor<8x8xf32> returns [@out] {
  plan.tensor @a argument 0 : tensor<16x8xf32>
  plan.tensor @between : tensor<16x8xf32>
  plan.tensor @out : tensor<8x8xf32>
  plan.group stream of "linalg.exp" loops [#plan.loop<extent = 16>, #plan.loop<extent = 8>] {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.step function Exp(%1) : (f32) -> f32
    plan.write %2 to @between affine_map<(d0, d1) -> (d0, d1)> : f32
  }
  plan.group stream of "linalg.exp" loops [#plan.loop<extent = 8>, #plan.loop<extent = 8>] {
    %0 = plan.read @between affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.step function Exp(%1) : (f32) -> f32
    plan.write %2 to @out affine_map<(d0, d1) -> (d0, d1)> : f32
  }
}

}
