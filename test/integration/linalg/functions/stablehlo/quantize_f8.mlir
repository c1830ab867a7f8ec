// A scaled conversion to 8-bit floating point and back, in the style of StableHLO's conversion to linalg.

#map = affine_map<(d0, d1) -> (d0, d1)>
module @jit_quantize {
  func.func public @main(%arg0: tensor<10x26xf32>) -> (tensor<10x26xf8E5M2>, tensor<10x26xf32>) {
    %cst = arith.constant 1.250000e-01 : f32
    %cst_0 = arith.constant 8.000000e+00 : f32
    %0 = tensor.empty() : tensor<10x26xf8E5M2>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<10x26xf32>) outs(%0 : tensor<10x26xf8E5M2>) {
    ^bb0(%in: f32, %out: f8E5M2):
      %4 = arith.mulf %in, %cst : f32
      %5 = arith.truncf %4 : f32 to f8E5M2
      linalg.yield %5 : f8E5M2
    } -> tensor<10x26xf8E5M2>
    %2 = tensor.empty() : tensor<10x26xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<10x26xf8E5M2>) outs(%2 : tensor<10x26xf32>) {
    ^bb0(%in: f8E5M2, %out: f32):
      %4 = arith.extf %in : f8E5M2 to f32
      %5 = arith.mulf %4, %cst_0 : f32
      linalg.yield %5 : f32
    } -> tensor<10x26xf32>
    return %1, %3 : tensor<10x26xf8E5M2>, tensor<10x26xf32>
  }
}
