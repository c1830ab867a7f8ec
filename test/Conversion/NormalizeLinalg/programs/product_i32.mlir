func.func @main(%x: tensor<5x23xi32>) -> tensor<5xi32> {
  %k = arith.constant 3 : i32
  %empty = tensor.empty() : tensor<5xi32>
  %init = linalg.fill ins(%k : i32) outs(%empty : tensor<5xi32>) -> tensor<5xi32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
    iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<5x23xi32>) outs(%init : tensor<5xi32>) {
  ^bb0(%in: i32, %out: i32):
    %r = arith.muli %in, %out : i32
    linalg.yield %r : i32
  } -> tensor<5xi32>
  return %0 : tensor<5xi32>
}
