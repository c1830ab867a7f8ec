func.func @main(%t: tensor<6x4xbf16>) -> tensor<3x4xbf16> {
  %ids = arith.constant dense<[5, 0, 2]> : tensor<3xi64>
  %e = tensor.empty() : tensor<3x4xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%ids : tensor<3xi64>) outs(%e : tensor<3x4xbf16>) {
  ^bb0(%n: i64, %out: bf16):
    %c0 = arith.constant 0 : i64
    %c6 = arith.constant 6 : i64
    %lt = arith.cmpi slt, %n, %c0 : i64
    %w = arith.addi %n, %c6 : i64
    %s = arith.select %lt, %w, %n : i64
    %ok = arith.cmpi slt, %s, %c6 : i64
    cf.assert %ok, "index must be smaller than dim size"
    %i = arith.index_cast %s : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%i, %j] : tensor<6x4xbf16>
    linalg.yield %v : bf16
  } -> tensor<3x4xbf16>
  return %0 : tensor<3x4xbf16>
}
