// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every fourth element from the second on: the padding between is the stride, and
// that behind the last one may lie outside. From HBM to HBM at any byte.
// RUN: rm -rf %t && %python %S/Inputs/views.py make strides %t
// RUN: sequin-run %s --input %t/in0.npy --output %t/out.npy --verify
// RUN: %python %S/Inputs/views.py check strides %t out.npy | FileCheck %s
// CHECK: strides: 16 results equal NumPy's

#source = #stream.axes<A = 64>
#every = #stream.axes<X = 16>
!Hbm = !tcp.hbm<f32, #source, "1", "A">
!Every = !tcp.hbm<f32, #every, "1", "X, 1 # 4">
!Out = !tcp.hbm<f32, #every, "1", "X">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !tcp.host<f32, #source, "A">) -> !tcp.host<f32, #every, "X"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<f32, #source, "A"> -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !Out
    %o = tcp.to_host %r : !Out -> !tcp.host<f32, #every, "X">
    return %o : !tcp.host<f32, #every, "X">
  }
  func.func @kernel(%in: !Hbm) -> !Out {
    %v = tcp.view %in at 1 : !Hbm -> !Every
    %r = tcp.to_hbm %v at 4096 : !Every -> !Out
    return %r : !Out
  }
}
