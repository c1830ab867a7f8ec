// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The maximum over a sequence in four chunks of 128 steps (TCP manual, Split
// Reduce): T steps of F features, which are on the slices. An interleaved fetch
// takes two tensors, so the four maxima are joined as a tree of pairs.

#axes = #stream.axes<T = 128, F = 2048, I = 2>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "F / 8">

!Dm1 = !tcp.dm<bf16, #grid, "T, F % 8">
!Dm2 = !tcp.dm<f32, #grid, "F % 8">
!Hbm1 = !tcp.hbm<bf16, #axes, "1", "T, F">
!Hbm2 = !tcp.hbm<f32, #axes, "1", "F">
!Host1 = !tcp.host<bf16, #axes, "T, F">
!Host2 = !tcp.host<f32, #axes, "F">

module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%chunk_0: !Host1, %chunk_1: !Host1, %chunk_2: !Host1, %chunk_3: !Host1) -> !Host2 {
    %chunk_0_hbm = tcp.to_hbm %chunk_0 at 0 : !Host1 -> !Hbm1
    %chunk_1_hbm = tcp.to_hbm %chunk_1 at 268435456 : !Host1 -> !Hbm1
    %chunk_2_hbm = tcp.to_hbm %chunk_2 at 536870912 : !Host1 -> !Hbm1
    %chunk_3_hbm = tcp.to_hbm %chunk_3 at 805306368 : !Host1 -> !Hbm1
    %r = tcp.launch @kernel(%chunk_0_hbm, %chunk_1_hbm, %chunk_2_hbm, %chunk_3_hbm) : (!Hbm1, !Hbm1, !Hbm1, !Hbm1) -> !Hbm2
    %o0 = tcp.to_host %r : !Hbm2 -> !Host2
    return %o0 : !Host2
  }

  func.func @kernel(%chunk_0: !Hbm1, %chunk_1: !Hbm1, %chunk_2: !Hbm1, %chunk_3: !Hbm1) -> !Hbm2 {
    %dm_0 = tcp.to_dm %chunk_0 at 0 : !Hbm1 -> !Dm1
    %dm_1 = tcp.to_dm %chunk_1 at 8192 : !Hbm1 -> !Dm1
    %dm_2 = tcp.to_dm %chunk_2 at 16384 : !Hbm1 -> !Dm1
    %dm_3 = tcp.to_dm %chunk_3 at 24576 : !Hbm1 -> !Dm1

    // The maximum of each chunk over its steps.
    %0 = tcp.begin main %dm_0 : !Dm1
    %1 = tcp.fetch %0 f32 "T", "F % 8" : <main begin bf16, #grid, "1", "T, F % 8">
    %2 = tcp.collect %1 "T", "F % 8" : <main fetch f32, #grid, "T", "F % 8">
    %3 = tcp.vector_init %2 : <main collect f32, #grid, "T", "F % 8">
    %4 = tcp.vector_intra_slice_branch %3 Unconditional : <main vector_init f32, #grid, "T", "F % 8">
    %5 = tcp.vector_split %4 "T, F / 4 % 2", "F % 4" : <main vector_branch f32, #grid, "T", "F % 8">
    %6 = tcp.vector_intra_slice_reduce %5 Max "T" "F / 4 % 2", "F % 4" : <main vector_narrow f32, #grid, "T, F / 4 % 2", "F % 4">
    %7 = tcp.vector_concat %6 "1", "F % 8" : <main vector_intra_slice_reduce f32, #grid, "F / 4 % 2", "F % 4">
    %8 = tcp.vector_final %7 : <main vector_widen f32, #grid, "1", "F % 8">
    %max_0 = tcp.commit %8 at 32768 "F % 8" : <main vector_final f32, #grid, "1", "F % 8">
    %9 = tcp.begin main %dm_1 : !Dm1
    %10 = tcp.fetch %9 f32 "T", "F % 8" : <main begin bf16, #grid, "1", "T, F % 8">
    %11 = tcp.collect %10 "T", "F % 8" : <main fetch f32, #grid, "T", "F % 8">
    %12 = tcp.vector_init %11 : <main collect f32, #grid, "T", "F % 8">
    %13 = tcp.vector_intra_slice_branch %12 Unconditional : <main vector_init f32, #grid, "T", "F % 8">
    %14 = tcp.vector_split %13 "T, F / 4 % 2", "F % 4" : <main vector_branch f32, #grid, "T", "F % 8">
    %15 = tcp.vector_intra_slice_reduce %14 Max "T" "F / 4 % 2", "F % 4" : <main vector_narrow f32, #grid, "T, F / 4 % 2", "F % 4">
    %16 = tcp.vector_concat %15 "1", "F % 8" : <main vector_intra_slice_reduce f32, #grid, "F / 4 % 2", "F % 4">
    %17 = tcp.vector_final %16 : <main vector_widen f32, #grid, "1", "F % 8">
    %max_1 = tcp.commit %17 at 33792 "F % 8" : <main vector_final f32, #grid, "1", "F % 8">
    %18 = tcp.begin main %dm_2 : !Dm1
    %19 = tcp.fetch %18 f32 "T", "F % 8" : <main begin bf16, #grid, "1", "T, F % 8">
    %20 = tcp.collect %19 "T", "F % 8" : <main fetch f32, #grid, "T", "F % 8">
    %21 = tcp.vector_init %20 : <main collect f32, #grid, "T", "F % 8">
    %22 = tcp.vector_intra_slice_branch %21 Unconditional : <main vector_init f32, #grid, "T", "F % 8">
    %23 = tcp.vector_split %22 "T, F / 4 % 2", "F % 4" : <main vector_branch f32, #grid, "T", "F % 8">
    %24 = tcp.vector_intra_slice_reduce %23 Max "T" "F / 4 % 2", "F % 4" : <main vector_narrow f32, #grid, "T, F / 4 % 2", "F % 4">
    %25 = tcp.vector_concat %24 "1", "F % 8" : <main vector_intra_slice_reduce f32, #grid, "F / 4 % 2", "F % 4">
    %26 = tcp.vector_final %25 : <main vector_widen f32, #grid, "1", "F % 8">
    %max_2 = tcp.commit %26 at 34816 "F % 8" : <main vector_final f32, #grid, "1", "F % 8">
    %27 = tcp.begin main %dm_3 : !Dm1
    %28 = tcp.fetch %27 f32 "T", "F % 8" : <main begin bf16, #grid, "1", "T, F % 8">
    %29 = tcp.collect %28 "T", "F % 8" : <main fetch f32, #grid, "T", "F % 8">
    %30 = tcp.vector_init %29 : <main collect f32, #grid, "T", "F % 8">
    %31 = tcp.vector_intra_slice_branch %30 Unconditional : <main vector_init f32, #grid, "T", "F % 8">
    %32 = tcp.vector_split %31 "T, F / 4 % 2", "F % 4" : <main vector_branch f32, #grid, "T", "F % 8">
    %33 = tcp.vector_intra_slice_reduce %32 Max "T" "F / 4 % 2", "F % 4" : <main vector_narrow f32, #grid, "T, F / 4 % 2", "F % 4">
    %34 = tcp.vector_concat %33 "1", "F % 8" : <main vector_intra_slice_reduce f32, #grid, "F / 4 % 2", "F % 4">
    %35 = tcp.vector_final %34 : <main vector_widen f32, #grid, "1", "F % 8">
    %max_3 = tcp.commit %35 at 35840 "F % 8" : <main vector_final f32, #grid, "1", "F % 8">

    // Pairs, then the pair of pairs.
    %36 = tcp.begin_interleaved main "I" %max_0, %max_1 : !Dm2
    %37 = tcp.fetch %36 f32 "I", "F % 8" : <main begin f32, #grid, "I", "F % 8">
    %38 = tcp.collect %37 "I", "F % 8" : <main fetch f32, #grid, "I", "F % 8">
    %39 = tcp.vector_init %38 : <main collect f32, #grid, "I", "F % 8">
    %40 = tcp.vector_intra_slice_unzip %39 "I", "1 # 2", "1" : <main vector_init f32, #grid, "I", "F % 8">
    %41 = tcp.vector_clip_zip %40 Max : <main vector_branch f32, #grid, "1", "F % 8">
    %42 = tcp.vector_final %41 : <main vector_clip f32, #grid, "1", "F % 8">
    %max_01 = tcp.commit %42 at 40960 "F % 8" : <main vector_final f32, #grid, "1", "F % 8">
    %43 = tcp.begin_interleaved main "I" %max_2, %max_3 : !Dm2
    %44 = tcp.fetch %43 f32 "I", "F % 8" : <main begin f32, #grid, "I", "F % 8">
    %45 = tcp.collect %44 "I", "F % 8" : <main fetch f32, #grid, "I", "F % 8">
    %46 = tcp.vector_init %45 : <main collect f32, #grid, "I", "F % 8">
    %47 = tcp.vector_intra_slice_unzip %46 "I", "1 # 2", "1" : <main vector_init f32, #grid, "I", "F % 8">
    %48 = tcp.vector_clip_zip %47 Max : <main vector_branch f32, #grid, "1", "F % 8">
    %49 = tcp.vector_final %48 : <main vector_clip f32, #grid, "1", "F % 8">
    %max_23 = tcp.commit %49 at 41984 "F % 8" : <main vector_final f32, #grid, "1", "F % 8">
    %50 = tcp.begin_interleaved main "I" %max_01, %max_23 : !Dm2
    %51 = tcp.fetch %50 f32 "I", "F % 8" : <main begin f32, #grid, "I", "F % 8">
    %52 = tcp.collect %51 "I", "F % 8" : <main fetch f32, #grid, "I", "F % 8">
    %53 = tcp.vector_init %52 : <main collect f32, #grid, "I", "F % 8">
    %54 = tcp.vector_intra_slice_unzip %53 "I", "1 # 2", "1" : <main vector_init f32, #grid, "I", "F % 8">
    %55 = tcp.vector_clip_zip %54 Max : <main vector_branch f32, #grid, "1", "F % 8">
    %56 = tcp.vector_final %55 : <main vector_clip f32, #grid, "1", "F % 8">
    %max = tcp.commit %56 at 43008 "F % 8" : <main vector_final f32, #grid, "1", "F % 8">
    %57 = tcp.to_hbm %max at 2147483648 : !Dm2 -> !Hbm2
    return %57 : !Hbm2
  }
}
