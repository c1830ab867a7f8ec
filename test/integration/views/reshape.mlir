// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two axes seen as one and cut otherwise: collapse and expand move nothing. A view
// of a view, and a view that is written before it is seen.
// RUN: rm -rf %t && %python %S/Inputs/views.py make reshape %t
// RUN: sequin-run %s --input %t/in0.npy --output %t/out.npy --verify
// RUN: %python %S/Inputs/views.py check reshape %t out.npy | FileCheck %s
// CHECK: reshape: 768 results equal NumPy's
// RUN: sequin-opt %s --tcp-to-config | sequin-translate --tcp-to-json | FileCheck %s --check-prefix=CONFIG
// Two moves, no more.
// CONFIG-COUNT-2: "kind": "dma"
// CONFIG-NOT: "kind": "dma"

#source = #stream.axes<A = 6, B = 4, C = 32>
#flat = #stream.axes<X = 768>
#matrix = #stream.axes<R = 24, C = 32>
#out = #stream.axes<R = 24, C = 32>
#grid = #tcp.grid<#matrix, chip "1", cluster "1 # 2", slice "R # 256">
!Host = !tcp.host<i8, #source, "A, B, C">
!Hbm = !tcp.hbm<i8, #source, "1", "A, B, C">
!Flat = !tcp.hbm<i8, #flat, "1", "X">
!Matrix = !tcp.hbm<i8, #matrix, "1", "R, C">
!Dm = !tcp.dm<i8, #grid, "C">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !Host) -> !tcp.host<i8, #matrix, "C, R"> {
    %h = tcp.to_hbm %a at 0 : !Host -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !Matrix
    %o = tcp.to_host %r : !Matrix -> !tcp.host<i8, #matrix, "C, R">
    return %o : !tcp.host<i8, #matrix, "C, R">
  }
  func.func @kernel(%in: !Hbm) -> !Matrix {
    %flat = tcp.view %in at 0 : !Hbm -> !Flat
    %rows = tcp.view %flat at 0 : !Flat -> !Matrix
    %dm = tcp.to_dm %rows at 0 : !Matrix -> !Dm
    %memory = tcp.from_address 4096 : !Flat
    %new = tcp.to_hbm_view %dm into %memory at 0 as !Matrix : !Dm, !Flat
    %r = tcp.view %new at 0 : !Flat -> !Matrix
    return %r : !Matrix
  }
}
