// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Axis permutation [A, B, C] -> [B, A, C] by the sequencers alone (TCP manual,
// Fetch and Commit Engine, Example 1): 15 packets of C, written 8 bytes at a
// time.
#axes = #stream.axes<A = 3, B = 5, C = 2>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !tcp.hbm<f8E4M3FN, #axes, "1", "[A, B, C] # 32">)
      -> !tcp.hbm<f8E4M3FN, #axes, "1", "B, A, C # 8"> {
    %dm = tcp.to_dm %in at 0 : !tcp.hbm<f8E4M3FN, #axes, "1", "[A, B, C] # 32">
        -> !tcp.dm<f8E4M3FN, #grid, "[A, B, C] # 32">
    %0 = tcp.begin main %dm : !tcp.dm<f8E4M3FN, #grid, "[A, B, C] # 32">
    %1 = tcp.fetch %0 f8E4M3FN "A, B", "C # 8"
        : <main begin f8E4M3FN, #grid, "1", "[A, B, C] # 32">
    %2 = tcp.collect %1 "A, B", "C # 32"
        : <main fetch f8E4M3FN, #grid, "A, B", "C # 8">
    %3 = tcp.commit %2 at 1024 "B, A, C # 8"
        : <main collect f8E4M3FN, #grid, "A, B", "C # 32">
    %out = tcp.to_hbm %3 at 268435456 : !tcp.dm<f8E4M3FN, #grid, "B, A, C # 8">
        -> !tcp.hbm<f8E4M3FN, #axes, "1", "B, A, C # 8">
    return %out : !tcp.hbm<f8E4M3FN, #axes, "1", "B, A, C # 8">
  }
  func.func @main(%a: !tcp.host<f8E4M3FN, #axes, "A, B, C">)
      -> !tcp.host<f8E4M3FN, #axes, "B, A, C"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<f8E4M3FN, #axes, "A, B, C">
        -> !tcp.hbm<f8E4M3FN, #axes, "1", "[A, B, C] # 32">
    %r = tcp.launch @kernel(%h) : (!tcp.hbm<f8E4M3FN, #axes, "1", "[A, B, C] # 32">)
        -> !tcp.hbm<f8E4M3FN, #axes, "1", "B, A, C # 8">
    %o = tcp.to_host %r : !tcp.hbm<f8E4M3FN, #axes, "1", "B, A, C # 8">
        -> !tcp.host<f8E4M3FN, #axes, "B, A, C">
    return %o : !tcp.host<f8E4M3FN, #axes, "B, A, C">
  }
}
