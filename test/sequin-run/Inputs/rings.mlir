func.func @main(%a: tensor<512x1024xbf16>, %b: tensor<1024x512xbf16>) -> tensor<512xf32> {
  %zero = arith.constant 0.0 : f32
  %products = tensor.empty() : tensor<512x512xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%products : tensor<512x512xf32>) -> tensor<512x512xf32>
  %sums = tensor.empty() : tensor<512xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%sums : tensor<512xf32>) -> tensor<512xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<512x1024xbf16>, tensor<1024x512xbf16>)
      outs(%0 : tensor<512x512xf32>) -> tensor<512x512xf32>
  // Not fused with the product: another kind of group.
  %3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%2 : tensor<512x512xf32>) outs(%1 : tensor<512xf32>) {
  ^bb0(%x: f32, %out: f32):
    %4 = arith.addf %out, %x : f32
    linalg.yield %4 : f32
  } -> tensor<512xf32>
  return %3 : tensor<512xf32>
}
