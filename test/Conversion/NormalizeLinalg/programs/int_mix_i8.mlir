func.func @main(%x: tensor<5x41xi8>, %y: tensor<5x41xi8>) -> tensor<5x41xi8> {
  %empty = tensor.empty() : tensor<5x41xi8>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x, %y : tensor<5x41xi8>, tensor<5x41xi8>) outs(%empty : tensor<5x41xi8>) {
  ^bb0(%a: i8, %b: i8, %out: i8):
    %w = arith.muli %a, %b : i8
    %x1 = arith.addi %w, %a : i8
    %k = arith.constant 3 : i8
    %x2 = arith.shrui %x1, %k : i8
    %x3 = arith.maxui %x2, %b : i8
    %x4 = arith.subi %x3, %a : i8
    %r = arith.minsi %x4, %b : i8
    linalg.yield %r : i8
  } -> tensor<5x41xi8>
  return %0 : tensor<5x41xi8>
}
