// A concatenation as insertions, in the style of StableHLO's conversion to linalg.

module @jit_concatenate {
  func.func public @main(%arg0: tensor<5x6xi8>, %arg1: tensor<5x9xi8>, %arg2: tensor<5x1xi8>) -> tensor<5x16xi8> {
    %0 = tensor.empty() : tensor<5x16xi8>
    %inserted_slice = tensor.insert_slice %arg0 into %0[0, 0] [5, 6] [1, 1] : tensor<5x6xi8> into tensor<5x16xi8>
    %inserted_slice_0 = tensor.insert_slice %arg1 into %inserted_slice[0, 6] [5, 9] [1, 1] : tensor<5x9xi8> into tensor<5x16xi8>
    %inserted_slice_1 = tensor.insert_slice %arg2 into %inserted_slice_0[0, 15] [5, 1] [1, 1] : tensor<5x1xi8> into tensor<5x16xi8>
    return %inserted_slice_1 : tensor<5x16xi8>
  }
}
