// An embedding with 32-bit indices, in the style of torch-mlir's linalg on tensors.

#map = affine_map<(d0, d1) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @forward(%arg0: tensor<50x32xbf16>, %arg1: tensor<7xi32>) -> tensor<7x32xbf16> {
    %0 = tensor.empty() : tensor<7x32xbf16>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<7xi32>) outs(%0 : tensor<7x32xbf16>) {
    ^bb0(%in: i32, %out: bf16):
      %2 = arith.index_cast %in : i32 to index
      %3 = linalg.index 1 : index
      %extracted = tensor.extract %arg0[%2, %3] : tensor<50x32xbf16>
      linalg.yield %extracted : bf16
    } -> tensor<7x32xbf16>
    return %1 : tensor<7x32xbf16>
  }
}
