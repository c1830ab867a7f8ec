func.func @main(%a0: tensor<3x5xbf16>, %a1: tensor<4x2xbf16>) -> tensor<4xf32> {
  %init = arith.constant dense<0.0> : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j)>, affine_map<(i, j, k, l) -> (k, l)>, affine_map<(i, j, k, l) -> (k)>], iterator_types = ["reduction", "reduction", "parallel", "reduction"]}
    ins(%a0, %a1 : tensor<3x5xbf16>, tensor<4x2xbf16>) outs(%init : tensor<4xf32>) {
  ^bb0(%x0: bf16, %x1: bf16, %out: f32):
    %e0 = arith.extf %x0 : bf16 to f32
    %e1 = arith.extf %x1 : bf16 to f32
    %m1 = arith.mulf %e0, %e1 : f32
    %r = arith.addf %out, %m1 : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
