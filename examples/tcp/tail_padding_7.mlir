// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tail padding, 7 bytes behind A (TCP manual, Fetch and Commit Engine, Example
// 3): each flit keeps 24 bytes.
#axes = #stream.axes<A = 65, B = 2>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !tcp.hbm<f8E4M3FN, #axes, "1", "B, A # 72">)
      -> !tcp.hbm<f8E4M3FN, #axes, "1", "B, A # 72"> {
    %dm = tcp.to_dm %in at 0 : !tcp.hbm<f8E4M3FN, #axes, "1", "B, A # 72">
        -> !tcp.dm<f8E4M3FN, #grid, "B, A # 72">
    %0 = tcp.begin main %dm : !tcp.dm<f8E4M3FN, #grid, "B, A # 72">
    %1 = tcp.fetch %0 f8E4M3FN "B, A # 72 / 24", "A # 72 % 24"
        : <main begin f8E4M3FN, #grid, "1", "B, A # 72">
    %2 = tcp.collect %1 "B, A # 72 / 24", "A # 72 % 24 # 32"
        : <main fetch f8E4M3FN, #grid, "B, A # 72 / 24", "A # 72 % 24">
    %3 = tcp.commit %2 at 1024 "B, A # 72"
        : <main collect f8E4M3FN, #grid, "B, A # 72 / 24", "A # 72 % 24 # 32">
    %out = tcp.to_hbm %3 at 268435456 : !tcp.dm<f8E4M3FN, #grid, "B, A # 72">
        -> !tcp.hbm<f8E4M3FN, #axes, "1", "B, A # 72">
    return %out : !tcp.hbm<f8E4M3FN, #axes, "1", "B, A # 72">
  }
  func.func @main(%a: !tcp.host<f8E4M3FN, #axes, "B, A">)
      -> !tcp.host<f8E4M3FN, #axes, "B, A"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<f8E4M3FN, #axes, "B, A">
        -> !tcp.hbm<f8E4M3FN, #axes, "1", "B, A # 72">
    %r = tcp.launch @kernel(%h) : (!tcp.hbm<f8E4M3FN, #axes, "1", "B, A # 72">)
        -> !tcp.hbm<f8E4M3FN, #axes, "1", "B, A # 72">
    %o = tcp.to_host %r : !tcp.hbm<f8E4M3FN, #axes, "1", "B, A # 72">
        -> !tcp.host<f8E4M3FN, #axes, "B, A">
    return %o : !tcp.host<f8E4M3FN, #axes, "B, A">
  }
}
