func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>, %m: tensor<8xi1>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.select ins(%m, %x, %y : tensor<8xi1>, tensor<8xf32>, tensor<8xf32>)
                     outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
