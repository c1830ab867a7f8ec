func.func @main(%x: tensor<1x5x1xf32>, %y: tensor<1x1x3xf32>) -> (tensor<1x5x3xf32>, tensor<1x1x3xf32>) {
  %e = tensor.empty() : tensor<1x5x3xf32>
  %z = arith.constant dense<0.0> : tensor<1x1x3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (0, j, 0)>, affine_map<(i, j, k) -> (0, 0, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %y : tensor<1x5x1xf32>, tensor<1x1x3xf32>) outs(%e : tensor<1x5x3xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<1x5x3xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, 0, k)>], iterator_types = ["parallel", "reduction", "parallel"]}
    ins(%0 : tensor<1x5x3xf32>) outs(%z : tensor<1x1x3xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.maximumf %a, %out : f32
    linalg.yield %r : f32
  } -> tensor<1x1x3xf32>
  return %0, %1 : tensor<1x5x3xf32>, tensor<1x1x3xf32>
}
