// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --split-input-file | FileCheck %s
// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --split-input-file --verify-roundtrip -o /dev/null

// Factors without a summed dimension in common: each is summed on its own, the
// sums are multiplied and what the result starts from is added.

// CHECK-LABEL: func.func @both_summed_kernel
// CHECK: tcp.accumulate
// CHECK: %[[A:.*]] = tcp.to_hbm
// CHECK: tcp.accumulate
// CHECK: %[[B:.*]] = tcp.to_hbm
// CHECK: tcp.to_dm %[[B]]
// CHECK: %[[V:.*]] = tcp.to_vrf
// CHECK: tcp.to_dm %[[A]]
// CHECK: tcp.vector_fp_binary %{{.*}} MulF0, %[[V]]
// CHECK: tcp.vector_fp_binary %{{.*}} AddF(3.000000e+00 : f32)
// CHECK-LABEL: func.func @both_summed(
func.func @both_summed(%a: tensor<32x64xbf16>, %b: tensor<16x40xbf16>)
    -> tensor<32x16xf32> {
  %init = arith.constant dense<3.0> : tensor<32x16xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, n, i, j) -> (m, i)>,
                       affine_map<(m, n, i, j) -> (n, j)>,
                       affine_map<(m, n, i, j) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<32x64xbf16>, tensor<16x40xbf16>)
      outs(%init : tensor<32x16xf32>) {
  ^bb0(%x: bf16, %y: bf16, %out: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %out, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<32x16xf32>
  return %0 : tensor<32x16xf32>
}

// -----

// Eight i4 are less than a commit writes, so there are no ones of that type: the
// summed tensor is widened to i8. The zero that the sums start from is not added.

// CHECK-LABEL: func.func @nibbles_kernel
// CHECK: tcp.fetch %{{.*}} i32
// CHECK: tcp.cast %{{.*}} i8
// CHECK: %[[ONES:.*]] = tcp.commit
// CHECK: tcp.begin sub %[[ONES]]
// CHECK: tcp.fetch %{{.*}} i32
// CHECK: tcp.cast %{{.*}} i8
// CHECK: %[[WIDE:.*]] = tcp.commit
// CHECK: tcp.begin main %[[WIDE]]
// CHECK: tcp.fetch %{{.*}} i8
// CHECK: tcp.accumulate
// CHECK-NOT: vector_fxp
// CHECK: return
func.func @nibbles(%a: tensor<16x96xi4>) -> tensor<16xi32> {
  %init = arith.constant dense<0> : tensor<16xi32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<16x96xi4>) outs(%init : tensor<16xi32>) {
  ^bb0(%x: i4, %out: i32):
    %1 = arith.extsi %x : i4 to i32
    %2 = arith.addi %out, %1 : i32
    linalg.yield %2 : i32
  } -> tensor<16xi32>
  return %0 : tensor<16xi32>
}

// -----

// The stationary operand is the one that the sum repeats: all of the other one
// would not fit in a row.

// CHECK-LABEL: func.func @repeated_kernel
// CHECK: tcp.to_trf %{{.*}} Full "1", "K{{1?}}" :
// CHECK-LABEL: func.func @repeated(
func.func @repeated(%a: tensor<64xbf16>, %b: tensor<128x64xbf16>) -> tensor<f32> {
  %init = arith.constant dense<0.0> : tensor<f32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(j, k) -> (k)>, affine_map<(j, k) -> (j, k)>,
                       affine_map<(j, k) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%a, %b : tensor<64xbf16>, tensor<128x64xbf16>)
      outs(%init : tensor<f32>) {
  ^bb0(%x: bf16, %y: bf16, %out: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %out, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}
