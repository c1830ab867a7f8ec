func.func @main(%x: tensor<5x2xi1>) -> tensor<5xi1> {
  %k = arith.constant false
  %empty = tensor.empty() : tensor<5xi1>
  %init = linalg.fill ins(%k : i1) outs(%empty : tensor<5xi1>) -> tensor<5xi1>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
    iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<5x2xi1>) outs(%init : tensor<5xi1>) {
  ^bb0(%in: i1, %out: i1):
    %r = arith.ori %in, %out : i1
    linalg.yield %r : i1
  } -> tensor<5xi1>
  return %0 : tensor<5xi1>
}
