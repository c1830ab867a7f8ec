func.func @main(%x: tensor<2x7x7xf32>) -> tensor<2x7x7xf32> {
  %low = arith.constant 0xFF800000 : f32
  %empty = tensor.empty() : tensor<2x7x7xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
    iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x7x7xf32>) outs(%empty : tensor<2x7x7xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c = arith.cmpi sge, %i, %j : index
    %r = arith.select %c, %in, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  return %0 : tensor<2x7x7xf32>
}
