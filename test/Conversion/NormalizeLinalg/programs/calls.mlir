func.func private @twice(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = arith.addf %x, %x : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = call @twice(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = call @twice(%0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
