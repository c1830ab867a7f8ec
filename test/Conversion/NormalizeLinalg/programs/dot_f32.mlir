func.func @main(%a: tensor<31xf32>, %b: tensor<31xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %0 = linalg.dot  ins(%a, %b : tensor<31xf32>, tensor<31xf32>) outs(%init : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
