// A matrix product of bf16 operands with an f32 result, in the style of what IREE takes as input.

func.func @main(%lhs: tensor<48x100xbf16>, %rhs: tensor<100x36xbf16>) -> tensor<48x36xf32> {
  %c0 = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<48x36xf32>
  %fill = linalg.fill ins(%c0 : f32) outs(%empty : tensor<48x36xf32>) -> tensor<48x36xf32>
  %0 = linalg.matmul ins(%lhs, %rhs : tensor<48x100xbf16>, tensor<100x36xbf16>) outs(%fill : tensor<48x36xf32>) -> tensor<48x36xf32>
  return %0 : tensor<48x36xf32>
}
