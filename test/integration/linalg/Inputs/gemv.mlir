func.func @main(%w: tensor<4096x2048xbf16>, %x: tensor<2048xbf16>)
    -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4096xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4096xf32>)
      -> tensor<4096xf32>
  %product = linalg.matvec
      ins(%w, %x : tensor<4096x2048xbf16>, tensor<2048xbf16>)
      outs(%init : tensor<4096xf32>) -> tensor<4096xf32>
  return %product : tensor<4096xf32>
}
