// Argmax as a reduction of two results with 32-bit indices, in the style of StableHLO's conversion to linalg.

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
module @jit_argmax {
  func.func public @main(%arg0: tensor<12x37xf32>) -> tensor<12xi32> {
    %cst = arith.constant 0xFF800000 : f32
    %c0_i32 = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<12x37xi32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<12x37xi32>) {
    ^bb0(%out: i32):
      %7 = linalg.index 1 : index
      %8 = arith.index_cast %7 : index to i32
      linalg.yield %8 : i32
    } -> tensor<12x37xi32>
    %2 = tensor.empty() : tensor<12xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<12xf32>) -> tensor<12xf32>
    %4 = tensor.empty() : tensor<12xi32>
    %5 = linalg.fill ins(%c0_i32 : i32) outs(%4 : tensor<12xi32>) -> tensor<12xi32>
    %6:2 = linalg.generic {indexing_maps = [#map, #map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0, %1 : tensor<12x37xf32>, tensor<12x37xi32>) outs(%3, %5 : tensor<12xf32>, tensor<12xi32>) {
    ^bb0(%in: f32, %in_0: i32, %out: f32, %out_1: i32):
      %7 = arith.cmpf ogt, %out, %in : f32
      %8 = arith.cmpf oeq, %out, %in : f32
      %9 = arith.cmpi slt, %out_1, %in_0 : i32
      %10 = arith.andi %8, %9 : i1
      %11 = arith.ori %7, %10 : i1
      %12 = arith.select %7, %out, %in : f32
      %13 = arith.select %11, %out_1, %in_0 : i32
      linalg.yield %12, %13 : f32, i32
    } -> (tensor<12xf32>, tensor<12xi32>)
    return %6#1 : tensor<12xi32>
  }
}
