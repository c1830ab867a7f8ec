// ORACLE: specials
func.func @main(%x: tensor<5x41xf32>, %y: tensor<5x41xf32>) -> tensor<5x41xf32> {
  %empty = tensor.empty() : tensor<5x41xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x, %y : tensor<5x41xf32>, tensor<5x41xf32>) outs(%empty : tensor<5x41xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %z = arith.constant 2.0 : f32
    %c = arith.cmpf olt, %a, %b : f32
    %d = arith.cmpf oeq, %a, %z : f32
    %e = arith.ori %c, %d : i1
    %s = arith.addf %a, %b : f32
    %t = arith.mulf %a, %b : f32
    %u = arith.select %e, %s, %t : f32
    %f = arith.andi %c, %d : i1
    %r = arith.select %f, %z, %u : f32
    linalg.yield %r : f32
  } -> tensor<5x41xf32>
  return %0 : tensor<5x41xf32>
}
