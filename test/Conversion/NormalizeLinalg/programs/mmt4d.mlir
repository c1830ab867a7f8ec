func.func @main(%a: tensor<2x3x4x2xbf16>, %b: tensor<3x3x5x2xbf16>) -> tensor<2x3x4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x3x4x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %0 = linalg.mmt4d  ins(%a, %b : tensor<2x3x4x2xbf16>, tensor<3x3x5x2xbf16>) outs(%init : tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}
