// ORACLE: specials
func.func @main(%x: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %empty = tensor.empty() : tensor<3x37xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<3x37xf32>) outs(%empty : tensor<3x37xf32>) {
  ^bb0(%in: f32, %out: f32):
    %z = arith.constant 0.0 : f32
    %k = arith.constant 0.25 : f32
    %c = arith.cmpf oge, %in, %z : f32
    %m = arith.mulf %in, %k : f32
    %r = arith.select %c, %in, %m : f32
    linalg.yield %r : f32
  } -> tensor<3x37xf32>
  return %0 : tensor<3x37xf32>
}
