// A depthwise convolution, in the style of torch-mlir's linalg on tensors.

module {
  func.func @forward(%arg0: tensor<1x16x14x14xf32>, %arg1: tensor<16x1x3x3xf32>) -> tensor<1x16x12x12xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x16x12x12xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x16x12x12xf32>) -> tensor<1x16x12x12xf32>
    %collapsed = tensor.collapse_shape %arg1 [[0, 1], [2], [3]] : tensor<16x1x3x3xf32> into tensor<16x3x3xf32>
    %2 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%arg0, %collapsed : tensor<1x16x14x14xf32>, tensor<16x3x3xf32>) outs(%1 : tensor<1x16x12x12xf32>) -> tensor<1x16x12x12xf32>
    return %2 : tensor<1x16x12x12xf32>
  }
}
