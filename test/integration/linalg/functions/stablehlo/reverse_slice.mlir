// A strided slice of a reversed tensor, in the style of StableHLO's conversion to linalg.

#map = affine_map<(d0, d1) -> (d0, -d1 + 20)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module @jit_flip {
  func.func public @main(%arg0: tensor<9x21xf32>) -> tensor<4x7xf32> {
    %0 = tensor.empty() : tensor<9x21xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<9x21xf32>) outs(%0 : tensor<9x21xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<9x21xf32>
    %extracted_slice = tensor.extract_slice %1[1, 0] [4, 7] [2, 3] : tensor<9x21xf32> to tensor<4x7xf32>
    return %extracted_slice : tensor<4x7xf32>
  }
}
