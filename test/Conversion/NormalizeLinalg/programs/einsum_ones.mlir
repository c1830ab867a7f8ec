func.func @main(%a0: tensor<1x5x1xbf16>, %a1: tensor<1x2xbf16>) -> tensor<1x5x2xf32> {
  %init = arith.constant dense<0.0> : tensor<1x5x2xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k)>, affine_map<(i, j, k, l) -> (k, l)>, affine_map<(i, j, k, l) -> (i, j, l)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
    ins(%a0, %a1 : tensor<1x5x1xbf16>, tensor<1x2xbf16>) outs(%init : tensor<1x5x2xf32>) {
  ^bb0(%x0: bf16, %x1: bf16, %out: f32):
    %e0 = arith.extf %x0 : bf16 to f32
    %e1 = arith.extf %x1 : bf16 to f32
    %m1 = arith.mulf %e0, %e1 : f32
    %r = arith.addf %out, %m1 : f32
    linalg.yield %r : f32
  } -> tensor<1x5x2xf32>
  return %0 : tensor<1x5x2xf32>
}
