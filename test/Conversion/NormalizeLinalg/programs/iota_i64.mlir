func.func @main(%x: tensor<2x12xf32>) -> tensor<2x12xf32> {
  %c2 = arith.constant 2 : i64
  %k = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<12xi64>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<12xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %m = arith.muli %j, %c2 : i64
    linalg.yield %m : i64
  } -> tensor<12xi64>
  %empty = tensor.empty() : tensor<2x12xf32>
  %1 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x, %0 : tensor<2x12xf32>, tensor<12xi64>) outs(%empty : tensor<2x12xf32>) {
  ^bb0(%in: f32, %n: i64, %out: f32):
    %f = arith.sitofp %n : i64 to f32
    %g = arith.mulf %f, %k : f32
    %r = arith.addf %in, %g : f32
    linalg.yield %r : f32
  } -> tensor<2x12xf32>
  return %1 : tensor<2x12xf32>
}
