// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Split reduce (TCP manual): two tensors that hold parts of one axis are read in
// turn, and the vector engine adds what comes first to what comes second. The
// axis I, which says which tensor, is innermost in time.

#axes = #stream.axes<A = 16, B = 2048, I = 2>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "B / 8">

!Dm1 = !tcp.dm<bf16, #grid, "A, B % 8">
!Hbm1 = !tcp.hbm<bf16, #axes, "1", "A, B">
!Host1 = !tcp.host<bf16, #axes, "A, B">

module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%tensor_0: !Host1, %tensor_1: !Host1) -> !Host1 {
    %tensor_0_hbm = tcp.to_hbm %tensor_0 at 0 : !Host1 -> !Hbm1
    %tensor_1_hbm = tcp.to_hbm %tensor_1 at 268435456 : !Host1 -> !Hbm1
    %r = tcp.launch @kernel(%tensor_0_hbm, %tensor_1_hbm) : (!Hbm1, !Hbm1) -> !Hbm1
    %o0 = tcp.to_host %r : !Hbm1 -> !Host1
    return %o0 : !Host1
  }

  func.func @kernel(%tensor_0: !Hbm1, %tensor_1: !Hbm1) -> !Hbm1 {
    %dm_0 = tcp.to_dm %tensor_0 at 0 : !Hbm1 -> !Dm1
    %dm_1 = tcp.to_dm %tensor_1 at 4096 : !Hbm1 -> !Dm1

    // dm_0, dm_1, dm_0, dm_1, ...: a packet of one, a packet of the other.
    %0 = tcp.begin_interleaved main "I" %dm_0, %dm_1 : !Dm1
    %1 = tcp.fetch %0 f32 "A, I", "B % 8" : <main begin bf16, #grid, "I", "A, B % 8">
    %2 = tcp.collect %1 "A, I", "B % 8" : <main fetch f32, #grid, "A, I", "B % 8">
    %3 = tcp.vector_init %2 : <main collect f32, #grid, "A, I", "B % 8">
    %4 = tcp.vector_intra_slice_unzip %3 "I", "A, 1 # 2", "A" : <main vector_init f32, #grid, "A, I", "B % 8">
    %5 = tcp.vector_clip_zip %4 Add : <main vector_branch f32, #grid, "A", "B % 8">
    %6 = tcp.vector_final %5 : <main vector_clip f32, #grid, "A", "B % 8">
    %7 = tcp.cast %6 bf16 "B % 8 # 16" : <main vector_final f32, #grid, "A", "B % 8">
    %sum = tcp.commit %7 at 8192 "A, B % 8" : <main cast bf16, #grid, "A", "B % 8 # 16">
    %8 = tcp.to_hbm %sum at 2147483648 : !Dm1 -> !Hbm1
    return %8 : !Hbm1
  }
}
