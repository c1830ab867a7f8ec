func.func @main(%x: tensor<2x9x8x3xf32>, %w: tensor<3x2x3x4xf32>) -> tensor<2x4x6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x4x6x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x4x6x4xf32>) -> tensor<2x4x6x4xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>}
    ins(%x, %w : tensor<2x9x8x3xf32>, tensor<3x2x3x4xf32>) outs(%init : tensor<2x4x6x4xf32>) -> tensor<2x4x6x4xf32>
  return %0 : tensor<2x4x6x4xf32>
}
