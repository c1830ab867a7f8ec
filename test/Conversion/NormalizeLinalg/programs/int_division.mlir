func.func @main(%x: tensor<3x37xi32>) -> tensor<3x37xi32> {
  %empty = tensor.empty() : tensor<3x37xi32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<3x37xi32>) outs(%empty : tensor<3x37xi32>) {
  ^bb0(%in: i32, %out: i32):
    %e = arith.constant 8 : i32
    %a = arith.divsi %in, %e : i32
    %b = arith.remsi %in, %e : i32
    %c = arith.divui %in, %e : i32
    %d = arith.remui %in, %e : i32
    %f = arith.floordivsi %in, %e : i32
    %xx = arith.xori %a, %b : i32
    %y = arith.addi %c, %d : i32
    %z = arith.addi %xx, %y : i32
    %r = arith.subi %z, %f : i32
    linalg.yield %r : i32
  } -> tensor<3x37xi32>
  return %0 : tensor<3x37xi32>
}
