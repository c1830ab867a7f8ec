// The manual's nine entries (Sequencer, Merging): one loop per term of the stream,
// then what a sequencer of eight entries is given. Packets stay apart from the loop
// around them, so seven are left of which the first six visit what the manual's do.
// RUN: sequin-opt %s --tcp-derive-sequencers | FileCheck %s --check-prefix=TERMS
// RUN: sequin-opt %s --tcp-derive-sequencers --stream-merge-entries=remarks 2>&1 | FileCheck %s
// TERMS: tcp.fetch {{.*}}#stream.sequencer<["W / 16" 2 : 16, "H % 2" 2 : 32, "H / 2" 4 : 64, "C / 2" 4 : 512, "C % 2" 2 : 256, "N / 2" 4 : 4096, "N % 2" 2 : 2048, "W / 8 % 2" 2 : 8, "W % 8" 8 : 1] packet 1 by terms>
// CHECK: remark: {{.*}}fetch sequencer by merge: 9 entries {{.*}} are 7 of at most 8, [2:16, 2:32, 4:64, 8:256, 8:2048, 2:8, 8:1]
// CHECK: #stream.sequencer<["W / 16" 2 : 16, "H % 2" 2 : 32, "H / 2" 4 : 64
#axes = #stream.axes<N = 8, C = 8, H = 8, W = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1, mode = unit>} {
  func.func @merging(%in: !tcp.dm<i8, #grid, "N, C, H, W">) {
    %0 = tcp.begin main %in : !tcp.dm<i8, #grid, "N, C, H, W">
    %1 = tcp.fetch %0 i8 "W / 16, H % 2, H / 2, C / 2, C % 2, N / 2, N % 2, W / 8 % 2", "W % 8" : <main begin i8, #grid, "1", "N, C, H, W">
    return
  }
}
