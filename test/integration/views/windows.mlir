// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A sliding view: three rows from every one of 18 on, read from a matrix that
// knows no windows.
// RUN: rm -rf %t && %python %S/Inputs/views.py make windows %t
// RUN: sequin-run %s --input %t/in0.npy --output %t/out.npy --verify
// RUN: %python %S/Inputs/views.py check windows %t out.npy | FileCheck %s
// CHECK: windows: 432 results equal NumPy's

#source = #stream.axes<A = 20, B = 8>
#window = #stream.axes<W = 18, F = 3, B = 8>
#grid = #tcp.grid<#window, chip "1", cluster "1 # 2", slice "W # 256">
!Hbm = !tcp.hbm<i32, #source, "1", "A, B">
!View = !tcp.hbm<i32, #window, "1", "$(W:1, F:1), B">
!Out = !tcp.hbm<i32, #window, "1", "W, F, B">
!Dm = !tcp.dm<i32, #grid, "F, B">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !tcp.host<i32, #source, "A, B">) -> !tcp.host<i32, #window, "W, F, B"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<i32, #source, "A, B"> -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !Out
    %o = tcp.to_host %r : !Out -> !tcp.host<i32, #window, "W, F, B">
    return %o : !tcp.host<i32, #window, "W, F, B">
  }
  func.func @kernel(%in: !Hbm) -> !Out {
    %v = tcp.view %in at 0 : !Hbm -> !View
    %dm = tcp.to_dm %v at 0 : !View -> !Dm
    %r = tcp.to_hbm %dm at 4096 : !Dm -> !Out
    return %r : !Out
  }
}
