// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sixty elements of [A, B], padded to 64, lie in blocks of four: a digit of both axes
// together. Of every block the elements 2 and 3 become the elements 0 and 1 of
// another tensor.
// ROWS: SIL-18
// RUN: rm -rf %t && %python %S/Inputs/views.py make group %t
// RUN: sequin-run %s --input %t/in0.npy --input %t/in1.npy --output %t/out.npy --verify
// RUN: %python %S/Inputs/views.py check group %t out.npy | FileCheck %s
// CHECK: group: 60 results equal NumPy's

// A block that is padding would be written too.
// RUN: sed 's/4 = 15"/4"/g' %s > %t/padded.mlir
// RUN: not sequin-opt --tcp-to-config %t/padded.mlir 2>&1 | FileCheck %s --check-prefix=PADDED
// PADDED: error: 'tcp.commit_view' op writes 64 elements per slice to "[A, B] # 64 / 4, [A, B] # 64 % 4 = 2 # 4", which holds 30: the others belong to the tensor around the view

#axes = #stream.axes<A = 3, B = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
!Host = !tcp.host<f32, #axes, "A, B">
!Hbm = !tcp.hbm<f32, #axes, "1", "A, B">
!Dm = !tcp.dm<f32, #grid, "[A, B] # 64">
!Part = !tcp.dm<f32, #grid, "[A, B] # 64 / 4, [A, B] # 64 % 4 = 2 # 4">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%x: !Host, %y: !Host) -> !Host {
    %hx = tcp.to_hbm %x at 0 : !Host -> !Hbm
    %hy = tcp.to_hbm %y at 4096 : !Host -> !Hbm
    %r = tcp.launch @kernel(%hx, %hy) : (!Hbm, !Hbm) -> !Hbm
    %o = tcp.to_host %r : !Hbm -> !Host
    return %o : !Host
  }
  func.func @kernel(%x: !Hbm, %y: !Hbm) -> !Hbm {
    %source = tcp.to_dm %x at 8 : !Hbm -> !Dm
    %into = tcp.to_dm %y at 8192 : !Hbm -> !Dm
    %pair = tcp.tile %source "[A, B] # 64 % 4" at 2 size 2 "[A, B] # 64 / 4, [A, B] # 64 % 4 = 2 # 4" : !Dm
    %0 = tcp.begin main %pair : !Part
    %1 = tcp.fetch %0 f32 "[A, B] # 64 / 4 = 15", "[A, B] # 64 % 4 = 2" : <main begin f32, #grid, "1", "[A, B] # 64 / 4, [A, B] # 64 % 4 = 2 # 4">
    %2 = tcp.collect %1 "[A, B] # 64 / 4 = 15", "[A, B] # 64 % 4 = 2 # 8" : <main fetch f32, #grid, "[A, B] # 64 / 4 = 15", "[A, B] # 64 % 4 = 2">
    %3 = tcp.commit_view %2 into %into "[A, B] # 64 % 4" at 0 size 2 "[A, B] # 64 / 4, [A, B] # 64 % 4 = 2 # 4" : <main collect f32, #grid, "[A, B] # 64 / 4 = 15", "[A, B] # 64 % 4 = 2 # 8">, !Dm
    %r = tcp.to_hbm %3 at 65536 : !Dm -> !Hbm
    return %r : !Hbm
  }
}
