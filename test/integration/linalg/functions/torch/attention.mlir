// Scaled dot-product attention with a causal mask, decomposed, in the style of torch-mlir's linalg on tensors.

#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @forward(%arg0: tensor<1x2x16x32xf32>, %arg1: tensor<1x2x16x32xf32>, %arg2: tensor<1x2x16x32xf32>) -> tensor<1x2x16x32xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0.176776692 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant -1.000000e+30 : f32
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<1x2x16x32xf32> into tensor<2x16x32xf32>
    %collapsed_3 = tensor.collapse_shape %arg1 [[0, 1], [2], [3]] : tensor<1x2x16x32xf32> into tensor<2x16x32xf32>
    %collapsed_4 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<1x2x16x32xf32> into tensor<2x16x32xf32>
    %0 = tensor.empty() : tensor<2x32x16xf32>
    %transposed = linalg.transpose ins(%collapsed_3 : tensor<2x16x32xf32>) outs(%0 : tensor<2x32x16xf32>) permutation = [0, 2, 1]
    %1 = tensor.empty() : tensor<2x16x16xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    %3 = linalg.batch_matmul ins(%collapsed, %transposed : tensor<2x16x32xf32>, tensor<2x32x16xf32>) outs(%2 : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    %expanded = tensor.expand_shape %3 [[0, 1], [2], [3]] output_shape [1, 2, 16, 16] : tensor<2x16x16xf32> into tensor<1x2x16x16xf32>
    %4 = tensor.empty() : tensor<16x16xf32>
    %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%4 : tensor<16x16xf32>) {
    ^bb0(%out: f32):
      %16 = linalg.index 0 : index
      %17 = linalg.index 1 : index
      %18 = arith.cmpi sgt, %17, %16 : index
      %19 = arith.select %18, %cst_2, %cst : f32
      linalg.yield %19 : f32
    } -> tensor<16x16xf32>
    %6 = tensor.empty() : tensor<1x2x16x16xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %5 : tensor<1x2x16x16xf32>, tensor<16x16xf32>) outs(%6 : tensor<1x2x16x16xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %16 = arith.mulf %in, %cst_0 : f32
      %17 = arith.addf %16, %in_6 : f32
      linalg.yield %17 : f32
    } -> tensor<1x2x16x16xf32>
    %8 = tensor.empty() : tensor<1x2x16x1xf32>
    %9 = linalg.fill ins(%cst_1 : f32) outs(%8 : tensor<1x2x16x1xf32>) -> tensor<1x2x16x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%7 : tensor<1x2x16x16xf32>) outs(%9 : tensor<1x2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = arith.maximumf %in, %out : f32
      linalg.yield %16 : f32
    } -> tensor<1x2x16x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %10 : tensor<1x2x16x16xf32>, tensor<1x2x16x1xf32>) outs(%6 : tensor<1x2x16x16xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %16 = arith.subf %in, %in_6 : f32
      %17 = math.exp %16 : f32
      linalg.yield %17 : f32
    } -> tensor<1x2x16x16xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%8 : tensor<1x2x16x1xf32>) -> tensor<1x2x16x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%11 : tensor<1x2x16x16xf32>) outs(%12 : tensor<1x2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = arith.addf %in, %out : f32
      linalg.yield %16 : f32
    } -> tensor<1x2x16x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %13 : tensor<1x2x16x16xf32>, tensor<1x2x16x1xf32>) outs(%6 : tensor<1x2x16x16xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %16 = arith.divf %in, %in_6 : f32
      linalg.yield %16 : f32
    } -> tensor<1x2x16x16xf32>
    %collapsed_5 = tensor.collapse_shape %14 [[0, 1], [2], [3]] : tensor<1x2x16x16xf32> into tensor<2x16x16xf32>
    %e = tensor.empty() : tensor<2x16x32xf32>
    %f = linalg.fill ins(%cst : f32) outs(%e : tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %15 = linalg.batch_matmul ins(%collapsed_5, %collapsed_4 : tensor<2x16x16xf32>, tensor<2x16x32xf32>) outs(%f : tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %expanded_7 = tensor.expand_shape %15 [[0, 1], [2], [3]] output_shape [1, 2, 16, 32] : tensor<2x16x32xf32> into tensor<1x2x16x32xf32>
    return %expanded_7 : tensor<1x2x16x32xf32>
  }
}
