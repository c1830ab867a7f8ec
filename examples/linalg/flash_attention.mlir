// The attention of attention.mlir, the keys in four blocks of 32: of each query only
// the running maximum, the running sum and the running result are kept, rescaled
// when a block raises the maximum. The scores of all keys never exist at once.

#scores_q = affine_map<(h, q, k, d) -> (h, q, d)>
#scores_k = affine_map<(h, q, k, d) -> (h, k, d)>
#scores = affine_map<(h, q, k, d) -> (h, q, k)>
#all = affine_map<(h, q, k) -> (h, q, k)>
#queries = affine_map<(h, q, k) -> (h, q)>
#rows = affine_map<(h, q) -> (h, q)>

func.func @main(%query: tensor<4x64x64xbf16>, %key: tensor<4x128x64xbf16>,
                %value: tensor<4x128x64xbf16>) -> tensor<4x64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %row = tensor.empty() : tensor<4x64xf32>
  %block = tensor.empty() : tensor<4x64x32xf32>
  %narrow = tensor.empty() : tensor<4x64x32xbf16>
  %full = tensor.empty() : tensor<4x64x64xf32>
  %low = linalg.fill ins(%lowest : f32) outs(%row : tensor<4x64xf32>) -> tensor<4x64xf32>
  %none = linalg.fill ins(%zero : f32) outs(%row : tensor<4x64xf32>) -> tensor<4x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%block : tensor<4x64x32xf32>)
      -> tensor<4x64x32xf32>

  // Keys 0 to 31: scores, then the maximum including earlier blocks.
  %k0 = tensor.extract_slice %key[0, 0, 0] [4, 32, 64] [1, 1, 1]
      : tensor<4x128x64xbf16> to tensor<4x32x64xbf16>
  %v0 = tensor.extract_slice %value[0, 0, 0] [4, 32, 64] [1, 1, 1]
      : tensor<4x128x64xbf16> to tensor<4x32x64xbf16>
  %products0 = linalg.generic {
      indexing_maps = [#scores_q, #scores_k, #scores],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%query, %k0 : tensor<4x64x64xbf16>, tensor<4x32x64xbf16>)
      outs(%zeros : tensor<4x64x32xf32>) {
  ^bb0(%q: bf16, %k: bf16, %out: f32):
    %0 = arith.extf %q : bf16 to f32
    %1 = arith.extf %k : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x64x32xf32>
  %s0 = linalg.generic {indexing_maps = [#all, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products0 : tensor<4x64x32xf32>) outs(%block : tensor<4x64x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<4x64x32xf32>
  %max0 = linalg.reduce { arith.maximumf } ins(%s0 : tensor<4x64x32xf32>)
      outs(%low : tensor<4x64xf32>) dimensions = [2]
  // Weights exp(score - maximum), their sum, and their product with the values.
  %w0 = linalg.generic {indexing_maps = [#all, #queries, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s0, %max0 : tensor<4x64x32xf32>, tensor<4x64xf32>)
      outs(%block : tensor<4x64x32xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x64x32xf32>
  %wb0 = linalg.generic {indexing_maps = [#all, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w0 : tensor<4x64x32xf32>) outs(%narrow : tensor<4x64x32xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.truncf %in : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<4x64x32xbf16>
  %sum0 = linalg.reduce { arith.addf } ins(%w0 : tensor<4x64x32xf32>)
      outs(%none : tensor<4x64xf32>) dimensions = [2]
  %start = linalg.fill ins(%zero : f32) outs(%full : tensor<4x64x64xf32>)
      -> tensor<4x64x64xf32>
  %acc0 = linalg.batch_matmul
      ins(%wb0, %v0 : tensor<4x64x32xbf16>, tensor<4x32x64xbf16>)
      outs(%start : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>

  // Keys 32 to 63: scores, then the maximum including earlier blocks.
  %k1 = tensor.extract_slice %key[0, 32, 0] [4, 32, 64] [1, 1, 1]
      : tensor<4x128x64xbf16> to tensor<4x32x64xbf16>
  %v1 = tensor.extract_slice %value[0, 32, 0] [4, 32, 64] [1, 1, 1]
      : tensor<4x128x64xbf16> to tensor<4x32x64xbf16>
  %products1 = linalg.generic {
      indexing_maps = [#scores_q, #scores_k, #scores],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%query, %k1 : tensor<4x64x64xbf16>, tensor<4x32x64xbf16>)
      outs(%zeros : tensor<4x64x32xf32>) {
  ^bb0(%q: bf16, %k: bf16, %out: f32):
    %0 = arith.extf %q : bf16 to f32
    %1 = arith.extf %k : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x64x32xf32>
  %s1 = linalg.generic {indexing_maps = [#all, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products1 : tensor<4x64x32xf32>) outs(%block : tensor<4x64x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<4x64x32xf32>
  %max1 = linalg.reduce { arith.maximumf } ins(%s1 : tensor<4x64x32xf32>)
      outs(%max0 : tensor<4x64xf32>) dimensions = [2]
  // Weights exp(score - maximum), their sum, and their product with the values.
  %w1 = linalg.generic {indexing_maps = [#all, #queries, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s1, %max1 : tensor<4x64x32xf32>, tensor<4x64xf32>)
      outs(%block : tensor<4x64x32xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x64x32xf32>
  %wb1 = linalg.generic {indexing_maps = [#all, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w1 : tensor<4x64x32xf32>) outs(%narrow : tensor<4x64x32xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.truncf %in : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<4x64x32xbf16>
  // What earlier blocks have left, brought to the new maximum.
  %factor1 = linalg.generic {indexing_maps = [#rows, #rows, #rows],
      iterator_types = ["parallel", "parallel"]}
      ins(%max0, %max1 : tensor<4x64xf32>, tensor<4x64xf32>)
      outs(%row : tensor<4x64xf32>) {
  ^bb0(%old: f32, %new: f32, %out: f32):
    %0 = arith.subf %old, %new : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x64xf32>
  %kept1 = linalg.mul ins(%sum0, %factor1 : tensor<4x64xf32>, tensor<4x64xf32>)
      outs(%row : tensor<4x64xf32>) -> tensor<4x64xf32>
  %sum1 = linalg.reduce { arith.addf } ins(%w1 : tensor<4x64x32xf32>)
      outs(%kept1 : tensor<4x64xf32>) dimensions = [2]
  %rescaled1 = linalg.generic {indexing_maps = [#all, #queries, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%acc0, %factor1 : tensor<4x64x64xf32>, tensor<4x64xf32>)
      outs(%full : tensor<4x64x64xf32>) {
  ^bb0(%in: f32, %f: f32, %out: f32):
    %0 = arith.mulf %in, %f : f32
    linalg.yield %0 : f32
  } -> tensor<4x64x64xf32>
  %acc1 = linalg.batch_matmul
      ins(%wb1, %v1 : tensor<4x64x32xbf16>, tensor<4x32x64xbf16>)
      outs(%rescaled1 : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>

  // Keys 64 to 95: scores, then the maximum including earlier blocks.
  %k2 = tensor.extract_slice %key[0, 64, 0] [4, 32, 64] [1, 1, 1]
      : tensor<4x128x64xbf16> to tensor<4x32x64xbf16>
  %v2 = tensor.extract_slice %value[0, 64, 0] [4, 32, 64] [1, 1, 1]
      : tensor<4x128x64xbf16> to tensor<4x32x64xbf16>
  %products2 = linalg.generic {
      indexing_maps = [#scores_q, #scores_k, #scores],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%query, %k2 : tensor<4x64x64xbf16>, tensor<4x32x64xbf16>)
      outs(%zeros : tensor<4x64x32xf32>) {
  ^bb0(%q: bf16, %k: bf16, %out: f32):
    %0 = arith.extf %q : bf16 to f32
    %1 = arith.extf %k : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x64x32xf32>
  %s2 = linalg.generic {indexing_maps = [#all, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products2 : tensor<4x64x32xf32>) outs(%block : tensor<4x64x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<4x64x32xf32>
  %max2 = linalg.reduce { arith.maximumf } ins(%s2 : tensor<4x64x32xf32>)
      outs(%max1 : tensor<4x64xf32>) dimensions = [2]
  // Weights exp(score - maximum), their sum, and their product with the values.
  %w2 = linalg.generic {indexing_maps = [#all, #queries, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s2, %max2 : tensor<4x64x32xf32>, tensor<4x64xf32>)
      outs(%block : tensor<4x64x32xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x64x32xf32>
  %wb2 = linalg.generic {indexing_maps = [#all, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w2 : tensor<4x64x32xf32>) outs(%narrow : tensor<4x64x32xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.truncf %in : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<4x64x32xbf16>
  // What earlier blocks have left, brought to the new maximum.
  %factor2 = linalg.generic {indexing_maps = [#rows, #rows, #rows],
      iterator_types = ["parallel", "parallel"]}
      ins(%max1, %max2 : tensor<4x64xf32>, tensor<4x64xf32>)
      outs(%row : tensor<4x64xf32>) {
  ^bb0(%old: f32, %new: f32, %out: f32):
    %0 = arith.subf %old, %new : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x64xf32>
  %kept2 = linalg.mul ins(%sum1, %factor2 : tensor<4x64xf32>, tensor<4x64xf32>)
      outs(%row : tensor<4x64xf32>) -> tensor<4x64xf32>
  %sum2 = linalg.reduce { arith.addf } ins(%w2 : tensor<4x64x32xf32>)
      outs(%kept2 : tensor<4x64xf32>) dimensions = [2]
  %rescaled2 = linalg.generic {indexing_maps = [#all, #queries, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%acc1, %factor2 : tensor<4x64x64xf32>, tensor<4x64xf32>)
      outs(%full : tensor<4x64x64xf32>) {
  ^bb0(%in: f32, %f: f32, %out: f32):
    %0 = arith.mulf %in, %f : f32
    linalg.yield %0 : f32
  } -> tensor<4x64x64xf32>
  %acc2 = linalg.batch_matmul
      ins(%wb2, %v2 : tensor<4x64x32xbf16>, tensor<4x32x64xbf16>)
      outs(%rescaled2 : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>

  // Keys 96 to 127: scores, then the maximum including earlier blocks.
  %k3 = tensor.extract_slice %key[0, 96, 0] [4, 32, 64] [1, 1, 1]
      : tensor<4x128x64xbf16> to tensor<4x32x64xbf16>
  %v3 = tensor.extract_slice %value[0, 96, 0] [4, 32, 64] [1, 1, 1]
      : tensor<4x128x64xbf16> to tensor<4x32x64xbf16>
  %products3 = linalg.generic {
      indexing_maps = [#scores_q, #scores_k, #scores],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%query, %k3 : tensor<4x64x64xbf16>, tensor<4x32x64xbf16>)
      outs(%zeros : tensor<4x64x32xf32>) {
  ^bb0(%q: bf16, %k: bf16, %out: f32):
    %0 = arith.extf %q : bf16 to f32
    %1 = arith.extf %k : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x64x32xf32>
  %s3 = linalg.generic {indexing_maps = [#all, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products3 : tensor<4x64x32xf32>) outs(%block : tensor<4x64x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<4x64x32xf32>
  %max3 = linalg.reduce { arith.maximumf } ins(%s3 : tensor<4x64x32xf32>)
      outs(%max2 : tensor<4x64xf32>) dimensions = [2]
  // Weights exp(score - maximum), their sum, and their product with the values.
  %w3 = linalg.generic {indexing_maps = [#all, #queries, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s3, %max3 : tensor<4x64x32xf32>, tensor<4x64xf32>)
      outs(%block : tensor<4x64x32xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x64x32xf32>
  %wb3 = linalg.generic {indexing_maps = [#all, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w3 : tensor<4x64x32xf32>) outs(%narrow : tensor<4x64x32xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.truncf %in : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<4x64x32xbf16>
  // What earlier blocks have left, brought to the new maximum.
  %factor3 = linalg.generic {indexing_maps = [#rows, #rows, #rows],
      iterator_types = ["parallel", "parallel"]}
      ins(%max2, %max3 : tensor<4x64xf32>, tensor<4x64xf32>)
      outs(%row : tensor<4x64xf32>) {
  ^bb0(%old: f32, %new: f32, %out: f32):
    %0 = arith.subf %old, %new : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x64xf32>
  %kept3 = linalg.mul ins(%sum2, %factor3 : tensor<4x64xf32>, tensor<4x64xf32>)
      outs(%row : tensor<4x64xf32>) -> tensor<4x64xf32>
  %sum3 = linalg.reduce { arith.addf } ins(%w3 : tensor<4x64x32xf32>)
      outs(%kept3 : tensor<4x64xf32>) dimensions = [2]
  %rescaled3 = linalg.generic {indexing_maps = [#all, #queries, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%acc2, %factor3 : tensor<4x64x64xf32>, tensor<4x64xf32>)
      outs(%full : tensor<4x64x64xf32>) {
  ^bb0(%in: f32, %f: f32, %out: f32):
    %0 = arith.mulf %in, %f : f32
    linalg.yield %0 : f32
  } -> tensor<4x64x64xf32>
  %acc3 = linalg.batch_matmul
      ins(%wb3, %v3 : tensor<4x64x32xbf16>, tensor<4x32x64xbf16>)
      outs(%rescaled3 : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>

  %result = linalg.generic {indexing_maps = [#all, #queries, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%acc3, %sum3 : tensor<4x64x64xf32>, tensor<4x64xf32>)
      outs(%full : tensor<4x64x64xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.divf %in, %s : f32
    linalg.yield %0 : f32
  } -> tensor<4x64x64xf32>
  return %result : tensor<4x64x64xf32>
}
