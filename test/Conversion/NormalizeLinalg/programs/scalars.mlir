func.func @main(%x: tensor<3x5xf32>, %s: tensor<f32>) -> tensor<3x5xf32> {
  %k = tensor.extract %s[] : tensor<f32>
  %two = arith.constant 2.0 : f32
  %d = arith.mulf %k, %two : f32
  %e = tensor.empty() : tensor<3x5xf32>
  %f = linalg.fill ins(%d : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %f : tensor<3x5xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.mulf %0, %k : f32
    linalg.yield %1 : f32
  } -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
