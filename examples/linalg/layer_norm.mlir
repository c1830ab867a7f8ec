// Layer normalisation over the features of each token: the mean, the variance of
// what is left, and scale and shift by feature. bf16 in and out, f32 between.

#tokens_features = affine_map<(t, f) -> (t, f)>
#tokens = affine_map<(t, f) -> (t)>
#features = affine_map<(t, f) -> (f)>

func.func @main(%x: tensor<48x384xbf16>, %gamma: tensor<384xf32>,
                %beta: tensor<384xf32>) -> tensor<48x384xbf16> {
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %count = arith.constant 384.0 : f32
  %row = tensor.empty() : tensor<48xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%row : tensor<48xf32>) -> tensor<48xf32>
  %all = tensor.empty() : tensor<48x384xf32>
  %wide = linalg.generic {
      indexing_maps = [#tokens_features, #tokens_features],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<48x384xbf16>) outs(%all : tensor<48x384xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<48x384xf32>
  %sum = linalg.reduce { arith.addf } ins(%wide : tensor<48x384xf32>)
      outs(%zeros : tensor<48xf32>) dimensions = [1]

  // The input less its mean.
  %centred = linalg.generic {
      indexing_maps = [#tokens_features, #tokens, #tokens_features],
      iterator_types = ["parallel", "parallel"]}
      ins(%wide, %sum : tensor<48x384xf32>, tensor<48xf32>)
      outs(%all : tensor<48x384xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %count : f32
    %0 = arith.subf %in, %mean : f32
    linalg.yield %0 : f32
  } -> tensor<48x384xf32>

  %squares = linalg.generic {
      indexing_maps = [#tokens_features, #tokens],
      iterator_types = ["parallel", "reduction"]}
      ins(%centred : tensor<48x384xf32>) outs(%zeros : tensor<48xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %in : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<48xf32>

  %narrow = tensor.empty() : tensor<48x384xbf16>
  %y = linalg.generic {
      indexing_maps = [#tokens_features, #tokens, #features, #features, #tokens_features],
      iterator_types = ["parallel", "parallel"]}
      ins(%centred, %squares, %gamma, %beta
          : tensor<48x384xf32>, tensor<48xf32>, tensor<384xf32>, tensor<384xf32>)
      outs(%narrow : tensor<48x384xbf16>) {
  ^bb0(%in: f32, %s: f32, %g: f32, %b: f32, %out: bf16):
    %variance = arith.divf %s, %count : f32
    %0 = arith.addf %variance, %epsilon : f32
    %1 = math.rsqrt %0 : f32
    %2 = arith.mulf %in, %1 : f32
    %3 = arith.mulf %2, %g : f32
    %4 = arith.addf %3, %b : f32
    %5 = arith.truncf %4 : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<48x384xbf16>
  return %y : tensor<48x384xbf16>
}
