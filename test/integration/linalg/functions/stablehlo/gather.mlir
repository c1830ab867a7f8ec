// Rows gathered by clamped indices, in the style of StableHLO's conversion to linalg.

#map = affine_map<(d0, d1) -> (d0, d1)>
module @jit_take {
  func.func public @main(%arg0: tensor<30x16xf32>, %arg1: tensor<9x1xi32>) -> tensor<9x16xf32> {
    %c0 = arith.constant 0 : index
    %c29 = arith.constant 29 : index
    %0 = tensor.empty() : tensor<9x16xf32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<9x16xf32>) {
    ^bb0(%out: f32):
      %2 = linalg.index 0 : index
      %3 = linalg.index 1 : index
      %extracted = tensor.extract %arg1[%2, %c0] : tensor<9x1xi32>
      %4 = arith.index_cast %extracted : i32 to index
      %5 = arith.maxsi %4, %c0 : index
      %6 = arith.minsi %5, %c29 : index
      %extracted_0 = tensor.extract %arg0[%6, %3] : tensor<30x16xf32>
      linalg.yield %extracted_0 : f32
    } -> tensor<9x16xf32>
    return %1 : tensor<9x16xf32>
  }
}
