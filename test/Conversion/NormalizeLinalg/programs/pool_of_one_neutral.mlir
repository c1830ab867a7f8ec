// Windows of one element, that start from what is nothing to the maximum.
// ORACLE: specials
func.func @main(%x: tensor<2x5x5x3xf32>, %y: tensor<2x5x1x3xi32>) -> (tensor<2x3x2x3xf32>, tensor<2x3x1x3xi32>) {
  %k = tensor.empty() : tensor<1x1xf32>
  %least = arith.constant dense<0xFF800000> : tensor<2x3x2x3xf32>
  %0 = linalg.pooling_nhwc_max {strides = dense<[2, 3]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x, %k : tensor<2x5x5x3xf32>, tensor<1x1xf32>) outs(%least : tensor<2x3x2x3xf32>) -> tensor<2x3x2x3xf32>
  %j = tensor.empty() : tensor<1x1xi32>
  %greatest = arith.constant dense<2147483647> : tensor<2x3x1x3xi32>
  %1 = linalg.pooling_nhwc_min {strides = dense<[2, 3]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%y, %j : tensor<2x5x1x3xi32>, tensor<1x1xi32>) outs(%greatest : tensor<2x3x1x3xi32>) -> tensor<2x3x1x3xi32>
  return %0, %1 : tensor<2x3x2x3xf32>, tensor<2x3x1x3xi32>
}
