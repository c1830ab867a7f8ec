// An embedding with 64-bit indices and the bounds checks of the front end, in the style of torch-mlir's linalg on tensors.

#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%arg0: tensor<40x24xf32>, %arg1: tensor<2x5xi64>) -> tensor<2x5x24xf32> {
    %c0_i64 = arith.constant 0 : i64
    %c40_i64 = arith.constant 40 : i64
    %0 = tensor.empty() : tensor<2x5x24xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x5xi64>) outs(%0 : tensor<2x5x24xf32>) {
    ^bb0(%in: i64, %out: f32):
      %2 = arith.cmpi slt, %in, %c40_i64 : i64
      cf.assert %2, "index must be smaller than dim size"
      %3 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %3, "index must be larger or equal to 0"
      %4 = arith.index_cast %in : i64 to index
      %5 = linalg.index 2 : index
      %extracted = tensor.extract %arg0[%4, %5] : tensor<40x24xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x5x24xf32>
    return %1 : tensor<2x5x24xf32>
  }
}
