// What is out of proportion to its text is refused before anything is made of it.

// RUN: sequin-opt %s --normalize-linalg --split-input-file --verify-diagnostics

// expected-error@+1 {{has a tensor of type 'tensor<4194304x4194305xf32>', which has more than 17592186044416 elements}}
func.func @large(%a: tensor<4194304x4194305xf32>) -> tensor<4194304x4194305xf32> {
  return %a : tensor<4194304x4194305xf32>
}

// -----

func.func @product(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{has a tensor of type 'tensor<9223372036854775807x9223372036854775807xf32>'}}
  %0 = tensor.empty() : tensor<9223372036854775807x9223372036854775807xf32>
  return %a : tensor<8xf32>
}

// -----

func.func @indices(%a: tensor<16777217xi32>) -> tensor<16777217xi32> {
  %e = tensor.empty() : tensor<16777217xi32>
  // expected-error@+1 {{body computes 'linalg.index', the index of a loop of 16777217 iterations; of more than 16777216 pass it as a tensor}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<16777217xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    linalg.yield %j : i32
  } -> tensor<16777217xi32>
  return %0 : tensor<16777217xi32>
}

// -----

func.func private @even(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @odd(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// expected-error@+1 {{calls itself, by way of 'even': unroll the recursion}}
func.func private @odd(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @even(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @complex(%a: tensor<12x20xcomplex<f32>>, %b: tensor<3x8xcomplex<f32>>, %c: index) -> tensor<12x20xcomplex<f32>> {
  // expected-error@+1 {{has a tensor of type 'tensor<12x20xcomplex<f32>>', elements are integers or floats}}
  %0 = tensor.insert_slice %b into %a[%c, 7] [3, 8] [1, 1] : tensor<3x8xcomplex<f32>> into tensor<12x20xcomplex<f32>>
  return %0 : tensor<12x20xcomplex<f32>>
}
