func.func @main(%a0: tensor<4x3x3xi8>) -> tensor<4xi32> {
  %init = arith.constant dense<0> : tensor<4xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(k, i) -> (k, i, i)>, affine_map<(k, i) -> (k)>], iterator_types = ["parallel", "reduction"]}
    ins(%a0 : tensor<4x3x3xi8>) outs(%init : tensor<4xi32>) {
  ^bb0(%x0: i8, %out: i32):
    %e0 = arith.extsi %x0 : i8 to i32
    %r = arith.addi %out, %e0 : i32
    linalg.yield %r : i32
  } -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
