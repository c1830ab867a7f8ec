// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --split-input-file | FileCheck %s
// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --split-input-file --verify-roundtrip -o /dev/null

// ROWS: DMA-03

// A tensor of one element has an axis on the device: 8 bytes that the DMA engine
// can move, of which the first element counts.

// CHECK: #stream.axes<D0 = 64, U = 4>
// CHECK-LABEL: func.func @scale_kernel
// CHECK-SAME: !tcp.hbm<bf16, #axes, "1", "U">
// CHECK: tcp.fetch %{{.*}} f32 "1", "U"
// CHECK: %[[V:.*]] = tcp.to_vrf %{{.*}} "U # 8"
// CHECK: tcp.vector_fp_binary %{{.*}} MulF0, %[[V]]
// CHECK-LABEL: func.func @scale(
// CHECK-SAME: !tcp.host<bf16, #axes, "1">
func.func @scale(%a: tensor<64xf32>, %b: tensor<bf16>) -> tensor<64xf32> {
  %empty = tensor.empty() : tensor<64xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>,
                       affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%a, %b : tensor<64xf32>, tensor<bf16>) outs(%empty : tensor<64xf32>) {
  ^bb0(%x: f32, %y: bf16, %out: f32):
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.mulf %x, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// Elementwise on single elements: the axis is the loop.

// CHECK: #stream.axes<U = 8>
// CHECK-LABEL: func.func @single_kernel
// CHECK: tcp.fetch %{{.*}} f32 "1", "U"
// CHECK-LABEL: func.func @single(
// CHECK-SAME: -> !tcp.host<f32, #axes, "1">
func.func @single(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %empty = tensor.empty() : tensor<f32>
  %0 = linalg.sub ins(%a, %b : tensor<f32>, tensor<f32>)
      outs(%empty : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A sum that is one element, read as a second operand.

// CHECK: U = 2
// CHECK-LABEL: func.func @sum_times_kernel
// CHECK: tcp.accumulate
// CHECK: %[[SUM:.*]] = tcp.to_hbm %{{.*}} -> !tcp.hbm<f32, #axes, "1", "U">
// CHECK: tcp.to_dm %[[SUM]]
// CHECK: %[[V:.*]] = tcp.to_vrf %{{.*}} "U # 8"
// CHECK: tcp.vector_fp_binary %{{.*}} MulF0, %[[V]]
func.func @sum_times(%a: tensor<32xbf16>, %b: tensor<64xbf16>)
    -> tensor<64xf32> {
  %init = arith.constant dense<0.0> : tensor<64xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (n)>,
                       affine_map<(n, k) -> (n)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<32xbf16>, tensor<64xbf16>)
      outs(%init : tensor<64xf32>) {
  ^bb0(%x: bf16, %y: bf16, %out: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %out, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
