// A pad with interior padding: a strided insertion into a filled tensor, in the style of StableHLO's conversion to linalg.

module @jit_pad {
  func.func public @main(%arg0: tensor<4x7xf32>) -> tensor<6x16xf32> {
    %cst = arith.constant -1.500000e+00 : f32
    %0 = tensor.empty() : tensor<6x16xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<6x16xf32>) -> tensor<6x16xf32>
    %inserted_slice = tensor.insert_slice %arg0 into %1[1, 2] [4, 7] [1, 2] : tensor<4x7xf32> into tensor<6x16xf32>
    return %inserted_slice : tensor<6x16xf32>
  }
}
