// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Nested loops; the start of a tile is computed from both indices.
// RUN: rm -rf %t && %python %S/Inputs/loops.py make nested %t
// RUN: sequin-run %s --input %t/in0.npy --output %t/out.npy --report %t/rolled.json --verify
// RUN: sequin-opt %s --tcp-to-config | sequin-translate --tcp-to-json > %t/config.json
// RUN: sequin-opt %s --tcp-to-config=unroll-loops | sequin-translate --tcp-to-json > %t/flat.json
// RUN: FileCheck %s --check-prefix=CONFIG < %t/config.json
// RUN: not grep '"kind": "loop"' %t/flat.json
// RUN: sequin-run %t/flat.json --input %t/in0.npy --output %t/flat.npy --report %t/unrolled.json
// RUN: cmp %t/out.npy %t/flat.npy
// RUN: %python %S/Inputs/loops.py check nested %t | FileCheck %s
// CHECK: nested: {{[0-9]+}} results equal NumPy's
// CHECK: rolled and unrolled take the same cycles
// CONFIG: "count": 2
// CONFIG: "count": 4

#axes = #stream.axes<A = 8, B = 8, C = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
!Hbm = !tcp.hbm<i32, #axes, "1", "A, B, C">
!Dm = !tcp.dm<i32, #grid, "A, B, C">
!Row = !tcp.dm<i32, #grid, "A = 1 # 8, B, C">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !Hbm) -> !Hbm {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %dm = tcp.to_dm %in at 0 : !Hbm -> !Dm
    %out = tcp.from_address 65536 : !Dm
    %all = scf.for %i = %c0 to %c4 step %c1 iter_args(%outer = %out) -> (!Dm) {
      %twice = arith.muli %i, %c2 : index
      %part = scf.for %j = %c0 to %c2 step %c1 iter_args(%acc = %outer) -> (!Dm) {
        %row = arith.addi %twice, %j : index
        %t = tcp.tile %dm "A" at %row size 1 "A = 1 # 8, B, C" : !Dm
      %a = tcp.begin main %t : !Row
      %b = tcp.fetch %a i32 "A = 1, B", "C" : <main begin i32, #grid, "1", "A = 1 # 8, B, C">
      %c = tcp.collect %b "A = 1, B", "C" : <main fetch i32, #grid, "A = 1, B", "C">
      %d = tcp.vector_init %c : <main collect i32, #grid, "A = 1, B", "C">
      %e = tcp.vector_intra_slice_branch %d Unconditional : <main vector_init i32, #grid, "A = 1, B", "C">
      %f = tcp.vector_fxp %e AddFxp (1 : i32) : <main vector_branch i32, #grid, "A = 1, B", "C">
      %g = tcp.vector_final %f : <main vector_fxp i32, #grid, "A = 1, B", "C">
        %new = tcp.commit_view %g into %acc "A" at %row size 1 "A = 1 # 8, B, C"
            : <main vector_final i32, #grid, "A = 1, B", "C">, !Dm
        scf.yield %new : !Dm
      }
      scf.yield %part : !Dm
    }
    %r = tcp.to_hbm %all at 268435456 : !Dm -> !Hbm
    return %r : !Hbm
  }
  func.func @main(%a: !tcp.host<i32, #axes, "A, B, C">) -> !tcp.host<i32, #axes, "A, B, C"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<i32, #axes, "A, B, C"> -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !Hbm
    %o = tcp.to_host %r : !Hbm -> !tcp.host<i32, #axes, "A, B, C">
    return %o : !tcp.host<i32, #axes, "A, B, C">
  }
}
