// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A loop over tiles of an HBM tensor: each pass adds 1, and the results are put
// together in one DM tensor (TCP manual, Tiling).
// RUN: rm -rf %t && %python %S/Inputs/loops.py make tiles %t
// RUN: sequin-run %s --input %t/in0.npy --output %t/out.npy --report %t/rolled.json --verify
// RUN: sequin-opt %s --tcp-to-config | sequin-translate --tcp-to-json > %t/config.json
// RUN: sequin-opt %s --tcp-to-config=unroll-loops | sequin-translate --tcp-to-json > %t/flat.json
// RUN: FileCheck %s --check-prefix=CONFIG < %t/config.json
// RUN: not grep '"kind": "loop"' %t/flat.json
// RUN: sequin-run %t/flat.json --input %t/in0.npy --output %t/flat.npy --report %t/unrolled.json
// RUN: cmp %t/out.npy %t/flat.npy
// RUN: %python %S/Inputs/loops.py check tiles %t | FileCheck %s
// CHECK: tiles: {{[0-9]+}} results equal NumPy's
// CHECK: rolled and unrolled take the same cycles
// CONFIG: "kind": "loop"
// CONFIG-NOT: "kind": "loop"

#axes = #stream.axes<A = 16, B = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "B / 8 # 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !tcp.hbm<i32, #axes, "1", "A, B">)
      -> !tcp.hbm<i32, #axes, "1", "A, B"> {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %out = tcp.from_address 4096 : !tcp.dm<i32, #grid, "A, B % 8">
    %all = scf.for %i = %c0 to %c16 step %c2 iter_args(%acc = %out)
        -> (!tcp.dm<i32, #grid, "A, B % 8">) {
      %t = tcp.tile %in "A" at %i size 2 "A = 2 # 16, B"
          : !tcp.hbm<i32, #axes, "1", "A, B">
      %dm = tcp.to_dm %t at 0 : !tcp.hbm<i32, #axes, "1", "A = 2 # 16, B">
          -> !tcp.dm<i32, #grid, "A = 2, B % 8">
      %0 = tcp.begin main %dm : !tcp.dm<i32, #grid, "A = 2, B % 8">
      %1 = tcp.fetch %0 i32 "A = 2", "B % 8" : <main begin i32, #grid, "1", "A = 2, B % 8">
      %2 = tcp.collect %1 "A = 2", "B % 8" : <main fetch i32, #grid, "A = 2", "B % 8">
      %3 = tcp.vector_init %2 : <main collect i32, #grid, "A = 2", "B % 8">
      %4 = tcp.vector_intra_slice_branch %3 Unconditional : <main vector_init i32, #grid, "A = 2", "B % 8">
      %5 = tcp.vector_fxp %4 AddFxp (1 : i32) : <main vector_branch i32, #grid, "A = 2", "B % 8">
      %6 = tcp.vector_final %5 : <main vector_fxp i32, #grid, "A = 2", "B % 8">
      %7 = tcp.commit_view %6 into %acc "A" at %i size 2 "A = 2 # 16, B % 8"
          : <main vector_final i32, #grid, "A = 2", "B % 8">, !tcp.dm<i32, #grid, "A, B % 8">
      scf.yield %7 : !tcp.dm<i32, #grid, "A, B % 8">
    }
    %r = tcp.to_hbm %all at 268435456 : !tcp.dm<i32, #grid, "A, B % 8"> -> !tcp.hbm<i32, #axes, "1", "A, B">
    return %r : !tcp.hbm<i32, #axes, "1", "A, B">
  }
  func.func @main(%a: !tcp.host<i32, #axes, "A, B">) -> !tcp.host<i32, #axes, "A, B"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<i32, #axes, "A, B"> -> !tcp.hbm<i32, #axes, "1", "A, B">
    %r = tcp.launch @kernel(%h) : (!tcp.hbm<i32, #axes, "1", "A, B">) -> !tcp.hbm<i32, #axes, "1", "A, B">
    %o = tcp.to_host %r : !tcp.hbm<i32, #axes, "1", "A, B"> -> !tcp.host<i32, #axes, "A, B">
    return %o : !tcp.host<i32, #axes, "A, B">
  }
}
