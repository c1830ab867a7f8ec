// ORACLE: close
func.func @main(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<5x3xf32>, tensor<3x5xf32>, tensor<3x4x5xf32>, tensor<3xf32>) {
  %e = tensor.empty() : tensor<3x5xf32>
  %et = tensor.empty() : tensor<5x3xf32>
  %eb = tensor.empty() : tensor<3x4x5xf32>
  %zero = arith.constant dense<0.0> : tensor<3xf32>
  %0 = linalg.add ins(%x, %y : tensor<3x5xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %1 = linalg.exp ins(%0 : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %2 = linalg.elementwise kind=#linalg.elementwise_kind<max_signed> ins(%1, %y : tensor<3x5xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %3 = linalg.transpose ins(%2 : tensor<3x5xf32>) outs(%et : tensor<5x3xf32>) permutation = [1, 0]
  %4 = linalg.map { arith.mulf } ins(%x, %y : tensor<3x5xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5xf32>)
  %5 = linalg.broadcast ins(%4 : tensor<3x5xf32>) outs(%eb : tensor<3x4x5xf32>) dimensions = [1]
  %6 = linalg.reduce { arith.addf } ins(%4 : tensor<3x5xf32>) outs(%zero : tensor<3xf32>) dimensions = [1]
  %7 = linalg.copy ins(%x : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %2, %3, %7, %5, %6 : tensor<3x5xf32>, tensor<5x3xf32>, tensor<3x5xf32>, tensor<3x4x5xf32>, tensor<3xf32>
}
