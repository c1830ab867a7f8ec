// Softmax over the rows of a matrix of f32.

func.func @main(%x: tensor<64x300xf32>) -> tensor<64x300xf32> {
  %empty = tensor.empty() : tensor<64x300xf32>
  %y = linalg.softmax dimension(1)
      ins(%x : tensor<64x300xf32>) outs(%empty : tensor<64x300xf32>)
      -> tensor<64x300xf32>
  return %y : tensor<64x300xf32>
}
