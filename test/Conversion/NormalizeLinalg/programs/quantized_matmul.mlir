func.func @main(%a: tensor<5x7xi8>, %b: tensor<7x4xi8>) -> tensor<5x4xi32> {
  %za = arith.constant 3 : i32
  %zb = arith.constant -128 : i32
  %init = arith.constant dense<1> : tensor<5x4xi32>
  %0 = linalg.quantized_matmul ins(%a, %b, %za, %zb : tensor<5x7xi8>, tensor<7x4xi8>, i32, i32) outs(%init : tensor<5x4xi32>) -> tensor<5x4xi32>
  return %0 : tensor<5x4xi32>
}
