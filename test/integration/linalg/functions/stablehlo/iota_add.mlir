// An iota of 32-bit integers added to the input, in the style of StableHLO's conversion to linalg.

#map = affine_map<(d0, d1) -> (d0, d1)>
module @jit_iota {
  func.func public @main(%arg0: tensor<6x19xi32>) -> tensor<6x19xi32> {
    %0 = tensor.empty() : tensor<6x19xi32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<6x19xi32>) {
    ^bb0(%out: i32):
      %4 = linalg.index 1 : index
      %5 = arith.index_cast %4 : index to i32
      linalg.yield %5 : i32
    } -> tensor<6x19xi32>
    %2 = tensor.empty() : tensor<6x19xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %1 : tensor<6x19xi32>, tensor<6x19xi32>) outs(%2 : tensor<6x19xi32>) {
    ^bb0(%in: i32, %in_0: i32, %out: i32):
      %4 = arith.addi %in, %in_0 : i32
      linalg.yield %4 : i32
    } -> tensor<6x19xi32>
    return %3 : tensor<6x19xi32>
  }
}
