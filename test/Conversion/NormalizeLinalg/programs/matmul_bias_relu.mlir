func.func @main(%a: tensor<5x7xbf16>, %b: tensor<7x6xbf16>, %bias: tensor<6xf32>) -> tensor<5x6xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x6xf32>) -> tensor<5x6xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x7xbf16>, tensor<7x6xbf16>) outs(%init : tensor<5x6xf32>) -> tensor<5x6xf32>
  %1 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%0, %bias : tensor<5x6xf32>, tensor<6xf32>) outs(%empty : tensor<5x6xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %s = arith.addf %x, %y : f32
    %c = arith.cmpf ugt, %s, %zero : f32
    %r = arith.select %c, %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<5x6xf32>
  return %1 : tensor<5x6xf32>
}
