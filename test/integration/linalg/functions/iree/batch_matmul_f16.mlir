// A batched product of f16 operands with an f32 result, in the style of what IREE takes as input.

func.func @main(%lhs: tensor<3x14x40xf16>, %rhs: tensor<3x40x18xf16>) -> tensor<3x14x18xf32> {
  %c0 = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x14x18xf32>
  %fill = linalg.fill ins(%c0 : f32) outs(%empty : tensor<3x14x18xf32>) -> tensor<3x14x18xf32>
  %0 = linalg.batch_matmul ins(%lhs, %rhs : tensor<3x14x40xf16>, tensor<3x40x18xf16>) outs(%fill : tensor<3x14x18xf32>) -> tensor<3x14x18xf32>
  return %0 : tensor<3x14x18xf32>
}
