// Every operation becomes a group; fills are numbers, transpositions are indices, and the
// pin of an operation is on the group's loops.
//
// RUN: sequin-opt %s --tcp-plan-form-groups=target=rngd --verify-roundtrip --mlir-print-local-scope | FileCheck %s

// CHECK: module attributes {tcp.target = #tcp.target<"rngd">}
// CHECK-LABEL: plan.program @main (tensor<32x64xbf16>, tensor<8x64xbf16>, tensor<32x8xf32>) -> tensor<32x8xf32>
// CHECK-SAME: returns [@[[SUM:.*]]] macs 16384 {
// CHECK: plan.tensor @arg0 argument 0 : tensor<32x64xbf16>
// CHECK: plan.tensor @arg1 argument 1 : tensor<8x64xbf16>
// CHECK: plan.tensor @arg2 argument 2 : tensor<32x8xf32>
// CHECK: plan.tensor @[[PRODUCT:.*]] : tensor<32x8xf32>
// CHECK: plan.tensor @[[SUM]] : tensor<32x8xf32>
// CHECK: plan.group contraction of "linalg.matmul" loops [#plan.loop<extent = 32, pinned_tile = 16>, #plan.loop<extent = 8, pinned_parts = 2>, #plan.loop<extent = 64, reduced>] {
// CHECK: %[[A:.*]] = plan.read @arg0 affine_map<(d0, d1, d2) -> (d0, d2)> : bf16
// CHECK: %[[B:.*]] = plan.read @arg1 affine_map<(d0, d1, d2) -> (d1, d2)> : bf16
// CHECK: %[[HEAD:.*]] = plan.head %[[A]], %[[B]] : (bf16, bf16) -> f32
// CHECK: plan.write %[[HEAD]] to @[[PRODUCT]] affine_map<(d0, d1, d2) -> (d0, d1)> : f32
// CHECK: plan.group stream of "linalg.generic" loops [#plan.loop<extent = 32>, #plan.loop<extent = 8>] {
// CHECK: %[[X:.*]] = plan.read @[[PRODUCT]]
// CHECK: %[[S:.*]] = plan.head %[[X]] : (f32) -> f32
// CHECK: %[[Y:.*]] = plan.read @arg2
// CHECK: %[[ADDED:.*]] = plan.step arithmetic add(%[[S]], %[[Y]]) : (f32, f32) -> f32
// CHECK: %[[EXP:.*]] = plan.step function Exp(%[[ADDED]]) : (f32) -> f32
// CHECK: plan.write %[[EXP]] to @[[SUM]]
#ij = affine_map<(i, j) -> (i, j)>
func.func @main(%a: tensor<32x64xbf16>, %b: tensor<8x64xbf16>, %c: tensor<32x8xf32>)
    -> tensor<32x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<32x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x8xf32>) -> tensor<32x8xf32>
  %turned = tensor.empty() : tensor<64x8xbf16>
  %bt = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<8x64xbf16>) outs(%turned : tensor<64x8xbf16>) {
  ^bb0(%x: bf16, %o: bf16):
    linalg.yield %x : bf16
  } -> tensor<64x8xbf16>
  %product = linalg.matmul {sequin.pin = {tiles = array<i64: 16, 0, 0>, parts = array<i64: 0, 2, 0>}}
      ins(%a, %bt : tensor<32x64xbf16>, tensor<64x8xbf16>)
      outs(%init : tensor<32x8xf32>) -> tensor<32x8xf32>
  %sum = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%product, %c : tensor<32x8xf32>, tensor<32x8xf32>) outs(%empty : tensor<32x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %e = math.exp %s : f32
    linalg.yield %e : f32
  } -> tensor<32x8xf32>
  return %sum : tensor<32x8xf32>
}

// A loop of one iteration is dropped, unless its sizes are pinned.
// CHECK-LABEL: plan.program @units
// CHECK: plan.group stream of "linalg.generic" loops [#plan.loop<extent = 8>, #plan.loop<extent = 16>] {
// CHECK: plan.read @arg0 affine_map<(d0, d1) -> (0, d0, 0, d1)> : f32
// CHECK: plan.write %{{.*}} to @{{.*}} affine_map<(d0, d1) -> (0, d0, 0, d1)> : f32
// CHECK: plan.group stream of "linalg.generic" loops [#plan.loop<pinned_parts = 1>, #plan.loop<extent = 8>, #plan.loop<extent = 16>] {
#all = affine_map<(a, b, c, d) -> (a, b, c, d)>
func.func @units(%a: tensor<1x8x1x16xf32>) -> tensor<1x8x1x16xf32> {
  %empty = tensor.empty() : tensor<1x8x1x16xf32>
  %0 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a : tensor<1x8x1x16xf32>) outs(%empty : tensor<1x8x1x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = math.exp %x : f32
    linalg.yield %1 : f32
  } -> tensor<1x8x1x16xf32>
  %2 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"],
                       sequin.pin = {parts = array<i64: 1, 0, 0, 0>}}
      ins(%0 : tensor<1x8x1x16xf32>) outs(%empty : tensor<1x8x1x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %3 = math.exp %x : f32
    linalg.yield %3 : f32
  } -> tensor<1x8x1x16xf32>
  return %2 : tensor<1x8x1x16xf32>
}
