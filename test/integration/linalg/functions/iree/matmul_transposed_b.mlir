// A matrix product with the second operand transposed by its map, in the style of what IREE takes as input.

func.func @main(%lhs: tensor<20x64xbf16>, %rhs: tensor<50x64xbf16>, %acc: tensor<20x50xf32>) -> tensor<20x50xf32> {
  %0 = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%lhs, %rhs : tensor<20x64xbf16>, tensor<50x64xbf16>) outs(%acc : tensor<20x50xf32>) -> tensor<20x50xf32>
  return %0 : tensor<20x50xf32>
}
