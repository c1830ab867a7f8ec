// A convolution with stride 2 and dilation 2, bf16, in the style of torch-mlir's linalg on tensors.

#map = affine_map<(d0, d1, d2, d3) -> (d1)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @forward(%arg0: tensor<2x4x17x15xbf16>, %arg1: tensor<6x4x3x3xbf16>, %arg2: tensor<6xbf16>) -> tensor<2x6x8x7xbf16> {
    %cst = arith.constant 0.000000e+00 : bf16
    %cst_0 = arith.constant 0.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg3: index, %arg4: index, %arg5: index, %arg6: index):
      tensor.yield %cst : bf16
    } : tensor<2x4x17x15xbf16> to tensor<2x4x19x17xbf16>
    %0 = tensor.empty() : tensor<2x6x8x7xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<2x6x8x7xf32>) -> tensor<2x6x8x7xf32>
    %2 = linalg.conv_2d_nchw_fchw {dilations = dense<2> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded, %arg1 : tensor<2x4x19x17xbf16>, tensor<6x4x3x3xbf16>) outs(%1 : tensor<2x6x8x7xf32>) -> tensor<2x6x8x7xf32>
    %3 = tensor.empty() : tensor<2x6x8x7xbf16>
    %4 = linalg.generic {indexing_maps = [#map1, #map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %arg2 : tensor<2x6x8x7xf32>, tensor<6xbf16>) outs(%3 : tensor<2x6x8x7xbf16>) {
    ^bb0(%in: f32, %in_1: bf16, %out: bf16):
      %5 = arith.truncf %in : f32 to bf16
      %6 = arith.addf %5, %in_1 : bf16
      linalg.yield %6 : bf16
    } -> tensor<2x6x8x7xbf16>
    return %4 : tensor<2x6x8x7xbf16>
  }
}
