// A sum over the outer and the inner dimension with an initial value, in the style of StableHLO's conversion to linalg.

module @jit_reduce_sum {
  func.func public @main(%arg0: tensor<9x13x22xf32>, %arg1: tensor<f32>) -> tensor<13xf32> {
    %extracted = tensor.extract %arg1[] : tensor<f32>
    %0 = tensor.empty() : tensor<13xf32>
    %1 = linalg.fill ins(%extracted : f32) outs(%0 : tensor<13xf32>) -> tensor<13xf32>
    %reduced = linalg.reduce ins(%arg0 : tensor<9x13x22xf32>) outs(%1 : tensor<13xf32>) dimensions = [0, 2]
      (%in: f32, %init: f32) {
        %2 = arith.addf %init, %in : f32
        linalg.yield %2 : f32
      }
    return %reduced : tensor<13xf32>
  }
}
