func.func @main(%x: tensor<5x23xf32>) -> tensor<f32> {
  %k = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%k : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
    iterator_types = ["reduction", "reduction"]}
    ins(%x : tensor<5x23xf32>) outs(%init : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %in, %out : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}
