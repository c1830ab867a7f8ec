// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --split-input-file | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: sequin-opt %s --linalg-to-tcp=target=rngd-merging --split-input-file | FileCheck %s --check-prefixes=CHECK,MERGED

// What a slice writes to HBM in less than a unit of 256 bytes is a read-modify-write.
// Small programs are therefore spread over no more slices than have whole units to
// write; where the queue of a channel merges what neighbours write, over as many as
// there are packets for.

// 128 elements of bf16 are a unit.

// WHOLE: cluster "1 # 2", slice "D / 128 # 256">
// MERGED: cluster "D / 2048", slice "D / 8 % 256">
// CHECK-LABEL: func.func @line_kernel
// WHOLE: tcp.to_hbm_view {{.*}} !tcp.dm<bf16, #grid, "D % 128">
// MERGED: tcp.to_hbm_view {{.*}} !tcp.dm<bf16, #grid, "D % 8">
func.func @line(%a: tensor<4096xf32>) -> tensor<4096xbf16> {
  %empty = tensor.empty() : tensor<4096xbf16>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%a : tensor<4096xf32>) outs(%empty : tensor<4096xbf16>) {
  ^bb0(%x: f32, %out: bf16):
    %1 = arith.truncf %x : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<4096xbf16>
  return %0 : tensor<4096xbf16>
}

// -----

// A row of the result is four units.

// WHOLE: cluster "1 # 2", slice "D, D1 / 64">
// MERGED: cluster "D / 32", slice "D % 32, D1 / 32">
// CHECK-LABEL: func.func @rows_kernel
func.func @rows(%a: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %empty = tensor.empty() : tensor<64x256xf32>
  %0 = linalg.exp ins(%a : tensor<64x256xf32>)
      outs(%empty : tensor<64x256xf32>) -> tensor<64x256xf32>
  return %0 : tensor<64x256xf32>
}

// -----

// A row of the sums is half a unit. Two slices have parts of each sum. Eight such pairs have
// columns of the same row; those that meet in a unit get all of them.

// CHECK-LABEL: func.func @products_kernel
// WHOLE: tcp.switch {{.*}} Broadcast1 slice1 = 8
// WHOLE: %[[G:.*]] = tcp.commit
// WHOLE: tcp.to_hbm_view %[[G]]
// Where parts of a unit are merged, slices write them as they are.
// MERGED-NOT: tcp.switch
// MERGED: tcp.to_hbm_view {{.*}} !tcp.dm<f32, #grid, "M % 4, N % 8">
func.func @products(%a: tensor<64x77xbf16>, %b: tensor<77x32xbf16>) -> tensor<64x32xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x77xbf16>, tensor<77x32xbf16>)
      outs(%zero : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// -----

// Sums of columns: packets run along memory.

// WHOLE: cluster "1 # 2", slice "D / 64 # 256">
// MERGED: cluster "D / 2048", slice "D / 8 % 256">
// CHECK-LABEL: func.func @columns_kernel
// CHECK: tcp.fetch %{{.*}} f32 "{{(D / 8 % 8, )?}}K", "D % 8"
func.func @columns(%a: tensor<16x4096xf32>) -> tensor<4096xf32> {
  %zero = arith.constant dense<0.0> : tensor<4096xf32>
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<16x4096xf32>)
      outs(%zero : tensor<4096xf32>) dimensions = [0]
  return %0 : tensor<4096xf32>
}

// -----

// Sums of rows: elements of a packet are a row apart. A slice fetches each of them by
// itself, and with 64 rows that takes longer than the writes of eight slices that have
// eight each.

// CHECK: cluster "D / 2048", slice "D / 8 % 256">
// CHECK-LABEL: func.func @across_kernel
// CHECK: tcp.to_dm {{.*}} "D % 8, K">
// CHECK: tcp.fetch %{{.*}} f32 "K", "D % 8"
func.func @across(%a: tensor<4096x512xf32>) -> tensor<4096xf32> {
  %zero = arith.constant dense<0.0> : tensor<4096xf32>
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<4096x512xf32>)
      outs(%zero : tensor<4096xf32>) dimensions = [1]
  return %0 : tensor<4096xf32>
}
