func.func @main(%x: tensor<3x37xf32>) -> tensor<3x37xi8> {
  %empty = tensor.empty() : tensor<3x37xi8>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<3x37xf32>) outs(%empty : tensor<3x37xi8>) {
  ^bb0(%in: f32, %out: i8):
    %k = arith.constant 4.0 : f32
    %lo = arith.constant -128.0 : f32
    %hi = arith.constant 127.0 : f32
    %a = arith.mulf %in, %k : f32
    %b = math.roundeven %a : f32
    %c = arith.maximumf %b, %lo : f32
    %d = arith.minimumf %c, %hi : f32
    %r = arith.fptosi %d : f32 to i8
    linalg.yield %r : i8
  } -> tensor<3x37xi8>
  return %0 : tensor<3x37xi8>
}
