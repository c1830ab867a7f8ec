func.func @main(%x: tensor<5x23xbf16>, %n: tensor<5x23xi16>) -> (tensor<5x23xi32>, tensor<5x23xbf16>) {
  %e = tensor.empty() : tensor<5x23xi32>
  %0 = linalg.map ins(%x, %n : tensor<5x23xbf16>, tensor<5x23xi16>) outs(%e : tensor<5x23xi32>) (%a: bf16, %b: i16, %o: i32) {
    %c16 = arith.constant 16 : i32
    %s = arith.bitcast %a : bf16 to i16
    %w = arith.extui %s : i16 to i32
    %h = arith.shli %w, %c16 : i32
    %l = arith.extui %b : i16 to i32
    %p = arith.ori %h, %l : i32
    linalg.yield %p : i32
  }
  %f = tensor.empty() : tensor<5x23xbf16>
  %1 = linalg.map ins(%0 : tensor<5x23xi32>) outs(%f : tensor<5x23xbf16>) (%a: i32, %o: bf16) {
    %c16 = arith.constant 16 : i32
    %h = arith.shrui %a, %c16 : i32
    %s = arith.trunci %h : i32 to i16
    %r = arith.bitcast %s : i16 to bf16
    %n2 = arith.negf %r : bf16
    linalg.yield %n2 : bf16
  }
  return %0, %1 : tensor<5x23xi32>, tensor<5x23xbf16>
}
