// A matrix times a vector, a vector times a matrix and a dot product, in the style of what IREE takes as input.

func.func @main(%a: tensor<31x57xbf16>, %x: tensor<57xbf16>, %y: tensor<31xbf16>, %ix: tensor<31xf32>, %iy: tensor<57xf32>, %id: tensor<f32>) -> (tensor<31xf32>, tensor<57xf32>, tensor<f32>) {
  %0 = linalg.matvec ins(%a, %x : tensor<31x57xbf16>, tensor<57xbf16>) outs(%ix : tensor<31xf32>) -> tensor<31xf32>
  %1 = linalg.vecmat ins(%y, %a : tensor<31xbf16>, tensor<31x57xbf16>) outs(%iy : tensor<57xf32>) -> tensor<57xf32>
  %2 = linalg.dot ins(%x, %x : tensor<57xbf16>, tensor<57xbf16>) outs(%id : tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<31xf32>, tensor<57xf32>, tensor<f32>
}
