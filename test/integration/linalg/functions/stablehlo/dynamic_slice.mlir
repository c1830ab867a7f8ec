// A block cut out of a matrix at two positions known at run time, unclamped, every second column

module @jit_dynamic_slice {
  func.func public @main(%arg0: tensor<16x24xf32>, %arg1: tensor<2xi32>) -> tensor<4x5xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %row = tensor.extract %arg1[%c0] : tensor<2xi32>
    %column = tensor.extract %arg1[%c1] : tensor<2xi32>
    %0 = arith.index_cast %row : i32 to index
    %1 = arith.index_cast %column : i32 to index
    %2 = tensor.extract_slice %arg0[%0, %1] [4, 5] [1, 2] : tensor<16x24xf32> to tensor<4x5xf32>
    return %2 : tensor<4x5xf32>
  }
}
