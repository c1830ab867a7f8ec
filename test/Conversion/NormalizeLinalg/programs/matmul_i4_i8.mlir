func.func @main(%a: tensor<5x7xi4>, %b: tensor<7x4xi8>) -> tensor<5x4xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<5x4xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<5x4xi32>) -> tensor<5x4xi32>
  %0 = linalg.matmul  ins(%a, %b : tensor<5x7xi4>, tensor<7x4xi8>) outs(%init : tensor<5x4xi32>) -> tensor<5x4xi32>
  return %0 : tensor<5x4xi32>
}
