// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// ReduceScatter over four chips (TCP manual, Chip/Cluster Reduce): chip c gets the
// sum over A of B = c. Four times, every chip takes one element of its row of B,
// another one on every chip (an asymmetric slice, copied in the sub context), and
// the elements change chips through HBM so that chip c holds one of column c; then
// every chip adds what it holds.

#axes = #stream.axes<A = 4, B = 4, I = 2>
#grid = #tcp.grid<#axes, chip "A", cluster "1 # 2", slice "1 # 256">

!Host = !tcp.host<i8, #axes, "A, B">
!Sums = !tcp.host<i32, #axes, "A">
!Hbm = !tcp.hbm<i8, #axes, "A", "B # 8">
!HbmOne = !tcp.hbm<i8, #axes, "A", "1 # 8">
!HbmSums = !tcp.hbm<i32, #axes, "A", "1 # 8">
!Dm = !tcp.dm<i8, #grid, "B # 8">
!One = !tcp.dm<i8, #grid, "1 # 8">

module attributes {tcp.target = #tcp.target<"rngd", chips = 4>} {
  func.func @main(%input: !Host) -> !Sums {
    %in = tcp.to_hbm %input at 0 : !Host -> !Hbm
    %r = tcp.launch @kernel(%in) : (!Hbm) -> !HbmSums
    %out = tcp.to_host %r : !HbmSums -> !Sums
    return %out : !Sums
  }

  func.func @kernel(%in: !Hbm) -> !HbmSums {
    %in_dm = tcp.to_dm %in at 0 : !Hbm -> !Dm
    %v0 = tcp.tile %in_dm "B" at [0, 1, 2, 3] size 1 "B = 1 # 8" : !Dm
    %s00 = tcp.begin sub %v0 : !tcp.dm<i8, #grid, "B = 1 # 8">
    %s01 = tcp.fetch %s00 i8 "1", "1 # 8" : <sub begin i8, #grid, "1", "B = 1 # 8">
    %s02 = tcp.collect %s01 "1", "1 # 32" : <sub fetch i8, #grid, "1", "1 # 8">
    %d0 = tcp.commit %s02 at 64 "1 # 8" : <sub collect i8, #grid, "1", "1 # 32">
    %v1 = tcp.tile %in_dm "B" at [3, 0, 1, 2] size 1 "B = 1 # 8" : !Dm
    %s10 = tcp.begin sub %v1 : !tcp.dm<i8, #grid, "B = 1 # 8">
    %s11 = tcp.fetch %s10 i8 "1", "1 # 8" : <sub begin i8, #grid, "1", "B = 1 # 8">
    %s12 = tcp.collect %s11 "1", "1 # 32" : <sub fetch i8, #grid, "1", "1 # 8">
    %d1 = tcp.commit %s12 at 128 "1 # 8" : <sub collect i8, #grid, "1", "1 # 32">
    %o1 = tcp.to_hbm %d1 at 4096 : !One -> !HbmOne
    %x1 = tcp.chip_shuffle %o1 [1, 2, 3, 0] at 6144 : !HbmOne
    %t1 = tcp.to_dm %x1 at 576 : !HbmOne -> !One
    %v2 = tcp.tile %in_dm "B" at [2, 3, 0, 1] size 1 "B = 1 # 8" : !Dm
    %s20 = tcp.begin sub %v2 : !tcp.dm<i8, #grid, "B = 1 # 8">
    %s21 = tcp.fetch %s20 i8 "1", "1 # 8" : <sub begin i8, #grid, "1", "B = 1 # 8">
    %s22 = tcp.collect %s21 "1", "1 # 32" : <sub fetch i8, #grid, "1", "1 # 8">
    %d2 = tcp.commit %s22 at 192 "1 # 8" : <sub collect i8, #grid, "1", "1 # 32">
    %o2 = tcp.to_hbm %d2 at 8192 : !One -> !HbmOne
    %x2 = tcp.chip_shuffle %o2 [2, 3, 0, 1] at 10240 : !HbmOne
    %t2 = tcp.to_dm %x2 at 640 : !HbmOne -> !One
    %v3 = tcp.tile %in_dm "B" at [1, 2, 3, 0] size 1 "B = 1 # 8" : !Dm
    %s30 = tcp.begin sub %v3 : !tcp.dm<i8, #grid, "B = 1 # 8">
    %s31 = tcp.fetch %s30 i8 "1", "1 # 8" : <sub begin i8, #grid, "1", "B = 1 # 8">
    %s32 = tcp.collect %s31 "1", "1 # 32" : <sub fetch i8, #grid, "1", "1 # 8">
    %d3 = tcp.commit %s32 at 256 "1 # 8" : <sub collect i8, #grid, "1", "1 # 32">
    %o3 = tcp.to_hbm %d3 at 12288 : !One -> !HbmOne
    %x3 = tcp.chip_shuffle %o3 [3, 0, 1, 2] at 14336 : !HbmOne
    %t3 = tcp.to_dm %x3 at 704 : !HbmOne -> !One
    %a0 = tcp.begin_interleaved main "I" %d0, %t1 : !tcp.dm<i8, #grid, "1 # 8">
    %a1 = tcp.fetch %a0 i32 "I", "1 # 8" : <main begin i8, #grid, "I", "1 # 8">
    %a2 = tcp.collect %a1 "I", "1 # 8" : <main fetch i32, #grid, "I", "1 # 8">
    %a3 = tcp.vector_init %a2 : <main collect i32, #grid, "I", "1 # 8">
    %a4 = tcp.vector_intra_slice_unzip %a3 "I", "1 # 2", "1" : <main vector_init i32, #grid, "I", "1 # 8">
    %a5 = tcp.vector_clip_zip %a4 AddFxp : <main vector_branch i32, #grid, "1", "1 # 8">
    %a6 = tcp.vector_final %a5 : <main vector_clip i32, #grid, "1", "1 # 8">
    %t01 = tcp.commit %a6 at 1024 "1 # 8" : <main vector_final i32, #grid, "1", "1 # 8">
    %b0 = tcp.begin_interleaved main "I" %t2, %t3 : !tcp.dm<i8, #grid, "1 # 8">
    %b1 = tcp.fetch %b0 i32 "I", "1 # 8" : <main begin i8, #grid, "I", "1 # 8">
    %b2 = tcp.collect %b1 "I", "1 # 8" : <main fetch i32, #grid, "I", "1 # 8">
    %b3 = tcp.vector_init %b2 : <main collect i32, #grid, "I", "1 # 8">
    %b4 = tcp.vector_intra_slice_unzip %b3 "I", "1 # 2", "1" : <main vector_init i32, #grid, "I", "1 # 8">
    %b5 = tcp.vector_clip_zip %b4 AddFxp : <main vector_branch i32, #grid, "1", "1 # 8">
    %b6 = tcp.vector_final %b5 : <main vector_clip i32, #grid, "1", "1 # 8">
    %t23 = tcp.commit %b6 at 1088 "1 # 8" : <main vector_final i32, #grid, "1", "1 # 8">
    %c0 = tcp.begin_interleaved main "I" %t01, %t23 : !tcp.dm<i32, #grid, "1 # 8">
    %c1 = tcp.fetch %c0 i32 "I", "1 # 8" : <main begin i32, #grid, "I", "1 # 8">
    %c2 = tcp.collect %c1 "I", "1 # 8" : <main fetch i32, #grid, "I", "1 # 8">
    %c3 = tcp.vector_init %c2 : <main collect i32, #grid, "I", "1 # 8">
    %c4 = tcp.vector_intra_slice_unzip %c3 "I", "1 # 2", "1" : <main vector_init i32, #grid, "I", "1 # 8">
    %c5 = tcp.vector_clip_zip %c4 AddFxp : <main vector_branch i32, #grid, "1", "1 # 8">
    %c6 = tcp.vector_final %c5 : <main vector_clip i32, #grid, "1", "1 # 8">
    %sum = tcp.commit %c6 at 1152 "1 # 8" : <main vector_final i32, #grid, "1", "1 # 8">
    %out = tcp.to_hbm %sum at 268435456 : !tcp.dm<i32, #grid, "1 # 8"> -> !HbmSums
    return %out : !HbmSums
  }
}
