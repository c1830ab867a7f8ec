// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Segmentation: a tensor of 64 KB is copied in two passes, each through a view
// of one half, into one tensor at 256 KB (TCP manual, Fetch and Commit Engine,
// Example 4).

#axes = #stream.axes<A = 2048, B = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">

!Host = !tcp.host<f8E4M3FN, #axes, "A, B">
!Hbm = !tcp.hbm<f8E4M3FN, #axes, "1", "A, B">
!Dm = !tcp.dm<f8E4M3FN, #grid, "A, B">
!Half = !tcp.dm<f8E4M3FN, #grid, "A = 1024 # 2048, B">

module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !Hbm) -> !Hbm {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %c2048 = arith.constant 2048 : index
    %dm = tcp.to_dm %in at 0 : !Hbm -> !Dm
    %empty = tcp.from_address 262144 : !Dm
    %copy = scf.for %i = %c0 to %c2048 step %c1024 iter_args(%whole = %empty) -> (!Dm) {
      %half = tcp.tile %dm "A" at %i size 1024 "A = 1024 # 2048, B" : !Dm
      %0 = tcp.begin main %half : !Half
      %1 = tcp.fetch %0 f8E4M3FN "A = 1024", "B"
          : <main begin f8E4M3FN, #grid, "1", "A = 1024 # 2048, B">
      %2 = tcp.collect %1 "A = 1024", "B" : <main fetch f8E4M3FN, #grid, "A = 1024", "B">
      %3 = tcp.commit_view %2 into %whole "A" at %i size 1024 "A = 1024 # 2048, B"
          : <main collect f8E4M3FN, #grid, "A = 1024", "B">, !Dm
      scf.yield %3 : !Dm
    }
    %out = tcp.to_hbm %copy at 268435456 : !Dm -> !Hbm
    return %out : !Hbm
  }

  func.func @main(%input: !Host) -> !Host {
    %in_hbm = tcp.to_hbm %input at 0 : !Host -> !Hbm
    %out_hbm = tcp.launch @kernel(%in_hbm) : (!Hbm) -> !Hbm
    %out = tcp.to_host %out_hbm : !Hbm -> !Host
    return %out : !Host
  }
}
