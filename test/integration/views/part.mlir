// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows 5 to 8 and columns 8 and 9 of an argument are replaced, from data memory and
// from HBM. Eight bytes of every row are written: its neighbours keep what they
// hold.
// RUN: rm -rf %t && %python %S/Inputs/views.py make part %t
// RUN: sequin-run %s --input %t/in0.npy --input %t/in1.npy --output %t/out.npy --verify
// RUN: %python %S/Inputs/views.py check part %t out.npy | FileCheck %s
// RUN: sed 's/%%r = tcp.launch @kernel/%%r = tcp.launch @straight/' %s > %t.mlir
// RUN: sequin-run %t.mlir --input %t/in0.npy --input %t/in1.npy --output %t/straight.npy --verify
// RUN: %python %S/Inputs/views.py check part %t straight.npy | FileCheck %s
// CHECK: part: 1000 results equal NumPy's

#matrix = #stream.axes<A = 100, B = 10>
#block = #stream.axes<M = 4, N = 2>
#grid = #tcp.grid<#block, chip "1", cluster "1 # 2", slice "M # 256">
!Block = !tcp.hbm<f32, #block, "1", "M, N">
!Hbm = !tcp.hbm<f32, #matrix, "1", "A, B # 16">
!Part = !tcp.hbm<f32, #block, "1", "M, N # 16">
!Dm = !tcp.dm<f32, #grid, "N">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !tcp.host<f32, #block, "M, N">, %b: !tcp.host<f32, #matrix, "A, B">)
      -> !tcp.host<f32, #matrix, "A, B"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<f32, #block, "M, N"> -> !Block
    %i = tcp.to_hbm %b at 4096 : !tcp.host<f32, #matrix, "A, B"> -> !Hbm
    %r = tcp.launch @kernel(%h, %i) : (!Block, !Hbm) -> !Hbm
    %o = tcp.to_host %r : !Hbm -> !tcp.host<f32, #matrix, "A, B">
    return %o : !tcp.host<f32, #matrix, "A, B">
  }
  func.func @kernel(%block: !Block, %into: !Hbm) -> !Hbm {
    %dm = tcp.to_dm %block at 0 : !Block -> !Dm
    %r = tcp.to_hbm_view %dm into %into at 88 as !Part : !Dm, !Hbm
    return %r : !Hbm
  }
  func.func @straight(%block: !Block, %into: !Hbm) -> !Hbm {
    %r = tcp.to_hbm_view %block into %into at 88 as !Part : !Block, !Hbm
    return %r : !Hbm
  }
}
