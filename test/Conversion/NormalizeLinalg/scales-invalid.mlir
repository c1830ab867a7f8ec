// RUN: sequin-opt %s --normalize-linalg --split-input-file --verify-diagnostics

// f4E2M1FN is for weights of sums and nothing else.

// expected-error@+1 {{result 0 has element type 'f4E2M1FN', the machine has i4, i8, i16, i32, f8E4M3FN, f8E5M2, bf16, f16 and f32, and f4E2M1FN for arguments that are weights of sums}}
func.func @result(%w: tensor<8x16xf4E2M1FN>) -> tensor<8x16xf4E2M1FN> {
  return %w : tensor<8x16xf4E2M1FN>
}

// -----

#id = affine_map<(a) -> (a)>
func.func @widened(%w: tensor<64xf4E2M1FN>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  // expected-error@+1 {{works on f4E2M1FN elements, which are weights of sums only: out + x * w * scale in f32 with x of f8E4M3FN, f8E5M2 or bf16, or the same with weights that are scaled before, or sums that are scaled after}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%w : tensor<64xf4E2M1FN>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f4E2M1FN, %o: f32):
    %1 = arith.extf %a : f4E2M1FN to f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

#id = affine_map<(a) -> (a)>
func.func @narrowed(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  // expected-error@+1 {{works on f4E2M1FN elements}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.truncf %a : f32 to f4E2M1FN
    %2 = arith.extf %1 : f4E2M1FN to f32
    linalg.yield %2 : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// Activations of another type than the contraction engine's.
func.func @activations(%x: tensor<1x64xf32>, %w: tensor<64x64xf4E2M1FN>) -> tensor<1x64xf32> {
  %z = arith.constant dense<0.0> : tensor<1x64xf32>
  // expected-error@+1 {{works on f4E2M1FN elements}}
  %0 = linalg.matmul ins(%x, %w : tensor<1x64xf32>, tensor<64x64xf4E2M1FN>)
      outs(%z : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}

// -----

// Scaled weights have six bits: f8E4M3FN rounds some, so that sums are not those of products.
#ngk = affine_map<(n, g, k) -> (n, g, k)>
#ng = affine_map<(n, g, k) -> (n, g)>
func.func @rounded(%x: tensor<1x256xf8E4M3FN>, %w: tensor<512x16x16xf4E2M1FN>,
                   %s: tensor<512x16xf8E4M3FN>) -> tensor<1x512xf32> {
  %e = tensor.empty() : tensor<512x16x16xf8E4M3FN>
  // expected-error@+1 {{works on f4E2M1FN elements}}
  %d = linalg.generic {indexing_maps = [#ngk, #ng, #ngk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w, %s : tensor<512x16x16xf4E2M1FN>, tensor<512x16xf8E4M3FN>)
      outs(%e : tensor<512x16x16xf8E4M3FN>) {
  ^bb0(%a: f4E2M1FN, %b: f8E4M3FN, %o: f8E4M3FN):
    %1 = arith.extf %a : f4E2M1FN to f32
    %2 = arith.extf %b : f8E4M3FN to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.truncf %3 : f32 to f8E4M3FN
    linalg.yield %4 : f8E4M3FN
  } -> tensor<512x16x16xf8E4M3FN>
  %c = tensor.collapse_shape %d [[0], [1, 2]] : tensor<512x16x16xf8E4M3FN> into tensor<512x256xf8E4M3FN>
  %z = arith.constant dense<0.0> : tensor<1x512xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %c : tensor<1x256xf8E4M3FN>, tensor<512x256xf8E4M3FN>)
      outs(%z : tensor<1x512xf32>) -> tensor<1x512xf32>
  return %r : tensor<1x512xf32>
}
