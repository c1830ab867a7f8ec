func.func @main(%a: tensor<2x5x7xf16>, %b: tensor<2x7x4xf16>) -> tensor<2x5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x5x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  %0 = linalg.batch_matmul  ins(%a, %b : tensor<2x5x7xf16>, tensor<2x7x4xf16>) outs(%init : tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  return %0 : tensor<2x5x4xf32>
}
