// Elementary functions as linalg.map, in the style of StableHLO's conversion to linalg.

module @jit_elementwise {
  func.func public @main(%arg0: tensor<7x33xf32>, %arg1: tensor<7x33xf32>) -> tensor<7x33xf32> {
    %0 = tensor.empty() : tensor<7x33xf32>
    %mapped = linalg.map { math.exp } ins(%arg0 : tensor<7x33xf32>) outs(%0 : tensor<7x33xf32>)
    %mapped_0 = linalg.map { math.tanh } ins(%arg1 : tensor<7x33xf32>) outs(%0 : tensor<7x33xf32>)
    %mapped_1 = linalg.map { arith.mulf } ins(%mapped, %mapped_0 : tensor<7x33xf32>, tensor<7x33xf32>) outs(%0 : tensor<7x33xf32>)
    %mapped_2 = linalg.map ins(%mapped_1, %arg0 : tensor<7x33xf32>, tensor<7x33xf32>) outs(%0 : tensor<7x33xf32>)
      (%in: f32, %in_3: f32, %init: f32) {
        %1 = math.absf %in : f32
        %2 = math.sqrt %1 : f32
        %3 = arith.subf %2, %in_3 : f32
        linalg.yield %3 : f32
      }
    return %mapped_2 : tensor<7x33xf32>
  }
}
