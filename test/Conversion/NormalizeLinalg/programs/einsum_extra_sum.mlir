func.func @main(%x: tensor<3x5xi8>) -> tensor<3xi32> {
  %init = arith.constant dense<0> : tensor<3xi32>
  %shape = tensor.empty() : tensor<4xi8>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(i, j, l) -> (i, j)>, affine_map<(i, j, l) -> (l)>, affine_map<(i, j, l) -> (i)>],
    iterator_types = ["parallel", "reduction", "reduction"]}
    ins(%x, %shape : tensor<3x5xi8>, tensor<4xi8>) outs(%init : tensor<3xi32>) {
  ^bb0(%in: i8, %unused: i8, %out: i32):
    %e = arith.extsi %in : i8 to i32
    %r = arith.addi %out, %e : i32
    linalg.yield %r : i32
  } -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
