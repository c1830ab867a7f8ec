func.func @main(%a: tensor<1x4x5x4x2xbf16>, %b: tensor<2x2x2x2x3xbf16>) -> tensor<1x3x4x3x3xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x3x4x3x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x3x4x3x3xf32>) -> tensor<1x3x4x3x3xf32>
  %0 = linalg.conv_3d_ndhwc_dhwcf {strides = dense<1> : tensor<3xi64>, dilations = dense<1> : tensor<3xi64>} ins(%a, %b : tensor<1x4x5x4x2xbf16>, tensor<2x2x2x2x3xbf16>) outs(%init : tensor<1x3x4x3x3xf32>) -> tensor<1x3x4x3x3xf32>
  return %0 : tensor<1x3x4x3x3xf32>
}
