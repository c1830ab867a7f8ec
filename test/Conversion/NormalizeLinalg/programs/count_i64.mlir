func.func @main(%x: tensor<5x23xi8>) -> tensor<5xi32> {
  %k = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<5xi32>
  %init = linalg.fill ins(%k : i32) outs(%empty : tensor<5xi32>) -> tensor<5xi32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
    iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<5x23xi8>) outs(%init : tensor<5xi32>) {
  ^bb0(%in: i8, %out: i32):
    %z = arith.constant 0 : i8
    %c = arith.cmpi sgt, %in, %z : i8
    %e = arith.extui %c : i1 to i32
    %r = arith.addi %out, %e : i32
    linalg.yield %r : i32
  } -> tensor<5xi32>
  return %0 : tensor<5xi32>
}
