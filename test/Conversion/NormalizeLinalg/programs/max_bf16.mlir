func.func @main(%x: tensor<5x23xbf16>) -> tensor<5xbf16> {
  %k = arith.constant 0xFF80 : bf16
  %empty = tensor.empty() : tensor<5xbf16>
  %init = linalg.fill ins(%k : bf16) outs(%empty : tensor<5xbf16>) -> tensor<5xbf16>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
    iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<5x23xbf16>) outs(%init : tensor<5xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %r = arith.maximumf %in, %out : bf16
    linalg.yield %r : bf16
  } -> tensor<5xbf16>
  return %0 : tensor<5xbf16>
}
