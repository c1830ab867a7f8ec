func.func @main(%x: tensor<3x9xf32>) -> tensor<3x9xf32> {
  %empty = tensor.empty() : tensor<3x9xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<3x9xf32>) outs(%empty : tensor<3x9xf32>) -> tensor<3x9xf32>
  return %0 : tensor<3x9xf32>
}
