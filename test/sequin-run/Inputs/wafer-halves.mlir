func.func @product(%a: tensor<8x64xHALF>, %b: tensor<64x8xHALF>, %z: tensor<8x8xHALF>) -> tensor<8x8xHALF> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x64xHALF>, tensor<64x8xHALF>) outs(%z : tensor<8x8xHALF>) -> tensor<8x8xHALF>
  return %0 : tensor<8x8xHALF>
}
func.func @rows(%a: tensor<8x64xHALF>, %b: tensor<64x8xHALF>, %z: tensor<8x8xHALF>) -> tensor<8xHALF> {
  %zero = arith.constant 0.0 : HALF
  %e = tensor.empty() : tensor<8xHALF>
  %f = linalg.fill ins(%zero : HALF) outs(%e : tensor<8xHALF>) -> tensor<8xHALF>
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<8x64xHALF>) outs(%f : tensor<8xHALF>) dimensions = [1]
  return %0 : tensor<8xHALF>
}
