// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Overlapping tiles: tile i holds blocks i and i + 1 of B (TCP manual, Stride and
// Modulo).
// RUN: rm -rf %t && %python %S/Inputs/loops.py make windows %t
// RUN: sequin-run %s --input %t/in0.npy --output %t/out.npy --report %t/rolled.json --verify
// RUN: sequin-opt %s --tcp-to-config | sequin-translate --tcp-to-json > %t/config.json
// RUN: sequin-opt %s --tcp-to-config=unroll-loops | sequin-translate --tcp-to-json > %t/flat.json
// RUN: FileCheck %s --check-prefix=CONFIG < %t/config.json
// RUN: not grep '"kind": "loop"' %t/flat.json
// RUN: sequin-run %t/flat.json --input %t/in0.npy --output %t/flat.npy --report %t/unrolled.json
// RUN: cmp %t/out.npy %t/flat.npy
// RUN: %python %S/Inputs/loops.py check windows %t | FileCheck %s
// CHECK: windows: {{[0-9]+}} results equal NumPy's
// CHECK: rolled and unrolled take the same cycles
// CONFIG: "count": 15
// ROWS: MAP-15

#axes = #stream.axes<B = 512, T = 15>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
!In = !tcp.dm<i32, #grid, "B">
!Out = !tcp.dm<i32, #grid, "T, B / 32 = 2, B % 32">
!HbmIn = !tcp.hbm<i32, #axes, "1", "B">
!HbmOut = !tcp.hbm<i32, #axes, "1", "T, B / 32 = 2, B % 32">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !HbmIn) -> !HbmOut {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c15 = arith.constant 15 : index
    %dm = tcp.to_dm %in at 0 : !HbmIn -> !In
    %out = tcp.from_address 4096 : !Out
    %all = scf.for %i = %c0 to %c15 step %c1 iter_args(%acc = %out) -> (!Out) {
      %t = tcp.tile %dm "B / 32" at %i size 2 "B / 32 = 2 # 16, B % 32" : !In
      %0 = tcp.begin main %t : !tcp.dm<i32, #grid, "B / 32 = 2 # 16, B % 32">
      %1 = tcp.fetch %0 i32 "B / 32 = 2, B % 32 / 8", "B % 8" : <main begin i32, #grid, "1", "B / 32 = 2 # 16, B % 32">
      %2 = tcp.collect %1 "B / 32 = 2, B % 32 / 8", "B % 8" : <main fetch i32, #grid, "B / 32 = 2, B % 32 / 8", "B % 8">
      %3 = tcp.commit_view %2 into %acc "T" at %i size 1 "T = 1 # 15, B / 32 = 2, B % 32"
          : <main collect i32, #grid, "B / 32 = 2, B % 32 / 8", "B % 8">, !Out
      scf.yield %3 : !Out
    }
    %r = tcp.to_hbm %all at 268435456 : !Out -> !HbmOut
    return %r : !HbmOut
  }
  func.func @main(%a: !tcp.host<i32, #axes, "B">) -> !tcp.host<i32, #axes, "T, B / 32 = 2, B % 32"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<i32, #axes, "B"> -> !HbmIn
    %r = tcp.launch @kernel(%h) : (!HbmIn) -> !HbmOut
    %o = tcp.to_host %r : !HbmOut -> !tcp.host<i32, #axes, "T, B / 32 = 2, B % 32">
    return %o : !tcp.host<i32, #axes, "T, B / 32 = 2, B % 32">
  }
}
