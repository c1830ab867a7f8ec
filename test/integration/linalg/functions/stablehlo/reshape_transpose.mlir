// A reshape by way of the flat tensor, then a transposition, in the style of StableHLO's conversion to linalg.

module @jit_reshape {
  func.func public @main(%arg0: tensor<6x10x4xbf16>) -> tensor<8x15x2xbf16> {
    %collapsed = tensor.collapse_shape %arg0 [[0, 1, 2]] : tensor<6x10x4xbf16> into tensor<240xbf16>
    %expanded = tensor.expand_shape %collapsed [[0, 1, 2]] output_shape [15, 2, 8] : tensor<240xbf16> into tensor<15x2x8xbf16>
    %0 = tensor.empty() : tensor<8x15x2xbf16>
    %transposed = linalg.transpose ins(%expanded : tensor<15x2x8xbf16>) outs(%0 : tensor<8x15x2xbf16>) permutation = [2, 0, 1]
    return %transposed : tensor<8x15x2xbf16>
  }
}
