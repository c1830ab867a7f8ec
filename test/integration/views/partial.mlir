// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// 4 x 21 elements in tiles of 4 x 8: the last tile runs past the end of B, over
// memory that the rows have behind it. It loads what nobody has written there,
// adds to it and stores it, and nobody asks for it.
// RUN: rm -rf %t && %python %S/Inputs/views.py make partial %t
// RUN: sequin-run %s --input %t/in0.npy --output %t/out.npy --verify 2>&1 | FileCheck %s --check-prefix=VERIFIED
// RUN: %python %S/Inputs/views.py check partial %t out.npy | FileCheck %s
// VERIFIED: verified: 1 output, 84 elements equal the reference interpreter's bit for bit
// CHECK: partial: 84 results equal NumPy's

// Two elements to the right, B 19 and 20 come from there.
// RUN: sed 's/view %in at %i \* 8/view %in at %i * 8 + 2/' %s > %t/depends.mlir
// RUN: not sequin-run %t/depends.mlir --input %t/in0.npy --output %t/none.npy --verify 2>&1 | FileCheck %s --check-prefix=DEPENDS
// DEPENDS: depends.mlir:{{.*}}: error: 'tcp.to_host' op reads index {B: 19}, which its operand does not hold: nobody has written it or what it is computed from
// RUN: not ls %t/none.npy

#matrix = #stream.axes<A = 4, B = 21>
#tile = #stream.axes<M = 4, N = 8>
!Host = !tcp.host<i32, #matrix, "A, B">
!Hbm = !tcp.hbm<i32, #matrix, "1", "A, B # 32">
!Tile = !tcp.hbm<i32, #tile, "1", "M, N # 32">
#grid = #tcp.grid<#tile, chip "1", cluster "1 # 2", slice "M # 256">
!Dm = !tcp.dm<i32, #grid, "N">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !Host) -> !Host {
    %h = tcp.to_hbm %a at 0 : !Host -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !Hbm
    %o = tcp.to_host %r : !Hbm -> !Host
    return %o : !Host
  }
  func.func @kernel(%in: !Hbm) -> !Hbm {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %out = tcp.from_address 65536 : !Hbm
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %out) -> (!Hbm) {
      %v = tcp.view %in at %i * 8 : !Hbm -> !Tile
      %d = tcp.to_dm %v at 0 : !Tile -> !Dm
      %0 = tcp.begin main %d : !Dm
      %1 = tcp.fetch %0 i32 "1", "N" : <main begin i32, #grid, "1", "N">
      %2 = tcp.collect %1 "1", "N" : <main fetch i32, #grid, "1", "N">
      %3 = tcp.vector_init %2 : <main collect i32, #grid, "1", "N">
      %4 = tcp.vector_intra_slice_branch %3 Unconditional : <main vector_init i32, #grid, "1", "N">
      %5 = tcp.vector_fxp %4 AddFxp (7 : i32) : <main vector_branch i32, #grid, "1", "N">
      %6 = tcp.vector_final %5 : <main vector_fxp i32, #grid, "1", "N">
      %7 = tcp.commit %6 at 4096 "N" : <main vector_final i32, #grid, "1", "N">
      %new = tcp.to_hbm_view %7 into %acc at %i * 8 as !Tile : !Dm, !Hbm
      scf.yield %new : !Hbm
    }
    return %r : !Hbm
  }
}
