// The digit network: 64-128-64-10, ReLU between the layers, for 360 images of
// 8 x 8 grey levels. Operands are bf16, sums are f32.

#rows_columns = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>

func.func @main(%x: tensor<360x64xbf16>,
                %w1: tensor<64x128xbf16>, %b1: tensor<128xf32>,
                %w2: tensor<128x64xbf16>, %b2: tensor<64xf32>,
                %w3: tensor<64x10xbf16>, %b3: tensor<10xf32>)
    -> tensor<360x10xf32> {
  %zero = arith.constant 0.0 : f32

  // h1 = bf16(max(x w1 + b1, 0))
  %e1 = tensor.empty() : tensor<360x128xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<360x128xf32>)
      -> tensor<360x128xf32>
  %m1 = linalg.matmul
      ins(%x, %w1 : tensor<360x64xbf16>, tensor<64x128xbf16>)
      outs(%z1 : tensor<360x128xf32>) -> tensor<360x128xf32>
  %o1 = tensor.empty() : tensor<360x128xbf16>
  %h1 = linalg.generic {
      indexing_maps = [#rows_columns, #columns, #rows_columns],
      iterator_types = ["parallel", "parallel"]}
      ins(%m1, %b1 : tensor<360x128xf32>, tensor<128xf32>)
      outs(%o1 : tensor<360x128xbf16>) {
  ^bb0(%sum: f32, %bias: f32, %out: bf16):
    %biased = arith.addf %sum, %bias : f32
    %positive = arith.maximumf %biased, %zero : f32
    %rounded = arith.truncf %positive : f32 to bf16
    linalg.yield %rounded : bf16
  } -> tensor<360x128xbf16>

  // h2 = bf16(max(h1 w2 + b2, 0))
  %e2 = tensor.empty() : tensor<360x64xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<360x64xf32>)
      -> tensor<360x64xf32>
  %m2 = linalg.matmul
      ins(%h1, %w2 : tensor<360x128xbf16>, tensor<128x64xbf16>)
      outs(%z2 : tensor<360x64xf32>) -> tensor<360x64xf32>
  %o2 = tensor.empty() : tensor<360x64xbf16>
  %h2 = linalg.generic {
      indexing_maps = [#rows_columns, #columns, #rows_columns],
      iterator_types = ["parallel", "parallel"]}
      ins(%m2, %b2 : tensor<360x64xf32>, tensor<64xf32>)
      outs(%o2 : tensor<360x64xbf16>) {
  ^bb0(%sum: f32, %bias: f32, %out: bf16):
    %biased = arith.addf %sum, %bias : f32
    %positive = arith.maximumf %biased, %zero : f32
    %rounded = arith.truncf %positive : f32 to bf16
    linalg.yield %rounded : bf16
  } -> tensor<360x64xbf16>

  // logits = h2 w3 + b3
  %e3 = tensor.empty() : tensor<360x10xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<360x10xf32>)
      -> tensor<360x10xf32>
  %m3 = linalg.matmul
      ins(%h2, %w3 : tensor<360x64xbf16>, tensor<64x10xbf16>)
      outs(%z3 : tensor<360x10xf32>) -> tensor<360x10xf32>
  %logits = linalg.generic {
      indexing_maps = [#rows_columns, #columns, #rows_columns],
      iterator_types = ["parallel", "parallel"]}
      ins(%m3, %b3 : tensor<360x10xf32>, tensor<10xf32>)
      outs(%e3 : tensor<360x10xf32>) {
  ^bb0(%sum: f32, %bias: f32, %out: f32):
    %biased = arith.addf %sum, %bias : f32
    linalg.yield %biased : f32
  } -> tensor<360x10xf32>

  return %logits : tensor<360x10xf32>
}
