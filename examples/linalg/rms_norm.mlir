// RMSNorm over the features of each token. bf16 in and out, f32 between.

#tokens_features = affine_map<(t, f) -> (t, f)>
#tokens = affine_map<(t, f) -> (t)>
#features = affine_map<(t, f) -> (f)>

func.func @main(%x: tensor<32x512xbf16>, %gamma: tensor<512xbf16>) -> tensor<32x512xbf16> {
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %reciprocal = arith.constant 0.001953125 : f32
  %row = tensor.empty() : tensor<32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%row : tensor<32xf32>) -> tensor<32xf32>
  %squares = linalg.generic {
      indexing_maps = [#tokens_features, #tokens],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<32x512xbf16>) outs(%zeros : tensor<32xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<32xf32>

  %scale = linalg.map ins(%squares : tensor<32xf32>) outs(%row : tensor<32xf32>)
    (%in: f32, %out: f32) {
      %0 = arith.mulf %in, %reciprocal : f32
      %1 = arith.addf %0, %epsilon : f32
      %2 = math.rsqrt %1 : f32
      linalg.yield %2 : f32
    }

  %empty = tensor.empty() : tensor<32x512xbf16>
  %y = linalg.generic {
      indexing_maps = [#tokens_features, #tokens, #features, #tokens_features],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %scale, %gamma : tensor<32x512xbf16>, tensor<32xf32>, tensor<512xbf16>)
      outs(%empty : tensor<32x512xbf16>) {
  ^bb0(%in: bf16, %s: f32, %g: bf16, %out: bf16):
    %0 = arith.extf %in : bf16 to f32
    %1 = arith.extf %g : bf16 to f32
    %2 = arith.mulf %0, %s : f32
    %3 = arith.mulf %2, %1 : f32
    %4 = arith.truncf %3 : f32 to bf16
    linalg.yield %4 : bf16
  } -> tensor<32x512xbf16>
  return %y : tensor<32x512xbf16>
}
