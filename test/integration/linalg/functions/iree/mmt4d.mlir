// A product of tiles already packed, in the style of what IREE takes as input.

func.func @main(%lhs: tensor<3x5x8x4xbf16>, %rhs: tensor<4x5x16x4xbf16>, %acc: tensor<3x4x8x16xf32>) -> tensor<3x4x8x16xf32> {
  %0 = linalg.mmt4d ins(%lhs, %rhs : tensor<3x5x8x4xbf16>, tensor<4x5x16x4xbf16>) outs(%acc : tensor<3x4x8x16xf32>) -> tensor<3x4x8x16xf32>
  return %0 : tensor<3x4x8x16xf32>
}
