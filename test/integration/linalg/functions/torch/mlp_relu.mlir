// Two linear layers with ReLU between them, in the style of torch-mlir's linalg on tensors.

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%arg0: tensor<8x64xf32>, %arg1: tensor<64x48xf32>, %arg2: tensor<48xf32>, %arg3: tensor<48x10xf32>, %arg4: tensor<10xf32>) -> tensor<8x10xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<8x48xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<8x48xf32>) -> tensor<8x48xf32>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<8x64xf32>, tensor<64x48xf32>) outs(%1 : tensor<8x48xf32>) -> tensor<8x48xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%2, %arg2 : tensor<8x48xf32>, tensor<48xf32>) outs(%0 : tensor<8x48xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %9 = arith.addf %in, %in_0 : f32
      linalg.yield %9 : f32
    } -> tensor<8x48xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<8x48xf32>) outs(%0 : tensor<8x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %9 = arith.cmpf ugt, %in, %cst : f32
      %10 = arith.select %9, %in, %cst : f32
      linalg.yield %10 : f32
    } -> tensor<8x48xf32>
    %5 = tensor.empty() : tensor<8x10xf32>
    %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<8x10xf32>) -> tensor<8x10xf32>
    %7 = linalg.matmul ins(%4, %arg3 : tensor<8x48xf32>, tensor<48x10xf32>) outs(%6 : tensor<8x10xf32>) -> tensor<8x10xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%7, %arg4 : tensor<8x10xf32>, tensor<10xf32>) outs(%5 : tensor<8x10xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %9 = arith.addf %in, %in_0 : f32
      linalg.yield %9 : f32
    } -> tensor<8x10xf32>
    return %8 : tensor<8x10xf32>
  }
}
