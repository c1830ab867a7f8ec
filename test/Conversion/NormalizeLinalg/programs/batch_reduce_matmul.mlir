func.func @main(%a: tensor<3x5x7xbf16>, %b: tensor<3x7x4xbf16>) -> tensor<5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x4xf32>) -> tensor<5x4xf32>
  %0 = linalg.batch_reduce_matmul  ins(%a, %b : tensor<3x5x7xbf16>, tensor<3x7x4xbf16>) outs(%init : tensor<5x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}
