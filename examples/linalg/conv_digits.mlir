// A convolutional digit network for the 360 images of examples/digits: two 3x3
// convolutions with ReLU, pooling between them, and a linear layer on top. Operands
// are bf16, sums are f32.

#nchw = affine_map<(n, c, h, w) -> (n, c, h, w)>
#nf = affine_map<(n, f) -> (n, f)>
#f = affine_map<(n, f) -> (f)>

func.func @main(%x: tensor<360x64xbf16>, %filters1: tensor<8x1x3x3xbf16>,
                %filters2: tensor<16x8x3x3xbf16>, %weights: tensor<256x10xbf16>,
                %bias: tensor<10xf32>) -> tensor<360x10xf32> {
  %zero = arith.constant 0.0 : f32
  %zero_bf16 = arith.constant 0.0 : bf16
  %lowest = arith.constant 0xFF80 : bf16

  // One channel of 8 x 8 to eight, ReLU.
  %images = tensor.expand_shape %x [[0], [1, 2, 3]] output_shape [360, 1, 8, 8]
      : tensor<360x64xbf16> into tensor<360x1x8x8xbf16>
  %padded1 = tensor.pad %images low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %c: index, %h: index, %w: index):
    tensor.yield %zero_bf16 : bf16
  } : tensor<360x1x8x8xbf16> to tensor<360x1x10x10xbf16>
  %e1 = tensor.empty() : tensor<360x8x8x8xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<360x8x8x8xf32>)
      -> tensor<360x8x8x8xf32>
  %c1 = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%padded1, %filters1 : tensor<360x1x10x10xbf16>, tensor<8x1x3x3xbf16>)
      outs(%z1 : tensor<360x8x8x8xf32>) -> tensor<360x8x8x8xf32>
  %o1 = tensor.empty() : tensor<360x8x8x8xbf16>
  %h1 = linalg.generic {indexing_maps = [#nchw, #nchw],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c1 : tensor<360x8x8x8xf32>) outs(%o1 : tensor<360x8x8x8xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.maximumf %in, %zero : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<360x8x8x8xbf16>

  // The largest of every 2 x 2.
  %ep = tensor.empty() : tensor<360x8x4x4xbf16>
  %zp = linalg.fill ins(%lowest : bf16) outs(%ep : tensor<360x8x4x4xbf16>)
      -> tensor<360x8x4x4xbf16>
  %window = tensor.empty() : tensor<2x2xbf16>
  %p1 = linalg.pooling_nchw_max
      {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
      ins(%h1, %window : tensor<360x8x8x8xbf16>, tensor<2x2xbf16>)
      outs(%zp : tensor<360x8x4x4xbf16>) -> tensor<360x8x4x4xbf16>

  // Eight channels of 4 x 4 to sixteen, ReLU.
  %padded2 = tensor.pad %p1 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %c: index, %h: index, %w: index):
    tensor.yield %zero_bf16 : bf16
  } : tensor<360x8x4x4xbf16> to tensor<360x8x6x6xbf16>
  %e2 = tensor.empty() : tensor<360x16x4x4xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<360x16x4x4xf32>)
      -> tensor<360x16x4x4xf32>
  %c2 = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%padded2, %filters2 : tensor<360x8x6x6xbf16>, tensor<16x8x3x3xbf16>)
      outs(%z2 : tensor<360x16x4x4xf32>) -> tensor<360x16x4x4xf32>
  %o2 = tensor.empty() : tensor<360x16x4x4xbf16>
  %h2 = linalg.generic {indexing_maps = [#nchw, #nchw],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c2 : tensor<360x16x4x4xf32>) outs(%o2 : tensor<360x16x4x4xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.maximumf %in, %zero : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<360x16x4x4xbf16>

  // logits = features weights + bias
  %features = tensor.collapse_shape %h2 [[0], [1, 2, 3]]
      : tensor<360x16x4x4xbf16> into tensor<360x256xbf16>
  %e3 = tensor.empty() : tensor<360x10xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<360x10xf32>) -> tensor<360x10xf32>
  %m3 = linalg.matmul ins(%features, %weights : tensor<360x256xbf16>, tensor<256x10xbf16>)
      outs(%z3 : tensor<360x10xf32>) -> tensor<360x10xf32>
  %logits = linalg.generic {indexing_maps = [#nf, #f, #nf],
      iterator_types = ["parallel", "parallel"]}
      ins(%m3, %bias : tensor<360x10xf32>, tensor<10xf32>) outs(%e3 : tensor<360x10xf32>) {
  ^bb0(%sum: f32, %b: f32, %out: f32):
    %0 = arith.addf %sum, %b : f32
    linalg.yield %0 : f32
  } -> tensor<360x10xf32>
  return %logits : tensor<360x10xf32>
}
