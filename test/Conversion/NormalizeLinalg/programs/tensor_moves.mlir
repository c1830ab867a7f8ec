func.func @main(%x: tensor<4x6xf32>, %y: tensor<2x6xf32>) -> (tensor<6x6xf32>, tensor<3x12xf32>, tensor<2x3xf32>, tensor<6x9xf32>, tensor<6xf32>, tensor<4x6xf32>) {
  %k = arith.constant -1.5 : f32
  %0 = tensor.concat dim(0) %x, %y : (tensor<4x6xf32>, tensor<2x6xf32>) -> tensor<6x6xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<6x6xf32> into tensor<36xf32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [3, 12] : tensor<36xf32> into tensor<3x12xf32>
  %3 = tensor.extract_slice %x[1, 1][2, 3][2, 2] : tensor<4x6xf32> to tensor<2x3xf32>
  %4 = tensor.pad %x low[1, 2] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %k : f32
  } : tensor<4x6xf32> to tensor<6x9xf32>
  %5 = tensor.extract_slice %y[1, 0][1, 6][1, 1] : tensor<2x6xf32> to tensor<6xf32>
  %6 = tensor.insert_slice %5 into %x[2, 0][1, 6][1, 1] : tensor<6xf32> into tensor<4x6xf32>
  return %0, %2, %3, %4, %5, %6 : tensor<6x6xf32>, tensor<3x12xf32>, tensor<2x3xf32>, tensor<6x9xf32>, tensor<6xf32>, tensor<4x6xf32>
}
