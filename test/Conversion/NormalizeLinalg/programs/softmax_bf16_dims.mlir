// ORACLE: close
func.func @main(%x: tensor<2x6x4xbf16>) -> tensor<2x6x4xbf16> {
  %e = tensor.empty() : tensor<2x6x4xbf16>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<2x6x4xbf16>) outs(%e : tensor<2x6x4xbf16>) -> tensor<2x6x4xbf16>
  return %0 : tensor<2x6x4xbf16>
}
