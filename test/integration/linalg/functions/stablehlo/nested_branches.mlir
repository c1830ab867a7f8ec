// A border of zeros, and another tensor beyond it: branches inside of branches, each reading where its condition lets it

#map = affine_map<(d0, d1) -> (d0, d1)>
module @jit_border {
  func.func public @main(%arg0: tensor<5x6xf32>, %arg1: tensor<9xf32>) -> tensor<7x12xf32> {
    %c1 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %c5 = arith.constant 5 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<7x12xf32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<7x12xf32>) {
    ^bb0(%out: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %row = arith.subi %i, %c1 : index
      %in_rows = arith.cmpi ult, %row, %c5 : index
      %2 = scf.if %in_rows -> (f32) {
        %in_columns = arith.cmpi ult, %j, %c6 : index
        %3 = scf.if %in_columns -> (f32) {
          %4 = tensor.extract %arg0[%row, %j] : tensor<5x6xf32>
          scf.yield %4 : f32
        } else {
          %5 = arith.subi %j, %c3 : index
          %6 = tensor.extract %arg1[%5] : tensor<9xf32>
          %7 = arith.addf %6, %6 : f32
          scf.yield %7 : f32
        }
        scf.yield %3 : f32
      } else {
        scf.yield %zero : f32
      }
      linalg.yield %2 : f32
    } -> tensor<7x12xf32>
    return %1 : tensor<7x12xf32>
  }
}
