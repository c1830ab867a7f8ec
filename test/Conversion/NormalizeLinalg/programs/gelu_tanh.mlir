// ORACLE: close
func.func @main(%x: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %empty = tensor.empty() : tensor<3x37xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<3x37xf32>) outs(%empty : tensor<3x37xf32>) {
  ^bb0(%in: f32, %out: f32):
    %c0 = arith.constant 0.044715 : f32
    %c1 = arith.constant 0.797884561 : f32
    %one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %2 = arith.mulf %in, %in : f32
    %3 = arith.mulf %2, %in : f32
    %4 = arith.mulf %3, %c0 : f32
    %5 = arith.addf %in, %4 : f32
    %6 = arith.mulf %5, %c1 : f32
    %7 = math.tanh %6 : f32
    %8 = arith.addf %7, %one : f32
    %9 = arith.mulf %in, %half : f32
    %r = arith.mulf %9, %8 : f32
    linalg.yield %r : f32
  } -> tensor<3x37xf32>
  return %0 : tensor<3x37xf32>
}
