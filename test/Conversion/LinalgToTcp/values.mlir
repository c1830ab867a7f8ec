// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --split-input-file | FileCheck %s
// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --split-input-file --verify-roundtrip -o /dev/null

// Values that are used, returned or left alone in unusual ways.

// The stream of a step cannot be its second operand too: the sum goes through
// memory and comes back as both.

// CHECK-LABEL: func.func @square_kernel
// CHECK: tcp.vector_clip %{{.*}} Add, %{{.*}}
// CHECK: %[[SUM:.*]] = tcp.to_hbm
// CHECK: tcp.to_dm %[[SUM]]
// CHECK: %[[V:.*]] = tcp.to_vrf
// CHECK: tcp.to_dm %[[SUM]]
// CHECK: tcp.vector_fp_binary %{{.*}} MulF0, %[[V]]
func.func @square(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %empty = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.add ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>)
      outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.square ins(%0 : tensor<8x8xf32>)
      outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// The same after a contraction, with the value as both operands and as init.

// CHECK-LABEL: func.func @square_of_sum_kernel
// CHECK: tcp.accumulate
// CHECK: %[[SUM:.*]] = tcp.to_hbm
// CHECK-COUNT-2: tcp.to_dm %[[SUM]]
// CHECK-NOT: tcp.to_dm
// CHECK: return
func.func @square_of_sum(%a: tensor<8x32xbf16>, %b: tensor<32x8xbf16>)
    -> tensor<8x8xf32> {
  %init = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x32xbf16>, tensor<32x8xbf16>)
      outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.mul ins(%0, %0 : tensor<8x8xf32>, tensor<8x8xf32>)
      outs(%0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// One tensor as both factors is moved once for each way it is read.

// CHECK-LABEL: func.func @norm_kernel
// CHECK: tcp.contract
// CHECK-LABEL: func.func @norm(
func.func @norm(%a: tensor<8x32xbf16>) -> tensor<8xf32> {
  %init = arith.constant dense<0.0> : tensor<8xf32>
  %0 = linalg.contract
      indexing_maps = [affine_map<(m, k) -> (m, k)>,
                       affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>]
      ins(%a, %a : tensor<8x32xbf16>, tensor<8x32xbf16>)
      outs(%init : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Every result is moved to the host, also one that is returned twice; an
// argument that nothing reads is not moved.

// CHECK-LABEL: func.func @twice_kernel
// CHECK-SAME: (%arg0: !tcp.hbm<f32, #axes, "1", "D0">) ->
// CHECK-LABEL: func.func @twice(
// CHECK: %[[R:.*]] = tcp.launch
// CHECK: %[[A:.*]] = tcp.to_host %[[R]]
// CHECK: %[[B:.*]] = tcp.to_host %[[R]]
// CHECK: return %[[A]], %[[B]]
func.func @twice(%a: tensor<8xf32>, %unused: tensor<3xi8>)
    -> (tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %0 = linalg.add ins(%a, %a : tensor<8xf32>, tensor<8xf32>)
      outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  return %0, %0 : tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-NOT: _kernel
// CHECK-LABEL: func.func @same(
// CHECK-COUNT-2: tcp.to_host
// CHECK-NOT: tcp.launch
func.func @same(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  return %a, %a : tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @no_results_kernel
// CHECK: tcp.to_hbm
// CHECK-NEXT: return
// CHECK-LABEL: func.func @no_results(
// CHECK: tcp.launch
// CHECK: return
func.func @no_results(%a: tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %0 = linalg.square ins(%a : tensor<8xf32>)
      outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// Several functions are programs of their own; one without tensors stays.

// CHECK-LABEL: func.func @first_kernel
// CHECK-LABEL: func.func @first(
// CHECK-LABEL: func.func @second(
// CHECK-LABEL: func.func @neither()
// CHECK-NEXT: return
func.func @first(%a: tensor<8xf32>) -> tensor<8xf32> {
  %empty = tensor.empty() : tensor<8xf32>
  %0 = linalg.square ins(%a : tensor<8xf32>)
      outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @second(%a: tensor<8xf32>) {
  return
}
func.func @neither() {
  return
}

// -----

// No operand but the init.

// CHECK-LABEL: func.func @in_place_kernel
// CHECK: tcp.vector_clip %{{.*}} Add, %{{.*}}
func.func @in_place(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      outs(%a : tensor<8xf32>) {
  ^bb0(%x: f32):
    %1 = arith.addf %x, %x : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
