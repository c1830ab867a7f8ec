// RUN: sequin-opt %s --convert-linalg-to-tcp=target=rngd --split-input-file --verify-diagnostics

// expected-error@+1 {{'func.func' op argument 0 has type 'tensor<?x64xbf16>', only ranked tensors with static shapes can be lowered: give every dimension a size}}
func.func @dynamic(%a: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  return %a : tensor<?x64xbf16>
}

// -----

// expected-error@+1 {{argument 0 has element type 'f64', machine "rngd" has i4, i8, i16, i32, f8E4M3FN, f8E5M2, bf16, f16 and f32}}
func.func @element_type(%a: tensor<8xf64>) -> tensor<8xf64> {
  return %a : tensor<8xf64>
}

// -----

// expected-error@+1 {{argument 0 has type 'tensor<0x4xf32>', a dimension must not be empty}}
func.func @no_elements(%a: tensor<0x4xf32>) -> tensor<0x4xf32> {
  return %a : tensor<0x4xf32>
}

// -----

func.func @two_roles(%a: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error@+1 {{'linalg.matmul' op has loops 0 and 1 over one and the same dimension, because a tensor is used with its dimensions in two roles; pass that tensor as two arguments}}
  %0 = linalg.matmul ins(%a, %a : tensor<64x64xbf16>, tensor<64x64xbf16>)
      outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @wide_operands(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>)
    -> tensor<64x64xf32> {
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error@+1 {{'linalg.matmul' op has operands of 'f32', the contraction engine takes i4, i8, f8E4M3FN, f8E5M2 and bf16: convert them first}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>)
      outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @narrow_sum(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>)
    -> tensor<64x64xbf16> {
  %init = arith.constant dense<0.0> : tensor<64x64xbf16>
  // expected-error@+1 {{sums in 'bf16', the contraction engine sums 'bf16' in 'f32': give the result that type and narrow it afterwards}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x64xbf16>)
      outs(%init : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}

// -----

func.func @mixed(%a: tensor<64x32xi8>, %b: tensor<32x64xi4>)
    -> tensor<64x64xi32> {
  %init = arith.constant dense<0> : tensor<64x64xi32>
  // expected-error@+1 {{multiplies 'i8' by 'i4', the contraction engine needs both of one type}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xi8>, tensor<32x64xi4>)
      outs(%init : tensor<64x64xi32>) -> tensor<64x64xi32>
  return %0 : tensor<64x64xi32>
}

// -----

func.func @no_init(%a: tensor<64x32xi8>, %b: tensor<32x64xi8>)
    -> tensor<64x64xi32> {
  %empty = tensor.empty() : tensor<64x64xi32>
  // expected-error@+1 {{sums onto tensor.empty; fill it with zero by linalg.fill}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xi8>, tensor<32x64xi8>)
      outs(%empty : tensor<64x64xi32>) -> tensor<64x64xi32>
  return %0 : tensor<64x64xi32>
}

// -----

func.func @long_sum(%a: tensor<64x8192xbf16>, %b: tensor<8192x64xbf16>)
    -> tensor<64x64xf32> {
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error@+1 {{with M = 64, N = 64, K = 8192 needs at least 16384 bytes of tensor register file, which has 8192 per row; cut the operation into smaller ones}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x8192xbf16>, tensor<8192x64xbf16>)
      outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @large(%a: tensor<65536x4096xbf16>, %b: tensor<4096x4096xbf16>)
    -> tensor<65536x4096xf32> {
  %init = arith.constant dense<0.0> : tensor<65536x4096xf32>
  // expected-error@+1 {{bytes of data memory, which has 524288 per slice; cut the operation into smaller ones}}
  %0 = linalg.matmul ins(%a, %b : tensor<65536x4096xbf16>, tensor<4096x4096xbf16>)
      outs(%init : tensor<65536x4096xf32>) -> tensor<65536x4096xf32>
  return %0 : tensor<65536x4096xf32>
}

// -----

func.func @large_operand(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>)
    -> tensor<4096x4096xf32> {
  %empty = tensor.empty() : tensor<4096x4096xf32>
  // expected-error@+1 {{'linalg.add' op with D0 = 4096, D1 = 4096 needs at least 131072 bytes of vector register file, which has 8192 per slice; cut the operation into smaller ones}}
  %0 = linalg.add ins(%a, %b : tensor<4096x4096xf32>, tensor<4096x4096xf32>)
      outs(%empty : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// -----

func.func @other_reduction(%a: tensor<4x4xf32>) -> tensor<4xf32> {
  %init = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error@+1 {{'linalg.reduce' op reduces by something else than a sum of products of two operands}}
  %0 = linalg.reduce { arith.maximumf } ins(%a : tensor<4x4xf32>)
      outs(%init : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

// -----

func.func @function(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %empty = tensor.empty() : tensor<4x4xf32>
  // expected-error@+1 {{'linalg.exp' op body computes 'math.exp', which the vector engine does not; it adds, subtracts}}
  %0 = linalg.exp ins(%a : tensor<4x4xf32>)
      outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @wrapping(%a: tensor<64xi32>) -> tensor<64xi8> {
  %empty = tensor.empty() : tensor<64xi8>
  // expected-error@+1 {{body computes 'arith.trunci' to 'i8' of values that may not fit, which the cast engine saturates; clamp them to -128 .. 127 with arith.maxsi and arith.minsi first}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<64xi32>) outs(%empty : tensor<64xi8>) {
  ^bb0(%x: i32, %out: i8):
    %1 = arith.trunci %x : i32 to i8
    linalg.yield %1 : i8
  } -> tensor<64xi8>
  return %0 : tensor<64xi8>
}

// -----

func.func @narrow_arithmetic(%a: tensor<64xi8>, %b: tensor<64xi8>)
    -> tensor<64xi8> {
  %empty = tensor.empty() : tensor<64xi8>
  // expected-error@+1 {{body computes 'arith.addi' in 'i8', the vector engine computes integers in i32: widen the operands and narrow the result}}
  %0 = linalg.add ins(%a, %b : tensor<64xi8>, tensor<64xi8>)
      outs(%empty : tensor<64xi8>) -> tensor<64xi8>
  return %0 : tensor<64xi8>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @two_streams(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
  %empty = tensor.empty() : tensor<64xf32>
  // expected-error@+1 {{body computes 'arith.mulf' of two computed values; one of them must be a constant or an element of an operand: split the operation in two}}
  %0 = linalg.generic {indexing_maps = [#id, #id, #id],
                       iterator_types = ["parallel"]}
      ins(%a, %b : tensor<64xf32>, tensor<64xf32>)
      outs(%empty : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %1 = arith.addf %x, %y : f32
    %2 = arith.subf %x, %y : f32
    %3 = arith.mulf %1, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// A packet of the stream would repeat one i4.

func.func @half_bytes(%a: tensor<i4>) -> tensor<32xi32> {
  %empty = tensor.empty() : tensor<32xi32>
  %c = arith.constant 3 : i32
  // expected-error@+1 {{repeats single elements of 'i4' along its innermost loop, and the fetch engine reads whole bytes; pass that tensor as i8}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%a : tensor<i4>) outs(%empty : tensor<32xi32>) {
  ^bb0(%x: i4, %out: i32):
    %1 = arith.extsi %x : i4 to i32
    %2 = arith.addi %1, %c : i32
    linalg.yield %2 : i32
  } -> tensor<32xi32>
  return %0 : tensor<32xi32>
}

// -----

func.func @sliding(%a: tensor<1x8x8x4xbf16>, %b: tensor<3x3x4x8xbf16>)
    -> tensor<1x6x6x8xf32> {
  %init = arith.constant dense<0.0> : tensor<1x6x6x8xf32>
  // expected-error@+1 {{indexes operand 0 by affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)>, only plain loop indices are supported}}
  %0 = linalg.conv_2d_nhwc_hwcf
      ins(%a, %b : tensor<1x8x8x4xbf16>, tensor<3x3x4x8xbf16>)
      outs(%init : tensor<1x6x6x8xf32>) -> tensor<1x6x6x8xf32>
  return %0 : tensor<1x6x6x8xf32>
}

// -----

func.func @reshaped(%a: tensor<4x4xf32>) -> tensor<16xf32> {
  // expected-error@+1 {{'tensor.collapse_shape' op cannot be lowered to tcp, only linalg operations on tensors, tensor.empty and arith.constant can}}
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

func.func @weights_inside() -> tensor<2xf32> {
  // expected-error@+1 {{is a tensor of several values, which has no place on the device; pass it as an argument of the function}}
  %0 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @nothing_computed() -> tensor<2xf32> {
  %0 = arith.constant dense<1.0> : tensor<2xf32>
  // expected-error@+1 {{returns as result 0 a tensor that is not computed; return the result of a linalg operation on arguments}}
  return %0 : tensor<2xf32>
}

// -----

// expected-error@+1 {{has several blocks, only straight-line functions can be lowered to tcp}}
func.func @branches(%a: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  return %a : tensor<4xf32>
}

// -----

// One reader wants M innermost in the intermediate, the other one N.

func.func @transposed(%a: tensor<64x32xbf16>, %b: tensor<32x128xbf16>,
                      %c: tensor<128x96xbf16>, %d: tensor<64x96xbf16>)
    -> (tensor<64x96xf32>, tensor<128x96xf32>) {
  %init = arith.constant dense<0.0> : tensor<64x128xf32>
  %init0 = arith.constant dense<0.0> : tensor<64x96xf32>
  %init1 = arith.constant dense<0.0> : tensor<128x96xf32>
  // expected-note@+1 {{produced here}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x128xbf16>)
      outs(%init : tensor<64x128xf32>) -> tensor<64x128xf32>
  %empty = tensor.empty() : tensor<64x128xbf16>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<64x128xf32>) outs(%empty : tensor<64x128xbf16>) {
  ^bb0(%x: f32, %out: bf16):
    %4 = arith.truncf %x : f32 to bf16
    linalg.yield %4 : bf16
  } -> tensor<64x128xbf16>
  %2 = linalg.matmul ins(%1, %c : tensor<64x128xbf16>, tensor<128x96xbf16>)
      outs(%init0 : tensor<64x96xf32>) -> tensor<64x96xf32>
  // expected-error@+1 {{needs axis M of an operand innermost in HBM, where its producer wrote axis N innermost; the intermediate would need a transposition: let the producer compute the transposed tensor}}
  %3 = linalg.contract
      indexing_maps = [affine_map<(m, n, k) -> (k, m)>,
                       affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>]
      ins(%1, %d : tensor<64x128xbf16>, tensor<64x96xbf16>)
      outs(%init1 : tensor<128x96xf32>) -> tensor<128x96xf32>
  return %2, %3 : tensor<64x96xf32>, tensor<128x96xf32>
}

// -----

// Both factors are one where axis N is padded, from 20 to 32.

#id = affine_map<(i, j) -> (i, j)>
func.func @padding(%a: tensor<64x32xbf16>, %b: tensor<32x20xbf16>,
                   %c: tensor<20x32xbf16>, %d: tensor<32x64xbf16>)
    -> tensor<64x64xf32> {
  %one = arith.constant 1.0 : f32
  %init = arith.constant dense<1.0> : tensor<64x20xf32>
  %init0 = arith.constant dense<1.0> : tensor<20x64xf32>
  %init1 = arith.constant dense<0.0> : tensor<64x64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x20xbf16>)
      outs(%init : tensor<64x20xf32>) -> tensor<64x20xf32>
  %empty = tensor.empty() : tensor<64x20xbf16>
  %1 = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<64x20xf32>) outs(%empty : tensor<64x20xbf16>) {
  ^bb0(%x: f32, %out: bf16):
    %5 = arith.truncf %x : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<64x20xbf16>
  %2 = linalg.matmul ins(%c, %d : tensor<20x32xbf16>, tensor<32x64xbf16>)
      outs(%init0 : tensor<20x64xf32>) -> tensor<20x64xf32>
  %empty0 = tensor.empty() : tensor<20x64xbf16>
  %3 = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<20x64xf32>) outs(%empty0 : tensor<20x64xbf16>) {
  ^bb0(%x: f32, %out: bf16):
    %5 = arith.truncf %x : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<20x64xbf16>
  // expected-error@+1 {{sums over axis N, which is padded from 20 to 32 with values that are not zero; give that dimension a size that needs no padding}}
  %4 = linalg.matmul ins(%1, %3 : tensor<64x20xbf16>, tensor<20x64xbf16>)
      outs(%init1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %4 : tensor<64x64xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @two_results(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  // expected-error@+1 {{has 2 results, only one is supported: split it}}
  %0:2 = linalg.generic {indexing_maps = [#id, #id, #id],
                         iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>)
      outs(%empty, %empty : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %1 = arith.addf %x, %x : f32
    linalg.yield %1, %x : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @two_sums(%a: tensor<8xf32>, %b: tensor<f32>)
    -> (tensor<f32>, tensor<f32>) {
  // expected-error@+1 {{has 2 results, only one is supported: split it}}
  %0:2 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>,
                       affine_map<(i) -> ()>],
      iterator_types = ["reduction"]}
      ins(%a : tensor<8xf32>) outs(%b, %b : tensor<f32>, tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %1 = arith.addf %x, %y : f32
    linalg.yield %1, %1 : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @constant_body(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant 2.0 : f32
  // expected-error@+1 {{computes a constant; use linalg.fill}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %c : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @constant_operands() -> tensor<8xf32> {
  %c = arith.constant dense<2.0> : tensor<8xf32>
  %empty = tensor.empty() : tensor<8xf32>
  // expected-error@+1 {{of two constants; run --canonicalize first}}
  %0 = linalg.add ins(%c, %c : tensor<8xf32>, tensor<8xf32>)
      outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @empty_returned() -> tensor<8xf32> {
  %0 = tensor.empty() : tensor<8xf32>
  // expected-error@+1 {{returns as result 0 a tensor that is not computed}}
  return %0 : tensor<8xf32>
}

// -----

func.func @broadcast_returned(%a: tensor<f32>) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %0 = linalg.broadcast ins(%a : tensor<f32>) outs(%empty : tensor<4xf32>)
      dimensions = [0]
  // expected-error@+1 {{returns as result 0 a broadcast tensor; return the tensor it was made from}}
  return %0 : tensor<4xf32>
}

// -----

func.func @pairs(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{has elements that are not single numbers}}
  %0 = arith.constant dense<(1.0, 2.0)> : tensor<4xcomplex<f32>>
  return %a : tensor<4xf32>
}

// -----

func.func @callee(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func @caller() {
  %0 = arith.constant dense<1.0> : tensor<8xf32>
  // expected-error@+1 {{'func.call' op refers to 'callee', which becomes a program of its own; inline that function}}
  %1 = func.call @callee(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
func.func @calls(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'func.call' op cannot be lowered to tcp, only linalg operations on tensors, tensor.empty and arith.constant can}}
  %0 = func.call @elsewhere(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @of_intermediate(%a: tensor<16x64xf32>) -> tensor<16xf32> {
  %init = arith.constant dense<0.0> : tensor<16xf32>
  %empty = tensor.empty() : tensor<16x64xbf16>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<16x64xf32>) outs(%empty : tensor<16x64xbf16>) {
  ^bb0(%x: f32, %out: bf16):
    %2 = arith.truncf %x : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<16x64xbf16>
  // expected-error@+1 {{sums an intermediate; multiply it by a tensor of ones that is an argument}}
  %1 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<16x64xbf16>) outs(%init : tensor<16xf32>) {
  ^bb0(%x: bf16, %out: f32):
    %2 = arith.extf %x : bf16 to f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<16xf32>
  return %1 : tensor<16xf32>
}
