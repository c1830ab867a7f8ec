// An addition with both operands broadcast, in the style of StableHLO's conversion to linalg.

#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d1)>
module @jit_add {
  func.func public @main(%arg0: tensor<3x11xf32>, %arg1: tensor<5xf32>) -> tensor<3x5x11xf32> {
    %0 = tensor.empty() : tensor<3x5x11xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<3x11xf32>) outs(%0 : tensor<3x5x11xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x5x11xf32>
    %2 = tensor.empty() : tensor<3x5x11xf32>
    %3 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<5xf32>) outs(%2 : tensor<3x5x11xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x5x11xf32>
    %4 = tensor.empty() : tensor<3x5x11xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %3 : tensor<3x5x11xf32>, tensor<3x5x11xf32>) outs(%4 : tensor<3x5x11xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %6 = arith.addf %in, %in_0 : f32
      linalg.yield %6 : f32
    } -> tensor<3x5x11xf32>
    return %5 : tensor<3x5x11xf32>
  }
}
