func.func @main(%a0: tensor<3xi8>, %a1: tensor<5x4xi8>) -> tensor<4x3x5xi32> {
  %init = arith.constant dense<0> : tensor<4x3x5xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (k, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%a0, %a1 : tensor<3xi8>, tensor<5x4xi8>) outs(%init : tensor<4x3x5xi32>) {
  ^bb0(%x0: i8, %x1: i8, %out: i32):
    %e0 = arith.extsi %x0 : i8 to i32
    %e1 = arith.extsi %x1 : i8 to i32
    %m1 = arith.muli %e0, %e1 : i32
    %r = arith.addi %out, %m1 : i32
    linalg.yield %r : i32
  } -> tensor<4x3x5xi32>
  return %0 : tensor<4x3x5xi32>
}
