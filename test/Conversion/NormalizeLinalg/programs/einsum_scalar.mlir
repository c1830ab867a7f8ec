// ORACLE: close
func.func @main(%a0: tensor<bf16>, %a1: tensor<3x5xbf16>, %a2: tensor<5xbf16>) -> tensor<3xf32> {
  %init = arith.constant dense<0.0> : tensor<3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%a0, %a1, %a2 : tensor<bf16>, tensor<3x5xbf16>, tensor<5xbf16>) outs(%init : tensor<3xf32>) {
  ^bb0(%x0: bf16, %x1: bf16, %x2: bf16, %out: f32):
    %e0 = arith.extf %x0 : bf16 to f32
    %e1 = arith.extf %x1 : bf16 to f32
    %m1 = arith.mulf %e0, %e1 : f32
    %e2 = arith.extf %x2 : bf16 to f32
    %m2 = arith.mulf %m1, %e2 : f32
    %r = arith.addf %out, %m2 : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
