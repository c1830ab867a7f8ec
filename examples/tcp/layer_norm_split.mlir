// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Layer normalization with the hidden axis in two tensors of K elements (TCP
// manual, Split Reduce): the sums of both are formed apart and combined by
// interleaved fetch, first for the mean, then for the variance.
//
//   mean = (sum_0 + sum_1) / (2 K),  std = sqrt(squares / (2 K) + epsilon)

#axes = #stream.axes<B = 8, S = 64, K = 256, I = 2>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "B, S / 2">

!Dm1 = !tcp.dm<bf16, #grid, "S % 2, K">
!Dm2 = !tcp.dm<bf16, #grid, "K">
!Dm3 = !tcp.dm<f32, #grid, "S % 2, 1 # 2">
!Hbm1 = !tcp.hbm<bf16, #axes, "1", "B, S, K">
!Hbm2 = !tcp.hbm<bf16, #axes, "1", "K">
!Hbm3 = !tcp.hbm<f32, #axes, "1", "B, S">
!Host1 = !tcp.host<bf16, #axes, "B, S, K">
!Host2 = !tcp.host<bf16, #axes, "K">
!Host3 = !tcp.host<f32, #axes, "B, S">
!Trf1 = !tcp.trf<bf16, #grid, "1", "K">
!Vrf1 = !tcp.vrf<f32, #grid, "S % 2, 1 # 8">

module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%chunk_0: !Host1, %chunk_1: !Host1, %ones: !Host2) -> (!Host3, !Host3, !Host1, !Host1) {
    %chunk_0_hbm = tcp.to_hbm %chunk_0 at 0 : !Host1 -> !Hbm1
    %chunk_1_hbm = tcp.to_hbm %chunk_1 at 268435456 : !Host1 -> !Hbm1
    %ones_hbm = tcp.to_hbm %ones at 536870912 : !Host2 -> !Hbm2
    %r:4 = tcp.launch @kernel(%chunk_0_hbm, %chunk_1_hbm, %ones_hbm) : (!Hbm1, !Hbm1, !Hbm2) -> (!Hbm3, !Hbm3, !Hbm1, !Hbm1)
    %o0 = tcp.to_host %r#0 : !Hbm3 -> !Host3
    %o1 = tcp.to_host %r#1 : !Hbm3 -> !Host3
    %o2 = tcp.to_host %r#2 : !Hbm1 -> !Host1
    %o3 = tcp.to_host %r#3 : !Hbm1 -> !Host1
    return %o0, %o1, %o2, %o3 : !Host3, !Host3, !Host1, !Host1
  }

  func.func @kernel(%chunk_0: !Hbm1, %chunk_1: !Hbm1, %ones: !Hbm2) -> (!Hbm3, !Hbm3, !Hbm1, !Hbm1) {
    %dm_0 = tcp.to_dm %chunk_0 at 0 : !Hbm1 -> !Dm1
    %dm_1 = tcp.to_dm %chunk_1 at 1024 : !Hbm1 -> !Dm1
    %ones_dm = tcp.to_dm %ones at 2048 : !Hbm2 -> !Dm2
    %0 = tcp.begin sub %ones_dm : !Dm2
    %1 = tcp.fetch %0 bf16 "1", "K" : <sub begin bf16, #grid, "1", "K">
    %2 = tcp.collect %1 "K / 16", "K % 16" : <sub fetch bf16, #grid, "1", "K">
    %ones_trf = tcp.to_trf %2 Full "1", "K" : <sub collect bf16, #grid, "K / 16", "K % 16">

    // Step 1: the sum of each chunk, in packets and in time by contraction with ones.
    %3 = tcp.begin main %dm_0 : !Dm1
    %4 = tcp.fetch %3 bf16 "S % 2", "K" : <main begin bf16, #grid, "1", "S % 2, K">
    %5 = tcp.collect %4 "S % 2, K / 16", "K % 16" : <main fetch bf16, #grid, "S % 2", "K">
    %6 = tcp.align %5, %ones_trf "S % 2, K / 32", "K % 32" : <main collect bf16, #grid, "S % 2, K / 16", "K % 16">, !Trf1
    %7 = tcp.contract %6 "1" : <main align bf16, #grid, row "1", "S % 2, K / 32", "K % 32">
    %8 = tcp.accumulate %7 Interleaved "S % 2", "1 # 8" : <main contract f32, #grid, row "1", "S % 2, K / 32", "1">
    %sum_0 = tcp.commit %8 at 20480 "S % 2, 1 # 2" : <main accumulate f32, #grid, "S % 2", "1 # 8">
    %9 = tcp.begin main %dm_1 : !Dm1
    %10 = tcp.fetch %9 bf16 "S % 2", "K" : <main begin bf16, #grid, "1", "S % 2, K">
    %11 = tcp.collect %10 "S % 2, K / 16", "K % 16" : <main fetch bf16, #grid, "S % 2", "K">
    %12 = tcp.align %11, %ones_trf "S % 2, K / 32", "K % 32" : <main collect bf16, #grid, "S % 2, K / 16", "K % 16">, !Trf1
    %13 = tcp.contract %12 "1" : <main align bf16, #grid, row "1", "S % 2, K / 32", "K % 32">
    %14 = tcp.accumulate %13 Interleaved "S % 2", "1 # 8" : <main contract f32, #grid, row "1", "S % 2, K / 32", "1">
    %sum_1 = tcp.commit %14 at 21504 "S % 2, 1 # 2" : <main accumulate f32, #grid, "S % 2", "1 # 8">

    // Step 2: both sums in turn, added, and divided by the size of the whole axis.
    %15 = tcp.begin_interleaved main "I" %sum_0, %sum_1 : !Dm3
    %16 = tcp.fetch %15 f32 "S % 2, I", "1 # 2" : <main begin f32, #grid, "I", "S % 2, 1 # 2">
    %17 = tcp.collect %16 "S % 2, I", "1 # 8" : <main fetch f32, #grid, "S % 2, I", "1 # 2">
    %18 = tcp.vector_init %17 : <main collect f32, #grid, "S % 2, I", "1 # 8">
    %19 = tcp.vector_intra_slice_unzip %18 "I", "S % 2, 1 # 2", "S % 2" : <main vector_init f32, #grid, "S % 2, I", "1 # 8">
    %20 = tcp.vector_trim_way4 %19 "1 # 4" : <main vector_branch f32, #grid, "S % 2", "1 # 8">
    %21 = tcp.vector_fp_zip %20 AddF : <main vector_narrow f32, #grid, "S % 2", "1 # 4">
    %22 = tcp.vector_fp_binary %21 MulF0 (0.001953125 : f32) : <main vector_fp f32, #grid, "S % 2", "1 # 4">
    %23 = tcp.vector_pad_way8 %22 "1 # 8" : <main vector_fp f32, #grid, "S % 2", "1 # 4">
    %24 = tcp.vector_final %23 : <main vector_widen f32, #grid, "S % 2", "1 # 8">
    %mean = tcp.commit %24 at 22528 "S % 2, 1 # 2" : <main vector_final f32, #grid, "S % 2", "1 # 8">
    %25 = tcp.begin sub %mean : !Dm3
    %26 = tcp.fetch %25 f32 "S % 2", "1 # 2" : <sub begin f32, #grid, "1", "S % 2, 1 # 2">
    %27 = tcp.collect %26 "S % 2", "1 # 8" : <sub fetch f32, #grid, "S % 2", "1 # 2">
    %mean_vrf = tcp.to_vrf %27 at 0 "S % 2, 1 # 8" : <sub collect f32, #grid, "S % 2", "1 # 8">

    // Step 3: squared distances from the mean, chunk by chunk, then both sums in turn.
    %28 = tcp.begin main %dm_0 : !Dm1
    %29 = tcp.fetch %28 f32 "S % 2, K / 8", "K % 8" : <main begin bf16, #grid, "1", "S % 2, K">
    %30 = tcp.collect %29 "S % 2, K / 8", "K % 8" : <main fetch f32, #grid, "S % 2, K / 8", "K % 8">
    %31 = tcp.vector_init %30 : <main collect f32, #grid, "S % 2, K / 8", "K % 8">
    %32 = tcp.vector_intra_slice_branch %31 Unconditional : <main vector_init f32, #grid, "S % 2, K / 8", "K % 8">
    %33 = tcp.vector_split %32 "S % 2, K / 8, K / 4 % 2", "K % 4" : <main vector_branch f32, #grid, "S % 2, K / 8", "K % 8">
    %34 = tcp.vector_fp_binary %33 SubF, %mean_vrf : <main vector_narrow f32, #grid, "S % 2, K / 8, K / 4 % 2", "K % 4">, !Vrf1
    %35 = tcp.vector_fp_binary %34 MulF0 mode Mode00 (0.0 : f32) : <main vector_fp f32, #grid, "S % 2, K / 8, K / 4 % 2", "K % 4">
    %36 = tcp.vector_intra_slice_reduce %35 Add "K" "S % 2", "1 # 4" : <main vector_fp f32, #grid, "S % 2, K / 8, K / 4 % 2", "K % 4">
    %37 = tcp.vector_pad_way8 %36 "1 # 8" : <main vector_intra_slice_reduce f32, #grid, "S % 2", "1 # 4">
    %38 = tcp.vector_final %37 : <main vector_widen f32, #grid, "S % 2", "1 # 8">
    %squares_0 = tcp.commit %38 at 23552 "S % 2, 1 # 2" : <main vector_final f32, #grid, "S % 2", "1 # 8">
    %39 = tcp.begin main %dm_1 : !Dm1
    %40 = tcp.fetch %39 f32 "S % 2, K / 8", "K % 8" : <main begin bf16, #grid, "1", "S % 2, K">
    %41 = tcp.collect %40 "S % 2, K / 8", "K % 8" : <main fetch f32, #grid, "S % 2, K / 8", "K % 8">
    %42 = tcp.vector_init %41 : <main collect f32, #grid, "S % 2, K / 8", "K % 8">
    %43 = tcp.vector_intra_slice_branch %42 Unconditional : <main vector_init f32, #grid, "S % 2, K / 8", "K % 8">
    %44 = tcp.vector_split %43 "S % 2, K / 8, K / 4 % 2", "K % 4" : <main vector_branch f32, #grid, "S % 2, K / 8", "K % 8">
    %45 = tcp.vector_fp_binary %44 SubF, %mean_vrf : <main vector_narrow f32, #grid, "S % 2, K / 8, K / 4 % 2", "K % 4">, !Vrf1
    %46 = tcp.vector_fp_binary %45 MulF0 mode Mode00 (0.0 : f32) : <main vector_fp f32, #grid, "S % 2, K / 8, K / 4 % 2", "K % 4">
    %47 = tcp.vector_intra_slice_reduce %46 Add "K" "S % 2", "1 # 4" : <main vector_fp f32, #grid, "S % 2, K / 8, K / 4 % 2", "K % 4">
    %48 = tcp.vector_pad_way8 %47 "1 # 8" : <main vector_intra_slice_reduce f32, #grid, "S % 2", "1 # 4">
    %49 = tcp.vector_final %48 : <main vector_widen f32, #grid, "S % 2", "1 # 8">
    %squares_1 = tcp.commit %49 at 24576 "S % 2, 1 # 2" : <main vector_final f32, #grid, "S % 2", "1 # 8">
    %50 = tcp.begin_interleaved main "I" %squares_0, %squares_1 : !Dm3
    %51 = tcp.fetch %50 f32 "S % 2, I", "1 # 2" : <main begin f32, #grid, "I", "S % 2, 1 # 2">
    %52 = tcp.collect %51 "S % 2, I", "1 # 8" : <main fetch f32, #grid, "S % 2, I", "1 # 2">
    %53 = tcp.vector_init %52 : <main collect f32, #grid, "S % 2, I", "1 # 8">
    %54 = tcp.vector_intra_slice_unzip %53 "I", "S % 2, 1 # 2", "S % 2" : <main vector_init f32, #grid, "S % 2, I", "1 # 8">
    %55 = tcp.vector_clip_zip %54 Add : <main vector_branch f32, #grid, "S % 2", "1 # 8">
    %56 = tcp.vector_final %55 : <main vector_clip f32, #grid, "S % 2", "1 # 8">
    %squares = tcp.commit %56 at 25600 "S % 2, 1 # 2" : <main vector_final f32, #grid, "S % 2", "1 # 8">
    %57 = tcp.begin main %squares : !Dm3
    %58 = tcp.fetch %57 f32 "S % 2", "1 # 2" : <main begin f32, #grid, "1", "S % 2, 1 # 2">
    %59 = tcp.collect %58 "S % 2", "1 # 8" : <main fetch f32, #grid, "S % 2", "1 # 2">
    %60 = tcp.vector_init %59 : <main collect f32, #grid, "S % 2", "1 # 8">
    %61 = tcp.vector_intra_slice_branch %60 Unconditional : <main vector_init f32, #grid, "S % 2", "1 # 8">
    %62 = tcp.vector_trim_way4 %61 "1 # 4" : <main vector_branch f32, #grid, "S % 2", "1 # 8">
    %63 = tcp.vector_fp_ternary %62 FmaF (0.001953125 : f32, 1.0e-05 : f32) : <main vector_narrow f32, #grid, "S % 2", "1 # 4">
    %64 = tcp.vector_fp_unary %63 Sqrt : <main vector_fp f32, #grid, "S % 2", "1 # 4">
    %65 = tcp.vector_pad_way8 %64 "1 # 8" : <main vector_fp f32, #grid, "S % 2", "1 # 4">
    %66 = tcp.vector_final %65 : <main vector_widen f32, #grid, "S % 2", "1 # 8">
    %std = tcp.commit %66 at 26624 "S % 2, 1 # 2" : <main vector_final f32, #grid, "S % 2", "1 # 8">
    %67 = tcp.to_hbm %mean at 2147483648 : !Dm3 -> !Hbm3
    %68 = tcp.to_hbm %std at 2415919104 : !Dm3 -> !Hbm3
    %69 = tcp.begin sub %std : !Dm3
    %70 = tcp.fetch %69 f32 "S % 2", "1 # 2" : <sub begin f32, #grid, "1", "S % 2, 1 # 2">
    %71 = tcp.collect %70 "S % 2", "1 # 8" : <sub fetch f32, #grid, "S % 2", "1 # 2">
    %std_vrf = tcp.to_vrf %71 at 4096 "S % 2, 1 # 8" : <sub collect f32, #grid, "S % 2", "1 # 8">

    // Both chunks with the statistics of the whole axis.
    %72 = tcp.begin main %dm_0 : !Dm1
    %73 = tcp.fetch %72 f32 "S % 2, K / 8", "K % 8" : <main begin bf16, #grid, "1", "S % 2, K">
    %74 = tcp.collect %73 "S % 2, K / 8", "K % 8" : <main fetch f32, #grid, "S % 2, K / 8", "K % 8">
    %75 = tcp.vector_init %74 : <main collect f32, #grid, "S % 2, K / 8", "K % 8">
    %76 = tcp.vector_intra_slice_branch %75 Unconditional : <main vector_init f32, #grid, "S % 2, K / 8", "K % 8">
    %77 = tcp.vector_split %76 "S % 2, K / 8, K / 4 % 2", "K % 4" : <main vector_branch f32, #grid, "S % 2, K / 8", "K % 8">
    %78 = tcp.vector_fp_binary %77 SubF, %mean_vrf : <main vector_narrow f32, #grid, "S % 2, K / 8, K / 4 % 2", "K % 4">, !Vrf1
    %79 = tcp.vector_fp_div %78 DivF, %std_vrf : <main vector_fp f32, #grid, "S % 2, K / 8, K / 4 % 2", "K % 4">, !Vrf1
    %80 = tcp.vector_concat %79 "S % 2, K / 8", "K % 8" : <main vector_fp_div f32, #grid, "S % 2, K / 8, K / 4 % 2", "K % 4">
    %81 = tcp.vector_final %80 : <main vector_widen f32, #grid, "S % 2, K / 8", "K % 8">
    %82 = tcp.cast %81 bf16 "K % 8 # 16" : <main vector_final f32, #grid, "S % 2, K / 8", "K % 8">
    %normalized_0 = tcp.commit %82 at 18432 "S % 2, K" : <main cast bf16, #grid, "S % 2, K / 8", "K % 8 # 16">
    %83 = tcp.to_hbm %normalized_0 at 2684354560 : !Dm1 -> !Hbm1
    %84 = tcp.begin main %dm_1 : !Dm1
    %85 = tcp.fetch %84 f32 "S % 2, K / 8", "K % 8" : <main begin bf16, #grid, "1", "S % 2, K">
    %86 = tcp.collect %85 "S % 2, K / 8", "K % 8" : <main fetch f32, #grid, "S % 2, K / 8", "K % 8">
    %87 = tcp.vector_init %86 : <main collect f32, #grid, "S % 2, K / 8", "K % 8">
    %88 = tcp.vector_intra_slice_branch %87 Unconditional : <main vector_init f32, #grid, "S % 2, K / 8", "K % 8">
    %89 = tcp.vector_split %88 "S % 2, K / 8, K / 4 % 2", "K % 4" : <main vector_branch f32, #grid, "S % 2, K / 8", "K % 8">
    %90 = tcp.vector_fp_binary %89 SubF, %mean_vrf : <main vector_narrow f32, #grid, "S % 2, K / 8, K / 4 % 2", "K % 4">, !Vrf1
    %91 = tcp.vector_fp_div %90 DivF, %std_vrf : <main vector_fp f32, #grid, "S % 2, K / 8, K / 4 % 2", "K % 4">, !Vrf1
    %92 = tcp.vector_concat %91 "S % 2, K / 8", "K % 8" : <main vector_fp_div f32, #grid, "S % 2, K / 8, K / 4 % 2", "K % 4">
    %93 = tcp.vector_final %92 : <main vector_widen f32, #grid, "S % 2, K / 8", "K % 8">
    %94 = tcp.cast %93 bf16 "K % 8 # 16" : <main vector_final f32, #grid, "S % 2, K / 8", "K % 8">
    %normalized_1 = tcp.commit %94 at 19456 "S % 2, K" : <main cast bf16, #grid, "S % 2, K / 8", "K % 8 # 16">
    %95 = tcp.to_hbm %normalized_1 at 2952790016 : !Dm1 -> !Hbm1
    return %67, %68, %83, %95 : !Hbm3, !Hbm3, !Hbm1, !Hbm1
  }
}
