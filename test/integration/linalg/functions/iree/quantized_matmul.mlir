// A quantised product with zero points, in the style of what IREE takes as input.

func.func @main(%lhs: tensor<25x70xi8>, %rhs: tensor<70x19xi8>) -> tensor<25x19xi32> {
  %lhs_zp = arith.constant -7 : i32
  %rhs_zp = arith.constant 11 : i32
  %c0 = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<25x19xi32>
  %fill = linalg.fill ins(%c0 : i32) outs(%empty : tensor<25x19xi32>) -> tensor<25x19xi32>
  %0 = linalg.quantized_matmul ins(%lhs, %rhs, %lhs_zp, %rhs_zp : tensor<25x70xi8>, tensor<70x19xi8>, i32, i32) outs(%fill : tensor<25x19xi32>) -> tensor<25x19xi32>
  return %0 : tensor<25x19xi32>
}
