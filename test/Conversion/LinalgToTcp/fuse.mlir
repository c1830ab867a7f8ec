// RUN: sequin-opt %s --linalg-to-tcp --split-input-file | FileCheck %s
// RUN: sequin-opt %s --linalg-to-tcp --split-input-file --verify-roundtrip -o /dev/null

// ROWS: HEL-14

// Bias, ReLU and rounding follow the sums in the same pass; the bias is brought to
// the VRF in the sub context.

// CHECK-LABEL: func.func @layer_kernel
// CHECK: tcp.to_trf
// CHECK: tcp.begin sub
// CHECK: %[[BIAS:.*]] = tcp.to_vrf
// CHECK: tcp.begin main
// CHECK: tcp.accumulate
// CHECK-NEXT: tcp.vector_init
// CHECK-NEXT: tcp.vector_intra_slice_branch %{{.*}} Unconditional
// CHECK-NEXT: tcp.vector_clip %{{.*}} Add, %[[BIAS]]
// CHECK-NEXT: tcp.vector_clip %{{.*}} Max(0.000000e+00 : f32)
// CHECK-NEXT: tcp.vector_final
// CHECK-NEXT: tcp.cast %{{.*}} bf16 "N % 8 # 16"
// CHECK-NEXT: tcp.commit
// CHECK-NEXT: tcp.to_hbm
// CHECK-NEXT: return
#id = affine_map<(i, j) -> (i, j)>
#columns = affine_map<(i, j) -> (j)>
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @layer(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>,
                   %bias: tensor<64xf32>) -> tensor<64x64xbf16> {
    %zero = arith.constant 0.0 : f32
    %init = arith.constant dense<0.0> : tensor<64x64xf32>
    %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x64xbf16>)
        outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
    %empty = tensor.empty() : tensor<64x64xbf16>
    %1 = linalg.generic {indexing_maps = [#id, #columns, #id],
                         iterator_types = ["parallel", "parallel"]}
        ins(%0, %bias : tensor<64x64xf32>, tensor<64xf32>)
        outs(%empty : tensor<64x64xbf16>) {
    ^bb0(%x: f32, %y: f32, %out: bf16):
      %2 = arith.addf %x, %y : f32
      %3 = arith.maximumf %2, %zero : f32
      %4 = arith.truncf %3 : f32 to bf16
      linalg.yield %4 : bf16
    } -> tensor<64x64xbf16>
    return %1 : tensor<64x64xbf16>
  }
}

// -----

// Requantisation: the clamp makes saturation and truncation the same.

// CHECK-LABEL: func.func @quantised_kernel
// CHECK: tcp.accumulate
// CHECK: tcp.vector_fxp %{{.*}} ArithRightShift(4 : i32)
// CHECK-NEXT: tcp.vector_clip %{{.*}} Max(-128 : i32)
// CHECK-NEXT: tcp.vector_clip %{{.*}} Min(127 : i32)
// CHECK-NEXT: tcp.vector_final
// CHECK-NEXT: tcp.cast %{{.*}} i8 "N % 8 # 32"
#id = affine_map<(i, j) -> (i, j)>
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @quantised(%a: tensor<64x64xi8>, %b: tensor<64x128xi8>)
      -> tensor<64x128xi8> {
    %shift = arith.constant 4 : i32
    %low = arith.constant -128 : i32
    %high = arith.constant 127 : i32
    %init = arith.constant dense<0> : tensor<64x128xi32>
    %0 = linalg.matmul ins(%a, %b : tensor<64x64xi8>, tensor<64x128xi8>)
        outs(%init : tensor<64x128xi32>) -> tensor<64x128xi32>
    %empty = tensor.empty() : tensor<64x128xi8>
    %1 = linalg.generic {indexing_maps = [#id, #id],
                         iterator_types = ["parallel", "parallel"]}
        ins(%0 : tensor<64x128xi32>) outs(%empty : tensor<64x128xi8>) {
    ^bb0(%x: i32, %out: i8):
      %2 = arith.shrsi %x, %shift : i32
      %3 = arith.maxsi %2, %low : i32
      %4 = arith.minsi %3, %high : i32
      %5 = arith.trunci %4 : i32 to i8
      linalg.yield %5 : i8
    } -> tensor<64x128xi8>
    return %1 : tensor<64x128xi8>
  }
}

// -----

// The sums are returned too, so they go to HBM before anything is done to them.

// CHECK-LABEL: func.func @shared_kernel
// CHECK: tcp.accumulate
// CHECK-NEXT: tcp.commit
// CHECK-NEXT: %[[SUM:.*]] = tcp.to_hbm
// CHECK-NEXT: tcp.to_dm %[[SUM]]
// CHECK: tcp.vector_clip %{{.*}} Max
// CHECK: %[[MAX:.*]] = tcp.to_hbm
// CHECK-NEXT: return %[[SUM]], %[[MAX]]
#id = affine_map<(i, j) -> (i, j)>
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @shared(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>)
      -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %zero = arith.constant 0.0 : f32
    %init = arith.constant dense<0.0> : tensor<64x64xf32>
    %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x64xbf16>)
        outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
    %empty = tensor.empty() : tensor<64x64xf32>
    %1 = linalg.generic {indexing_maps = [#id, #id],
                         iterator_types = ["parallel", "parallel"]}
        ins(%0 : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) {
    ^bb0(%x: f32, %out: f32):
      %2 = arith.maximumf %x, %zero : f32
      linalg.yield %2 : f32
    } -> tensor<64x64xf32>
    return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
  }
}

// -----

// Two whole tensors do not fit in the VRF beside each other; the second one is
// added in a group of its own.

// CHECK-LABEL: func.func @parted_kernel
// CHECK: tcp.accumulate
// CHECK: tcp.vector_clip %{{.*}} Add
// CHECK: %[[FIRST:.*]] = tcp.to_hbm
// CHECK: tcp.to_dm %[[FIRST]]
// CHECK: tcp.vector_fp_binary %{{.*}} SubF
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @parted(%a: tensor<1024x64xbf16>, %b: tensor<64x1024xbf16>,
                    %c: tensor<1024x1024xf32>, %d: tensor<1024x1024xf32>)
      -> tensor<1024x1024xf32> {
    %0 = linalg.matmul ins(%a, %b : tensor<1024x64xbf16>, tensor<64x1024xbf16>)
        outs(%c : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %empty = tensor.empty() : tensor<1024x1024xf32>
    %1 = linalg.sub ins(%0, %d : tensor<1024x1024xf32>, tensor<1024x1024xf32>)
        outs(%empty : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    return %1 : tensor<1024x1024xf32>
  }
}

// -----

// The reader sums over the first dimension of the intermediate: the producer takes
// its operands the other way round, so that this dimension is innermost.

// CHECK-LABEL: func.func @chained_kernel
// CHECK: tcp.to_hbm %{{.*}} -> !tcp.hbm<bf16, #axes, "1", "N, M">
// CHECK: tcp.to_dm %{{.*}} : !tcp.hbm<bf16, #axes, "1", "N, M"> -> !tcp.dm<bf16, #grid1, "N{{( % [0-9]+)?}}, M">
#id = affine_map<(i, j) -> (i, j)>
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @chained(%a: tensor<64x32xbf16>, %b: tensor<32x128xbf16>,
                     %c: tensor<64x96xbf16>) -> tensor<128x96xf32> {
    %init = arith.constant dense<0.0> : tensor<64x128xf32>
    %init1 = arith.constant dense<0.0> : tensor<128x96xf32>
    %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x128xbf16>)
        outs(%init : tensor<64x128xf32>) -> tensor<64x128xf32>
    %empty = tensor.empty() : tensor<64x128xbf16>
    %1 = linalg.generic {indexing_maps = [#id, #id],
                         iterator_types = ["parallel", "parallel"]}
        ins(%0 : tensor<64x128xf32>) outs(%empty : tensor<64x128xbf16>) {
    ^bb0(%x: f32, %out: bf16):
      %3 = arith.truncf %x : f32 to bf16
      linalg.yield %3 : bf16
    } -> tensor<64x128xbf16>
    %2 = linalg.contract
        indexing_maps = [affine_map<(m, n, k) -> (k, m)>,
                         affine_map<(m, n, k) -> (k, n)>,
                         affine_map<(m, n, k) -> (m, n)>]
        ins(%1, %c : tensor<64x128xbf16>, tensor<64x96xbf16>)
        outs(%init1 : tensor<128x96xf32>) -> tensor<128x96xf32>
    return %2 : tensor<128x96xf32>
  }
}
