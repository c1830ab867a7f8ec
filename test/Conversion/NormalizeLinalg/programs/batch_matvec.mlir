func.func @main(%a: tensor<3x5x7xbf16>, %b: tensor<3x7xbf16>) -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x5xf32>) -> tensor<3x5xf32>
  %0 = linalg.batch_matvec  ins(%a, %b : tensor<3x5x7xbf16>, tensor<3x7xbf16>) outs(%init : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
