func.func @main(%a0: tensor<3x5xi8>, %a1: tensor<5x4xi8>, %a2: tensor<4x2xi8>, %a3: tensor<2x6xi8>) -> tensor<3x6xi32> {
  %init = arith.constant dense<0> : tensor<3x6xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k, l, m) -> (i, j)>, affine_map<(i, j, k, l, m) -> (j, k)>, affine_map<(i, j, k, l, m) -> (k, l)>, affine_map<(i, j, k, l, m) -> (l, m)>, affine_map<(i, j, k, l, m) -> (i, m)>], iterator_types = ["parallel", "reduction", "reduction", "reduction", "parallel"]}
    ins(%a0, %a1, %a2, %a3 : tensor<3x5xi8>, tensor<5x4xi8>, tensor<4x2xi8>, tensor<2x6xi8>) outs(%init : tensor<3x6xi32>) {
  ^bb0(%x0: i8, %x1: i8, %x2: i8, %x3: i8, %out: i32):
    %e0 = arith.extsi %x0 : i8 to i32
    %e1 = arith.extsi %x1 : i8 to i32
    %m1 = arith.muli %e0, %e1 : i32
    %e2 = arith.extsi %x2 : i8 to i32
    %m2 = arith.muli %m1, %e2 : i32
    %e3 = arith.extsi %x3 : i8 to i32
    %m3 = arith.muli %m2, %e3 : i32
    %r = arith.addi %out, %m3 : i32
    linalg.yield %r : i32
  } -> tensor<3x6xi32>
  return %0 : tensor<3x6xi32>
}
