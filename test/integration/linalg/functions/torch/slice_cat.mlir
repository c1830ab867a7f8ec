// Halves of a tensor exchanged: rotate_half of rotary embeddings, in the style of torch-mlir's linalg on tensors.

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  func.func @forward(%arg0: tensor<2x7x64xf32>) -> tensor<2x7x64xf32> {
    %extracted_slice = tensor.extract_slice %arg0[0, 0, 0] [2, 7, 32] [1, 1, 1] : tensor<2x7x64xf32> to tensor<2x7x32xf32>
    %extracted_slice_0 = tensor.extract_slice %arg0[0, 0, 32] [2, 7, 32] [1, 1, 1] : tensor<2x7x64xf32> to tensor<2x7x32xf32>
    %0 = tensor.empty() : tensor<2x7x32xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_0 : tensor<2x7x32xf32>) outs(%0 : tensor<2x7x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.negf %in : f32
      linalg.yield %2 : f32
    } -> tensor<2x7x32xf32>
    %concat = tensor.concat dim(2) %1, %extracted_slice : (tensor<2x7x32xf32>, tensor<2x7x32xf32>) -> tensor<2x7x64xf32>
    return %concat : tensor<2x7x64xf32>
  }
}
