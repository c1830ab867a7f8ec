#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x16xf32>
  %result = linalg.generic {
      indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x16xf32>) outs(%empty : tensor<8x16xf32>) {
  ^bb0(%x: f32, %out: f32):
    %m = arith.OP %x, %zero : f32
    linalg.yield %m : f32
  } -> tensor<8x16xf32>
  return %result : tensor<8x16xf32>
}
