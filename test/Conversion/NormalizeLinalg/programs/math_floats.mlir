// ORACLE: close
func.func @main(%x: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %empty = tensor.empty() : tensor<3x37xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<3x37xf32>) outs(%empty : tensor<3x37xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = math.absf %in : f32
    %one = arith.constant 1.0 : f32
    %b = arith.addf %a, %one : f32
    %c = math.log %b : f32
    %d = math.rsqrt %b : f32
    %e = arith.mulf %c, %d : f32
    %f = math.sin %in : f32
    %g = arith.addf %e, %f : f32
    %h = math.erf %in : f32
    %i = arith.subf %g, %h : f32
    %j = math.tanh %i : f32
    %r = arith.negf %j : f32
    linalg.yield %r : f32
  } -> tensor<3x37xf32>
  return %0 : tensor<3x37xf32>
}
