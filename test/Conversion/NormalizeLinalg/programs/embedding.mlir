// ORACLE: low=0 high=9
func.func @main(%table: tensor<10x6xf32>, %ids: tensor<2x5xi32>) -> tensor<2x5x6xf32> {
  %empty = tensor.empty() : tensor<2x5x6xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
    iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%ids : tensor<2x5xi32>) outs(%empty : tensor<2x5x6xf32>) {
  ^bb0(%in: i32, %out: f32):
    %i = arith.index_cast %in : i32 to index
    %j = linalg.index 2 : index
    %v = tensor.extract %table[%i, %j] : tensor<10x6xf32>
    linalg.yield %v : f32
  } -> tensor<2x5x6xf32>
  return %0 : tensor<2x5x6xf32>
}
