// RUN: sequin-opt %s --normalize-linalg --split-input-file --verify-diagnostics

// expected-error@+2 {{argument 0 has type 'tensor<?x64xbf16>', only ranked tensors with static shapes can be lowered: give every dimension a size}}
// expected-error@+1 {{result 0 has type 'tensor<?x64xbf16>'}}
func.func @dynamic(%a: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  return %a : tensor<?x64xbf16>
}

// -----

// expected-error@+2 {{argument 0 has element type 'f64', the machine has i4, i8, i16, i32, f8E4M3FN, f8E5M2, bf16, f16 and f32}}
// expected-error@+1 {{result 0 has element type 'f64'}}
func.func @element_type(%a: tensor<8xf64>) -> tensor<8xf64> {
  return %a : tensor<8xf64>
}

// -----

// expected-error@+1 {{result 0 has element type 'f64'}}
func.func @result_type(%a: tensor<8xf32>) -> tensor<8xf64> {
  %0 = arith.extf %a : tensor<8xf32> to tensor<8xf64>
  return %0 : tensor<8xf64>
}

// -----

// Arguments of i64 have any number that i32 has, not less.
func.func @wide_argument(%a: tensor<8xi64>, %b: tensor<8xi64>) -> tensor<8xi64> {
  // expected-error@+1 {{body computes 'arith.addi' in 'i64', of values that may not fit in i32, the vector engine's integers: use i32}}
  %0 = arith.addi %a, %b : tensor<8xi64>
  return %0 : tensor<8xi64>
}

// -----

// What the position starts from counts where no element is beyond the start.
func.func @position_from_zero(%a: tensor<8xf32>) -> tensor<i32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %first = arith.constant dense<0> : tensor<i32>
  // expected-error@+1 {{chooses by a running maximum or minimum that starts from something else than the least or the greatest number of its type: start from that}}
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
    ins(%a : tensor<8xf32>) outs(%zero, %first : tensor<f32>, tensor<i32>) {
  ^bb0(%in: f32, %best: f32, %at: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %m = arith.maximumf %in, %best : f32
    %more = arith.cmpf ogt, %in, %best : f32
    %p = arith.select %more, %n, %at : i32
    linalg.yield %m, %p : f32, i32
  } -> (tensor<f32>, tensor<i32>)
  return %0#1 : tensor<i32>
}

// -----

ml_program.global private mutable @seed(dense<0> : tensor<i32>) : tensor<i32>
func.func @global() -> tensor<i32> {
  // expected-error@+1 {{'ml_program.global_load' op cannot be lowered to tcp}}
  %0 = ml_program.global_load @seed : tensor<i32>
  return %0 : tensor<i32>
}

// -----

// expected-error@+2 {{argument 0 has type 'tensor<0x4xf32>', a dimension must not be empty}}
// expected-error@+1 {{result 0 has type 'tensor<0x4xf32>'}}
func.func @no_elements(%a: tensor<0x4xf32>) -> tensor<0x4xf32> {
  return %a : tensor<0x4xf32>
}

// -----

// expected-error@+1 {{has a tensor of type 'tensor<4294967296x4294967296xf32>', which has more than 17592186044416 elements}}
func.func @overflow(%a: tensor<4294967296x4294967296xf32>) -> tensor<4294967296x4294967296xf32> {
  return %a : tensor<4294967296x4294967296xf32>
}

// -----

// expected-error@+1 {{argument 0 has type 'f32', only ranked tensors}}
func.func @scalar(%a: f32) -> tensor<4xf32> {
  %0 = tensor.splat %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @function(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{body computes 'math.atan', which the vector engine does not and which is not made of what it does: exp, log, sqrt, tanh, erf, sin, cos and arithmetic}}
  %0 = math.atan %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @division(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  // expected-error@+1 {{body computes 'arith.divsi', the vector engine divides integers by constants that are powers of two only: divide in f32 if that is exact enough}}
  %0 = arith.divsi %a, %b : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

func.func @wide(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  %0 = arith.extsi %a : tensor<8xi32> to tensor<8xi64>
  %1 = arith.extsi %b : tensor<8xi32> to tensor<8xi64>
  // expected-error@+1 {{body computes 'arith.muli' in 'i64', of values that may not fit in i32, the vector engine's integers: use i32}}
  %2 = arith.muli %0, %1 : tensor<8xi64>
  %3 = arith.trunci %2 : tensor<8xi64> to tensor<8xi32>
  return %3 : tensor<8xi32>
}

// -----

func.func @division_in_map(%a: tensor<8xf32>) -> tensor<16xf32> {
  %empty = tensor.empty() : tensor<16xf32>
  // expected-error@+1 {{indexes operand 0 by affine_map<(d0) -> (d0 floordiv 2)>, indices are sums of loops times constants: split the loop and reshape the tensor}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%a : tensor<8xf32>) outs(%empty : tensor<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

func.func @running(%a: tensor<8xf32>) -> tensor<f32> {
  %init = arith.constant dense<0.0> : tensor<f32>
  // expected-error@+1 {{reduces by something else than a sum, product, maximum, minimum or bitwise combination of the running value and of new terms}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
    ins(%a : tensor<8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.tanh %out : f32
    %r = arith.addf %s, %in : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @reflect(%a: tensor<8xf32>) -> tensor<10xf32> {
  // expected-error@+1 {{pads with something else than a constant: insert slices of the tensor instead}}
  %0 = tensor.pad %a low[1] high[1] {
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    %v = tensor.extract %a[%c0] : tensor<8xf32>
    tensor.yield %v : f32
  } : tensor<8xf32> to tensor<10xf32>
  return %0 : tensor<10xf32>
}

// -----

func.func @loop(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error@+1 {{'scf.for' op cannot be lowered to tcp, only operations of linalg, tensor, arith and math on tensors can}}
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a) -> tensor<8xf32> {
    %1 = arith.addf %x, %x : tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func private @elsewhere(tensor<8xf32>) -> tensor<8xf32>

func.func @call(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'func.call' op cannot be lowered to tcp}}
  %0 = call @elsewhere(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @bits_of_f16(%x: tensor<8xf16>) -> tensor<8xi16> {
  %e = tensor.empty() : tensor<8xi16>
  // expected-error@+1 {{body computes 'arith.bitcast' to 'i16' from 16 bits; the vector engine reinterprets words of 32 bits, and bf16 as i16, their halves}}
  %0 = linalg.map ins(%x : tensor<8xf16>) outs(%e : tensor<8xi16>) (%a: f16, %o: i16) {
    %b = arith.bitcast %a : f16 to i16
    linalg.yield %b : i16
  }
  return %0 : tensor<8xi16>
}

// -----

func.func @softmax_of_integers(%x: tensor<4x8xi8>) -> tensor<4x8xi8> {
  %empty = tensor.empty() : tensor<4x8xi8>
  // expected-error@+1 {{'linalg.softmax' op works on 'i8' elements, expected floats}}
  %r = linalg.softmax dimension(1) ins(%x : tensor<4x8xi8>) outs(%empty : tensor<4x8xi8>) -> tensor<4x8xi8>
  return %r : tensor<4x8xi8>
}
