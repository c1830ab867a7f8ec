// ORACLE: close
func.func @main(%x: tensor<3x37xbf16>) -> tensor<3x37xbf16> {
  %empty = tensor.empty() : tensor<3x37xbf16>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<3x37xbf16>) outs(%empty : tensor<3x37xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %one = arith.constant 1.0 : bf16
    %n = arith.negf %in : bf16
    %e = math.exp %n : bf16
    %s = arith.addf %e, %one : bf16
    %r = arith.divf %in, %s : bf16
    linalg.yield %r : bf16
  } -> tensor<3x37xbf16>
  return %0 : tensor<3x37xbf16>
}
