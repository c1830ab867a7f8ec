func.func @main(%a0: tensor<3x5xf32>, %a1: tensor<5x4xf32>, %a2: tensor<4x2xf32>) -> tensor<3x2xf32> {
  %init = arith.constant dense<0.0> : tensor<3x2xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j)>, affine_map<(i, j, k, l) -> (j, k)>, affine_map<(i, j, k, l) -> (k, l)>, affine_map<(i, j, k, l) -> (i, l)>], iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
    ins(%a0, %a1, %a2 : tensor<3x5xf32>, tensor<5x4xf32>, tensor<4x2xf32>) outs(%init : tensor<3x2xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %out: f32):
    %m1 = arith.mulf %x0, %x1 : f32
    %m2 = arith.mulf %m1, %x2 : f32
    %r = arith.addf %out, %m2 : f32
    linalg.yield %r : f32
  } -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
