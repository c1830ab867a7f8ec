func.func @main(%x: tensor<1x6x6x3xi8>, %w: tensor<3x3x3x4xi8>) -> tensor<1x4x4x4xi8> {
  %zx = arith.constant -7 : i32
  %zw = arith.constant 0 : i32
  %init = arith.constant dense<0> : tensor<1x4x4x4xi32>
  %0 = linalg.conv_2d_nhwc_hwcf_q {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x, %w, %zx, %zw : tensor<1x6x6x3xi8>, tensor<3x3x3x4xi8>, i32, i32) outs(%init : tensor<1x4x4x4xi32>) -> tensor<1x4x4x4xi32>
  %e = tensor.empty() : tensor<1x4x4x4xi8>
  %1 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%0 : tensor<1x4x4x4xi32>) outs(%e : tensor<1x4x4x4xi8>) {
  ^bb0(%in: i32, %out: i8):
    %k = arith.constant 0.01 : f32
    %lo = arith.constant -128 : i32
    %hi = arith.constant 127 : i32
    %f = arith.sitofp %in : i32 to f32
    %g = arith.mulf %f, %k : f32
    %h = math.roundeven %g : f32
    %i = arith.fptosi %h : f32 to i32
    %m = arith.maxsi %i, %lo : i32
    %n = arith.minsi %m, %hi : i32
    %r = arith.trunci %n : i32 to i8
    linalg.yield %r : i8
  } -> tensor<1x4x4x4xi8>
  return %1 : tensor<1x4x4x4xi8>
}
