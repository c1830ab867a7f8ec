// Maximum and sum pooling in NHWC, in the style of what IREE takes as input.

func.func @main(%image: tensor<1x12x12x9xf32>) -> (tensor<1x5x5x9xf32>, tensor<1x10x10x9xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0.0 : f32
  %window = tensor.empty() : tensor<3x3xf32>
  %e0 = tensor.empty() : tensor<1x5x5x9xf32>
  %f0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<1x5x5x9xf32>) -> tensor<1x5x5x9xf32>
  %0 = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%image, %window : tensor<1x12x12x9xf32>, tensor<3x3xf32>) outs(%f0 : tensor<1x5x5x9xf32>) -> tensor<1x5x5x9xf32>
  %e1 = tensor.empty() : tensor<1x10x10x9xf32>
  %f1 = linalg.fill ins(%c0 : f32) outs(%e1 : tensor<1x10x10x9xf32>) -> tensor<1x10x10x9xf32>
  %1 = linalg.pooling_nhwc_sum {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%image, %window : tensor<1x12x12x9xf32>, tensor<3x3xf32>) outs(%f1 : tensor<1x10x10x9xf32>) -> tensor<1x10x10x9xf32>
  return %0, %1 : tensor<1x5x5x9xf32>, tensor<1x10x10x9xf32>
}
