// A concatenation as a generic that branches on the index, in the style of StableHLO's conversion to linalg.

#map = affine_map<(d0, d1) -> (d0, d1)>
module @jit_concatenate {
  func.func public @main(%arg0: tensor<5x6xf32>, %arg1: tensor<5x9xf32>) -> tensor<5x15xf32> {
    %c6 = arith.constant 6 : index
    %0 = tensor.empty() : tensor<5x15xf32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<5x15xf32>) {
    ^bb0(%out: f32):
      %2 = linalg.index 0 : index
      %3 = linalg.index 1 : index
      %4 = arith.cmpi ult, %3, %c6 : index
      %5 = scf.if %4 -> (f32) {
        %extracted = tensor.extract %arg0[%2, %3] : tensor<5x6xf32>
        scf.yield %extracted : f32
      } else {
        %6 = arith.subi %3, %c6 : index
        %extracted = tensor.extract %arg1[%2, %6] : tensor<5x9xf32>
        scf.yield %extracted : f32
      }
      linalg.yield %5 : f32
    } -> tensor<5x15xf32>
    return %1 : tensor<5x15xf32>
  }
}
