// RUN: sequin-opt %s --convert-linalg-to-tcp=target=rngd --split-input-file | FileCheck %s
// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --split-input-file --verify-roundtrip -o /dev/null

// Values that are used, returned or left alone in unusual ways, and constants.

// Every result is moved to the host, also one that is returned twice; an argument
// that nothing reads is not moved.

// CHECK-LABEL: func.func @twice_kernel
// CHECK-SAME: (%arg0: !tcp.hbm<f32, #axes, "1", "D0 # 16">) ->
// CHECK-LABEL: func.func @twice(
// CHECK-SAME: !tcp.host<i8, #{{.*}}, "D0">)
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

// An argument that is returned is copied: the host gets memory of the kernel's.

// CHECK-LABEL: func.func @same_kernel
// CHECK: %[[ONE:.*]] = tcp.to_hbm_view
// CHECK: %[[TWO:.*]] = tcp.to_hbm_view
// CHECK: return %[[ONE]], %[[TWO]]
// CHECK-LABEL: func.func @same(
// CHECK: %[[R:.*]]:2 = tcp.launch
// CHECK: tcp.to_host %[[R]]#0
// CHECK: tcp.to_host %[[R]]#1
func.func @same(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  return %a, %a : tensor<8xf32>, tensor<8xf32>
}

// -----

// Results in another order than they are computed in.

// CHECK-LABEL: func.func @order_kernel
// CHECK: tcp.vector_fp_unary %{{.*}} Exp
// CHECK: %[[EXP:.*]] = tcp.to_hbm_view
// CHECK: tcp.vector_fp_unary %{{.*}} Sqrt
// CHECK: %[[ROOT:.*]] = tcp.to_hbm_view
// CHECK: return %[[ROOT]], %[[EXP]]
func.func @order(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %0 = linalg.exp ins(%a : tensor<8xf32>)
      outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.sqrt ins(%a : tensor<8xf32>)
      outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  return %1, %0 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Without groups there is no kernel.

// CHECK-LABEL: func.func @order(
// CHECK-NOT: func.func
// CHECK: func.func @nothing(
// CHECK-NEXT: return
func.func @nothing(%a: tensor<8xf32>) {
  return
}

// -----

// Several functions are programs of their own; one without tensors stays, and the
// name of a kernel is one that is free.

// CHECK: func.func @first_kernel1
// CHECK: func.func @first(
// CHECK: tcp.launch @first_kernel1
// CHECK: func.func @second_kernel(
// CHECK: func.func private @second(
// CHECK: func.func @first_kernel()
// CHECK-NEXT: return
func.func @first(%a: tensor<8xf32>) -> tensor<8xf32> {
  %empty = tensor.empty() : tensor<8xf32>
  %0 = linalg.square ins(%a : tensor<8xf32>)
      outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @second(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func @first_kernel() {
  return
}

// -----

// No operand but the init.

// CHECK-LABEL: func.func @in_place_kernel
// CHECK: tcp.vector_clip %{{.*}} Add mode Mode00
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

// -----

// A tensor of several numbers comes with the host function, in the layout that its
// reader likes: here transposed, for the summed dimension.

// CHECK-LABEL: func.func @weights_kernel
// CHECK-SAME: !tcp.hbm<bf16, #[[$WEIGHTS:[^,]*]], "1", "D1, D0 # 32">
// CHECK-LABEL: func.func @weights(
// CHECK: %[[C:.*]] = tcp.constant dense<{{.*}}> : tensor<2x8xbf16> : !tcp.host<bf16, #[[$WEIGHTS]], "D0, D1">
// CHECK: tcp.to_hbm %[[C]] {{.*}} "D1, D0 # 32">
func.func @weights(%a: tensor<16x2xbf16>) -> tensor<16x8xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
                             [8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]]>
      : tensor<2x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<16x2xbf16>, tensor<2x8xbf16>)
      outs(%zero : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// A number that is the same everywhere is an immediate of the vector engine, by way
// of a fill, a splat or what renames them.

// CHECK-LABEL: func.func @numbers_kernel
// CHECK: tcp.vector_fp_binary %{{.*}} MulF0(3.000000e+00 : f32)
// CHECK: tcp.vector_fp_binary %{{.*}} MulF1(5.000000e-01 : f32)
// CHECK-LABEL: func.func @numbers(
// CHECK-NOT: tcp.constant
#id = affine_map<(i, j) -> (i, j)>
func.func @numbers(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %three = arith.constant 3.0 : f32
  %half = arith.constant dense<0.5> : tensor<64xf32>
  %empty = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.fill ins(%three : f32) outs(%empty : tensor<8x8xf32>)
      -> tensor<8x8xf32>
  %1 = tensor.expand_shape %half [[0, 1]] output_shape [8, 8]
      : tensor<64xf32> into tensor<8x8xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id, #id, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a, %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>)
      outs(%empty : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %out: f32):
    %3 = arith.mulf %x, %y : f32
    %4 = arith.mulf %3, %z : f32
    linalg.yield %4 : f32
  } -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// A filled tensor that leaves the function is one element of the host's, repeated.

// CHECK-LABEL: func.func @filled_kernel
// CHECK-SAME: (%[[C:[^:]*]]: !tcp.hbm<bf16, #{{.*}}, "1", "1 # 32">)
// CHECK: tcp.fetch %{{.*}} bf16
// CHECK: tcp.to_hbm_view
// CHECK-LABEL: func.func @filled()
// CHECK: tcp.constant dense<3.000000e+00> : tensor<bf16>
func.func @filled() -> tensor<40x50xbf16> {
  %three = arith.constant 3.0 : bf16
  %empty = tensor.empty() : tensor<40x50xbf16>
  %0 = linalg.fill ins(%three : bf16) outs(%empty : tensor<40x50xbf16>)
      -> tensor<40x50xbf16>
  return %0 : tensor<40x50xbf16>
}

// -----

// Intermediates that do not live at the same time share memory; results and
// arguments do not. Sixty columns are no whole flits, so they are not stages.

// CHECK-LABEL: func.func @memory_kernel
// CHECK: tcp.from_address [[FIRST:[0-9]+]] :
// CHECK: tcp.from_address [[SECOND:[0-9]+]] :
// CHECK: tcp.from_address [[FIRST]] :
func.func @memory(%a: tensor<64x60xf32>) -> tensor<64x60xf32> {
  %empty = tensor.empty() : tensor<64x60xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
                                        affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<64x60xf32>) outs(%empty : tensor<64x60xf32>) {
  ^bb0(%x: f32, %out: f32):
    %2 = math.exp %x : f32
    linalg.yield %2 : f32
  } -> tensor<64x60xf32>
  %1 = linalg.sub ins(%0, %0 : tensor<64x60xf32>, tensor<64x60xf32>)
      outs(%empty : tensor<64x60xf32>) -> tensor<64x60xf32>
  %sums = arith.constant dense<0.0> : tensor<64xf32>
  %3 = linalg.reduce { arith.addf } ins(%1 : tensor<64x60xf32>)
      outs(%sums : tensor<64xf32>) dimensions = [1]
  %4 = linalg.broadcast ins(%3 : tensor<64xf32>)
      outs(%empty : tensor<64x60xf32>) dimensions = [1]
  return %4 : tensor<64x60xf32>
}
