// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A bitcast has no memory of its own: it keeps the tensor it is of alive, in HBM, in
// DM and in the VRF.
// RUN: sequin-opt %s --split-input-file --tcp-check-machine --verify-diagnostics

#axes = #stream.axes<A = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">
!Hbm = !tcp.hbm<i32, #axes, "1", "A">
!Float = !tcp.hbm<f32, #axes, "1", "A">
!Dm = !tcp.dm<i32, #grid, "A % 8">
!FloatDm = !tcp.dm<f32, #grid, "A % 8">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @data_memory(%in: !Hbm) -> !Float {
    // expected-note@+1 {{other tensor placed here}}
    %dm = tcp.to_dm %in at 0 : !Hbm -> !Dm
    %bits = tcp.bitcast %dm : !Dm -> !FloatDm
    // expected-error@+1 {{DM tensor at bytes [16, 48) overlaps one at [0, 32) that is still needed}}
    %other = tcp.to_dm %in at 16 : !Hbm -> !Dm
    %r = tcp.to_hbm %bits at 4096 : !FloatDm -> !Float
    return %r : !Float
  }
}

// -----

#axes = #stream.axes<A = 64>
!Hbm = !tcp.hbm<i32, #axes, "1", "A">
!Float = !tcp.hbm<f32, #axes, "1", "A">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @replaced(%in: !Hbm, %part: !Hbm) -> !Float {
    %bits = tcp.bitcast %in : !Hbm -> !Float
    // expected-error@+1 {{replaces a part of a tensor whose old value is still needed}}
    %new = tcp.to_hbm_view %part into %in at 0 as !Hbm : !Hbm, !Hbm
    // expected-note@+1 {{used here}}
    %r = tcp.to_hbm %bits at 8192 : !Float -> !Float
    return %r : !Float
  }
}

// -----

#axes = #stream.axes<A = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">
!Hbm = !tcp.hbm<f32, #axes, "1", "A">
!Dm = !tcp.dm<f32, #grid, "A % 8">
!Vrf = !tcp.vrf<f32, #grid, "A % 8">
!Bits = !tcp.vrf<i32, #grid, "A % 8">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @register_file(%x: !Dm, %y: !tcp.dm<i32, #grid, "A % 8">) {
    %0 = tcp.begin sub %x : !Dm
    %1 = tcp.fetch %0 f32 "1", "A % 8" : <sub begin f32, #grid, "1", "A % 8">
    %2 = tcp.collect %1 "1", "A % 8" : <sub fetch f32, #grid, "1", "A % 8">
    // expected-note@+1 {{other tensor placed here}}
    %v = tcp.to_vrf %2 at 0 "A % 8" : <sub collect f32, #grid, "1", "A % 8">
    %bits = tcp.bitcast %v : !Vrf -> !Bits
    %3 = tcp.begin sub %x : !Dm
    %4 = tcp.fetch %3 f32 "1", "A % 8" : <sub begin f32, #grid, "1", "A % 8">
    %5 = tcp.collect %4 "1", "A % 8" : <sub fetch f32, #grid, "1", "A % 8">
    // expected-error@+1 {{VRF tensor at bytes [0, 32) overlaps one at [0, 32) that is still needed}}
    %w = tcp.to_vrf %5 at 0 "A % 8" : <sub collect f32, #grid, "1", "A % 8">
    %6 = tcp.begin main %y : !tcp.dm<i32, #grid, "A % 8">
    %7 = tcp.fetch %6 i32 "1", "A % 8" : <main begin i32, #grid, "1", "A % 8">
    %8 = tcp.collect %7 "1", "A % 8" : <main fetch i32, #grid, "1", "A % 8">
    %9 = tcp.vector_init %8 : <main collect i32, #grid, "1", "A % 8">
    %10 = tcp.vector_intra_slice_branch %9 Unconditional : <main vector_init i32, #grid, "1", "A % 8">
    %11 = tcp.vector_logic %10 BitAnd, %bits : <main vector_branch i32, #grid, "1", "A % 8">, !Bits
    %12 = tcp.vector_final %11 : <main vector_logic i32, #grid, "1", "A % 8">
    %13 = tcp.commit %12 at 4096 "A % 8" : <main vector_final i32, #grid, "1", "A % 8">
    return
  }
}
