// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Statistics of a batch of 512 images in two tensors of 256 (TCP manual, Split
// Reduce): N images on the slices, C channels, P pixels. Both batches have one
// size, so that the mean of their means is the mean of all.

#axes = #stream.axes<N = 256, C = 4, P = 32, I = 2>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "N">
#alone = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">

!Dm1 = !tcp.dm<bf16, #grid, "C, P">
!Dm2 = !tcp.dm<bf16, #grid, "P">
!Dm3 = !tcp.dm<f32, #grid, "C, 1 # 2">
!Dm4 = !tcp.dm<f32, #alone, "C, 1 # 2">
!Dm5 = !tcp.dm<f32, #grid, "C # 8">
!Hbm1 = !tcp.hbm<bf16, #axes, "1", "N, C, P">
!Hbm2 = !tcp.hbm<bf16, #axes, "1", "P">
!Hbm3 = !tcp.hbm<f32, #axes, "1", "N, C">
!Hbm4 = !tcp.hbm<f32, #axes, "1", "C">
!Hbm5 = !tcp.hbm<f32, #axes, "1", "C # 8">
!Host1 = !tcp.host<bf16, #axes, "N, C, P">
!Host2 = !tcp.host<bf16, #axes, "P">
!Host3 = !tcp.host<f32, #axes, "N, C">
!Host4 = !tcp.host<f32, #axes, "C">
!Trf1 = !tcp.trf<bf16, #grid, "1", "P">
!Vrf1 = !tcp.vrf<f32, #grid, "C # 8">

module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%batch_0: !Host1, %batch_1: !Host1, %ones: !Host2) -> (!Host3, !Host4, !Host4) {
    %batch_0_hbm = tcp.to_hbm %batch_0 at 0 : !Host1 -> !Hbm1
    %batch_1_hbm = tcp.to_hbm %batch_1 at 268435456 : !Host1 -> !Hbm1
    %ones_hbm = tcp.to_hbm %ones at 536870912 : !Host2 -> !Hbm2
    %r:3 = tcp.launch @kernel(%batch_0_hbm, %batch_1_hbm, %ones_hbm) : (!Hbm1, !Hbm1, !Hbm2) -> (!Hbm3, !Hbm4, !Hbm4)
    %o0 = tcp.to_host %r#0 : !Hbm3 -> !Host3
    %o1 = tcp.to_host %r#1 : !Hbm4 -> !Host4
    %o2 = tcp.to_host %r#2 : !Hbm4 -> !Host4
    return %o0, %o1, %o2 : !Host3, !Host4, !Host4
  }

  func.func @kernel(%batch_0: !Hbm1, %batch_1: !Hbm1, %ones: !Hbm2) -> (!Hbm3, !Hbm4, !Hbm4) {
    %dm_0 = tcp.to_dm %batch_0 at 0 : !Hbm1 -> !Dm1
    %dm_1 = tcp.to_dm %batch_1 at 16384 : !Hbm1 -> !Dm1
    %ones_dm = tcp.to_dm %ones at 32768 : !Hbm2 -> !Dm2
    %0 = tcp.begin sub %ones_dm : !Dm2
    %1 = tcp.fetch %0 bf16 "1", "P" : <sub begin bf16, #grid, "1", "P">
    %2 = tcp.collect %1 "P / 16", "P % 16" : <sub fetch bf16, #grid, "1", "P">
    %ones_trf = tcp.to_trf %2 Full "1", "P" : <sub collect bf16, #grid, "P / 16", "P % 16">

    // The mean over the pixels, of every image and channel.
    %3 = tcp.begin main %dm_0 : !Dm1
    %4 = tcp.fetch %3 bf16 "C", "P" : <main begin bf16, #grid, "1", "C, P">
    %5 = tcp.collect %4 "C, P / 16", "P % 16" : <main fetch bf16, #grid, "C", "P">
    %6 = tcp.align %5, %ones_trf "C, P / 32", "P % 32" : <main collect bf16, #grid, "C, P / 16", "P % 16">, !Trf1
    %7 = tcp.contract %6 "1" : <main align bf16, #grid, row "1", "C, P / 32", "P % 32">
    %8 = tcp.accumulate %7 Interleaved "C", "1 # 8" : <main contract f32, #grid, row "1", "C, P / 32", "1">
    %9 = tcp.vector_init %8 : <main accumulate f32, #grid, "C", "1 # 8">
    %10 = tcp.vector_intra_slice_branch %9 Unconditional : <main vector_init f32, #grid, "C", "1 # 8">
    %11 = tcp.vector_trim_way4 %10 "1 # 4" : <main vector_branch f32, #grid, "C", "1 # 8">
    %12 = tcp.vector_fp_binary %11 MulF0 (0.03125 : f32) : <main vector_narrow f32, #grid, "C", "1 # 4">
    %13 = tcp.vector_pad_way8 %12 "1 # 8" : <main vector_fp f32, #grid, "C", "1 # 4">
    %14 = tcp.vector_final %13 : <main vector_widen f32, #grid, "C", "1 # 8">
    %means_0 = tcp.commit %14 at 40960 "C, 1 # 2" : <main vector_final f32, #grid, "C", "1 # 8">
    %15 = tcp.begin main %dm_1 : !Dm1
    %16 = tcp.fetch %15 bf16 "C", "P" : <main begin bf16, #grid, "1", "C, P">
    %17 = tcp.collect %16 "C, P / 16", "P % 16" : <main fetch bf16, #grid, "C", "P">
    %18 = tcp.align %17, %ones_trf "C, P / 32", "P % 32" : <main collect bf16, #grid, "C, P / 16", "P % 16">, !Trf1
    %19 = tcp.contract %18 "1" : <main align bf16, #grid, row "1", "C, P / 32", "P % 32">
    %20 = tcp.accumulate %19 Interleaved "C", "1 # 8" : <main contract f32, #grid, row "1", "C, P / 32", "1">
    %21 = tcp.vector_init %20 : <main accumulate f32, #grid, "C", "1 # 8">
    %22 = tcp.vector_intra_slice_branch %21 Unconditional : <main vector_init f32, #grid, "C", "1 # 8">
    %23 = tcp.vector_trim_way4 %22 "1 # 4" : <main vector_branch f32, #grid, "C", "1 # 8">
    %24 = tcp.vector_fp_binary %23 MulF0 (0.03125 : f32) : <main vector_narrow f32, #grid, "C", "1 # 4">
    %25 = tcp.vector_pad_way8 %24 "1 # 8" : <main vector_fp f32, #grid, "C", "1 # 4">
    %26 = tcp.vector_final %25 : <main vector_widen f32, #grid, "C", "1 # 8">
    %means_1 = tcp.commit %26 at 41984 "C, 1 # 2" : <main vector_final f32, #grid, "C", "1 # 8">

    // Split reduce: the mean of both batches, which still has an axis of images.
    %27 = tcp.begin_interleaved main "I" %means_0, %means_1 : !Dm3
    %28 = tcp.fetch %27 f32 "C, I", "1 # 2" : <main begin f32, #grid, "I", "C, 1 # 2">
    %29 = tcp.collect %28 "C, I", "1 # 8" : <main fetch f32, #grid, "C, I", "1 # 2">
    %30 = tcp.vector_init %29 : <main collect f32, #grid, "C, I", "1 # 8">
    %31 = tcp.vector_intra_slice_unzip %30 "I", "C, 1 # 2", "C" : <main vector_init f32, #grid, "C, I", "1 # 8">
    %32 = tcp.vector_trim_way4 %31 "1 # 4" : <main vector_branch f32, #grid, "C", "1 # 8">
    %33 = tcp.vector_fp_zip %32 AddF : <main vector_narrow f32, #grid, "C", "1 # 4">
    %34 = tcp.vector_fp_binary %33 MulF0 (0.5 : f32) : <main vector_fp f32, #grid, "C", "1 # 4">
    %35 = tcp.vector_pad_way8 %34 "1 # 8" : <main vector_fp f32, #grid, "C", "1 # 4">
    %36 = tcp.vector_final %35 : <main vector_widen f32, #grid, "C", "1 # 8">
    %both = tcp.commit %36 at 45056 "C, 1 # 2" : <main vector_final f32, #grid, "C", "1 # 8">

    // The images are on slices: the inter-slice block adds them.
    %37 = tcp.begin main %both : !Dm3
    %38 = tcp.fetch %37 f32 "C", "1 # 2" : <main begin f32, #grid, "1", "C, 1 # 2">
    %39 = tcp.collect %38 "C", "1 # 8" : <main fetch f32, #grid, "C", "1 # 2">
    %40 = tcp.vector_init %39 : <main collect f32, #grid, "C", "1 # 8">
    %41 = tcp.vector_inter_slice_reduce %40 Add "1 # 256", "C" : <main vector_init f32, #grid, "C", "1 # 8">
    %42 = tcp.vector_intra_slice_branch %41 Unconditional : <main vector_inter_first f32, #alone, "C", "1 # 8">
    %43 = tcp.vector_trim_way4 %42 "1 # 4" : <main vector_branch f32, #alone, "C", "1 # 8">
    %44 = tcp.vector_fp_binary %43 MulF0 (0.00390625 : f32) : <main vector_narrow f32, #alone, "C", "1 # 4">
    %45 = tcp.vector_pad_way8 %44 "1 # 8" : <main vector_fp f32, #alone, "C", "1 # 4">
    %46 = tcp.vector_final %45 : <main vector_widen f32, #alone, "C", "1 # 8">
    %mean = tcp.commit %46 at 49152 "C, 1 # 2" : <main vector_final f32, #alone, "C", "1 # 8">

    // Through HBM to all slices.
    %47 = tcp.to_hbm %mean at 4026531840 : !Dm4 -> !Hbm5
    %mean_dm = tcp.to_dm %47 at 53248 : !Hbm5 -> !Dm5
    %48 = tcp.begin sub %mean_dm : !Dm5
    %49 = tcp.fetch %48 f32 "1", "C # 8" : <sub begin f32, #grid, "1", "C # 8">
    %50 = tcp.collect %49 "1", "C # 8" : <sub fetch f32, #grid, "1", "C # 8">
    %mean_vrf = tcp.to_vrf %50 at 0 "C # 8" : <sub collect f32, #grid, "1", "C # 8">

    // The variance: squared distances over pixels, batches and images.
    %51 = tcp.begin main %dm_0 : !Dm1
    %52 = tcp.fetch %51 f32 "C, P / 8", "P % 8" : <main begin bf16, #grid, "1", "C, P">
    %53 = tcp.collect %52 "C, P / 8", "P % 8" : <main fetch f32, #grid, "C, P / 8", "P % 8">
    %54 = tcp.vector_init %53 : <main collect f32, #grid, "C, P / 8", "P % 8">
    %55 = tcp.vector_intra_slice_branch %54 Unconditional : <main vector_init f32, #grid, "C, P / 8", "P % 8">
    %56 = tcp.vector_split %55 "C, P / 8, P / 4 % 2", "P % 4" : <main vector_branch f32, #grid, "C, P / 8", "P % 8">
    %57 = tcp.vector_fp_binary %56 SubF, %mean_vrf : <main vector_narrow f32, #grid, "C, P / 8, P / 4 % 2", "P % 4">, !Vrf1
    %58 = tcp.vector_fp_binary %57 MulF0 mode Mode00 (0.0 : f32) : <main vector_fp f32, #grid, "C, P / 8, P / 4 % 2", "P % 4">
    %59 = tcp.vector_intra_slice_reduce %58 Add "P" "C", "1 # 4" : <main vector_fp f32, #grid, "C, P / 8, P / 4 % 2", "P % 4">
    %60 = tcp.vector_pad_way8 %59 "1 # 8" : <main vector_intra_slice_reduce f32, #grid, "C", "1 # 4">
    %61 = tcp.vector_final %60 : <main vector_widen f32, #grid, "C", "1 # 8">
    %squares_0 = tcp.commit %61 at 57344 "C, 1 # 2" : <main vector_final f32, #grid, "C", "1 # 8">
    %62 = tcp.begin main %dm_1 : !Dm1
    %63 = tcp.fetch %62 f32 "C, P / 8", "P % 8" : <main begin bf16, #grid, "1", "C, P">
    %64 = tcp.collect %63 "C, P / 8", "P % 8" : <main fetch f32, #grid, "C, P / 8", "P % 8">
    %65 = tcp.vector_init %64 : <main collect f32, #grid, "C, P / 8", "P % 8">
    %66 = tcp.vector_intra_slice_branch %65 Unconditional : <main vector_init f32, #grid, "C, P / 8", "P % 8">
    %67 = tcp.vector_split %66 "C, P / 8, P / 4 % 2", "P % 4" : <main vector_branch f32, #grid, "C, P / 8", "P % 8">
    %68 = tcp.vector_fp_binary %67 SubF, %mean_vrf : <main vector_narrow f32, #grid, "C, P / 8, P / 4 % 2", "P % 4">, !Vrf1
    %69 = tcp.vector_fp_binary %68 MulF0 mode Mode00 (0.0 : f32) : <main vector_fp f32, #grid, "C, P / 8, P / 4 % 2", "P % 4">
    %70 = tcp.vector_intra_slice_reduce %69 Add "P" "C", "1 # 4" : <main vector_fp f32, #grid, "C, P / 8, P / 4 % 2", "P % 4">
    %71 = tcp.vector_pad_way8 %70 "1 # 8" : <main vector_intra_slice_reduce f32, #grid, "C", "1 # 4">
    %72 = tcp.vector_final %71 : <main vector_widen f32, #grid, "C", "1 # 8">
    %squares_1 = tcp.commit %72 at 58368 "C, 1 # 2" : <main vector_final f32, #grid, "C", "1 # 8">
    %73 = tcp.begin_interleaved main "I" %squares_0, %squares_1 : !Dm3
    %74 = tcp.fetch %73 f32 "C, I", "1 # 2" : <main begin f32, #grid, "I", "C, 1 # 2">
    %75 = tcp.collect %74 "C, I", "1 # 8" : <main fetch f32, #grid, "C, I", "1 # 2">
    %76 = tcp.vector_init %75 : <main collect f32, #grid, "C, I", "1 # 8">
    %77 = tcp.vector_intra_slice_unzip %76 "I", "C, 1 # 2", "C" : <main vector_init f32, #grid, "C, I", "1 # 8">
    %78 = tcp.vector_clip_zip %77 Add : <main vector_branch f32, #grid, "C", "1 # 8">
    %79 = tcp.vector_final %78 : <main vector_clip f32, #grid, "C", "1 # 8">
    %squares = tcp.commit %79 at 61440 "C, 1 # 2" : <main vector_final f32, #grid, "C", "1 # 8">
    %80 = tcp.begin main %squares : !Dm3
    %81 = tcp.fetch %80 f32 "C", "1 # 2" : <main begin f32, #grid, "1", "C, 1 # 2">
    %82 = tcp.collect %81 "C", "1 # 8" : <main fetch f32, #grid, "C", "1 # 2">
    %83 = tcp.vector_init %82 : <main collect f32, #grid, "C", "1 # 8">
    %84 = tcp.vector_inter_slice_reduce %83 Add "1 # 256", "C" : <main vector_init f32, #grid, "C", "1 # 8">
    %85 = tcp.vector_intra_slice_branch %84 Unconditional : <main vector_inter_first f32, #alone, "C", "1 # 8">
    %86 = tcp.vector_trim_way4 %85 "1 # 4" : <main vector_branch f32, #alone, "C", "1 # 8">
    %87 = tcp.vector_fp_binary %86 MulF0 (6.103515625e-05 : f32) : <main vector_narrow f32, #alone, "C", "1 # 4">
    %88 = tcp.vector_pad_way8 %87 "1 # 8" : <main vector_fp f32, #alone, "C", "1 # 4">
    %89 = tcp.vector_final %88 : <main vector_widen f32, #alone, "C", "1 # 8">
    %variance = tcp.commit %89 at 65536 "C, 1 # 2" : <main vector_final f32, #alone, "C", "1 # 8">
    %90 = tcp.to_hbm %both at 2147483648 : !Dm3 -> !Hbm3
    %91 = tcp.to_hbm %mean at 2415919104 : !Dm4 -> !Hbm4
    %92 = tcp.to_hbm %variance at 2684354560 : !Dm4 -> !Hbm4
    return %90, %91, %92 : !Hbm3, !Hbm4, !Hbm4
  }
}
