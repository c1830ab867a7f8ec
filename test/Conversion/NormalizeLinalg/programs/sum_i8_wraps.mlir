func.func @main(%x: tensor<5x23xi8>) -> tensor<5xi8> {
  %k = arith.constant 0 : i8
  %empty = tensor.empty() : tensor<5xi8>
  %init = linalg.fill ins(%k : i8) outs(%empty : tensor<5xi8>) -> tensor<5xi8>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
    iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<5x23xi8>) outs(%init : tensor<5xi8>) {
  ^bb0(%in: i8, %out: i8):
    %r = arith.addi %in, %out : i8
    linalg.yield %r : i8
  } -> tensor<5xi8>
  return %0 : tensor<5xi8>
}
