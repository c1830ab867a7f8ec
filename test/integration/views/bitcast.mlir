// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bits of floats: a bitcast of the argument in HBM, of the operand in the VRF and of
// the result in DM. No command comes of any of them.
// RUN: rm -rf %t && %python %S/Inputs/views.py make bitcast %t
// RUN: sequin-run %s --input %t/in0.npy --input %t/in1.npy --output %t/out.npy --verify
// RUN: %python %S/Inputs/views.py check bitcast %t out.npy | FileCheck %s
// CHECK: bitcast: 64 results equal NumPy's
// RUN: sequin-opt %s --tcp-to-config | FileCheck %s --check-prefix=CONFIG
// CONFIG-NOT: bitcast

#axes = #stream.axes<A = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">
!Host = !tcp.host<f32, #axes, "A">
!Hbm = !tcp.hbm<f32, #axes, "1", "A">
!Bits = !tcp.hbm<i32, #axes, "1", "A">
!Dm = !tcp.dm<f32, #grid, "A % 8">
!BitsDm = !tcp.dm<i32, #grid, "A % 8">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !Host, %b: !Host) -> !Host {
    %x = tcp.to_hbm %a at 0 : !Host -> !Hbm
    %y = tcp.to_hbm %b at 4096 : !Host -> !Hbm
    %r = tcp.launch @kernel(%x, %y) : (!Hbm, !Hbm) -> !Hbm
    %o = tcp.to_host %r : !Hbm -> !Host
    return %o : !Host
  }
  func.func @kernel(%x: !Hbm, %y: !Hbm) -> !Hbm {
    %bits = tcp.bitcast %x : !Hbm -> !Bits
    %xd = tcp.to_dm %bits at 0 : !Bits -> !BitsDm
    %yd = tcp.to_dm %y at 256 : !Hbm -> !Dm
    %0 = tcp.begin sub %yd : !Dm
    %1 = tcp.fetch %0 f32 "1", "A % 8" : <sub begin f32, #grid, "1", "A % 8">
    %2 = tcp.collect %1 "1", "A % 8" : <sub fetch f32, #grid, "1", "A % 8">
    %3 = tcp.to_vrf %2 at 0 "A % 8" : <sub collect f32, #grid, "1", "A % 8">
    %v = tcp.bitcast %3 : !tcp.vrf<f32, #grid, "A % 8"> -> !tcp.vrf<i32, #grid, "A % 8">
    %6 = tcp.begin main %xd : !BitsDm
    %7 = tcp.fetch %6 i32 "1", "A % 8" : <main begin i32, #grid, "1", "A % 8">
    %8 = tcp.collect %7 "1", "A % 8" : <main fetch i32, #grid, "1", "A % 8">
    %9 = tcp.vector_init %8 : <main collect i32, #grid, "1", "A % 8">
    %10 = tcp.vector_intra_slice_branch %9 Unconditional : <main vector_init i32, #grid, "1", "A % 8">
    %11 = tcp.vector_logic %10 BitAnd, %v : <main vector_branch i32, #grid, "1", "A % 8">, !tcp.vrf<i32, #grid, "A % 8">
    %12 = tcp.vector_final %11 : <main vector_logic i32, #grid, "1", "A % 8">
    %13 = tcp.commit %12 at 4096 "A % 8" : <main vector_final i32, #grid, "1", "A % 8">
    %14 = tcp.bitcast %13 : !BitsDm -> !Dm
    %15 = tcp.to_hbm %14 at 8192 : !Dm -> !Hbm
    return %15 : !Hbm
  }
}
