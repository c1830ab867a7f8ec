func.func @main(%a: tensor<1x2x3x6x6xbf16>, %b: tensor<2x4x3x3x3xbf16>) -> tensor<1x2x4x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x2x4x4x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x2x4x4x4xf32>) -> tensor<1x2x4x4x4xf32>
  %0 = linalg.conv_2d_ngchw_gfchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%a, %b : tensor<1x2x3x6x6xbf16>, tensor<2x4x3x3x3xbf16>) outs(%init : tensor<1x2x4x4x4xf32>) -> tensor<1x2x4x4x4xf32>
  return %0 : tensor<1x2x4x4x4xf32>
}
