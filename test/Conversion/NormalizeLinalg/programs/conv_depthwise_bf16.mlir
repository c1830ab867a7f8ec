func.func @main(%a: tensor<1x7x7x4xbf16>, %b: tensor<3x3x4x2xbf16>) -> tensor<1x5x5x4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x5x5x4x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x5x5x4x2xf32>) -> tensor<1x5x5x4x2xf32>
  %0 = linalg.depthwise_conv_2d_nhwc_hwcm {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%a, %b : tensor<1x7x7x4xbf16>, tensor<3x3x4x2xbf16>) outs(%init : tensor<1x5x5x4x2xf32>) -> tensor<1x5x5x4x2xf32>
  return %0 : tensor<1x5x5x4x2xf32>
}
