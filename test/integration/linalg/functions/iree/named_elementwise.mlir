// Named elementwise operations in a row, in the style of what IREE takes as input.

func.func @main(%a: tensor<13x29xf32>, %b: tensor<13x29xf32>) -> tensor<13x29xf32> {
  %empty = tensor.empty() : tensor<13x29xf32>
  %0 = linalg.add ins(%a, %b : tensor<13x29xf32>, tensor<13x29xf32>) outs(%empty : tensor<13x29xf32>) -> tensor<13x29xf32>
  %1 = linalg.mul ins(%0, %a : tensor<13x29xf32>, tensor<13x29xf32>) outs(%empty : tensor<13x29xf32>) -> tensor<13x29xf32>
  %2 = linalg.max ins(%1, %b : tensor<13x29xf32>, tensor<13x29xf32>) outs(%empty : tensor<13x29xf32>) -> tensor<13x29xf32>
  %3 = linalg.abs ins(%b : tensor<13x29xf32>) outs(%empty : tensor<13x29xf32>) -> tensor<13x29xf32>
  %4 = linalg.sub ins(%2, %3 : tensor<13x29xf32>, tensor<13x29xf32>) outs(%empty : tensor<13x29xf32>) -> tensor<13x29xf32>
  %5 = linalg.negf ins(%4 : tensor<13x29xf32>) outs(%empty : tensor<13x29xf32>) -> tensor<13x29xf32>
  return %5 : tensor<13x29xf32>
}
