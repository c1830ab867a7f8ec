// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A dimension of one element is cut like any other: nothing moves.
// ROWS: SIL-18
// RUN: rm -rf %t && %python %S/Inputs/views.py make single %t
// RUN: sequin-run %s --input %t/in0.npy --output %t/out.npy --verify
// RUN: %python %S/Inputs/views.py check single %t out.npy | FileCheck %s
// CHECK: single: 96 results equal NumPy's

#axes = #stream.axes<L = 1, M = 12, N = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
!Host = !tcp.host<f32, #axes, "L, M, N">
!Hbm = !tcp.hbm<f32, #axes, "1", "L, M, N">
!Dm = !tcp.dm<f32, #grid, "M, L, N">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%x: !Host) -> !Host {
    %h = tcp.to_hbm %x at 0 : !Host -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !Hbm
    %o = tcp.to_host %r : !Hbm -> !Host
    return %o : !Host
  }
  func.func @kernel(%x: !Hbm) -> !Hbm {
    %c0 = arith.constant 0 : index
    %dm = tcp.to_dm %x at 0 : !Hbm -> !Dm
    %one = tcp.tile %dm "L" at %c0 size 1 "M, L, N" : !Dm
    // The digit of M above its end is of one element too.
    %all = tcp.tile %one "M / 12" at 0 size 1 "M, L, N" : !Dm
    %into = tcp.from_address 8192 : !Dm
    %0 = tcp.begin main %all : !Dm
    %1 = tcp.fetch %0 f32 "M", "L, N" : <main begin f32, #grid, "1", "M, L, N">
    %2 = tcp.collect %1 "M", "L, N" : <main fetch f32, #grid, "M", "L, N">
    %3 = tcp.commit_view %2 into %into "L" at 0 size 1 "M, L, N" : <main collect f32, #grid, "M", "L, N">, !Dm
    %r = tcp.to_hbm %3 at 65536 : !Dm -> !Hbm
    return %r : !Hbm
  }
}
