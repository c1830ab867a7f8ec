func.func @main(%x: tensor<6x9xf32>, %m: tensor<6x9xi1>) -> (tensor<6x9xf32>, tensor<6x9xi1>) {
  %zero = arith.constant dense<0.0> : tensor<6x9xf32>
  %0 = arith.cmpf ogt, %x, %zero : tensor<6x9xf32>
  %1 = arith.andi %0, %m : tensor<6x9xi1>
  %2 = arith.select %1, %x, %zero : tensor<6x9xi1>, tensor<6x9xf32>
  %true = arith.constant dense<true> : tensor<6x9xi1>
  %3 = arith.xori %1, %true : tensor<6x9xi1>
  return %2, %3 : tensor<6x9xf32>, tensor<6x9xi1>
}
