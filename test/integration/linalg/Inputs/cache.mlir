// A step of a decoder with one head: keys and values get a row at a position that is an
// argument, and a query looks at all keys.

#q = affine_map<(p, d) -> (d)>
#k = affine_map<(p, d) -> (p, d)>
#s = affine_map<(p, d) -> (p)>
func.func @main(%keys: tensor<128x64xbf16>, %values: tensor<128x64xbf16>, %query: tensor<64xbf16>,
                %key: tensor<1x64xbf16>, %value: tensor<1x64xbf16>, %at: tensor<i32>)
    -> (tensor<128xf32>, tensor<128x64xbf16>, tensor<128x64xbf16>) {
  %zero = arith.constant 0.0 : f32
  %number = tensor.extract %at[] : tensor<i32>
  %p = arith.index_cast %number : i32 to index
  %k = tensor.insert_slice %key into %keys[%p, 0] [1, 64] [1, 1] : tensor<1x64xbf16> into tensor<128x64xbf16>
  %v = tensor.insert_slice %value into %values[%p, 0] [1, 64] [1, 1] : tensor<1x64xbf16> into tensor<128x64xbf16>
  %e = tensor.empty() : tensor<128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %scores = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "reduction"]}
      ins(%query, %k : tensor<64xbf16>, tensor<128x64xbf16>) outs(%z : tensor<128xf32>) {
  ^bb0(%x: bf16, %y: bf16, %sum: f32):
    %a = arith.extf %x : bf16 to f32
    %b = arith.extf %y : bf16 to f32
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %sum, %m : f32
    linalg.yield %t : f32
  } -> tensor<128xf32>
  return %scores, %k, %v : tensor<128xf32>, tensor<128x64xbf16>, tensor<128x64xbf16>
}
