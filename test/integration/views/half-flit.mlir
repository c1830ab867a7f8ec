// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The right half of every row is replaced by another tensor's left half: 16 of the 32
// bytes of a flit, the other half being padding of the part that belongs to the rest.
// ROWS: COM-03, SIL-14
// RUN: rm -rf %t && %python %S/Inputs/views.py make half_flit %t
// RUN: sequin-run %s --input %t/in0.npy --input %t/in1.npy --output %t/out.npy --verify
// RUN: %python %S/Inputs/views.py check half_flit %t out.npy | FileCheck %s
// CHECK: half_flit: 40 results equal NumPy's
// RUN: sequin-opt --tcp-to-config %s | FileCheck %s --check-prefix=CONFIG
// CONFIG: commit_in_bytes = 16

// Three columns of four bytes are no multiple of eight.
// RUN: sed -e 's/= 4 # 8/= 3 # 8/g' -e 's/size 4/size 3/g' -e 's/"N = 4"/"N = 3 # 4"/g' %s > %t/odd.mlir
// RUN: not sequin-opt %t/odd.mlir 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: error: 'tcp.commit_view' op commit to element "M, N = 3 # 8" keeps 12 bytes of packet "N = 3 # 8", a commit keeps a multiple of 8 leading bytes

#axes = #stream.axes<M = 5, N = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
!Host = !tcp.host<f32, #axes, "M, N">
!Hbm = !tcp.hbm<f32, #axes, "1", "M, N">
!Dm = !tcp.dm<f32, #grid, "M, N">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%x: !Host, %y: !Host) -> !Host {
    %hx = tcp.to_hbm %x at 0 : !Host -> !Hbm
    %hy = tcp.to_hbm %y at 4096 : !Host -> !Hbm
    %r = tcp.launch @kernel(%hx, %hy) : (!Hbm, !Hbm) -> !Hbm
    %o = tcp.to_host %r : !Hbm -> !Host
    return %o : !Host
  }
  func.func @kernel(%x: !Hbm, %y: !Hbm) -> !Hbm {
    %source = tcp.to_dm %x at 0 : !Hbm -> !Dm
    %into = tcp.to_dm %y at 8192 : !Hbm -> !Dm
    %left = tcp.tile %source "N" at 0 size 4 "M, N = 4 # 8" : !Dm
    %0 = tcp.begin main %left : !tcp.dm<f32, #grid, "M, N = 4 # 8">
    %1 = tcp.fetch %0 f32 "M", "N = 4" : <main begin f32, #grid, "1", "M, N = 4 # 8">
    %2 = tcp.collect %1 "M", "N = 4 # 8" : <main fetch f32, #grid, "M", "N = 4">
    %3 = tcp.commit_view %2 into %into "N" at 4 size 4 "M, N = 4 # 8" : <main collect f32, #grid, "M", "N = 4 # 8">, !Dm
    %r = tcp.to_hbm %3 at 65536 : !Dm -> !Hbm
    return %r : !Hbm
  }
}
