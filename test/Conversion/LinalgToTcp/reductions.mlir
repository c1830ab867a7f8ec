// RUN: sequin-opt %s --convert-linalg-to-tcp=target=rngd --split-input-file | FileCheck %s
// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --split-input-file --verify-roundtrip -o /dev/null

// Reductions of one operand, on the vector engine: a packet runs along a kept loop,
// the reduced one is innermost in time. What the result starts from joins after it.

// CHECK-LABEL: func.func @rows_kernel
// CHECK: tcp.to_dm {{.*}} "D % 8, K">
// CHECK: tcp.fetch %{{.*}} f32 "K", "D % 8"
// CHECK: tcp.vector_split %{{.*}} "K, D / 4 % 2", "D % 4"
// CHECK: tcp.vector_intra_slice_reduce %{{.*}} Max "K" "D / 4 % 2", "D % 4"
// CHECK: tcp.vector_concat %{{.*}} "1", "D % 8"
// CHECK: %[[INIT:.*]] = tcp.to_vrf
// CHECK: tcp.vector_clip %{{.*}} Max, %[[INIT]]
// CHECK: tcp.to_hbm_view
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: !tcp.host<f32, #axes, "D0 = 100, D1">
func.func @rows(%a: tensor<100x24xf32>, %init: tensor<100xf32>) -> tensor<100xf32> {
  %0 = linalg.reduce { arith.maximumf } ins(%a : tensor<100x24xf32>)
      outs(%init : tensor<100xf32>) dimensions = [1]
  return %0 : tensor<100xf32>
}

// -----

// A neutral start is not computed. bf16 is widened by the fetch.

// CHECK-LABEL: func.func @columns_kernel
// CHECK: tcp.to_dm {{.*}} "K, D % 8">
// CHECK: tcp.fetch %{{.*}} f32 "K", "D % 8" : <main begin bf16
// CHECK: tcp.vector_intra_slice_reduce %{{.*}} Min "K"
// CHECK-NOT: tcp.vector_clip
// CHECK: return
func.func @columns(%a: tensor<100x24xbf16>) -> tensor<24xf32> {
  %init = arith.constant dense<0x7F800000> : tensor<24xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, k) -> (k, i)>, affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<100x24xbf16>) outs(%init : tensor<24xf32>) {
  ^bb0(%x: bf16, %out: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.minimumf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<24xf32>
  return %0 : tensor<24xf32>
}

// -----

// Two reduced loops are two passes with the tensor in DM between them. Nothing is
// kept: a flit holds one element, of which four lanes pass through the engine.
// Integers saturate.

// CHECK: cluster "1 # 2", slice "1 # 256">
// CHECK-LABEL: func.func @all_kernel
// CHECK: tcp.fetch %{{.*}} i32 "K, K1", "1 # 8"
// CHECK: tcp.vector_trim_way4 %{{.*}} "1 # 4"
// CHECK: tcp.vector_intra_slice_reduce %{{.*}} AddSat "K1" "K", "1 # 4"
// CHECK: tcp.vector_pad_way8
// CHECK: %[[FIRST:.*]] = tcp.commit %{{.*}} "K, 1 # 2"
// CHECK: tcp.begin main %[[FIRST]]
// CHECK: tcp.fetch %{{.*}} i32 "K", "1 # 8"
// CHECK: tcp.vector_intra_slice_reduce %{{.*}} AddSat "K" "1", "1 # 4"
// CHECK-NOT: tcp.vector_intra_slice_reduce
// CHECK: tcp.to_hbm_view {{.*}} "1 # 2">
func.func @all(%a: tensor<100x24xi32>) -> tensor<i32> {
  %zero = arith.constant dense<0> : tensor<i32>
  %0 = linalg.reduce { arith.addi } ins(%a : tensor<100x24xi32>)
      outs(%zero : tensor<i32>) dimensions = [0, 1]
  return %0 : tensor<i32>
}

// -----

// The fetch widens i4 as well, along which memory is contiguous then: it reads
// whole bytes.

// CHECK-LABEL: func.func @nibbles_kernel
// CHECK: tcp.to_dm %{{.*}} -> !tcp.dm<i4, #{{.*}}, "K, D">
// CHECK: tcp.fetch %{{.*}} i32 "D / 8, K", "D % 8" : <main begin i4
// CHECK: tcp.vector_intra_slice_reduce %{{.*}} AddSat "K"
func.func @nibbles(%a: tensor<16x96xi4>) -> tensor<16xi32> {
  %zero = arith.constant dense<0> : tensor<16xi32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<16x96xi4>) outs(%zero : tensor<16xi32>) {
  ^bb0(%x: i4, %out: i32):
    %1 = arith.extsi %x : i4 to i32
    %2 = arith.addi %out, %1 : i32
    linalg.yield %2 : i32
  } -> tensor<16xi32>
  return %0 : tensor<16xi32>
}

// -----

// What follows a reduction is a pass behind it; the result is narrowed there.

// CHECK-LABEL: func.func @mean_kernel
// CHECK: tcp.vector_intra_slice_reduce
// CHECK: %[[SUM:.*]] = tcp.commit
// CHECK: tcp.begin main %[[SUM]]
// CHECK: tcp.vector_fp_binary %{{.*}} MulF0(2.500000e-01 : f32)
// CHECK: tcp.cast %{{.*}} bf16
// CHECK-COUNT-1: tcp.to_hbm_view
// CHECK-NOT: tcp.to_hbm_view
#id = affine_map<(i) -> (i)>
func.func @mean(%a: tensor<64x4xf32>) -> tensor<64xbf16> {
  %quarter = arith.constant 0.25 : f32
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<64x4xf32>)
      outs(%zero : tensor<64xf32>) dimensions = [1]
  %empty = tensor.empty() : tensor<64xbf16>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%0 : tensor<64xf32>) outs(%empty : tensor<64xbf16>) {
  ^bb0(%x: f32, %out: bf16):
    %2 = arith.mulf %x, %quarter : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<64xbf16>
  return %1 : tensor<64xbf16>
}

// -----

// A sum over two loops takes two passes. What the first leaves lies in DM beside the
// operand, which is cut into more chunks than it would need alone.

// CHECK-LABEL: func.func @two_passes_kernel
// CHECK-COUNT-3: tcp.to_dm {{.*}}<i8
// CHECK-LABEL: func.func @two_passes(
func.func @two_passes(%a: tensor<291x223x2xi8>) -> tensor<2xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<2xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<2xi32>) -> tensor<2xi32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(s, i, j) -> (s, i, j)>, affine_map<(s, i, j) -> (j)>],
      iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%a : tensor<291x223x2xi8>) outs(%init : tensor<2xi32>) {
  ^bb0(%x: i8, %out: i32):
    %1 = arith.extsi %x : i8 to i32
    %2 = arith.addi %out, %1 : i32
    linalg.yield %2 : i32
  } -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// 401 rows are chunks of one sum. The first and the last two stand alone, 199 rounds have two each,
// whose sums take turns in two places.

// CHECK-LABEL: func.func @many_chunks_kernel
// CHECK:         %[[FIRST:.*]] = tcp.commit {{.*}} at 0 "1 # 2"
// CHECK:         %[[ROUNDS:.*]] = arith.constant 199 : index
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[ROUNDS]] {{.*}} iter_args(%[[SUM:.*]] = %[[FIRST]])
// CHECK:           tcp.view {{.*}} at %[[I]] * 10016 + 5008
// CHECK:           tcp.begin main %[[SUM]]
// CHECK:           tcp.commit {{.*}} at 256 "1 # 2"
// CHECK:           tcp.view {{.*}} at %[[I]] * 10016 + 10016
// CHECK:           %[[NEXT:.*]] = tcp.commit {{.*}} at 0 "1 # 2"
// CHECK:           scf.yield %[[NEXT]]
// CHECK-COUNT-2: tcp.to_dm
// CHECK-NOT:     tcp.to_dm
// CHECK-LABEL: func.func @many_chunks(
func.func @many_chunks(%a: tensor<401x5000xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<401x5000xf32>)
      outs(%init : tensor<f32>) dimensions = [0, 1]
  return %0 : tensor<f32>
}
