// A row written into a cache at an index known at run time, in the style of StableHLO's conversion to linalg.

module @jit_update {
  func.func public @main(%arg0: tensor<16x8xf32>, %arg1: tensor<1x8xf32>, %arg2: tensor<i32>) -> tensor<16x8xf32> {
    %c0 = arith.constant 0 : index
    %c15 = arith.constant 15 : index
    %extracted = tensor.extract %arg2[] : tensor<i32>
    %0 = arith.index_cast %extracted : i32 to index
    %1 = arith.maxsi %0, %c0 : index
    %2 = arith.minsi %1, %c15 : index
    %inserted_slice = tensor.insert_slice %arg1 into %arg0[%2, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<16x8xf32>
    return %inserted_slice : tensor<16x8xf32>
  }
}
