// RUN: sequin-opt %s --convert-linalg-to-tcp=target=rngd --split-input-file | FileCheck %s
// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --split-input-file --verify-roundtrip -o /dev/null

// What does not fit at once runs in tiles, a sum in chunks. Rings would take most of these
// products; pins of what no ring can have keep them here.

// Rows in tiles: a loop over them that hands on the result, and views that move
// with it. What no loop moves is brought to DM before the loops, once. The last rows
// of the last tile are past the end; the tensors have memory for them.

// CHECK: #stream.axes<D0 = [[ROWS:[0-9]+]], D1 = 500>
// CHECK: #[[$GROUP:.*]] = #stream.axes<M = [[$TILE:[0-9]+]], N = 512, K = 500>
// CHECK-LABEL: func.func @rows_kernel
// CHECK-SAME: (%[[A:[^:]*]]: !tcp.hbm<bf16, {{.*}}>, %[[B:[^:]*]]: !tcp.hbm<bf16, {{.*}}>)
// CHECK: %[[OUT:.*]] = tcp.from_address
// CHECK: %[[BV:.*]] = tcp.view %[[B]] at 0 :
// CHECK: %[[BD:.*]] = tcp.to_dm %[[BV]]
// CHECK: %[[R:.*]] = scf.for %[[I:.*]] = %c0 to %{{.*}} step %c1 iter_args(%[[NOW:.*]] = %[[OUT]])
// CHECK: %[[AV:.*]] = tcp.view %[[A]] at %[[I]] * {{[0-9]+}} :
// CHECK: %[[AD:.*]] = tcp.to_dm %[[AV]]
// CHECK-NOT: tcp.to_dm
// CHECK: tcp.begin main %[[AD]]
// CHECK: tcp.contract
// CHECK: %[[NEW:.*]] = tcp.to_hbm_view %{{.*}} into %[[NOW]] at %[[I]] * {{[0-9]+}} as !tcp.hbm<f32, #[[$GROUP]], "1", "M, N">
// CHECK-NEXT: scf.yield %[[NEW]]
// CHECK: return %[[R]]
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: -> !tcp.host<f32, #{{.*}}, "D0 = 40000, D1">
func.func @rows(%a: tensor<40000x500xbf16>, %b: tensor<500x512xbf16>)
    -> tensor<40000x512xf32> {
  %zero = arith.constant dense<0.0> : tensor<40000x512xf32>
  %0 = linalg.matmul {sequin.pin = {tiles = array<i64: 0, 0, 500>}} ins(%a, %b : tensor<40000x500xbf16>, tensor<500x512xbf16>)
      outs(%zero : tensor<40000x512xf32>) -> tensor<40000x512xf32>
  return %0 : tensor<40000x512xf32>
}

// -----

// Both operands are too large for a slice: two loops.

// CHECK-LABEL: func.func @both_kernel
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: %[[INNER:.*]] = scf.for %[[J:.*]] = %c0{{.*}} iter_args(%[[NOW:.*]] =
// CHECK: tcp.to_hbm_view %{{.*}} into %[[NOW]] at %[[I]] * {{[0-9]+}} + %[[J]] * {{[0-9]+}} as
// CHECK: scf.yield
// CHECK: scf.yield %[[INNER]]
func.func @both(%a: tensor<100000x4100xi8>, %b: tensor<4100x16384xi8>)
    -> tensor<100000x16384xi32> {
  %zero = arith.constant dense<0> : tensor<100000x16384xi32>
  %0 = linalg.matmul {sequin.pin = {tiles = array<i64: 0, 0, 4100>}} ins(%a, %b : tensor<100000x4100xi8>, tensor<4100x16384xi8>)
      outs(%zero : tensor<100000x16384xi32>) -> tensor<100000x16384xi32>
  return %0 : tensor<100000x16384xi32>
}

// -----

// A row of the register file holds a part of the sum only. Chunks are as long as
// each other but the last one, which ends with the sum. The sum so far takes turns
// at two places in DM; operands of every chunk come behind it. Of eight chunks the first
// and the last stand alone, the others are three rounds of two.

// CHECK-LABEL: func.func @chunks_kernel
// CHECK-SAME: (%[[A:[^:]*]]: !tcp.hbm<bf16, #axes, "1", "D0, D1">
// CHECK: tcp.to_dm %{{.*}} at [[$BEHIND:[0-9]+]]
// CHECK: tcp.view %[[A]] at 0 :
// CHECK: %[[SUM0:.*]] = tcp.commit %{{.*}} at 0 "
// CHECK: %[[SUMS:.*]] = scf.for %[[I:.*]] = %c0 to %c3 step %c1 iter_args(%[[SUM:.*]] = %[[SUM0]])
// CHECK: tcp.to_dm %{{.*}} at [[$BEHIND]]
// CHECK: tcp.fetch %{{.*}} bf16 "N % 8, K / 32", "K % 32"
// CHECK: tcp.view %[[A]] at %[[I]] * 5056 + 2528 :
// CHECK: tcp.begin sub %[[SUM]]
// CHECK: %[[V:.*]] = tcp.to_vrf
// CHECK: tcp.vector_clip %{{.*}} Add, %[[V]]
// CHECK: %[[ODD:.*]] = tcp.commit %{{.*}} at [[$SECOND:[1-9][0-9]*]] "
// CHECK: tcp.view %[[A]] at %[[I]] * 5056 + 5056 :
// CHECK: tcp.begin sub %[[ODD]]
// CHECK: %[[NEXT:.*]] = tcp.commit %{{.*}} at 0 "
// CHECK: scf.yield %[[NEXT]]
// CHECK: tcp.to_dm
// CHECK: tcp.fetch %{{.*}} bf16 "N % 8, K = [[REST:[0-9]+]] / 32", "K = [[REST]] % 32"
// CHECK: tcp.align %{{.*}} "{{(M [%/] [0-9]+, )?}}K = [[REST]] / 32", "K = [[REST]] % 32"
// CHECK: tcp.begin sub %[[SUMS]]
// CHECK: tcp.to_hbm_view
// CHECK-NOT: tcp.to_hbm_view
func.func @chunks(%a: tensor<64x20000xbf16>, %b: tensor<20000x60xbf16>)
    -> tensor<64x60xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x60xf32>
  %0 = linalg.matmul {sequin.pin = {tiles = array<i64: 0, 0, 2528>}} ins(%a, %b : tensor<64x20000xbf16>, tensor<20000x60xbf16>)
      outs(%zero : tensor<64x60xf32>) -> tensor<64x60xf32>
  return %0 : tensor<64x60xf32>
}

// -----

// A sum of very many chunks is no longer to write than one of eight.

// CHECK-LABEL: func.func @very_many_chunks_kernel
// CHECK: scf.for %{{.*}} = %c0 to %c{{[0-9][0-9][0-9]+}} step
// CHECK-COUNT-4: tcp.to_dm
// CHECK: scf.yield
func.func @very_many_chunks(%a: tensor<4x1073741824xbf16>, %b: tensor<1073741824x4xbf16>, %z: tensor<4x4xf32>)
    -> tensor<4x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x1073741824xbf16>, tensor<1073741824x4xbf16>)
      outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// The same with 20010: the last chunk ends in the middle of a packet.

// CHECK-LABEL: func.func @ragged_chunks_kernel
// CHECK: tcp.fetch %{{.*}} bf16 "N % 8, K = [[REST:[0-9]+]] # [[FULL:[0-9]+]] / 32", "K = [[REST]] # [[FULL]] % 32"
func.func @ragged_chunks(%a: tensor<64x20010xbf16>, %b: tensor<20010x64xbf16>)
    -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %0 = linalg.matmul {sequin.pin = {tiles = array<i64: 0, 0, 2528>}} ins(%a, %b : tensor<64x20010xbf16>, tensor<20010x64xbf16>)
      outs(%zero : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// What the sums start from, and what follows them, comes with the last chunk.

// CHECK-LABEL: func.func @after_kernel
// CHECK-SAME: %[[C:[^:]*]]: !tcp.hbm<f32, {{.*}}>)
// CHECK-NOT: tcp.view %[[C]]
// CHECK: tcp.view %{{.*}} at 0 :
// CHECK: tcp.contract
// CHECK-NOT: MulF0
// CHECK: tcp.view %[[C]] at 0
// CHECK: tcp.vector_fp_binary %{{.*}} AddF, %
// CHECK: tcp.vector_fp_binary %{{.*}} MulF0(2.000000e+00 : f32)
// CHECK-NOT: tcp.contract
// CHECK: return
#id = affine_map<(i, j) -> (i, j)>
func.func @after(%a: tensor<64x8200xbf16>, %b: tensor<8200x64xbf16>,
                 %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %two = arith.constant 2.0 : f32
  %0 = linalg.matmul {sequin.pin = {tiles = array<i64: 0, 0, 2080>}} ins(%a, %b : tensor<64x8200xbf16>, tensor<8200x64xbf16>)
      outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %empty = tensor.empty() : tensor<64x64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) {
  ^bb0(%x: f32, %out: f32):
    %2 = arith.mulf %x, %two : f32
    linalg.yield %2 : f32
  } -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// -----

// The second operand of a step must fit into the vector register file: its loops are
// cut until it does.

// CHECK-LABEL: func.func @operand_kernel
// CHECK: scf.for
// CHECK: tcp.to_vrf
// CHECK: tcp.vector_fp_binary
// CHECK: scf.yield
func.func @operand(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>)
    -> tensor<4096x4096xf32> {
  %empty = tensor.empty() : tensor<4096x4096xf32>
  %0 = linalg.sub ins(%a, %b : tensor<4096x4096xf32>, tensor<4096x4096xf32>)
      outs(%empty : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// -----

// A reduction that does not fit is taken in chunks too; the maximum of a chunk joins
// the maximum so far.

// CHECK-LABEL: func.func @long_maximum_kernel
// CHECK: tcp.vector_intra_slice_reduce %{{.*}} Max "K"
// CHECK: tcp.commit %{{.*}} at 0 "
// CHECK: tcp.vector_intra_slice_reduce %{{.*}} Max "K"
// CHECK: tcp.vector_clip %{{.*}} Max, %
// CHECK: tcp.commit %{{.*}} at 256 "
func.func @long_maximum(%a: tensor<8x300000xf32>) -> tensor<8xf32> {
  %init = arith.constant dense<0xFF800000> : tensor<8xf32>
  %0 = linalg.reduce { arith.maximumf } ins(%a : tensor<8x300000xf32>)
      outs(%init : tensor<8xf32>) dimensions = [1]
  return %0 : tensor<8xf32>
}

// -----

// An operation may say itself how it is cut: iterations of a tile and slices, by
// loop, 0 where the compiler is free.

// CHECK: #stream.axes<M = 128, N = 512, K = 64>
// CHECK: slice "[M / 32, N / 64] # 256">
// CHECK-LABEL: func.func @pinned_kernel
// CHECK: scf.for %{{.*}} = %c0 to %c4
// CHECK-COUNT-4: tcp.contract
// CHECK-NOT: tcp.contract
// CHECK: scf.yield
func.func @pinned(%a: tensor<512x256xbf16>, %b: tensor<256x512xbf16>)
    -> tensor<512x512xf32> {
  %zero = arith.constant dense<0.0> : tensor<512x512xf32>
  %0 = linalg.matmul {sequin.pin = {tiles = array<i64: 128, 0, 64>,
                                    parts = array<i64: 4, 8, 0>}}
      ins(%a, %b : tensor<512x256xbf16>, tensor<256x512xbf16>)
      outs(%zero : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
