// RUN: sequin-opt %s --convert-linalg-to-tcp --split-input-file | FileCheck %s
// RUN: sequin-opt %s --linalg-to-tcp --split-input-file --verify-roundtrip -o /dev/null

// ROWS: HEL-14

// What joins the group before it, and what does not.

// Bias, ReLU and rounding follow the sums in the same pass; the bias is brought to
// the VRF in the sub context.

// CHECK-LABEL: func.func @layer_kernel
// CHECK: tcp.to_trf
// CHECK: tcp.accumulate
// CHECK: tcp.begin sub
// CHECK: %[[BIAS:.*]] = tcp.to_vrf
// CHECK-NEXT: tcp.vector_init
// CHECK-NEXT: tcp.vector_intra_slice_branch %{{.*}} Unconditional
// CHECK-NEXT: tcp.vector_clip %{{.*}} Add, %[[BIAS]]
// CHECK-NEXT: tcp.vector_clip %{{.*}} Max(0.000000e+00 : f32)
// CHECK-NEXT: tcp.vector_final
// CHECK-NEXT: tcp.cast %{{.*}} bf16 "N % 8 # 16"
// CHECK-NEXT: tcp.commit
// CHECK: tcp.to_hbm_view
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
// CHECK-NEXT: tcp.cast %{{.*}} i8 "N{{( % 8)?}} # 32"
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
// CHECK-NOT: tcp.vector_
// CHECK: %[[SUM:.*]] = tcp.to_hbm_view
// CHECK: tcp.view %[[SUM]]
// CHECK: tcp.vector_clip %{{.*}} Max
// CHECK: %[[MAX:.*]] = tcp.to_hbm_view
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

// The adder works once in a pass. The second pass fetches what the first one left in
// DM, and its operand takes the place of the first one's in the VRF.

// CHECK-LABEL: func.func @parted_kernel
// CHECK: tcp.accumulate
// CHECK: tcp.to_vrf %{{.*}} at 0
// CHECK: tcp.vector_fp_binary %{{.*}} AddF
// CHECK: %[[FIRST:.*]] = tcp.commit
// CHECK: tcp.begin main %[[FIRST]]
// CHECK: tcp.to_vrf %{{.*}} at 0
// CHECK: tcp.vector_fp_binary %{{.*}} SubF
// CHECK-COUNT-1: tcp.to_hbm_view
// CHECK-NOT: tcp.to_hbm_view
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @parted(%a: tensor<1024x40xbf16>, %b: tensor<40x1024xbf16>,
                    %c: tensor<1024x1024xf32>, %d: tensor<1024x1024xf32>)
      -> tensor<1024x1024xf32> {
    %0 = linalg.matmul {sequin.pin = {tiles = array<i64: 0, 0, 40>}} ins(%a, %b : tensor<1024x40xbf16>, tensor<40x1024xbf16>)
        outs(%c : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %empty = tensor.empty() : tensor<1024x1024xf32>
    %1 = linalg.sub ins(%0, %d : tensor<1024x1024xf32>, tensor<1024x1024xf32>)
        outs(%empty : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    return %1 : tensor<1024x1024xf32>
  }
}

// -----

// Two readers: neither joins.

// CHECK-LABEL: func.func @two_readers_kernel
// CHECK: tcp.accumulate
// CHECK-NEXT: tcp.commit
// CHECK-NOT: tcp.vector_
// CHECK: %[[SUM:.*]] = tcp.to_hbm_view
// CHECK: tcp.view %[[SUM]]
// CHECK: tcp.view %[[SUM]]
#id = affine_map<(i, j) -> (i, j)>
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @two_readers(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>)
      -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %init = arith.constant dense<0.0> : tensor<64x64xf32>
    %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x64xbf16>)
        outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
    %empty = tensor.empty() : tensor<64x64xf32>
    %1 = linalg.exp ins(%0 : tensor<64x64xf32>)
        outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
    %2 = linalg.square ins(%0 : tensor<64x64xf32>)
        outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
    return %1, %2 : tensor<64x64xf32>, tensor<64x64xf32>
  }
}

// -----

// The reader needs each sum more than once, or only some of them: it reads them from
// HBM, and goes over its own loops.

// CHECK-LABEL: func.func @broadcast_kernel
// CHECK: tcp.accumulate
// CHECK-NEXT: tcp.commit
// CHECK-NEXT: %[[SUM:.*]] = tcp.to_hbm_view
// CHECK: tcp.view %[[SUM]]
// CHECK: tcp.vector_fp_binary
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @broadcast(%a: tensor<64x32xbf16>, %x: tensor<32xbf16>,
                       %b: tensor<16xf32>) -> tensor<64x16xf32> {
    %init = arith.constant dense<0.0> : tensor<64xf32>
    %0 = linalg.matvec ins(%a, %x : tensor<64x32xbf16>, tensor<32xbf16>)
        outs(%init : tensor<64xf32>) -> tensor<64xf32>
    %empty = tensor.empty() : tensor<64x16xf32>
    %1 = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>,
                         affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%0, %b : tensor<64xf32>, tensor<16xf32>)
        outs(%empty : tensor<64x16xf32>) {
    ^bb0(%y: f32, %z: f32, %out: f32):
      %2 = arith.subf %y, %z : f32
      linalg.yield %2 : f32
    } -> tensor<64x16xf32>
    return %1 : tensor<64x16xf32>
  }
}

// -----

// The value is both operands of a product: the stream twice, in the same pass. Its
// init is not read.

// CHECK-LABEL: func.func @square_of_sum_kernel
// CHECK: tcp.accumulate
// CHECK-NOT: tcp.to_hbm_view
// CHECK: tcp.vector_fp_binary %{{.*}} MulF0 mode Mode00
// CHECK-COUNT-1: tcp.to_hbm_view
// CHECK-NOT: tcp.to_hbm_view
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @square_of_sum(%a: tensor<8x32xbf16>, %b: tensor<32x8xbf16>)
      -> tensor<8x8xf32> {
    %init = arith.constant dense<0.0> : tensor<8x8xf32>
    %0 = linalg.matmul ins(%a, %b : tensor<8x32xbf16>, tensor<32x8xbf16>)
        outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = linalg.mul ins(%0, %0 : tensor<8x8xf32>, tensor<8x8xf32>)
        outs(%0 : tensor<8x8xf32>) -> tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}

// -----

// A transposing reader joins too: the group writes what the reader would have.

// CHECK-LABEL: func.func @transposing_kernel
// CHECK: tcp.accumulate
// CHECK: tcp.vector_fp_unary %{{.*}} Exp
// CHECK-COUNT-1: tcp.to_hbm_view
// CHECK-NOT: tcp.to_hbm_view
// CHECK-LABEL: func.func @transposing(
// CHECK-SAME: -> !tcp.host<f32, #{{.*}}, "D0, D1 = 48">
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @transposing(%a: tensor<48x32xbf16>, %b: tensor<32x64xbf16>)
      -> tensor<64x48xf32> {
    %init = arith.constant dense<0.0> : tensor<48x64xf32>
    %0 = linalg.matmul ins(%a, %b : tensor<48x32xbf16>, tensor<32x64xbf16>)
        outs(%init : tensor<48x64xf32>) -> tensor<48x64xf32>
    %empty = tensor.empty() : tensor<64x48xf32>
    %1 = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%0 : tensor<48x64xf32>) outs(%empty : tensor<64x48xf32>) {
    ^bb0(%x: f32, %out: f32):
      %2 = math.exp %x : f32
      linalg.yield %2 : f32
    } -> tensor<64x48xf32>
    return %1 : tensor<64x48xf32>
  }
}

// -----

// A result that is written in parts is complete only after the last of them.

// CHECK-LABEL: func.func @parts_kernel
// CHECK-COUNT-2: tcp.to_hbm_view
// CHECK: tcp.view
// CHECK: tcp.vector_fp_unary %{{.*}} Exp
// CHECK-COUNT-1: tcp.to_hbm_view
// CHECK: return
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @parts(%a: tensor<8x64xf32>, %b: tensor<8x64xf32>) -> tensor<16x64xf32> {
    %empty = tensor.empty() : tensor<16x64xf32>
    %0 = tensor.insert_slice %a into %empty[0, 0] [8, 64] [1, 1]
        : tensor<8x64xf32> into tensor<16x64xf32>
    %1 = tensor.insert_slice %b into %0[8, 0] [8, 64] [1, 1]
        : tensor<8x64xf32> into tensor<16x64xf32>
    %2 = linalg.exp ins(%1 : tensor<16x64xf32>)
        outs(%empty : tensor<16x64xf32>) -> tensor<16x64xf32>
    return %2 : tensor<16x64xf32>
  }
}
