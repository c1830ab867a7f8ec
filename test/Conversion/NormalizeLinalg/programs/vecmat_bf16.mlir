func.func @main(%a: tensor<7xbf16>, %b: tensor<7x5xbf16>) -> tensor<5xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<5xf32>) -> tensor<5xf32>
  %0 = linalg.vecmat  ins(%a, %b : tensor<7xbf16>, tensor<7x5xbf16>) outs(%init : tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
