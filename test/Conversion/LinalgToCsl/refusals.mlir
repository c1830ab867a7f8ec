// RUN: sequin-opt %s --linalg-to-csl="grid=2,2 target=wse3" --verify-diagnostics

// All operations that are refused by themselves are told, and nothing that only
// follows from them.

// expected-error@+1 {{has elements of 'f64', allowed are f32, f16, bf16, i16 and i32}}
func.func @f(%a: tensor<8xf32>, %b: tensor<8xf64>) -> (tensor<4xf32>, tensor<4x2xf32>, tensor<4xf64>) {
  // expected-error@+1 {{'tensor.expand_shape' op is not lowered to the wafer}}
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  %1 = tensor.extract_slice %0[0, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
  // expected-error@+1 {{'tensor.expand_shape' op is not lowered to the wafer}}
  %2 = tensor.expand_shape %a [[0, 1]] output_shape [4, 2] : tensor<8xf32> into tensor<4x2xf32>
  %3 = tensor.extract_slice %b[0] [4] [1] : tensor<8xf64> to tensor<4xf64>
  return %1, %2, %3 : tensor<4xf32>, tensor<4x2xf32>, tensor<4xf64>
}
