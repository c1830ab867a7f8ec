func.func @main(%x: tensor<3x37xf32>) -> tensor<3x37xi32> {
  %empty = tensor.empty() : tensor<3x37xi32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<3x37xf32>) outs(%empty : tensor<3x37xi32>) {
  ^bb0(%in: f32, %out: i32):
    %h = arith.constant 0.3 : f32
    %s = arith.mulf %in, %h : f32
    %r = arith.fptosi %s : f32 to i32
    linalg.yield %r : i32
  } -> tensor<3x37xi32>
  return %0 : tensor<3x37xi32>
}
