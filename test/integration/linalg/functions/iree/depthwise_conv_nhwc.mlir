// A depthwise convolution in NHWC with bias as the initial value, in the style of what IREE takes as input.

#channel = affine_map<(n, h, w, c) -> (c)>
#all = affine_map<(n, h, w, c) -> (n, h, w, c)>
func.func @main(%image: tensor<1x15x15x20xf32>, %filter: tensor<3x3x20xf32>, %bias: tensor<20xf32>) -> tensor<1x7x7x20xf32> {
  %empty = tensor.empty() : tensor<1x7x7x20xf32>
  %init = linalg.generic {indexing_maps = [#channel, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%bias : tensor<20xf32>) outs(%empty : tensor<1x7x7x20xf32>) {
  ^bb0(%b: f32, %o: f32):
    linalg.yield %b : f32
  } -> tensor<1x7x7x20xf32>
  %0 = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%image, %filter : tensor<1x15x15x20xf32>, tensor<3x3x20xf32>) outs(%init : tensor<1x7x7x20xf32>) -> tensor<1x7x7x20xf32>
  return %0 : tensor<1x7x7x20xf32>
}
