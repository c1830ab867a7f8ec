func.func @main(%a: tensor<2x9x3xi8>, %b: tensor<3x3x4xi8>) -> tensor<2x4x4xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<2x4x4xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<2x4x4xi32>) -> tensor<2x4x4xi32>
  %0 = linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>} ins(%a, %b : tensor<2x9x3xi8>, tensor<3x3x4xi8>) outs(%init : tensor<2x4x4xi32>) -> tensor<2x4x4xi32>
  return %0 : tensor<2x4x4xi32>
}
