// RMSNorm of a Llama block, bf16 in and out, in the style of torch-mlir's linalg on tensors.

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @forward(%arg0: tensor<1x4x128xbf16>, %arg1: tensor<128xbf16>) -> tensor<1x4x128xbf16> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 2.000000e+00 : f32
    %cst_1 = arith.constant 1.280000e+02 : f32
    %cst_2 = arith.constant 1.000000e-05 : f64
    %0 = tensor.empty() : tensor<1x4x128xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x4x128xbf16>) outs(%0 : tensor<1x4x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %9 = arith.extf %in : bf16 to f32
      linalg.yield %9 : f32
    } -> tensor<1x4x128xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<1x4x128xf32>) outs(%0 : tensor<1x4x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %9 = math.powf %in, %cst_0 : f32
      linalg.yield %9 : f32
    } -> tensor<1x4x128xf32>
    %3 = tensor.empty() : tensor<1x4x1xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<1x4x1xf32>) -> tensor<1x4x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : tensor<1x4x128xf32>) outs(%4 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %9 = arith.addf %in, %out : f32
      linalg.yield %9 : f32
    } -> tensor<1x4x1xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<1x4x1xf32>) outs(%3 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %9 = arith.divf %in, %cst_1 : f32
      %10 = arith.truncf %cst_2 : f64 to f32
      %11 = arith.addf %9, %10 : f32
      %12 = math.rsqrt %11 : f32
      linalg.yield %12 : f32
    } -> tensor<1x4x1xf32>
    %7 = tensor.empty() : tensor<1x4x128xbf16>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %6, %arg1 : tensor<1x4x128xf32>, tensor<1x4x1xf32>, tensor<128xbf16>) outs(%7 : tensor<1x4x128xbf16>) {
    ^bb0(%in: f32, %in_3: f32, %in_4: bf16, %out: bf16):
      %9 = arith.mulf %in, %in_3 : f32
      %10 = arith.truncf %9 : f32 to bf16
      %11 = arith.mulf %in_4, %10 : bf16
      linalg.yield %11 : bf16
    } -> tensor<1x4x128xbf16>
    return %8 : tensor<1x4x128xbf16>
  }
}
