func.func @main(%a: tensor<7x5xbf16>, %b: tensor<6x7xbf16>) -> tensor<6x5xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<6x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<6x5xf32>) -> tensor<6x5xf32>
  %0 = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%a, %b : tensor<7x5xbf16>, tensor<6x7xbf16>) outs(%init : tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
