// ORACLE: low=0 high=2
func.func @main(%t: tensor<4x3x5xf32>, %p: tensor<7xi32>, %q: tensor<7xi32>) -> tensor<7x4xf32> {
  %empty = tensor.empty() : tensor<7x4xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%p, %q : tensor<7xi32>, tensor<7xi32>) outs(%empty : tensor<7x4xf32>) {
  ^bb0(%a: i32, %b: i32, %out: f32):
    %i = arith.index_cast %a : i32 to index
    %j = arith.index_cast %b : i32 to index
    %k = linalg.index 1 : index
    %v = tensor.extract %t[%k, %i, %j] : tensor<4x3x5xf32>
    linalg.yield %v : f32
  } -> tensor<7x4xf32>
  return %0 : tensor<7x4xf32>
}
