func.func @main(%x: tensor<4x9xi8>) -> tensor<4xf32> {
  %z = arith.constant dense<0> : tensor<4xi64>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<4x9xi8>) outs(%z : tensor<4xi64>) {
  ^bb0(%in: i8, %out: i64):
    %e = arith.extsi %in : i8 to i64
    %r = arith.addi %out, %e : i64
    linalg.yield %r : i64
  } -> tensor<4xi64>
  %1 = arith.sitofp %0 : tensor<4xi64> to tensor<4xf32>
  return %1 : tensor<4xf32>
}
