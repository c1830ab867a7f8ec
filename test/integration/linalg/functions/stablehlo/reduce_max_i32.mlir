// A maximum of integers over the leading dimension, in the style of StableHLO's conversion to linalg.

module @jit_reduce_max {
  func.func public @main(%arg0: tensor<25x14xi32>) -> tensor<14xi32> {
    %c = arith.constant -2147483648 : i32
    %0 = tensor.empty() : tensor<14xi32>
    %1 = linalg.fill ins(%c : i32) outs(%0 : tensor<14xi32>) -> tensor<14xi32>
    %reduced = linalg.reduce { arith.maxsi } ins(%arg0 : tensor<25x14xi32>) outs(%1 : tensor<14xi32>) dimensions = [0]
    return %reduced : tensor<14xi32>
  }
}
