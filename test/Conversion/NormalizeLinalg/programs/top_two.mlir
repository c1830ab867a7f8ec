func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %e0 = tensor.empty() : tensor<4xf32>
  %e1 = tensor.empty() : tensor<4xi32>
  %ex = tensor.empty() : tensor<4x8xf32>
  %i0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<4xf32>) -> tensor<4xf32>
  %i1 = linalg.fill ins(%zero : i32) outs(%e1 : tensor<4xi32>) -> tensor<4xi32>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<4x8xf32>) outs(%i0, %i1 : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%in: f32, %best: f32, %at: i32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    %c = arith.cmpf ogt, %in, %best : f32
    %m = arith.select %c, %in, %best : f32
    %r = arith.select %c, %n, %at : i32
    linalg.yield %m, %r : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  %x2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %0#1 : tensor<4x8xf32>, tensor<4xi32>) outs(%ex : tensor<4x8xf32>) {
  ^bb0(%in: f32, %at: i32, %out: f32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    %c = arith.cmpi eq, %n, %at : i32
    %r = arith.select %c, %low, %in : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  %1:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%x2 : tensor<4x8xf32>) outs(%i0, %i1 : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%in: f32, %best: f32, %at: i32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    %c = arith.cmpf ogt, %in, %best : f32
    %m = arith.select %c, %in, %best : f32
    %r = arith.select %c, %n, %at : i32
    linalg.yield %m, %r : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  %v0 = tensor.expand_shape %0#0 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  %v1 = tensor.expand_shape %1#0 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  %w0 = tensor.expand_shape %0#1 [[0, 1]] output_shape [4, 1] : tensor<4xi32> into tensor<4x1xi32>
  %w1 = tensor.expand_shape %1#1 [[0, 1]] output_shape [4, 1] : tensor<4xi32> into tensor<4x1xi32>
  %v = tensor.concat dim(1) %v0, %v1 : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x2xf32>
  %w = tensor.concat dim(1) %w0, %w1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  return %v, %w : tensor<4x2xf32>, tensor<4x2xi32>
}
