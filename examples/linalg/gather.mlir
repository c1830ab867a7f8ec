// Rows of a table by index, as tensor.gather.

func.func @main(%table: tensor<200x48xf32>, %indices: tensor<33x1xi32>)
    -> tensor<33x1x48xf32> {
  %rows = tensor.gather %table[%indices] gather_dims([0])
      : (tensor<200x48xf32>, tensor<33x1xi32>) -> tensor<33x1x48xf32>
  return %rows : tensor<33x1x48xf32>
}
