func.func @main(%x: tensor<7x9xf32>) -> (tensor<2x3x4x3xf32>, tensor<7x9xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x4x3xf32>
  %0 = linalg.pack %x padding_value(%z : f32) inner_dims_pos = [0, 1] inner_tiles = [4, 3] into %e : tensor<7x9xf32> -> tensor<2x3x4x3xf32>
  %d = tensor.empty() : tensor<7x9xf32>
  %1 = linalg.unpack %0 inner_dims_pos = [0, 1] inner_tiles = [4, 3] into %d : tensor<2x3x4x3xf32> -> tensor<7x9xf32>
  return %0, %1 : tensor<2x3x4x3xf32>, tensor<7x9xf32>
}
