func.func @main(%a: tensor<1x8x8x3xf32>, %b: tensor<3x3xf32>) -> tensor<1x6x6x3xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x6x6x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x6x6x3xf32>) -> tensor<1x6x6x3xf32>
  %0 = linalg.pooling_nhwc_sum {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%a, %b : tensor<1x8x8x3xf32>, tensor<3x3xf32>) outs(%init : tensor<1x6x6x3xf32>) -> tensor<1x6x6x3xf32>
  return %0 : tensor<1x6x6x3xf32>
}
