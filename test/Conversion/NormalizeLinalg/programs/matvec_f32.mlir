func.func @main(%a: tensor<5x7xf32>, %b: tensor<7xf32>) -> tensor<5xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<5xf32>) -> tensor<5xf32>
  %0 = linalg.matvec  ins(%a, %b : tensor<5x7xf32>, tensor<7xf32>) outs(%init : tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
