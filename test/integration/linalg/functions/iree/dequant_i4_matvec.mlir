// Weights in groups of i4 with scales and zero points, dequantised and multiplied, in the style of what IREE takes as input.

#group = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#scale = affine_map<(d0, d1, d2) -> (d0, d1)>
#vector = affine_map<(d0, d1, d2) -> (d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0)>
func.func @main(%weight: tensor<40x4x32xi4>, %scales: tensor<40x4xf32>, %zeros: tensor<40x4xf32>, %x: tensor<4x32xf32>) -> tensor<40xf32> {
  %c0 = arith.constant 0.0 : f32
  %wide = tensor.empty() : tensor<40x4x32xf32>
  %0 = linalg.generic {indexing_maps = [#group, #scale, #scale, #group], iterator_types = ["parallel", "parallel", "parallel"]} ins(%weight, %scales, %zeros : tensor<40x4x32xi4>, tensor<40x4xf32>, tensor<40x4xf32>) outs(%wide : tensor<40x4x32xf32>) {
  ^bb0(%w: i4, %s: f32, %z: f32, %o: f32):
    %2 = arith.extsi %w : i4 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.subf %3, %z : f32
    %5 = arith.mulf %4, %s : f32
    linalg.yield %5 : f32
  } -> tensor<40x4x32xf32>
  %empty = tensor.empty() : tensor<40xf32>
  %fill = linalg.fill ins(%c0 : f32) outs(%empty : tensor<40xf32>) -> tensor<40xf32>
  %1 = linalg.generic {indexing_maps = [#vector, #group, #row], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x, %0 : tensor<4x32xf32>, tensor<40x4x32xf32>) outs(%fill : tensor<40xf32>) {
  ^bb0(%a: f32, %w: f32, %o: f32):
    %2 = arith.mulf %a, %w : f32
    %3 = arith.addf %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<40xf32>
  return %1 : tensor<40xf32>
}
