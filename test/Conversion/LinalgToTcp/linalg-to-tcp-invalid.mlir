// RUN: sequin-opt %s --convert-linalg-to-tcp=target=rngd --split-input-file --verify-diagnostics

// An error at each operation that is refused by itself; nothing is lowered in part. Bodies that are no chains
// are in steps-invalid.mlir.

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

// expected-error@+1 {{'func.func' op argument 0 has type 'tensor<?x64xbf16>', only ranked tensors with static shapes can be lowered: give every dimension a size}}
func.func @dynamic(%a: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  return %a : tensor<?x64xbf16>
}

// -----

func.func @dynamic_inside(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant 4 : index
  // expected-error@+1 {{'tensor.empty' op the result has type 'tensor<?xf32>', only ranked tensors with static shapes can be lowered}}
  %0 = tensor.empty(%c) : tensor<?xf32>
  return %a : tensor<8xf32>
}

// -----

// expected-error@+1 {{argument 0 has element type 'f64', machine "rngd" has i4, i8, i16, i32, f8E4M3FN, f8E5M2, bf16, f16 and f32}}
func.func @element_type(%a: tensor<8xf64>) -> tensor<8xf64> {
  return %a : tensor<8xf64>
}

// -----

func.func @element_type_inside(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'arith.constant' op the result has element type 'complex<f32>', machine "rngd" has i4}}
  %0 = arith.constant dense<(1.0, 2.0)> : tensor<4xcomplex<f32>>
  return %a : tensor<4xf32>
}

// -----

// expected-error@+1 {{argument 0 has type 'tensor<0x4xf32>', a dimension must not be empty}}
func.func @no_elements(%a: tensor<0x4xf32>) -> tensor<0x4xf32> {
  return %a : tensor<0x4xf32>
}

// -----

// expected-error@+1 {{argument 1 has type 'f32', only ranked tensors}}
func.func @scalar(%a: tensor<8xf32>, %b: f32) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Contractions and reductions
//===----------------------------------------------------------------------===//

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
  // expected-error@+1 {{'linalg.matmul' op reads a tensor that nothing has written; fill it first}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xi8>, tensor<32x64xi8>)
      outs(%empty : tensor<64x64xi32>) -> tensor<64x64xi32>
  return %0 : tensor<64x64xi32>
}

// -----

func.func @other_products(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>)
    -> tensor<8xf32> {
  %init = arith.constant dense<0.0> : tensor<8xf32>
  // expected-error@+1 {{reduces by something else than a sum of products of two operands (out + a * b, with a and b widened to the type of out), which the contraction engine does not}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>,
                       affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<8x4xf32>, tensor<8x4xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %1 = arith.subf %x, %y : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @other_reduction(%a: tensor<4x4xf32>) -> tensor<4xf32> {
  %init = arith.constant dense<1.0> : tensor<4xf32>
  // expected-error@+1 {{'linalg.reduce' op reduces by something else than the sum, maximum or minimum of one operand's elements, which the vector engine does not}}
  %0 = linalg.reduce { arith.mulf } ins(%a : tensor<4x4xf32>)
      outs(%init : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

// -----

func.func @narrow_reduction(%a: tensor<8x8xi8>) -> tensor<8xi8> {
  %init = arith.constant dense<-128> : tensor<8xi8>
  // expected-error@+1 {{reduces in 'i8', the vector engine reduces f32 and i32: widen the operand and narrow the result}}
  %0 = linalg.reduce { arith.maxsi } ins(%a : tensor<8x8xi8>)
      outs(%init : tensor<8xi8>) dimensions = [1]
  return %0 : tensor<8xi8>
}

// -----

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

func.func @divided(%a: tensor<8xf32>) -> tensor<16xf32> {
  %empty = tensor.empty() : tensor<16xf32>
  // expected-error@+1 {{indexes operand 0 by affine_map<(d0) -> (d0 floordiv 2)>, only sums of multiples of loop indices are supported}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2)>,
                                        affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%empty : tensor<16xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

func.func @computed_result(%a: tensor<8xf32>, %b: tensor<16xf32>)
    -> tensor<16xf32> {
  // expected-error@+1 {{'linalg.generic' op writes its result at computed indices}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
                                        affine_map<(i) -> (i * 2)>],
                       iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%b : tensor<16xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

func.func @index(%a: tensor<8xf32>) -> tensor<8xi32> {
  %empty = tensor.empty() : tensor<8xi32>
  // expected-error@+1 {{computes with loop indices, which the vector engine has not; pass them as a tensor}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      outs(%empty : tensor<8xi32>) {
  ^bb0(%out: i32):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    linalg.yield %2 : i32
  } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

func.func @gathered_columns(%t: tensor<10x24xbf16>, %i: tensor<9x2xi32>)
    -> tensor<9xbf16> {
  // expected-error@+1 {{gathers dimensions [0, 1] by 'tensor<9x2xi32>', the DMA engine gathers rows, the first dimension, by i32 indices in a tensor whose last dimension is 1}}
  %0 = tensor.gather %t[%i] gather_dims([0, 1])
      : (tensor<10x24xbf16>, tensor<9x2xi32>) -> tensor<9xbf16>
  return %0 : tensor<9xbf16>
}

// -----

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

func.func @fill_from_tensor(%a: tensor<8xf32>, %b: tensor<f32>) -> tensor<8xf32> {
  // expected-error@+1 {{'tensor.extract' op cannot be lowered to tcp, only linalg operations on tensors, tensor.empty, pad, extract_slice, insert_slice, expand_shape, collapse_shape, gather, scatter and arith.constant can}}
  %0 = tensor.extract %b[] : tensor<f32>
  %1 = linalg.fill ins(%0 : f32) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

func.func @nothing_written() -> tensor<8xf32> {
  %0 = tensor.empty() : tensor<8xf32>
  // expected-error@+1 {{'func.return' op reads a tensor that nothing has written; fill it first}}
  return %0 : tensor<8xf32>
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

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

// expected-error@+1 {{has several blocks, only straight-line functions can be lowered}}
func.func @branches(%a: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
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
  // expected-error@+1 {{'func.call' op cannot be lowered to tcp, only linalg operations on tensors}}
  %0 = func.call @elsewhere(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

// A tensor has less than the bytes of HBM in elements; all that live at once fit
// into it: the argument and the result here, 2 * 100000 * 100000 * 4 bytes.

// expected-error@+1 {{argument 0 has type 'tensor<1000000x1000000xi8>', HBM has 51539607552 bytes: cut the tensor}}
func.func @one_tensor(%a: tensor<1000000x1000000xi8>) -> tensor<1000000x1000000xi8> {
  return %a : tensor<1000000x1000000xi8>
}

// -----

// expected-error@+1 {{bytes of HBM at once, machine "rngd" has 51539607552}}
func.func @all_tensors(%a: tensor<100000x100000xf32>)
    -> tensor<100000x100000xf32> {
  %empty = tensor.empty() : tensor<100000x100000xf32>
  %0 = linalg.square ins(%a : tensor<100000x100000xf32>)
      outs(%empty : tensor<100000x100000xf32>) -> tensor<100000x100000xf32>
  return %0 : tensor<100000x100000xf32>
}

// -----

// 2^51 multiplications.

func.func @iterations(%a: tensor<65536x262144xi4>, %b: tensor<262144x131072xi4>)
    -> tensor<65536x131072xi32> {
  %init = arith.constant dense<0> : tensor<65536x131072xi32>
  // expected-error@+1 {{has more iterations than one kernel can run; cut it into smaller operations}}
  %0 = linalg.matmul
      ins(%a, %b : tensor<65536x262144xi4>, tensor<262144x131072xi4>)
      outs(%init : tensor<65536x131072xi32>) -> tensor<65536x131072xi32>
  return %0 : tensor<65536x131072xi32>
}

// -----

func.func @pin_of_two(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>)
    -> tensor<64x64xf32> {
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error@+1 {{'linalg.matmul' op 'sequin.pin' must be {tiles = array<i64: ...>, parts = array<i64: ...>, chips = array<i64: ...>} with a number for each of 3 loops, 0 where it is free; found {tiles = array<i64: 16, 0>}}}
  %0 = linalg.matmul {sequin.pin = {tiles = array<i64: 16, 0>}}
      ins(%a, %b : tensor<64x32xbf16>, tensor<32x64xbf16>)
      outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @pin_of_slices(%a: tensor<512x256xbf16>, %b: tensor<256x512xbf16>)
    -> tensor<512x512xf32> {
  %init = arith.constant dense<0.0> : tensor<512x512xf32>
  // expected-error@+1 {{slices, machine "rngd" has 2 x 256, and one loop in as many parts as clusters}}
  %0 = linalg.matmul {sequin.pin = {parts = array<i64: 256, 16, 0>}}
      ins(%a, %b : tensor<512x256xbf16>, tensor<256x512xbf16>)
      outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

//===----------------------------------------------------------------------===//
// All that is refused is told, what follows from it is not
//===----------------------------------------------------------------------===//

// expected-error@+1 {{'func.func' op argument 1 has element type 'f64'}}
func.func @several(%a: tensor<4xf32>, %b: tensor<4xf64>) -> tensor<4xf32> {
  // Of what was refused.
  %0 = arith.truncf %b : tensor<4xf64> to tensor<4xf32>
  // expected-error@+1 {{'arith.addf' op cannot be lowered to tcp}}
  %1 = arith.addf %a, %a : tensor<4xf32>
  %2 = arith.addf %1, %0 : tensor<4xf32>
  // expected-error@+1 {{'arith.constant' op the result has element type 'complex<f32>'}}
  %3 = arith.constant dense<(1.0, 2.0)> : tensor<4xcomplex<f32>>
  return %2 : tensor<4xf32>
}

func.func @another(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'arith.mulf' op cannot be lowered to tcp}}
  %0 = arith.mulf %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @scatter_dims(%x: tensor<3x8xf32>, %into: tensor<5x2x8xf32>, %places: tensor<3x2xi32>) -> tensor<5x2x8xf32> {
  // expected-error@+1 {{'tensor.scatter' op scatters 'f32' along dimensions [0, 1] of 'tensor<5x2x8xf32>' by 'tensor<3x2xi32>', the DMA engine scatters rows of whole bytes along one dimension, of two rows or more, by i32 indices in a tensor of [rows, 1]}}
  %0 = tensor.scatter %x into %into[%places] scatter_dims([0, 1]) unique : (tensor<3x8xf32>, tensor<5x2x8xf32>, tensor<3x2xi32>) -> tensor<5x2x8xf32>
  return %0 : tensor<5x2x8xf32>
}
