// ORACLE: close
func.func @main(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  %init = arith.constant dense<0.0> : tensor<4xf32>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<4x16xf32>) outs(%init, %init : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%in: f32, %s: f32, %q: f32):
    %a = arith.addf %in, %s : f32
    %b = arith.mulf %in, %in : f32
    %c = arith.addf %b, %q : f32
    linalg.yield %a, %c : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  %n = arith.constant dense<16.0> : tensor<4xf32>
  %m = arith.divf %0#0, %n : tensor<4xf32>
  %mm = arith.mulf %m, %m : tensor<4xf32>
  %s = arith.divf %0#1, %n : tensor<4xf32>
  %v = arith.subf %s, %mm : tensor<4xf32>
  return %v : tensor<4xf32>
}
