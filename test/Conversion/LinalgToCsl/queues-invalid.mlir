// RUN: sequin-opt %s --linalg-to-csl="grid=2,2 target=wse3 distribution=y,x;y,x" --verify-diagnostics

// Four panels and three halos are more than the queues beside memcpy's.
// expected-error@+1 {{does not fit a grid of 2 x 2 PEs: needs 7 input and output queues, wse3 has 6 and 7 beside those of memcpy; split the function}}
func.func @f(%a: tensor<48x48xf32>, %b: tensor<48x48xf32>, %c: tensor<48x48xf32>) -> tensor<48x48xf32> {
  %z = arith.constant 0.0 : f32
  %r = linalg.matmul ins(%a, %b : tensor<48x48xf32>, tensor<48x48xf32>)
    outs(%c : tensor<48x48xf32>) -> tensor<48x48xf32>
  %p = tensor.pad %r low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<48x48xf32> to tensor<50x50xf32>
  %n = tensor.extract_slice %p[0, 1] [48, 48] [1, 1] : tensor<50x50xf32> to tensor<48x48xf32>
  %s = tensor.extract_slice %p[2, 1] [48, 48] [1, 1] : tensor<50x50xf32> to tensor<48x48xf32>
  %w = tensor.extract_slice %p[1, 0] [48, 48] [1, 1] : tensor<50x50xf32> to tensor<48x48xf32>
  %t = linalg.add ins(%n, %s : tensor<48x48xf32>, tensor<48x48xf32>) outs(%c : tensor<48x48xf32>) -> tensor<48x48xf32>
  %u = linalg.add ins(%t, %w : tensor<48x48xf32>, tensor<48x48xf32>) outs(%c : tensor<48x48xf32>) -> tensor<48x48xf32>
  return %u : tensor<48x48xf32>
}
