// ORACLE: low=0 high=3
func.func @main(%x: tensor<4x5xf32>) -> tensor<6xi32> {
  %0 = tensor.generate {
  ^bb0(%i: index):
    %c3 = arith.constant 3 : index
    %j = arith.muli %i, %c3 : index
    %k = arith.index_cast %j : index to i32
    tensor.yield %k : i32
  } : tensor<6xi32>
  return %0 : tensor<6xi32>
}
