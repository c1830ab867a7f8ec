// RUN: sequin-opt %s --convert-linalg-to-tcp=target=rngd --split-input-file | FileCheck %s
// RUN: sequin-opt %s --convert-linalg-to-tcp="target=rngd argument-layout=row-major" --split-input-file | FileCheck %s --check-prefix=PINNED

// One token times 4096 x 1024 weights of four bits, a scale for 16: rows of weights are on all
// 512 slices, eight on each, and every slice has all of the sum. HBM has them in the order of
// one load: 256 bytes for each DM network in turn, 32 slices of each (N1 % 32), 16 networks.

#x = affine_map<(m, n, g, k) -> (m, g, k)>
#w = affine_map<(m, n, g, k) -> (n, g, k)>
#s = affine_map<(m, n, g, k) -> (n, g)>
#o = affine_map<(m, n, g, k) -> (m, n)>
// CHECK-LABEL: func.func @scaled_kernel
// CHECK-SAME: !tcp.hbm<i4, #{{.*}}, "1", "D1 / 4, D0 % 256 / 8, D0 / 2048, D0 % 2048 / 256, D0 % 8, D1 % 4, D2">
// CHECK-SAME: !tcp.hbm<f8E4M3FN, #{{.*}}, "1", "D0 % 8 / 4, D0 % 256 / 8, D0 / 2048, D0 % 2048 / 256, D0 % 4, D1">
//
// The activations come from HBM once, spread over slices, and go around the switch.
// CHECK: tcp.to_dm %{{.*}} -> !tcp.dm<bf16, #[[SPREAD:.*]], "K1">
// CHECK: tcp.switch %{{.*}} Broadcast1 slice1 = 256 slice0 = 1 "N1", "K # 256"
// CHECK: %[[X:.*]] = tcp.to_trf %{{.*}} Full "1", "K # 256, K1"
//
// CHECK: %[[SCALES:.*]] = tcp.to_dm %{{.*}} -> !tcp.dm<f8E4M3FN, #[[GRID:.*]], "N, K">
// CHECK: %[[CODES:.*]] = tcp.to_dm %{{.*}} "K / 4, N1 % 32, N2, N1 / 32, N, K % 4, K1"> -> !tcp.dm<i4, #[[GRID]], "K / 4, N, K % 4, K1">
// CHECK: tcp.begin sub %[[SCALES]]
// CHECK: %[[VRF:.*]] = tcp.to_vrf %{{.*}} at 0 "N, K"
//
// Codes become bf16 while they are fetched, the tree adds the 16 that share a scale.
// CHECK: tcp.begin main %[[CODES]]
// CHECK: tcp.fetch %{{.*}} bf16 "N, K / 2", "K % 2, K1" table dense<[0.000000e+00, 5.000000e-01, 1.000000e+00, 1.500000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 6.000000e+00, -0.000000e+00, -5.000000e-01, -1.000000e+00, -1.500000e+00, -2.000000e+00, -3.000000e+00, -4.000000e+00, -6.000000e+00]> : tensor<16xbf16> dual_channel
// CHECK: tcp.align %{{.*}}, %[[X]]
// CHECK: tcp.contract %{{.*}} "K % 2"
// CHECK: tcp.accumulate %{{.*}} Sequential "N, K / 2", "K % 2 # 8"
// CHECK: tcp.vector_fp_binary %{{.*}} MulF0, %[[VRF]]
// CHECK: tcp.vector_intra_slice_reduce %{{.*}} Add "K" "N", "1 # 4"
// CHECK: tcp.commit %{{.*}} "N, 1 # 2"
// CHECK: tcp.to_hbm_view
//
// If the user pins the layout, runs are what it makes them.
// PINNED-LABEL: func.func @scaled_kernel
// PINNED-SAME: !tcp.hbm<i4, #{{.*}}, "1", "D0, D1, D2 # 128">
// PINNED: tcp.to_dm %{{.*}} -> !tcp.dm<i4, #{{.*}}, "N, K, K1">
func.func @scaled(%x: tensor<1x64x16xbf16>, %w: tensor<4096x64x16xf4E2M1FN>,
                  %s: tensor<4096x64xf8E4M3FN>) -> tensor<1x4096xf32> {
  %z = arith.constant dense<0.0> : tensor<1x4096xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #o],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<1x64x16xbf16>, tensor<4096x64x16xf4E2M1FN>, tensor<4096x64xf8E4M3FN>)
      outs(%z : tensor<1x4096xf32>) {
  ^bb0(%a: bf16, %b: f4E2M1FN, %c: f8E4M3FN, %out: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : f4E2M1FN to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.extf %c : f8E4M3FN to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = arith.addf %out, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<1x4096xf32>
  return %r : tensor<1x4096xf32>
}

// -----

// Two products of one token: the second one's weights are loaded before the first one's result
// is stored, into the other half of DM, and the activations are in the register files still.
// Parts of the sum are in neighbouring slices and added by the inter-slice block; what 16 slices
// have left is put side by side, a whole unit of HBM.

#id = affine_map<(m, n) -> (m, n)>
// CHECK-LABEL: func.func @two_kernel
// CHECK: %[[X:.*]] = tcp.to_trf
// CHECK: tcp.to_dm %{{.*}} at 256 : {{.*}} "K1 / 2, N, K1 % 2, K">
// Rows change first, so that no channel of the fetch engine stays at one bank.
// CHECK: tcp.fetch %{{.*}} f8E4M3FN "K1 / 2, N", "K1 % 2, K" dual_channel
// CHECK: tcp.align %{{.*}}, %[[X]]
// CHECK: tcp.accumulate %{{.*}} Interleaved "N", "1 # 8"
// CHECK: tcp.vector_inter_slice_reduce %{{.*}} Add "N1, 1 # 2", "1"
// CHECK: tcp.cast %{{.*}} bf16
// CHECK: %[[ROWS:.*]] = tcp.commit
// CHECK: tcp.begin main %[[ROWS]]
// CHECK: tcp.switch %{{.*}} Broadcast1 slice1 = 16 slice0 = 2 "N1 / 16, 16, 1 # 2", "N1 % 16"
// CHECK: tcp.commit %{{.*}} "N1 % 16, N"
// CHECK: tcp.to_dm %{{.*}} at 262144
// CHECK: tcp.to_hbm_view
// CHECK-NOT: tcp.to_trf
// CHECK: tcp.align %{{.*}}, %[[X]]
// CHECK: tcp.to_hbm_view
func.func @two(%x: tensor<1x1024xf8E4M3FN>, %w: tensor<2048x1024xf8E4M3FN>,
               %v: tensor<2048x1024xf8E4M3FN>) -> (tensor<1x2048xbf16>, tensor<1x2048xbf16>) {
  %z = arith.constant dense<0.0> : tensor<1x2048xf32>
  %e = tensor.empty() : tensor<1x2048xbf16>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : tensor<1x1024xf8E4M3FN>, tensor<2048x1024xf8E4M3FN>)
      outs(%z : tensor<1x2048xf32>) -> tensor<1x2048xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<1x2048xf32>) outs(%e : tensor<1x2048xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %n = arith.truncf %a : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<1x2048xbf16>
  %2 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %v : tensor<1x1024xf8E4M3FN>, tensor<2048x1024xf8E4M3FN>)
      outs(%z : tensor<1x2048xf32>) -> tensor<1x2048xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<1x2048xf32>) outs(%e : tensor<1x2048xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %n = arith.truncf %a : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<1x2048xbf16>
  return %1, %3 : tensor<1x2048xbf16>, tensor<1x2048xbf16>
}

// -----

// x / (1 + exp(-x)) of few sums looks back at them: they wait in DM while the steps run.

// CHECK-LABEL: func.func @silu_kernel
// CHECK: %[[SUMS:.*]] = tcp.commit
// CHECK: tcp.begin main %[[SUMS]]
// CHECK: %[[ADDED:.*]] = tcp.commit
// CHECK: tcp.begin {{main|sub}} %[[ADDED]]
// CHECK: %[[BACK:.*]] = tcp.to_vrf
// CHECK: tcp.vector_fp_binary %{{.*}} DivF mode Mode10, %[[BACK]]
// CHECK: tcp.to_hbm_view
// CHECK-NOT: tcp.to_hbm_view
// CHECK: return
#id = affine_map<(m, n) -> (m, n)>
func.func @silu(%x: tensor<1x1024xbf16>, %w: tensor<4096x1024xbf16>) -> tensor<1x4096xf32> {
  %z = arith.constant dense<0.0> : tensor<1x4096xf32>
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<1x4096xf32>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : tensor<1x1024xbf16>, tensor<4096x1024xbf16>)
      outs(%z : tensor<1x4096xf32>) -> tensor<1x4096xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<1x4096xf32>) outs(%e : tensor<1x4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %minus = arith.constant -1.0 : f32
    %n = arith.mulf %a, %minus : f32
    %p = math.exp %n : f32
    %d = arith.addf %p, %one : f32
    %r = arith.divf %a, %d : f32
    linalg.yield %r : f32
  } -> tensor<1x4096xf32>
  return %1 : tensor<1x4096xf32>
}

// -----

// A pass of 224 rows, of which the accumulator holds 128 sums: rows change first in two parts.
// CHECK-LABEL: func.func @many_rows_kernel
// CHECK: tcp.fetch %{{.*}} bf16 "N / 112, K1 / 2, N % 112", "K1 % 2, K" dual_channel
// CHECK: tcp.accumulate %{{.*}} Interleaved "N", "1 # 8"
func.func @many_rows(%x: tensor<1x2048xbf16>, %w: tensor<2048x3584xbf16>) -> tensor<1x3584xf32> {
  %z = arith.constant dense<0.0> : tensor<1x3584xf32>
  %r = linalg.matmul ins(%x, %w : tensor<1x2048xbf16>, tensor<2048x3584xbf16>)
                     outs(%z : tensor<1x3584xf32>) -> tensor<1x3584xf32>
  return %r : tensor<1x3584xf32>
}
