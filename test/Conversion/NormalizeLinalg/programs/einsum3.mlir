func.func @main(%a: tensor<5x7xi8>, %b: tensor<7x6xi8>, %c: tensor<6x3xi8>) -> tensor<5x3xi32> {
  %init = arith.constant dense<0> : tensor<5x3xi32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(i, l, j, k) -> (i, j)>, affine_map<(i, l, j, k) -> (j, k)>,
                     affine_map<(i, l, j, k) -> (k, l)>, affine_map<(i, l, j, k) -> (i, l)>],
    iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b, %c : tensor<5x7xi8>, tensor<7x6xi8>, tensor<6x3xi8>) outs(%init : tensor<5x3xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i8, %out: i32):
    %0 = arith.extsi %x : i8 to i32
    %1 = arith.extsi %y : i8 to i32
    %2 = arith.extsi %z : i8 to i32
    %3 = arith.muli %0, %1 : i32
    %4 = arith.muli %3, %2 : i32
    %5 = arith.addi %out, %4 : i32
    linalg.yield %5 : i32
  } -> tensor<5x3xi32>
  return %0 : tensor<5x3xi32>
}
