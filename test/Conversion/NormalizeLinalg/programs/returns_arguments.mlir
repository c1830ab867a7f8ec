func.func @main(%x: tensor<3x5xf32>, %y: tensor<2xi8>) -> (tensor<3x5xf32>, tensor<3xi32>, tensor<2xi8>) {
  %c = arith.constant dense<[1, -2, 3]> : tensor<3xi32>
  %d = arith.addi %y, %y : tensor<2xi8>
  %e = arith.subf %x, %x : tensor<3x5xf32>
  return %e, %c, %d : tensor<3x5xf32>, tensor<3xi32>, tensor<2xi8>
}
