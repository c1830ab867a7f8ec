// ORACLE: low=-2 high=2
func.func @main(%x: tensor<5x9xf32>) -> tensor<5xf32> {
  %k = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<5xf32>
  %init = linalg.fill ins(%k : f32) outs(%empty : tensor<5xf32>) -> tensor<5xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
    iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<5x9xf32>) outs(%init : tensor<5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.mulf %in, %out : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
