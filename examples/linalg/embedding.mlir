// Token embedding: rows of a table by token, plus a row per position.

#tokens = affine_map<(s, t, f) -> (s, t)>
#positions = affine_map<(s, t, f) -> (t, f)>
#all = affine_map<(s, t, f) -> (s, t, f)>

func.func @main(%tokens: tensor<3x20xi32>, %table: tensor<500x96xbf16>,
                %position: tensor<20x96xf32>) -> tensor<3x20x96xf32> {
  %narrow = tensor.empty() : tensor<3x20x96xbf16>
  %rows = linalg.generic {indexing_maps = [#tokens, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%tokens : tensor<3x20xi32>) outs(%narrow : tensor<3x20x96xbf16>) {
  ^bb0(%token: i32, %out: bf16):
    %row = arith.index_cast %token : i32 to index
    %feature = linalg.index 2 : index
    %0 = tensor.extract %table[%row, %feature] : tensor<500x96xbf16>
    linalg.yield %0 : bf16
  } -> tensor<3x20x96xbf16>
  %wide = tensor.empty() : tensor<3x20x96xf32>
  %y = linalg.generic {indexing_maps = [#all, #positions, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%rows, %position : tensor<3x20x96xbf16>, tensor<20x96xf32>)
      outs(%wide : tensor<3x20x96xf32>) {
  ^bb0(%in: bf16, %p: f32, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    %1 = arith.addf %0, %p : f32
    linalg.yield %1 : f32
  } -> tensor<3x20x96xf32>
  return %y : tensor<3x20x96xf32>
}
