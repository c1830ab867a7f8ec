func.func @main(%x: tensor<5x23xf32>) -> tensor<5x1xf32> {
  %k = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x1xf32>
  %init = linalg.fill ins(%k : f32) outs(%empty : tensor<5x1xf32>) -> tensor<5x1xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>],
    iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<5x23xf32>) outs(%init : tensor<5x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %in, %out : f32
    linalg.yield %r : f32
  } -> tensor<5x1xf32>
  return %0 : tensor<5x1xf32>
}
