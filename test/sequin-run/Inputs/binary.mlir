func.func @main(%a: tensor<8x16xTYPE>, %b: tensor<8x16xTYPE>) -> tensor<8x16xTYPE> {
  %empty = tensor.empty() : tensor<8x16xTYPE>
  %result = linalg.OP ins(%a, %b : tensor<8x16xTYPE>, tensor<8x16xTYPE>)
                      outs(%empty : tensor<8x16xTYPE>) -> tensor<8x16xTYPE>
  return %result : tensor<8x16xTYPE>
}
