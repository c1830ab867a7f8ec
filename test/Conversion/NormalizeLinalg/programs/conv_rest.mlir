// Strides leave a rest of the input; one window along a dimension.
func.func @main(%x: tensor<3x3x4x2xbf16>, %w: tensor<2x3x2x4xbf16>, %y: tensor<4x9x2x4xi8>, %v: tensor<8x9x1x2xi8>) -> (tensor<3x1x2x4xf32>, tensor<4x8x1x1xi32>) {
  %zero = arith.constant dense<0.0> : tensor<3x1x2x4xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[3, 1]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x, %w : tensor<3x3x4x2xbf16>, tensor<2x3x2x4xbf16>) outs(%zero : tensor<3x1x2x4xf32>) -> tensor<3x1x2x4xf32>
  %none = arith.constant dense<0> : tensor<4x8x1x1xi32>
  %1 = linalg.conv_2d_nchw_fchw {strides = dense<3> : tensor<2xi64>, dilations = dense<[2, 1]> : tensor<2xi64>}
    ins(%y, %v : tensor<4x9x2x4xi8>, tensor<8x9x1x2xi8>) outs(%none : tensor<4x8x1x1xi32>) -> tensor<4x8x1x1xi32>
  return %0, %1 : tensor<3x1x2x4xf32>, tensor<4x8x1x1xi32>
}
