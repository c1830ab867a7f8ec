// Layer normalisation, in the style of torch-mlir's linalg on tensors.

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @forward(%arg0: tensor<2x6x80xf32>, %arg1: tensor<80xf32>, %arg2: tensor<80xf32>) -> tensor<2x6x80xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 8.000000e+01 : f32
    %cst_1 = arith.constant 9.99999974E-6 : f32
    %0 = tensor.empty() : tensor<2x6x1xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<2x6x80xf32>) outs(%1 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = arith.addf %in, %out : f32
      linalg.yield %11 : f32
    } -> tensor<2x6x1xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<2x6x1xf32>) outs(%0 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = arith.divf %in, %cst_0 : f32
      linalg.yield %11 : f32
    } -> tensor<2x6x1xf32>
    %4 = tensor.empty() : tensor<2x6x80xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %3 : tensor<2x6x80xf32>, tensor<2x6x1xf32>) outs(%4 : tensor<2x6x80xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %11 = arith.subf %in, %in_2 : f32
      linalg.yield %11 : f32
    } -> tensor<2x6x80xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<2x6x80xf32>) outs(%4 : tensor<2x6x80xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = arith.mulf %in, %in : f32
      linalg.yield %11 : f32
    } -> tensor<2x6x80xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%6 : tensor<2x6x80xf32>) outs(%1 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = arith.addf %in, %out : f32
      linalg.yield %11 : f32
    } -> tensor<2x6x1xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<2x6x1xf32>) outs(%0 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = arith.divf %in, %cst_0 : f32
      linalg.yield %11 : f32
    } -> tensor<2x6x1xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<2x6x1xf32>) outs(%0 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = arith.addf %in, %cst_1 : f32
      %12 = math.rsqrt %11 : f32
      linalg.yield %12 : f32
    } -> tensor<2x6x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map1, #map2, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %9, %arg1, %arg2 : tensor<2x6x80xf32>, tensor<2x6x1xf32>, tensor<80xf32>, tensor<80xf32>) outs(%4 : tensor<2x6x80xf32>) {
    ^bb0(%in: f32, %in_2: f32, %in_3: f32, %in_4: f32, %out: f32):
      %11 = arith.mulf %in, %in_2 : f32
      %12 = arith.mulf %11, %in_3 : f32
      %13 = arith.addf %12, %in_4 : f32
      linalg.yield %13 : f32
    } -> tensor<2x6x80xf32>
    return %10 : tensor<2x6x80xf32>
  }
}
