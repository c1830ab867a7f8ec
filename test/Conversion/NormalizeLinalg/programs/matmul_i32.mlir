func.func @main(%a: tensor<5x7xi32>, %b: tensor<7x6xi32>, %c: tensor<5x6xi32>) -> tensor<5x6xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x7xi32>, tensor<7x6xi32>) outs(%c : tensor<5x6xi32>) -> tensor<5x6xi32>
  return %0 : tensor<5x6xi32>
}
