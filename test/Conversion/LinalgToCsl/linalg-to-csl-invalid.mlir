// RUN: sequin-opt %s --linalg-to-csl="grid=2,2 target=wse3" --split-input-file --verify-diagnostics

func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> { // expected-error {{has a value of 'tensor<?xf32>', allowed are tensors of static shape}}
  return %a : tensor<?xf32>
}

// -----

func.func @f(%a: tensor<4xf64>) -> tensor<4xf64> { // expected-error {{has elements of 'f64', allowed are f32, f16, bf16, i16 and i32}}
  return %a : tensor<4xf64>
}

// -----

// expected-error@+1 {{has elements of 'bf16' where others are 'f16', a program has one 16-bit float format}}
func.func @f(%a: tensor<4xf16>, %b: tensor<4xbf16>) -> tensor<4xbf16> {
  return %b : tensor<4xbf16>
}

// -----

func.func @f(%a: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{has an offset that is not known or a stride, allowed are dense slices at known places}}
  %s = tensor.extract_slice %a[0] [4] [2] : tensor<8xf32> to tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

func.func @f(%a: tensor<4x4xf32>) -> tensor<16xf32> {
  // expected-error@+1 {{is not lowered to the wafer, allowed are linalg operations, tensor.extract_slice, tensor.pad and constants}}
  %s = tensor.collapse_shape %a [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  return %s : tensor<16xf32>
}

// -----

func.func @f(%a: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
    ins(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    // expected-error@+1 {{is the number of an element, which a PE does not know; pass it as an argument}}
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    %s = arith.addf %x, %k : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @f(%a: tensor<4xf32>, %o: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{reduces by what is no sum, product, maximum or minimum of the element and a value}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
    ins(%a : tensor<4xf32>) outs(%o : tensor<f32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.subf %y, %x : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

func.func @f(%a: tensor<8xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{indexes dimension 0 of an operand by d0 * 2, allowed are a loop, a loop plus a constant and a constant}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i * 2)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
    ins(%a : tensor<8xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Three of 256 KB are on four PEs.
// expected-error@+1 {{does not fit a grid of 2 x 2 PEs: needs about}}
func.func @f(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>, %c: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<256x256xf32>, tensor<256x256xf32>)
    outs(%c : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}

// -----

func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
// expected-error@+1 {{is a second function on tensors besides 'f', a program has one; choose with the option entry}}
func.func @g(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----

func.func @f(%a: tensor<6xf32>) -> tensor<8xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %a low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<6xf32> to tensor<8xf32>
  // expected-error@+1 {{returns a padded tensor, which is nowhere stored; copy it first}}
  return %p : tensor<8xf32>
}

// -----

func.func @f(%a: tensor<6xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %a low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<6xf32> to tensor<8xf32>
  // expected-error@+1 {{pads with 1.000000e+00 : f32 a tensor that is padded with 0.000000e+00 : f32 elsewhere; copy it first}}
  %q = tensor.pad %a low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %one : f32
  } : tensor<6xf32> to tensor<8xf32>
  %r = linalg.add ins(%p, %q : tensor<8xf32>, tensor<8xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
