// A linalg.contract with permuted operands, in the style of what IREE takes as input.

#a = affine_map<(b, m, n, k) -> (k, b, m)>
#b = affine_map<(b, m, n, k) -> (n, k, b)>
#c = affine_map<(b, m, n, k) -> (m, n, b)>
func.func @main(%lhs: tensor<23x4x9xi8>, %rhs: tensor<13x23x4xi8>) -> tensor<9x13x4xi32> {
  %c0 = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<9x13x4xi32>
  %fill = linalg.fill ins(%c0 : i32) outs(%empty : tensor<9x13x4xi32>) -> tensor<9x13x4xi32>
  %0 = linalg.contract indexing_maps = [#a, #b, #c] ins(%lhs, %rhs : tensor<23x4x9xi8>, tensor<13x23x4xi8>) outs(%fill : tensor<9x13x4xi32>) -> tensor<9x13x4xi32>
  return %0 : tensor<9x13x4xi32>
}
