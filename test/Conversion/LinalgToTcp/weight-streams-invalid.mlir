// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --split-input-file --verify-diagnostics

// What no plan by weight streams takes, of weights that nothing else multiplies.

func.func @rows(%x: tensor<16x64xbf16>, %w: tensor<64x64xf4E2M1FN>) -> tensor<16x64xf32> {
  %z = arith.constant dense<0.0> : tensor<16x64xf32>
  // expected-error@+1 {{multiplies 'f4E2M1FN' weights, which machine "rngd" does as they stream past a few rows of activations: there are 16 rows of activations, a pass takes 1, 2, 4 or 8}}
  %0 = linalg.matmul ins(%x, %w : tensor<16x64xbf16>, tensor<64x64xf4E2M1FN>)
      outs(%z : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}

// -----

// Nobody knows what lies behind activations that the program has computed.
func.func @packets(%a: tensor<1x48xf32>, %w: tensor<48x64xf4E2M1FN>) -> tensor<1x64xf32> {
  %e = tensor.empty() : tensor<1x48xf8E4M3FN>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<1x48xf32>) outs(%e : tensor<1x48xf8E4M3FN>) {
  ^bb0(%in: f32, %out: f8E4M3FN):
    %1 = arith.truncf %in : f32 to f8E4M3FN
    linalg.yield %1 : f8E4M3FN
  } -> tensor<1x48xf8E4M3FN>
  %z = arith.constant dense<0.0> : tensor<1x64xf32>
  // expected-error@+1 {{the sum has 48 elements, whole packets of 32 are needed, or zeros behind both factors, which only what the host sends has}}
  %0 = linalg.matmul ins(%x, %w : tensor<1x48xf8E4M3FN>, tensor<48x64xf4E2M1FN>)
      outs(%z : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}

// -----

func.func @pinned(%x: tensor<1x64xbf16>, %w: tensor<64x64xf4E2M1FN>) -> tensor<1x64xf32> {
  %z = arith.constant dense<0.0> : tensor<1x64xf32>
  // expected-error@+1 {{its loops are pinned}}
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"],
                       sequin.pin = {tiles = array<i64: 0, 32, 0>}}
      ins(%x, %w : tensor<1x64xbf16>, tensor<64x64xf4E2M1FN>) outs(%z : tensor<1x64xf32>) {
  ^bb0(%a: bf16, %b: f4E2M1FN, %out: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : f4E2M1FN to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %out, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}

// -----

// Eight weights share a scale.
#x = affine_map<(m, n, g, k) -> (m, g, k)>
#w = affine_map<(m, n, g, k) -> (n, g, k)>
#s = affine_map<(m, n, g, k) -> (n, g)>
#o = affine_map<(m, n, g, k) -> (m, n)>
func.func @groups(%x: tensor<1x32x8xf8E4M3FN>, %w: tensor<64x32x8xf4E2M1FN>,
                  %s: tensor<64x32xf8E4M3FN>) -> tensor<1x64xf32> {
  %z = arith.constant dense<0.0> : tensor<1x64xf32>
  // expected-error@+1 {{a scale is for 8 elements of the sum, the contraction engine adds a power of two of at least 16}}
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #o],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<1x32x8xf8E4M3FN>, tensor<64x32x8xf4E2M1FN>, tensor<64x32xf8E4M3FN>)
      outs(%z : tensor<1x64xf32>) {
  ^bb0(%a: f8E4M3FN, %b: f4E2M1FN, %c: f8E4M3FN, %out: f32):
    %1 = arith.extf %a : f8E4M3FN to f32
    %2 = arith.extf %b : f4E2M1FN to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.extf %c : f8E4M3FN to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = arith.addf %out, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<1x64xf32>
  return %r : tensor<1x64xf32>
}
