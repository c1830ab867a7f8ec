// ORACLE: close positive
func.func @main(%x: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %empty = tensor.empty() : tensor<3x37xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<3x37xf32>) outs(%empty : tensor<3x37xf32>) {
  ^bb0(%in: f32, %out: f32):
    %three = arith.constant 3.0 : f32
    %half = arith.constant 0.5 : f32
    %e = arith.constant 1.7 : f32
    %a = math.powf %in, %three : f32
    %b = math.powf %in, %half : f32
    %c = math.powf %in, %e : f32
    %d = arith.addf %a, %b : f32
    %r = arith.addf %d, %c : f32
    linalg.yield %r : f32
  } -> tensor<3x37xf32>
  return %0 : tensor<3x37xf32>
}
