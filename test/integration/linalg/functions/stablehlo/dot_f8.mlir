// A dot of 8-bit floating operands, in the style of StableHLO's conversion to linalg.

module @jit_dot_f8 {
  func.func public @main(%arg0: tensor<16x64xf8E4M3FN>, %arg1: tensor<64x24xf8E4M3FN>) -> tensor<16x24xf32> {
    %0 = tensor.empty() : tensor<16x24xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<16x24xf32>) -> tensor<16x24xf32>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<16x64xf8E4M3FN>, tensor<64x24xf8E4M3FN>) outs(%1 : tensor<16x24xf32>) -> tensor<16x24xf32>
    return %2 : tensor<16x24xf32>
  }
}
