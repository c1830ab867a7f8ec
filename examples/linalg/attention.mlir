// Attention of 64 queries to 128 keys in 4 heads of 64, all scores at once. bf16
// operands, f32 scores and softmax, f32 result.

#scores_q = affine_map<(h, q, k, d) -> (h, q, d)>
#scores_k = affine_map<(h, q, k, d) -> (h, k, d)>
#scores = affine_map<(h, q, k, d) -> (h, q, k)>
#all = affine_map<(h, q, k) -> (h, q, k)>

func.func @main(%query: tensor<4x64x64xbf16>, %key: tensor<4x128x64xbf16>,
                %value: tensor<4x128x64xbf16>) -> tensor<4x64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %e = tensor.empty() : tensor<4x64x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64x128xf32>) -> tensor<4x64x128xf32>
  %products = linalg.generic {
      indexing_maps = [#scores_q, #scores_k, #scores],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%query, %key : tensor<4x64x64xbf16>, tensor<4x128x64xbf16>)
      outs(%z : tensor<4x64x128xf32>) {
  ^bb0(%q: bf16, %k: bf16, %out: f32):
    %0 = arith.extf %q : bf16 to f32
    %1 = arith.extf %k : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x64x128xf32>
  %scaled = linalg.generic {indexing_maps = [#all, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products : tensor<4x64x128xf32>) outs(%e : tensor<4x64x128xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<4x64x128xf32>
  %soft = linalg.softmax dimension(2) ins(%scaled : tensor<4x64x128xf32>)
      outs(%e : tensor<4x64x128xf32>) -> tensor<4x64x128xf32>
  %eb = tensor.empty() : tensor<4x64x128xbf16>
  %weights = linalg.generic {indexing_maps = [#all, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%soft : tensor<4x64x128xf32>) outs(%eb : tensor<4x64x128xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.truncf %in : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<4x64x128xbf16>
  %er = tensor.empty() : tensor<4x64x64xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %result = linalg.batch_matmul
      ins(%weights, %value : tensor<4x64x128xbf16>, tensor<4x128x64xbf16>)
      outs(%zr : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  return %result : tensor<4x64x64xf32>
}
