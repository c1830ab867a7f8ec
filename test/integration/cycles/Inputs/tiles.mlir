// Tiles of rows, and the sum in chunks.
func.func @main(%a: tensor<256x128xbf16>, %b: tensor<128x64xbf16>)
    -> tensor<256x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<256x64xf32>
  %0 = linalg.matmul {sequin.pin = {tiles = array<i64: 128, 0, 64>,
                                    parts = array<i64: 16, 8, 0>}}
      ins(%a, %b : tensor<256x128xbf16>, tensor<128x64xbf16>)
      outs(%zero : tensor<256x64xf32>) -> tensor<256x64xf32>
  return %0 : tensor<256x64xf32>
}
