func.func @main(%x: tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32> {
  %low = arith.constant 0xFF800000 : f32
  %window = tensor.empty() : tensor<2x2xf32>
  %empty = tensor.empty() : tensor<1x4x4x3xf32>
  %init = linalg.fill ins(%low : f32) outs(%empty : tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
  %0 = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
    ins(%x, %window : tensor<1x8x8x3xf32>, tensor<2x2xf32>) outs(%init : tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
  return %0 : tensor<1x4x4x3xf32>
}
