// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// AllReduce over four chips (TCP manual, Chip/Cluster Reduce): three rotations of
// the tensor by ChipShuffle, then every chip adds the four it holds, two at a
// time by interleaved fetch.
//
// What chip c holds as A = c comes from another chip after a shuffle, so the sum
// over the rotations is the sum over A, on every chip.

#axes = #stream.axes<A = 4, B = 4, I = 2>
#grid = #tcp.grid<#axes, chip "A", cluster "1 # 2", slice "1 # 256">

!Host = !tcp.host<i8, #axes, "A, B">
!Sums = !tcp.host<i32, #axes, "A, B">
!Hbm = !tcp.hbm<i8, #axes, "A", "B # 8">
!HbmSums = !tcp.hbm<i32, #axes, "A", "B # 8">
!Dm = !tcp.dm<i8, #grid, "B # 8">

module attributes {tcp.target = #tcp.target<"rngd", chips = 4>} {
  func.func @main(%input: !Host) -> !Sums {
    %in = tcp.to_hbm %input at 0 : !Host -> !Hbm
    %r = tcp.launch @kernel(%in) : (!Hbm) -> !HbmSums
    %out = tcp.to_host %r : !HbmSums -> !Sums
    return %out : !Sums
  }

  func.func @kernel(%in: !Hbm) -> !HbmSums {
    %h1 = tcp.chip_shuffle %in [1, 2, 3, 0] at 4096 : !Hbm
    %h2 = tcp.chip_shuffle %in [2, 3, 0, 1] at 8192 : !Hbm
    %h3 = tcp.chip_shuffle %in [3, 0, 1, 2] at 12288 : !Hbm
    %t0 = tcp.to_dm %in at 0 : !Hbm -> !Dm
    %t1 = tcp.to_dm %h1 at 64 : !Hbm -> !Dm
    %t2 = tcp.to_dm %h2 at 128 : !Hbm -> !Dm
    %t3 = tcp.to_dm %h3 at 192 : !Hbm -> !Dm
    %a0 = tcp.begin_interleaved main "I" %t0, %t1 : !tcp.dm<i8, #grid, "B # 8">
    %a1 = tcp.fetch %a0 i32 "I", "B # 8" : <main begin i8, #grid, "I", "B # 8">
    %a2 = tcp.collect %a1 "I", "B # 8" : <main fetch i32, #grid, "I", "B # 8">
    %a3 = tcp.vector_init %a2 : <main collect i32, #grid, "I", "B # 8">
    %a4 = tcp.vector_intra_slice_unzip %a3 "I", "1 # 2", "1" : <main vector_init i32, #grid, "I", "B # 8">
    %a5 = tcp.vector_clip_zip %a4 AddFxp : <main vector_branch i32, #grid, "1", "B # 8">
    %a6 = tcp.vector_final %a5 : <main vector_clip i32, #grid, "1", "B # 8">
    %t01 = tcp.commit %a6 at 256 "B # 8" : <main vector_final i32, #grid, "1", "B # 8">
    %b0 = tcp.begin_interleaved main "I" %t2, %t3 : !tcp.dm<i8, #grid, "B # 8">
    %b1 = tcp.fetch %b0 i32 "I", "B # 8" : <main begin i8, #grid, "I", "B # 8">
    %b2 = tcp.collect %b1 "I", "B # 8" : <main fetch i32, #grid, "I", "B # 8">
    %b3 = tcp.vector_init %b2 : <main collect i32, #grid, "I", "B # 8">
    %b4 = tcp.vector_intra_slice_unzip %b3 "I", "1 # 2", "1" : <main vector_init i32, #grid, "I", "B # 8">
    %b5 = tcp.vector_clip_zip %b4 AddFxp : <main vector_branch i32, #grid, "1", "B # 8">
    %b6 = tcp.vector_final %b5 : <main vector_clip i32, #grid, "1", "B # 8">
    %t23 = tcp.commit %b6 at 320 "B # 8" : <main vector_final i32, #grid, "1", "B # 8">
    %c0 = tcp.begin_interleaved main "I" %t01, %t23 : !tcp.dm<i32, #grid, "B # 8">
    %c1 = tcp.fetch %c0 i32 "I", "B # 8" : <main begin i32, #grid, "I", "B # 8">
    %c2 = tcp.collect %c1 "I", "B # 8" : <main fetch i32, #grid, "I", "B # 8">
    %c3 = tcp.vector_init %c2 : <main collect i32, #grid, "I", "B # 8">
    %c4 = tcp.vector_intra_slice_unzip %c3 "I", "1 # 2", "1" : <main vector_init i32, #grid, "I", "B # 8">
    %c5 = tcp.vector_clip_zip %c4 AddFxp : <main vector_branch i32, #grid, "1", "B # 8">
    %c6 = tcp.vector_final %c5 : <main vector_clip i32, #grid, "1", "B # 8">
    %sum = tcp.commit %c6 at 384 "B # 8" : <main vector_final i32, #grid, "1", "B # 8">
    %out = tcp.to_hbm %sum at 268435456 : !tcp.dm<i32, #grid, "B # 8"> -> !HbmSums
    return %out : !HbmSums
  }
}
