func.func @main(%x: tensor<5x23xf16>) -> tensor<23xf32> {
  %k = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<23xf32>
  %init = linalg.fill ins(%k : f32) outs(%empty : tensor<23xf32>) -> tensor<23xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>],
    iterator_types = ["reduction", "parallel"]}
    ins(%x : tensor<5x23xf16>) outs(%init : tensor<23xf32>) {
  ^bb0(%in: f16, %out: f32):
    %e = arith.extf %in : f16 to f32
    %r = arith.addf %out, %e : f32
    linalg.yield %r : f32
  } -> tensor<23xf32>
  return %0 : tensor<23xf32>
}
