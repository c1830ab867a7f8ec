// Softmax with a called function for the maximum, in the style of StableHLO's conversion to linalg.

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
module @jit_softmax {
  func.func public @main(%arg0: tensor<11x43xf32>) -> tensor<11x43xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = call @row_max(%arg0) : (tensor<11x43xf32>) -> tensor<11xf32>
    %1 = tensor.empty() : tensor<11x43xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %0 : tensor<11x43xf32>, tensor<11xf32>) outs(%1 : tensor<11x43xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %6 = arith.subf %in, %in_0 : f32
      %7 = math.exp %6 : f32
      linalg.yield %7 : f32
    } -> tensor<11x43xf32>
    %3 = tensor.empty() : tensor<11xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<11xf32>) -> tensor<11xf32>
    %reduced = linalg.reduce { arith.addf } ins(%2 : tensor<11x43xf32>) outs(%4 : tensor<11xf32>) dimensions = [1]
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%2, %reduced : tensor<11x43xf32>, tensor<11xf32>) outs(%1 : tensor<11x43xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %6 = arith.divf %in, %in_0 : f32
      linalg.yield %6 : f32
    } -> tensor<11x43xf32>
    return %5 : tensor<11x43xf32>
  }
  func.func private @row_max(%arg0: tensor<11x43xf32>) -> tensor<11xf32> {
    %cst = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<11xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<11xf32>) -> tensor<11xf32>
    %reduced = linalg.reduce { arith.maximumf } ins(%arg0 : tensor<11x43xf32>) outs(%1 : tensor<11xf32>) dimensions = [1]
    return %reduced : tensor<11xf32>
  }
}
