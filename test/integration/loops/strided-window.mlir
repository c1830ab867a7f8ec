// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A window with steps in two dimensions, one bracket inside the other: every second
// row of B and every third column of C. What lies between keeps its value.
// RUN: %python -c "import numpy as n; s = 9 * 8 * 12 * 16; n.save('%t.big.npy', n.arange(s, dtype='i4').reshape(9, 8, 12, 16)); n.save('%t.small.npy', -1 - n.arange(8 * 2 * 3, dtype='i4').reshape(8, 2, 3))"
// RUN: sequin-run %s --input %t.big.npy --input %t.small.npy --output %t.out.npy --verify
// RUN: %python -c "import numpy as n; w = n.load('%t.big.npy').copy(); w[:7, :4:2, :9:3, 0] = n.load('%t.small.npy')[:7]; assert (n.load('%t.out.npy') == w).all()"
// ROWS: DMA-02

#big = #stream.axes<A = 9, B = 8, C = 12, D = 16>
#small = #stream.axes<A = 8, B = 2, C = 3>
#written = #tcp.grid<#small, chip "1", cluster "1 # 2", slice "[B, C] # 256">
!HostBig = !tcp.host<i32, #big, "A, B, C, D">
!HostSmall = !tcp.host<i32, #small, "A, B, C">
!Big = !tcp.hbm<i32, #big, "1", "A, B, C, D">
!Small = !tcp.hbm<i32, #small, "1", "B, C, A">
!Window = !tcp.hbm<i32, #small, "1", "A = 7, [B, [C, 1 # 48] # 384] # 1536">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%big: !HostBig, %small: !HostSmall) -> !HostBig {
    %0 = tcp.to_hbm %big at 0 : !HostBig -> !Big
    %1 = tcp.to_hbm %small at 1048576 : !HostSmall -> !Small
    %2 = tcp.launch @kernel(%0, %1) : (!Big, !Small) -> !Big
    %3 = tcp.to_host %2 : !Big -> !HostBig
    return %3 : !HostBig
  }
  func.func @kernel(%big: !Big, %small: !Small) -> !Big {
    %1 = tcp.to_dm %small at 0 : !Small -> !tcp.dm<i32, #written, "A">
    %2 = tcp.to_hbm_view %1 into %big at 0 as !Window : !tcp.dm<i32, #written, "A">, !Big
    return %2 : !Big
  }
}
