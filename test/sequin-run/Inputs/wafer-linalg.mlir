// C = A B, of no size that a grid divides.
func.func @main(%a: tensor<9x13xf32>, %b: tensor<13x7xf32>) -> tensor<9x7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<9x7xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<9x7xf32>) -> tensor<9x7xf32>
  %c = linalg.matmul ins(%a, %b : tensor<9x13xf32>, tensor<13x7xf32>)
                     outs(%init : tensor<9x7xf32>) -> tensor<9x7xf32>
  return %c : tensor<9x7xf32>
}
