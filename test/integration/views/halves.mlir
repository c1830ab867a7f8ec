// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The upper halves of f32 words are bf16: computed as i16, read as what they are.
// RUN: rm -rf %t && %python %S/Inputs/views.py make halves %t
// RUN: sequin-run %s --input %t/in0.npy --output %t/out.npy --verify
// RUN: %python %S/Inputs/views.py check halves %t out.npy | FileCheck %s
// CHECK: halves: 64 results equal NumPy's

#axes = #stream.axes<A = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">
!Host = !tcp.host<f32, #axes, "A">
!Hbm = !tcp.hbm<f32, #axes, "1", "A">
!Bits = !tcp.hbm<i32, #axes, "1", "A">
!Half = !tcp.hbm<bf16, #axes, "1", "A">
!Dm = !tcp.dm<i32, #grid, "A % 8">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !Host) -> !tcp.host<bf16, #axes, "A"> {
    %x = tcp.to_hbm %a at 0 : !Host -> !Hbm
    %r = tcp.launch @kernel(%x) : (!Hbm) -> !Half
    %o = tcp.to_host %r : !Half -> !tcp.host<bf16, #axes, "A">
    return %o : !tcp.host<bf16, #axes, "A">
  }
  func.func @kernel(%x: !Hbm) -> !Half {
    %bits = tcp.bitcast %x : !Hbm -> !Bits
    %xd = tcp.to_dm %bits at 0 : !Bits -> !Dm
    %6 = tcp.begin main %xd : !Dm
    %7 = tcp.fetch %6 i32 "1", "A % 8" : <main begin i32, #grid, "1", "A % 8">
    %8 = tcp.collect %7 "1", "A % 8" : <main fetch i32, #grid, "1", "A % 8">
    %9 = tcp.vector_init %8 : <main collect i32, #grid, "1", "A % 8">
    %10 = tcp.vector_intra_slice_branch %9 Unconditional : <main vector_init i32, #grid, "1", "A % 8">
    %11 = tcp.vector_fxp %10 ArithRightShift(16 : i32) : <main vector_branch i32, #grid, "1", "A % 8">
    %12 = tcp.vector_final %11 : <main vector_fxp i32, #grid, "1", "A % 8">
    %13 = tcp.cast %12 i16 "A % 8 # 16" : <main vector_final i32, #grid, "1", "A % 8">
    %14 = tcp.commit %13 at 4096 "A % 8" : <main cast i16, #grid, "1", "A % 8 # 16">
    %15 = tcp.bitcast %14 : !tcp.dm<i16, #grid, "A % 8"> -> !tcp.dm<bf16, #grid, "A % 8">
    %16 = tcp.to_hbm %15 at 8192 : !tcp.dm<bf16, #grid, "A % 8"> -> !Half
    return %16 : !Half
  }
}
