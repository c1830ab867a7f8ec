// A mixture of eight experts, two per token. The two largest router scores are found
// by two rounds of maximum, comparison and select; their softmax weighs the experts.
// Every expert, a layer with ReLU, sees all tokens; the weight of those not chosen
// is zero.

#te = affine_map<(t, e) -> (t, e)>
#t = affine_map<(t, e) -> (t)>
#tokens = affine_map<(e, t, o, d) -> (t, d)>
#experts = affine_map<(e, t, o, d) -> (e, d, o)>
#outputs = affine_map<(e, t, o, d) -> (e, t, o)>
#eto = affine_map<(e, t, o) -> (e, t, o)>
#weight = affine_map<(e, t, o) -> (t, e)>

func.func @main(%x: tensor<40x64xbf16>, %router: tensor<64x8xbf16>,
                %experts: tensor<8x64x48xbf16>) -> (tensor<40x48xf32>, tensor<40x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %out_of_play = arith.constant -1.0e30 : f32
  %e = tensor.empty() : tensor<40x8xf32>
  %r = tensor.empty() : tensor<40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<40x8xf32>) -> tensor<40x8xf32>
  %low = linalg.fill ins(%lowest : f32) outs(%r : tensor<40xf32>) -> tensor<40xf32>
  %scores = linalg.matmul ins(%x, %router : tensor<40x64xbf16>, tensor<64x8xbf16>)
      outs(%z : tensor<40x8xf32>) -> tensor<40x8xf32>

  // The largest score, and the scores without it.
  %first = linalg.reduce { arith.maximumf } ins(%scores : tensor<40x8xf32>)
      outs(%low : tensor<40xf32>) dimensions = [1]
  %others = linalg.generic {indexing_maps = [#te, #t, #te],
      iterator_types = ["parallel", "parallel"]}
      ins(%scores, %first : tensor<40x8xf32>, tensor<40xf32>) outs(%e : tensor<40x8xf32>) {
  ^bb0(%s: f32, %m: f32, %out: f32):
    %0 = arith.cmpf oge, %s, %m : f32
    %1 = arith.select %0, %out_of_play, %s : f32
    linalg.yield %1 : f32
  } -> tensor<40x8xf32>
  %second = linalg.reduce { arith.maximumf } ins(%others : tensor<40x8xf32>)
      outs(%low : tensor<40xf32>) dimensions = [1]

  // Softmax of the two: exp(s - first) / (1 + exp(second - first)), zero elsewhere.
  %gates = linalg.generic {indexing_maps = [#te, #t, #t, #te],
      iterator_types = ["parallel", "parallel"]}
      ins(%scores, %first, %second : tensor<40x8xf32>, tensor<40xf32>, tensor<40xf32>)
      outs(%e : tensor<40x8xf32>) {
  ^bb0(%s: f32, %m1: f32, %m2: f32, %out: f32):
    %0 = arith.subf %m2, %m1 : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.subf %s, %m1 : f32
    %4 = math.exp %3 : f32
    %5 = arith.divf %4, %2 : f32
    %6 = arith.cmpf oge, %s, %m2 : f32
    %7 = arith.select %6, %5, %zero : f32
    linalg.yield %7 : f32
  } -> tensor<40x8xf32>

  %eh = tensor.empty() : tensor<8x40x48xf32>
  %zh = linalg.fill ins(%zero : f32) outs(%eh : tensor<8x40x48xf32>) -> tensor<8x40x48xf32>
  %hidden = linalg.generic {indexing_maps = [#tokens, #experts, #outputs],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %experts : tensor<40x64xbf16>, tensor<8x64x48xbf16>)
      outs(%zh : tensor<8x40x48xf32>) {
  ^bb0(%a: bf16, %b: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<8x40x48xf32>
  %weighted = linalg.generic {indexing_maps = [#eto, #weight, #eto],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%hidden, %gates : tensor<8x40x48xf32>, tensor<40x8xf32>)
      outs(%eh : tensor<8x40x48xf32>) {
  ^bb0(%h: f32, %g: f32, %out: f32):
    %0 = arith.maximumf %h, %zero : f32
    %1 = arith.mulf %0, %g : f32
    linalg.yield %1 : f32
  } -> tensor<8x40x48xf32>
  %ey = tensor.empty() : tensor<40x48xf32>
  %zy = linalg.fill ins(%zero : f32) outs(%ey : tensor<40x48xf32>) -> tensor<40x48xf32>
  %y = linalg.reduce { arith.addf } ins(%weighted : tensor<8x40x48xf32>)
      outs(%zy : tensor<40x48xf32>) dimensions = [0]
  return %y, %gates : tensor<40x48xf32>, tensor<40x8xf32>
}
