// ORACLE: close
func.func @main(%x: tensor<1x3x4x4xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<1x3x4x4xf32> {
  %eps = arith.constant 1.0e-05 : f64
  %e = tensor.empty() : tensor<1x3x4x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (0, b, c, d)>, affine_map<(a, b, c, d) -> (b)>, affine_map<(a, b, c, d) -> (b)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %m, %v : tensor<1x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<1x3x4x4xf32>) {
  ^bb0(%in: f32, %mean: f32, %var: f32, %out: f32):
    %t = arith.truncf %eps : f64 to f32
    %q = math.absf %var : f32
    %s = arith.addf %q, %t : f32
    %r = math.rsqrt %s : f32
    %d = arith.subf %in, %mean : f32
    %y = arith.mulf %d, %r : f32
    linalg.yield %y : f32
  } -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}
