// Attention of grouped queries on bf16, decomposed, in the style of what IREE takes as input.

#qk_q = affine_map<(h, g, m, n, k) -> (h, g, m, k)>
#qk_k = affine_map<(h, g, m, n, k) -> (h, n, k)>
#qk_s = affine_map<(h, g, m, n, k) -> (h, g, m, n)>
#pv_v = affine_map<(h, g, m, n, k) -> (h, k, n)>
#all = affine_map<(h, g, m, n) -> (h, g, m, n)>
func.func @main(%q: tensor<2x3x8x32xbf16>, %k: tensor<2x24x32xbf16>, %v: tensor<2x24x32xbf16>) -> tensor<2x3x8x32xbf16> {
  %c0 = arith.constant 0.0 : f32
  %scale = arith.constant 0.176776695 : f32
  %se = tensor.empty() : tensor<2x3x8x24xf32>
  %sf = linalg.fill ins(%c0 : f32) outs(%se : tensor<2x3x8x24xf32>) -> tensor<2x3x8x24xf32>
  %s = linalg.generic {indexing_maps = [#qk_q, #qk_k, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x3x8x32xbf16>, tensor<2x24x32xbf16>) outs(%sf : tensor<2x3x8x24xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<2x3x8x24xf32>
  %scaled = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s : tensor<2x3x8x24xf32>) outs(%se : tensor<2x3x8x24xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<2x3x8x24xf32>
  %p = linalg.softmax dimension(3) ins(%scaled : tensor<2x3x8x24xf32>) outs(%se : tensor<2x3x8x24xf32>) -> tensor<2x3x8x24xf32>
  %pe = tensor.empty() : tensor<2x3x8x24xbf16>
  %pb = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%p : tensor<2x3x8x24xf32>) outs(%pe : tensor<2x3x8x24xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %0 = arith.truncf %a : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<2x3x8x24xbf16>
  %oe = tensor.empty() : tensor<2x3x8x32xf32>
  %of = linalg.fill ins(%c0 : f32) outs(%oe : tensor<2x3x8x32xf32>) -> tensor<2x3x8x32xf32>
  %r = linalg.generic {indexing_maps = [#qk_q, #pv_v, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%pb, %v : tensor<2x3x8x24xbf16>, tensor<2x24x32xbf16>) outs(%of : tensor<2x3x8x32xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<2x3x8x32xf32>
  %be = tensor.empty() : tensor<2x3x8x32xbf16>
  %rb = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r : tensor<2x3x8x32xf32>) outs(%be : tensor<2x3x8x32xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %0 = arith.truncf %a : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<2x3x8x32xbf16>
  return %rb : tensor<2x3x8x32xbf16>
}
