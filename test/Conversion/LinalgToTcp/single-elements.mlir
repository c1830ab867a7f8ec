// RUN: sequin-opt %s --convert-linalg-to-tcp=target=rngd --split-input-file | FileCheck %s
// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --split-input-file --verify-roundtrip -o /dev/null

// ROWS: DMA-03

// A tensor of one element has no axes. It takes a word of 8 bytes, the least that the
// DMA engine moves, of which the first element counts; all lanes of a flit hold it.

// CHECK: #[[$NONE:.*]] = #stream.axes<>
// CHECK-LABEL: func.func @scale_kernel
// CHECK-SAME: %[[B:[^:]*]]: !tcp.hbm<bf16, #[[$NONE]], "1", "1 # 32">)
// CHECK: tcp.view %[[B]] at 0 : {{.*}} "1 # 4">
// CHECK: tcp.to_dm {{.*}} "1 # 4">
// CHECK: tcp.fetch %{{.*}} f32 "1", "1 # 8" : <main begin bf16
// CHECK: %[[V:.*]] = tcp.to_vrf %{{.*}} "1 # 8"
// CHECK: tcp.vector_fp_binary %{{.*}} MulF0, %[[V]]
// CHECK-LABEL: func.func @scale(
// CHECK-SAME: !tcp.host<bf16, #[[$NONE]], "1">
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

// Nothing but single elements: one slice, one flit.

// CHECK-LABEL: func.func @single_kernel
// CHECK: tcp.fetch %{{.*}} f32 "1", "1 # 8"
// CHECK: tcp.vector_split %{{.*}} "1 # 8 / 4", "1 # 8 % 4"
// CHECK: tcp.commit %{{.*}} "1 # 2"
// CHECK: tcp.to_hbm_view {{.*}} "1 # 2">
func.func @single(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %empty = tensor.empty() : tensor<f32>
  %0 = linalg.sub ins(%a, %b : tensor<f32>, tensor<f32>)
      outs(%empty : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A dimension of size 1 is no axis either. Rows of one element are not contiguous:
// the result's packets run along the other dimension.

// CHECK: #stream.axes<D0 = 40, D1 = 1>
// CHECK-LABEL: func.func @columns_kernel
// CHECK: tcp.fetch %{{.*}} f32 "D / 8", "D % 8"
// CHECK-LABEL: func.func @columns(
// CHECK-SAME: !tcp.host<f32, #axes, "D0, D1">
func.func @columns(%a: tensor<40x1xf32>) -> tensor<40x1xf32> {
  %empty = tensor.empty() : tensor<40x1xf32>
  %0 = linalg.square ins(%a : tensor<40x1xf32>)
      outs(%empty : tensor<40x1xf32>) -> tensor<40x1xf32>
  return %0 : tensor<40x1xf32>
}

// -----

// A sum that is one element, read by every slice as a second operand.

// CHECK-LABEL: func.func @sum_times_kernel
// CHECK: tcp.vector_intra_slice_reduce
// CHECK: %[[SUM:.*]] = tcp.to_hbm_view
// CHECK: tcp.view %[[SUM]] at 0 : {{.*}} "1 # 2">
// CHECK: %[[V:.*]] = tcp.to_vrf %{{.*}} "1 # 8"
// CHECK: tcp.vector_fp_binary %{{.*}} MulF0, %[[V]]
func.func @sum_times(%a: tensor<32xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<32xf32>)
      outs(%zero : tensor<f32>) dimensions = [0]
  %empty = tensor.empty() : tensor<64xf32>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>,
                       affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%b, %0 : tensor<64xf32>, tensor<f32>) outs(%empty : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %2 = arith.mulf %x, %y : f32
    linalg.yield %2 : f32
  } -> tensor<64xf32>
  return %1 : tensor<64xf32>
}
