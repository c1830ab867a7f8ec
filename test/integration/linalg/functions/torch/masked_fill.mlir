// A boolean mask chooses between the input and a constant, in the style of torch-mlir's linalg on tensors.

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, 0, d2)>
module {
  func.func @forward(%arg0: tensor<3x9x21xf32>, %arg1: tensor<3x1x21xi1>) -> tensor<3x9x21xf32> {
    %cst = arith.constant -1.000000e+09 : f32
    %0 = tensor.empty() : tensor<3x9x21xf32>
    %1 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1, %arg0 : tensor<3x1x21xi1>, tensor<3x9x21xf32>) outs(%0 : tensor<3x9x21xf32>) {
    ^bb0(%in: i1, %in_0: f32, %out: f32):
      %2 = arith.select %in, %cst, %in_0 : f32
      linalg.yield %2 : f32
    } -> tensor<3x9x21xf32>
    return %1 : tensor<3x9x21xf32>
  }
}
