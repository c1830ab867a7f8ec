// y_i = sum over j of A_ij x_j with A in f8 and x in bf16, summed in f32.

#row = affine_map<(i, j) -> (i, j)>
#vec = affine_map<(i, j) -> (j)>
#out = affine_map<(i, j) -> (i)>
func.func @main(%a: tensor<256x512xf8E4M3FN>, %x: tensor<512xbf16>) -> tensor<256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256xf32>) -> tensor<256xf32>
  %y = linalg.generic {indexing_maps = [#row, #vec, #out], iterator_types = ["parallel", "reduction"]}
      ins(%a, %x : tensor<256x512xf8E4M3FN>, tensor<512xbf16>) outs(%init : tensor<256xf32>) {
  ^bb0(%p: f8E4M3FN, %q: bf16, %s: f32):
    %u = arith.extf %p : f8E4M3FN to f32
    %v = arith.extf %q : bf16 to f32
    %m = arith.mulf %u, %v : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<256xf32>
  return %y : tensor<256xf32>
}
