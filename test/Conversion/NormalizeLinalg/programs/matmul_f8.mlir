func.func @main(%a: tensor<5x7xf8E4M3FN>, %b: tensor<7x4xf8E5M2>) -> tensor<5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x4xf32>) -> tensor<5x4xf32>
  %0 = linalg.matmul  ins(%a, %b : tensor<5x7xf8E4M3FN>, tensor<7x4xf8E5M2>) outs(%init : tensor<5x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}
