// Rotary embedding with tables of sines and cosines, in the style of what IREE takes as input.

#pair = affine_map<(s, h, d) -> (s, h, d)>
#angle = affine_map<(s, h, d) -> (s, d)>
func.func @main(%x: tensor<6x3x16x2xf32>, %cos: tensor<6x16xf32>, %sin: tensor<6x16xf32>) -> tensor<6x3x16x2xf32> {
  %re4 = tensor.extract_slice %x[0, 0, 0, 0] [6, 3, 16, 1] [1, 1, 1, 1] : tensor<6x3x16x2xf32> to tensor<6x3x16x1xf32>
  %im4 = tensor.extract_slice %x[0, 0, 0, 1] [6, 3, 16, 1] [1, 1, 1, 1] : tensor<6x3x16x2xf32> to tensor<6x3x16x1xf32>
  %re = tensor.collapse_shape %re4 [[0], [1], [2, 3]] : tensor<6x3x16x1xf32> into tensor<6x3x16xf32>
  %im = tensor.collapse_shape %im4 [[0], [1], [2, 3]] : tensor<6x3x16x1xf32> into tensor<6x3x16xf32>
  %empty = tensor.empty() : tensor<6x3x16xf32>
  %0:2 = linalg.generic {indexing_maps = [#pair, #pair, #angle, #angle, #pair, #pair], iterator_types = ["parallel", "parallel", "parallel"]} ins(%re, %im, %cos, %sin : tensor<6x3x16xf32>, tensor<6x3x16xf32>, tensor<6x16xf32>, tensor<6x16xf32>) outs(%empty, %empty : tensor<6x3x16xf32>, tensor<6x3x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %s: f32, %o0: f32, %o1: f32):
    %3 = arith.mulf %a, %c : f32
    %4 = arith.mulf %b, %s : f32
    %5 = arith.subf %3, %4 : f32
    %6 = arith.mulf %a, %s : f32
    %7 = arith.mulf %b, %c : f32
    %8 = arith.addf %6, %7 : f32
    linalg.yield %5, %8 : f32, f32
  } -> (tensor<6x3x16xf32>, tensor<6x3x16xf32>)
  %out = tensor.empty() : tensor<6x3x16x2xf32>
  %1 = tensor.insert_slice %0#0 into %out[0, 0, 0, 0] [6, 3, 16, 1] [1, 1, 1, 1] : tensor<6x3x16xf32> into tensor<6x3x16x2xf32>
  %2 = tensor.insert_slice %0#1 into %1[0, 0, 0, 1] [6, 3, 16, 1] [1, 1, 1, 1] : tensor<6x3x16xf32> into tensor<6x3x16x2xf32>
  return %2 : tensor<6x3x16x2xf32>
}
