func.func @main(%x: tensor<4x11xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %low = arith.constant dense<0xFF800000> : tensor<4xf32>
  %zero = arith.constant dense<0> : tensor<4xi32>
  %e = tensor.empty() : tensor<4x11xi32>
  %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x11xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i32
    linalg.yield %k : i32
  } -> tensor<4x11xi32>
  %0:2 = linalg.reduce ins(%x, %n : tensor<4x11xf32>, tensor<4x11xi32>) outs(%low, %zero : tensor<4xf32>, tensor<4xi32>) dimensions = [1]
    (%in: f32, %at: i32, %best: f32, %where: i32) {
      %gt = arith.cmpf ogt, %in, %best : f32
      %nan = arith.cmpf une, %in, %in : f32
      %take = arith.ori %gt, %nan : i1
      %value = arith.select %take, %in, %best : f32
      %eq = arith.cmpf oeq, %in, %best : f32
      %first = arith.minsi %at, %where : i32
      %other = arith.select %take, %at, %where : i32
      %r = arith.select %eq, %first, %other : i32
      linalg.yield %value, %r : f32, i32
    }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>
}
