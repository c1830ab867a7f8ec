// Moves between chips: from one axis on the chips to another, to all chips, and chip
// shuffles, where chip i receives from chip p_i.
//
// RUN: %python -c "import numpy as np; np.save(r'%t.npy', np.arange(4 * 4 * 64, dtype=np.int8).reshape(4, 4, 64))"
// RUN: sequin-run %s --input %t.npy --output %t.0.npy --output %t.1.npy --output %t.2.npy --report %t.json --verify
// RUN: %python %S/Inputs/chips.py %t.npy %t.0.npy %t.1.npy %t.2.npy %t.json | FileCheck %s
// ROWS: DMA-01, DMA-13, KER-11, KER-13
// CHECK: moved True
// CHECK: shuffled True
// CHECK: shuffled in DM True
// 256 bytes from each of four chips to another at 30 bytes per cycle.
// CHECK: chip_shuffle pcie 509 chips [0, 1, 2, 3]

#axes = #stream.axes<A = 4, B = 4, C = 64>
#all = #tcp.grid<#axes, chip "4", cluster "1 # 2", slice "B # 256">
#grid = #tcp.grid<#axes, chip "A", cluster "1 # 2", slice "B # 256">
!Host = !tcp.host<i8, #axes, "A, B, C">
!OnA = !tcp.hbm<i8, #axes, "A", "B, C">
!OnB = !tcp.hbm<i8, #axes, "B", "A, C">
!OnAll = !tcp.hbm<i8, #axes, "4", "A, B, C">
module attributes {tcp.target = #tcp.target<"rngd", chips = 4>} {
  func.func @main(%0: !Host) -> (!Host, !Host, !Host) {
    %1 = tcp.to_hbm %0 at 0 : !Host -> !OnA
    %2:3 = tcp.launch @kernel(%1) : (!OnA) -> (!OnAll, !OnA, !OnA)
    %3 = tcp.to_host %2#0 : !OnAll -> !Host
    %4 = tcp.to_host %2#1 : !OnA -> !Host
    %5 = tcp.to_host %2#2 : !OnA -> !Host
    return %3, %4, %5 : !Host, !Host, !Host
  }
  func.func @kernel(%0: !OnA) -> (!OnAll, !OnA, !OnA) {
    %1 = tcp.to_hbm %0 at 4096 : !OnA -> !OnB
    %2 = tcp.to_hbm %1 at 8192 : !OnB -> !OnAll
    // Every chip reads its own copy.
    %3 = tcp.to_dm %2 at 0 : !OnAll -> !tcp.dm<i8, #all, "A, C">
    %4 = tcp.to_hbm %3 at 12288 : !tcp.dm<i8, #all, "A, C"> -> !OnAll
    %5 = tcp.chip_shuffle %0 [1, 2, 3, 0] at 16384 : !OnA
    %6 = tcp.to_dm %0 at 1024 : !OnA -> !tcp.dm<i8, #grid, "C">
    %7 = tcp.chip_shuffle %6 [3, 0, 1, 2] at 2048 : !tcp.dm<i8, #grid, "C">
    %8 = tcp.to_hbm %7 at 20480 : !tcp.dm<i8, #grid, "C"> -> !OnA
    return %4, %5, %8 : !OnAll, !OnA, !OnA
  }
}
