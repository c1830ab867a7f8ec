// A dot_general of two batch and two contracting dimensions as a generic, in the style of StableHLO's conversion to linalg.

#map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d4, d1, d5)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d5, d0, d3, d1, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
module @jit_einsum {
  func.func public @main(%arg0: tensor<2x5x6x3x7xf32>, %arg1: tensor<7x2x4x3x6xf32>) -> tensor<2x3x5x4xf32> {
    %0 = tensor.empty() : tensor<2x3x5x4xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%arg0, %arg1 : tensor<2x5x6x3x7xf32>, tensor<7x2x4x3x6xf32>) outs(%1 : tensor<2x3x5x4xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %3 = arith.mulf %in, %in_0 : f32
      %4 = arith.addf %out, %3 : f32
      linalg.yield %4 : f32
    } -> tensor<2x3x5x4xf32>
    return %2 : tensor<2x3x5x4xf32>
  }
}
