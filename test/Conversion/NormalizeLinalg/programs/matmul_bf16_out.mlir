// ORACLE: close
func.func @main(%a: tensor<5x7xbf16>, %b: tensor<7x4xbf16>) -> tensor<5x4xbf16> {
  %zero = arith.constant 0.0 : bf16
  %empty = tensor.empty() : tensor<5x4xbf16>
  %init = linalg.fill ins(%zero : bf16) outs(%empty : tensor<5x4xbf16>) -> tensor<5x4xbf16>
  %0 = linalg.matmul  ins(%a, %b : tensor<5x7xbf16>, tensor<7x4xbf16>) outs(%init : tensor<5x4xbf16>) -> tensor<5x4xbf16>
  return %0 : tensor<5x4xbf16>
}
