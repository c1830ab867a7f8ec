// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The weighted sum of two experts' outputs (TCP manual, Split Reduce, Mixture of
// Experts): tokens T on the slices, each with H features. Each group of the pair
// has its own weight.

#axes = #stream.axes<T = 256, H = 64, I = 2>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "T">

!Dm1 = !tcp.dm<bf16, #grid, "H">
!Hbm1 = !tcp.hbm<bf16, #axes, "1", "T, H">
!Hbm2 = !tcp.hbm<f32, #axes, "1", "T, H">
!Host1 = !tcp.host<bf16, #axes, "T, H">
!Host2 = !tcp.host<f32, #axes, "T, H">

module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%expert_0: !Host1, %expert_1: !Host1) -> !Host2 {
    %expert_0_hbm = tcp.to_hbm %expert_0 at 0 : !Host1 -> !Hbm1
    %expert_1_hbm = tcp.to_hbm %expert_1 at 268435456 : !Host1 -> !Hbm1
    %r = tcp.launch @kernel(%expert_0_hbm, %expert_1_hbm) : (!Hbm1, !Hbm1) -> !Hbm2
    %o0 = tcp.to_host %r : !Hbm2 -> !Host2
    return %o0 : !Host2
  }

  func.func @kernel(%expert_0: !Hbm1, %expert_1: !Hbm1) -> !Hbm2 {
    %dm_0 = tcp.to_dm %expert_0 at 0 : !Hbm1 -> !Dm1
    %dm_1 = tcp.to_dm %expert_1 at 16384 : !Hbm1 -> !Dm1

    // Both outputs in turn, times their weights, then their sum.
    %0 = tcp.begin_interleaved main "I" %dm_0, %dm_1 : !Dm1
    %1 = tcp.fetch %0 f32 "H / 8, I", "H % 8" : <main begin bf16, #grid, "I", "H">
    %2 = tcp.collect %1 "H / 8, I", "H % 8" : <main fetch f32, #grid, "H / 8, I", "H % 8">
    %3 = tcp.vector_init %2 : <main collect f32, #grid, "H / 8, I", "H % 8">
    %4 = tcp.vector_intra_slice_unzip %3 "I", "H / 8, 1 # 2", "H / 8" : <main vector_init f32, #grid, "H / 8, I", "H % 8">
    %5 = tcp.vector_split %4 "H / 8, H / 4 % 2", "H % 4" : <main vector_branch f32, #grid, "H / 8", "H % 8">
    %6 = tcp.vector_fp_binary %5 MulF0 (0.7 : f32 | 0.3 : f32) : <main vector_narrow f32, #grid, "H / 8, H / 4 % 2", "H % 4">
    %7 = tcp.vector_fp_zip %6 AddF : <main vector_fp f32, #grid, "H / 8, H / 4 % 2", "H % 4">
    %8 = tcp.vector_concat %7 "H / 8", "H % 8" : <main vector_fp f32, #grid, "H / 8, H / 4 % 2", "H % 4">
    %9 = tcp.vector_final %8 : <main vector_widen f32, #grid, "H / 8", "H % 8">
    %combined = tcp.commit %9 at 32768 "H" : <main vector_final f32, #grid, "H / 8", "H % 8">
    %10 = tcp.to_hbm %combined at 2147483648 : !tcp.dm<f32, #grid, "H"> -> !Hbm2
    return %10 : !Hbm2
  }
}
