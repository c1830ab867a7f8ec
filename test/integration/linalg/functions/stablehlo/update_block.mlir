// A block of a matrix replaced at a row known at run time and a column known before.

module @jit_update_block {
  func.func public @main(%arg0: tensor<12x20xf32>, %arg1: tensor<3x8xf32>, %arg2: tensor<i32>) -> tensor<12x20xf32> {
    %extracted = tensor.extract %arg2[] : tensor<i32>
    %0 = arith.index_cast %extracted : i32 to index
    %1 = tensor.insert_slice %arg1 into %arg0[%0, 7] [3, 8] [1, 1] : tensor<3x8xf32> into tensor<12x20xf32>
    return %1 : tensor<12x20xf32>
  }
}
