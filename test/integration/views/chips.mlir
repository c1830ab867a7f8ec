// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// On four chips a view is of the same part of each: the chips get names of their
// own too.
// RUN: rm -rf %t && %python %S/Inputs/views.py make chips %t
// RUN: sequin-run %s --chips 4 --input %t/in0.npy --output %t/out.npy --verify
// RUN: %python %S/Inputs/views.py check chips %t out.npy | FileCheck %s
// CHECK: chips: 768 results equal NumPy's

#source = #stream.axes<A = 4, B = 6, C = 32>
#other = #stream.axes<P = 4, Q = 2, R = 96>
#grid = #tcp.grid<#other, chip "P", cluster "1 # 2", slice "R / 8 # 256">
!Hbm = !tcp.hbm<i8, #source, "A", "B, C">
!View = !tcp.hbm<i8, #other, "P", "Q, R">
!Half = !tcp.hbm<i8, #other, "P", "Q = 1, R">
!Dm = !tcp.dm<i8, #grid, "Q = 1, R % 8">
module attributes {tcp.target = #tcp.target<"rngd", chips = 4>} {
  func.func @main(%a: !tcp.host<i8, #source, "A, B, C">) -> !tcp.host<i8, #other, "P, Q, R"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<i8, #source, "A, B, C"> -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !View
    %o = tcp.to_host %r : !View -> !tcp.host<i8, #other, "P, Q, R">
    return %o : !tcp.host<i8, #other, "P, Q, R">
  }
  func.func @kernel(%in: !Hbm) -> !View {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %out = tcp.from_address 4096 : !View
    %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %out) -> (!View) {
      %v = tcp.view %in at %i * 96 : !Hbm -> !Half
      %dm = tcp.to_dm %v at 0 : !Half -> !Dm
      %new = tcp.to_hbm_view %dm into %acc at %i * 96 as !Half : !Dm, !View
      scf.yield %new : !View
    }
    return %r : !View
  }
}
