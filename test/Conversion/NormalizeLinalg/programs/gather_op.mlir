// ORACLE: low=0 high=5
func.func @main(%x: tensor<6x4xf32>, %n: tensor<3xi8>) -> tensor<3x4xf32> {
  %i = arith.extsi %n : tensor<3xi8> to tensor<3xi64>
  %j = arith.index_cast %i : tensor<3xi64> to tensor<3xindex>
  %e = tensor.empty() : tensor<3x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
    ins(%j : tensor<3xindex>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%at: index, %out: f32):
    %b = linalg.index 1 : index
    %v = tensor.extract %x[%at, %b] : tensor<6x4xf32>
    linalg.yield %v : f32
  } -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
