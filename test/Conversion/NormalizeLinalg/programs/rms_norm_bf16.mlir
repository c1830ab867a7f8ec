// ORACLE: close
func.func @main(%x: tensor<4x32xbf16>, %g: tensor<32xbf16>) -> tensor<4x32xbf16> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<4x32xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<4x32xbf16>) outs(%zero : tensor<4xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %f = arith.extf %in : bf16 to f32
    %s = arith.mulf %f, %f : f32
    %r = arith.addf %out, %s : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %0, %g : tensor<4x32xbf16>, tensor<4xf32>, tensor<32xbf16>) outs(%e : tensor<4x32xbf16>) {
  ^bb0(%in: bf16, %s: f32, %w: bf16, %out: bf16):
    %f = arith.extf %in : bf16 to f32
    %m = arith.divf %s, %n : f32
    %a = arith.addf %m, %eps : f32
    %q = math.rsqrt %a : f32
    %p = arith.mulf %f, %q : f32
    %t = arith.truncf %p : f32 to bf16
    %r = arith.mulf %t, %w : bf16
    linalg.yield %r : bf16
  } -> tensor<4x32xbf16>
  return %1 : tensor<4x32xbf16>
}
