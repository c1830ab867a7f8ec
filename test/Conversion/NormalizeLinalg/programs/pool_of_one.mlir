// Windows of one element, that start from any number.
// ORACLE: specials
func.func @main(%x0: tensor<2x5x5x3xf32>, %f0: tensor<2x3x2x3xf32>, %x1: tensor<2x5x5x3xf32>, %f1: tensor<2x3x2x3xf32>, %x2: tensor<2x5x5x3xf32>, %f2: tensor<2x3x2x3xf32>, %x3: tensor<2x5x5x3xi8>, %f3: tensor<2x3x2x3xi8>, %x4: tensor<2x5x5x3xbf16>, %f4: tensor<2x3x2x3xbf16>, %x5: tensor<2x5x5x3xi32>, %f5: tensor<2x3x2x3xi32>) -> (tensor<2x3x2x3xf32>, tensor<2x3x2x3xf32>, tensor<2x3x2x3xf32>, tensor<2x3x2x3xi8>, tensor<2x3x2x3xbf16>, tensor<2x3x2x3xi32>) {
  %k0 = tensor.empty() : tensor<1x1xf32>
  %0 = linalg.pooling_nhwc_max {strides = dense<[2, 3]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x0, %k0 : tensor<2x5x5x3xf32>, tensor<1x1xf32>) outs(%f0 : tensor<2x3x2x3xf32>) -> tensor<2x3x2x3xf32>
  %k1 = tensor.empty() : tensor<1x1xf32>
  %1 = linalg.pooling_nhwc_min {strides = dense<[2, 3]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x1, %k1 : tensor<2x5x5x3xf32>, tensor<1x1xf32>) outs(%f1 : tensor<2x3x2x3xf32>) -> tensor<2x3x2x3xf32>
  %k2 = tensor.empty() : tensor<1x1xf32>
  %2 = linalg.pooling_nhwc_sum {strides = dense<[2, 3]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x2, %k2 : tensor<2x5x5x3xf32>, tensor<1x1xf32>) outs(%f2 : tensor<2x3x2x3xf32>) -> tensor<2x3x2x3xf32>
  %k3 = tensor.empty() : tensor<1x1xi8>
  %3 = linalg.pooling_nhwc_max_unsigned {strides = dense<[2, 3]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x3, %k3 : tensor<2x5x5x3xi8>, tensor<1x1xi8>) outs(%f3 : tensor<2x3x2x3xi8>) -> tensor<2x3x2x3xi8>
  %k4 = tensor.empty() : tensor<1x1xbf16>
  %4 = linalg.pooling_nhwc_max {strides = dense<[2, 3]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x4, %k4 : tensor<2x5x5x3xbf16>, tensor<1x1xbf16>) outs(%f4 : tensor<2x3x2x3xbf16>) -> tensor<2x3x2x3xbf16>
  %k5 = tensor.empty() : tensor<1x1xi32>
  %5 = linalg.pooling_nhwc_min_unsigned {strides = dense<[2, 3]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x5, %k5 : tensor<2x5x5x3xi32>, tensor<1x1xi32>) outs(%f5 : tensor<2x3x2x3xi32>) -> tensor<2x3x2x3xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<2x3x2x3xf32>, tensor<2x3x2x3xf32>, tensor<2x3x2x3xf32>, tensor<2x3x2x3xi8>, tensor<2x3x2x3xbf16>, tensor<2x3x2x3xi32>
}
