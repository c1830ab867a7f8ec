// An i8 product with bias, brought back to i8 by an f32 scale, in the style of what IREE takes as input.

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
func.func @main(%lhs: tensor<10x48xi8>, %rhs: tensor<48x24xi8>, %bias: tensor<24xi32>) -> tensor<10x24xi8> {
  %scale = arith.constant 0.015625 : f32
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %c0 = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<10x24xi32>
  %fill = linalg.fill ins(%c0 : i32) outs(%empty : tensor<10x24xi32>) -> tensor<10x24xi32>
  %0 = linalg.matmul ins(%lhs, %rhs : tensor<10x48xi8>, tensor<48x24xi8>) outs(%fill : tensor<10x24xi32>) -> tensor<10x24xi32>
  %out = tensor.empty() : tensor<10x24xi8>
  %1 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<10x24xi32>, tensor<24xi32>) outs(%out : tensor<10x24xi8>) {
  ^bb0(%sum: i32, %b: i32, %o: i8):
    %2 = arith.addi %sum, %b : i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = math.roundeven %4 : f32
    %6 = arith.maximumf %5, %low : f32
    %7 = arith.minimumf %6, %high : f32
    %8 = arith.fptosi %7 : f32 to i8
    linalg.yield %8 : i8
  } -> tensor<10x24xi8>
  return %1 : tensor<10x24xi8>
}
