// A convolution of two groups, in the style of torch-mlir's linalg on tensors.

module {
  func.func @forward(%arg0: tensor<1x8x9x9xf32>, %arg1: tensor<6x4x3x3xf32>) -> tensor<1x6x7x7xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x2x3x7x7xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x2x3x7x7xf32>) -> tensor<1x2x3x7x7xf32>
    %expanded = tensor.expand_shape %arg0 [[0], [1, 2], [3], [4]] output_shape [1, 2, 4, 9, 9] : tensor<1x8x9x9xf32> into tensor<1x2x4x9x9xf32>
    %expanded_0 = tensor.expand_shape %arg1 [[0, 1], [2], [3], [4]] output_shape [2, 3, 4, 3, 3] : tensor<6x4x3x3xf32> into tensor<2x3x4x3x3xf32>
    %2 = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%expanded, %expanded_0 : tensor<1x2x4x9x9xf32>, tensor<2x3x4x3x3xf32>) outs(%1 : tensor<1x2x3x7x7xf32>) -> tensor<1x2x3x7x7xf32>
    %collapsed = tensor.collapse_shape %2 [[0], [1, 2], [3], [4]] : tensor<1x2x3x7x7xf32> into tensor<1x6x7x7xf32>
    return %collapsed : tensor<1x6x7x7xf32>
  }
}
