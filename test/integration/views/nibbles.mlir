// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two i4 share a byte: a view starts at an even element. 64 of them are a row of 32
// bytes, columns 16 to 47 are 16 bytes from byte 8 on.
// RUN: rm -rf %t && %python %S/Inputs/views.py make nibbles %t
// RUN: sequin-run %s --input %t/in0.npy --output %t/out.npy --verify
// RUN: %python %S/Inputs/views.py check nibbles %t out.npy | FileCheck %s
// CHECK: nibbles: 96 results equal NumPy's
// RUN: sed 's/at 144/at 145/' %s > %t.mlir
// RUN: not sequin-run %t.mlir --input %t/in0.npy --output %t/none.npy 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: error: 'tcp.view' op starts at element 145 of the buffer, which is no whole byte

#source = #stream.axes<A = 8, B = 64>
#block = #stream.axes<M = 3, N = 32>
#grid = #tcp.grid<#block, chip "1", cluster "1 # 2", slice "M # 256">
!Hbm = !tcp.hbm<i4, #source, "1", "A, B">
!View = !tcp.hbm<i4, #block, "1", "M, N # 64">
!Out = !tcp.hbm<i4, #block, "1", "M, N">
!Dm = !tcp.dm<i4, #grid, "N">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !tcp.host<i4, #source, "A, B">) -> !tcp.host<i4, #block, "M, N"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<i4, #source, "A, B"> -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !Out
    %o = tcp.to_host %r : !Out -> !tcp.host<i4, #block, "M, N">
    return %o : !tcp.host<i4, #block, "M, N">
  }
  func.func @kernel(%in: !Hbm) -> !Out {
    %v = tcp.view %in at 144 : !Hbm -> !View
    %dm = tcp.to_dm %v at 0 : !View -> !Dm
    %memory = tcp.from_address 4096 : !Out
    %r = tcp.to_hbm_view %dm into %memory at 0 as !Out : !Dm, !Out
    return %r : !Out
  }
}
