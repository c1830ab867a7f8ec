// Bitwise operations and shifts of 32-bit integers, in the style of StableHLO's conversion to linalg.

#map = affine_map<(d0) -> (d0)>
module @jit_hash {
  func.func public @main(%arg0: tensor<200xi32>, %arg1: tensor<200xi32>) -> tensor<200xi32> {
    %c5 = arith.constant 5 : i32
    %c3 = arith.constant 3 : i32
    %c255 = arith.constant 255 : i32
    %0 = tensor.empty() : tensor<200xi32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%arg0, %arg1 : tensor<200xi32>, tensor<200xi32>) outs(%0 : tensor<200xi32>) {
    ^bb0(%in: i32, %in_0: i32, %out: i32):
      %2 = arith.shli %in, %c5 : i32
      %3 = arith.xori %2, %in_0 : i32
      %4 = arith.shrsi %3, %c3 : i32
      %5 = arith.andi %in_0, %c255 : i32
      %6 = arith.ori %4, %5 : i32
      %7 = arith.minsi %6, %in : i32
      linalg.yield %7 : i32
    } -> tensor<200xi32>
    return %1 : tensor<200xi32>
  }
}
