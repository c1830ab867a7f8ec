// A quantised convolution with zero points, in the style of what IREE takes as input.

func.func @main(%image: tensor<1x10x10x6xi8>, %filter: tensor<3x3x6x8xi8>) -> tensor<1x8x8x8xi32> {
  %image_zp = arith.constant 5 : i32
  %filter_zp = arith.constant -3 : i32
  %c0 = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<1x8x8x8xi32>
  %fill = linalg.fill ins(%c0 : i32) outs(%empty : tensor<1x8x8x8xi32>) -> tensor<1x8x8x8xi32>
  %0 = linalg.conv_2d_nhwc_hwcf_q {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%image, %filter, %image_zp, %filter_zp : tensor<1x10x10x6xi8>, tensor<3x3x6x8xi8>, i32, i32) outs(%fill : tensor<1x8x8x8xi32>) -> tensor<1x8x8x8xi32>
  return %0 : tensor<1x8x8x8xi32>
}
