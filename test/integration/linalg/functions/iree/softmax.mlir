// The softmax of linalg, over bf16 scores widened to f32, in the style of what IREE takes as input.

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @main(%scores: tensor<2x9x65xbf16>) -> tensor<2x9x65xf32> {
  %empty = tensor.empty() : tensor<2x9x65xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scores : tensor<2x9x65xbf16>) outs(%empty : tensor<2x9x65xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %2 = arith.extf %in : bf16 to f32
    linalg.yield %2 : f32
  } -> tensor<2x9x65xf32>
  %1 = linalg.softmax dimension(2) ins(%0 : tensor<2x9x65xf32>) outs(%empty : tensor<2x9x65xf32>) -> tensor<2x9x65xf32>
  return %1 : tensor<2x9x65xf32>
}
