func.func @main(%x: tensor<4x11xf32>) -> tensor<4xi32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e0 = tensor.empty() : tensor<4xf32>
  %e1 = tensor.empty() : tensor<4xi64>
  %e2 = tensor.empty() : tensor<4xi32>
  %i0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<4xf32>) -> tensor<4xf32>
  %i1 = linalg.fill ins(%zero : i64) outs(%e1 : tensor<4xi64>) -> tensor<4xi64>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<4x11xf32>) outs(%i0, %i1 : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%in: f32, %best: f32, %at: i64):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i64
    %m = arith.maximumf %in, %best : f32
    %c = arith.cmpf ogt, %in, %best : f32
    %r = arith.select %c, %n, %at : i64
    linalg.yield %m, %r : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%0#1 : tensor<4xi64>) outs(%e2 : tensor<4xi32>) {
  ^bb0(%in: i64, %out: i32):
    %t = arith.trunci %in : i64 to i32
    linalg.yield %t : i32
  } -> tensor<4xi32>
  return %1 : tensor<4xi32>
}
