func.func @main(%x: tensor<4x6xi8>) -> tensor<4x6xi8> {
  %c5 = arith.constant 5 : index
  %empty = tensor.empty() : tensor<4x6xi8>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<4x6xi8>) {
  ^bb0(%out: i8):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %c5, %j : index
    %v = tensor.extract %x[%i, %k] : tensor<4x6xi8>
    linalg.yield %v : i8
  } -> tensor<4x6xi8>
  return %0 : tensor<4x6xi8>
}
