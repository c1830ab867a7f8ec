// Operands packed with padding, multiplied, unpacked, in the style of what IREE takes as input.

func.func @main(%lhs: tensor<30x50xi8>, %rhs: tensor<50x40xi8>) -> tensor<30x40xi32> {
  %c0_i8 = arith.constant 0 : i8
  %c0 = arith.constant 0 : i32
  %lhs_empty = tensor.empty() : tensor<4x13x8x4xi8>
  %lhs_pack = linalg.pack %lhs padding_value(%c0_i8 : i8) outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [8, 4] into %lhs_empty : tensor<30x50xi8> -> tensor<4x13x8x4xi8>
  %rhs_empty = tensor.empty() : tensor<5x13x8x4xi8>
  %rhs_pack = linalg.pack %rhs padding_value(%c0_i8 : i8) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [8, 4] into %rhs_empty : tensor<50x40xi8> -> tensor<5x13x8x4xi8>
  %acc_empty = tensor.empty() : tensor<4x5x8x8xi32>
  %acc = linalg.fill ins(%c0 : i32) outs(%acc_empty : tensor<4x5x8x8xi32>) -> tensor<4x5x8x8xi32>
  %0 = linalg.mmt4d ins(%lhs_pack, %rhs_pack : tensor<4x13x8x4xi8>, tensor<5x13x8x4xi8>) outs(%acc : tensor<4x5x8x8xi32>) -> tensor<4x5x8x8xi32>
  %out = tensor.empty() : tensor<30x40xi32>
  %unpack = linalg.unpack %0 outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %out : tensor<4x5x8x8xi32> -> tensor<30x40xi32>
  return %unpack : tensor<30x40xi32>
}
