func.func @main(%a0: tensor<3x5xbf16>) -> tensor<3x5x4xf32> {
  %init = arith.constant dense<0.0> : tensor<3x5x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%a0 : tensor<3x5xbf16>) outs(%init : tensor<3x5x4xf32>) {
  ^bb0(%x0: bf16, %out: f32):
    %e0 = arith.extf %x0 : bf16 to f32
    %r = arith.addf %out, %e0 : f32
    linalg.yield %r : f32
  } -> tensor<3x5x4xf32>
  return %0 : tensor<3x5x4xf32>
}
