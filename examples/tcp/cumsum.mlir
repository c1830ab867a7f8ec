// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cumulative sums (TCP manual, Mixture of Experts, Cumsum Implementation on TCP): N
// rows of A numbers, which are on the slices. The branch of a row comes with it: 0 for
// the first, 2 for the last, 1 between. What a row adds is what the one before wrote.

#axes = #stream.axes<N = 5, A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">

!Dm1 = !tcp.dm<i32, #grid, "N, A % 8">
!Dm2 = !tcp.dm<i4, #grid, "N # 16">
!Vrf = !tcp.vrf<i4, #grid, "N # 16 # 64">
!Hbm1 = !tcp.hbm<i32, #axes, "1", "N, A">
!Hbm2 = !tcp.hbm<i4, #axes, "1", "N # 16">
!Host1 = !tcp.host<i32, #axes, "N, A">
!Host2 = !tcp.host<i4, #axes, "N # 16">

module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%x: !Host1, %branches: !Host2) -> !Host1 {
    %x_hbm = tcp.to_hbm %x at 0 : !Host1 -> !Hbm1
    %branches_hbm = tcp.to_hbm %branches at 268435456 : !Host2 -> !Hbm2
    %r = tcp.launch @kernel(%x_hbm, %branches_hbm) : (!Hbm1, !Hbm2) -> !Hbm1
    %o = tcp.to_host %r : !Hbm1 -> !Host1
    return %o : !Host1
  }

  func.func @kernel(%x: !Hbm1, %branches: !Hbm2) -> !Hbm1 {
    %x_dm = tcp.to_dm %x at 0 : !Hbm1 -> !Dm1
    %branches_dm = tcp.to_dm %branches at 229376 : !Hbm2 -> !Dm2

    // The branches, to the vector register file.
    %0 = tcp.begin sub %branches_dm : !Dm2
    %1 = tcp.fetch %0 i4 "1", "N # 16" : <sub begin i4, #grid, "1", "N # 16">
    %2 = tcp.collect %1 "1", "N # 16 # 64" : <sub fetch i4, #grid, "1", "N # 16">
    %log = tcp.to_vrf %2 at 64 "N # 16 # 64" : <sub collect i4, #grid, "1", "N # 16 # 64">

    // One pass over the rows in order.
    %3 = tcp.begin main %x_dm : !Dm1
    %4 = tcp.fetch %3 i32 "N", "A % 8" : <main begin i32, #grid, "1", "N, A % 8">
    %5 = tcp.collect %4 "N", "A % 8" : <main fetch i32, #grid, "N", "A % 8">
    %6 = tcp.vector_init %5 : <main collect i32, #grid, "N", "A % 8">
    %7 = tcp.vector_intra_slice_branch %6 Vrf, %log : <main vector_init i32, #grid, "N", "A % 8">, !Vrf
    %8 = tcp.vector_fxp %7 AddFxp (operand_read) branch [1, 2] write_operand [0, 1] : <main vector_branch i32, #grid, "N", "A % 8">
    %9 = tcp.vector_final %8 : <main vector_fxp i32, #grid, "N", "A % 8">
    %sums = tcp.commit %9 at 262144 "N, A % 8" : <main vector_final i32, #grid, "N", "A % 8">
    %10 = tcp.to_hbm %sums at 536870912 : !Dm1 -> !Hbm1
    return %10 : !Hbm1
  }
}
