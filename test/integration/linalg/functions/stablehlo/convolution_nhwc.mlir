// A convolution in NHWC with stride and padding, in the style of StableHLO's conversion to linalg.

module @jit_conv {
  func.func public @main(%arg0: tensor<2x11x11x5xbf16>, %arg1: tensor<3x3x5x12xbf16>) -> tensor<2x6x6x12xf32> {
    %cst = arith.constant 0.000000e+00 : bf16
    %cst_0 = arith.constant 0.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%arg2: index, %arg3: index, %arg4: index, %arg5: index):
      tensor.yield %cst : bf16
    } : tensor<2x11x11x5xbf16> to tensor<2x13x13x5xbf16>
    %0 = tensor.empty() : tensor<2x6x6x12xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<2x6x6x12xf32>) -> tensor<2x6x6x12xf32>
    %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%padded, %arg1 : tensor<2x13x13x5xbf16>, tensor<3x3x5x12xbf16>) outs(%1 : tensor<2x6x6x12xf32>) -> tensor<2x6x6x12xf32>
    return %2 : tensor<2x6x6x12xf32>
  }
}
