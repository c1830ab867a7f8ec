// A clamp between two scalar tensors, in the style of StableHLO's conversion to linalg.

#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module @jit_clip {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<12x18xf32>, %arg2: tensor<f32>) -> tensor<12x18xf32> {
    %0 = tensor.empty() : tensor<12x18xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1, #map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1, %arg2 : tensor<f32>, tensor<12x18xf32>, tensor<f32>) outs(%0 : tensor<12x18xf32>) {
    ^bb0(%in: f32, %in_0: f32, %in_1: f32, %out: f32):
      %2 = arith.maximumf %in_0, %in : f32
      %3 = arith.minimumf %2, %in_1 : f32
      linalg.yield %3 : f32
    } -> tensor<12x18xf32>
    return %1 : tensor<12x18xf32>
  }
}
