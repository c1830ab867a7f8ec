// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sixteen steps of time for three rows: the sums of the others are padding of the
// result, so that what they read need not be masked. The padding of K is: nobody has
// written what its lanes hold.
// ROWS: SIL-13, SIL-23
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; r = np.random.default_rng(3); [np.save('%t/in%%d.npy' %% i, r.integers(-9, 9, s).astype(np.float32)) for i, s in enumerate([(3, 50), (6, 50)])]"
// RUN: sequin-run %s --input %t/in0.npy --input %t/in1.npy --output %t/out.npy --verify 2>&1 | FileCheck %s --check-prefix=VERIFIED
// RUN: %python -c "import numpy as np; a, b, c = [np.load('%t/%%s.npy' %% n) for n in ('in0', 'in1', 'out')]; print('equal', np.array_equal(a @ b.T, c), c.shape)" | FileCheck %s
// VERIFIED: verified: 1 output, 18 elements equal the reference interpreter's bit for bit
// CHECK: equal True (3, 6)

// A mask for K in every row, whatever the row is.
// RUN: sequin-opt --tcp-to-config %s | FileCheck %s --check-prefix=MASK
// MASK: last_dim_rightmost_valid_count = [50]

// Where M is summed, its padding is in every sum.
// RUN: sed -e 's/Interleaved "M # 16", "N # 8"/Interleaved "1", "N # 8"/' -e 's/accumulate f32, #g, "M # 16", "N # 8"/accumulate f32, #g, "1", "N # 8"/' -e 's/at 196608 "M # 16, N # 8"/at 196608 "N # 8"/' -e 's/#g, "M # 16, N # 8">/#g, "N # 8">/' -e 's/"M, N"/"N"/g' %s > %t/summed.mlir
// RUN: not sequin-opt --tcp-to-config %t/summed.mlir 2>&1 | FileCheck %s --check-prefix=SUMMED
// SUMMED: error: 'tcp.fetch' op padding of packet "K # 64" over time "M # 16" is added up by the contraction engine and cannot be masked

#axes = #stream.axes<M = 3, N = 6, K = 50>
#g = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
!HostA = !tcp.host<bf16, #axes, "M, K">
!HostB = !tcp.host<bf16, #axes, "N, K">
!HostC = !tcp.host<f32, #axes, "M, N">
!HbmA = !tcp.hbm<bf16, #axes, "1", "M, K # 64">
!HbmB = !tcp.hbm<bf16, #axes, "1", "N, K # 64">
!HbmC = !tcp.hbm<f32, #axes, "1", "M, N">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !HostA, %b: !HostB) -> !HostC {
    %ha = tcp.to_hbm %a at 0 : !HostA -> !HbmA
    %hb = tcp.to_hbm %b at 65536 : !HostB -> !HbmB
    %hc = tcp.launch @kernel(%ha, %hb) : (!HbmA, !HbmB) -> !HbmC
    %c = tcp.to_host %hc : !HbmC -> !HostC
    return %c : !HostC
  }
  func.func @kernel(%a: !HbmA, %b: !HbmB) -> !HbmC {
    %da = tcp.to_dm %a at 0 : !HbmA -> !tcp.dm<bf16, #g, "M # 16, K # 64">
    %db = tcp.to_dm %b at 65536 : !HbmB -> !tcp.dm<bf16, #g, "N # 8, K # 64">
    %w0 = tcp.begin main %db : !tcp.dm<bf16, #g, "N # 8, K # 64">
    %w1 = tcp.fetch %w0 bf16 "N # 8", "K # 64" : <main begin bf16, #g, "1", "N # 8, K # 64">
    %w2 = tcp.collect %w1 "N # 8, K # 64 / 16", "K # 64 % 16" : <main fetch bf16, #g, "N # 8", "K # 64">
    %w = tcp.to_trf %w2 Full "N # 8", "K # 64" : <main collect bf16, #g, "N # 8, K # 64 / 16", "K # 64 % 16">
    %0 = tcp.begin main %da : !tcp.dm<bf16, #g, "M # 16, K # 64">
    %1 = tcp.fetch %0 bf16 "M # 16", "K # 64" : <main begin bf16, #g, "1", "M # 16, K # 64">
    %2 = tcp.collect %1 "M # 16, K # 64 / 16", "K # 64 % 16" : <main fetch bf16, #g, "M # 16", "K # 64">
    %3 = tcp.align %2, %w "M # 16, K # 64 / 32", "K # 64 % 32" : <main collect bf16, #g, "M # 16, K # 64 / 16", "K # 64 % 16">, !tcp.trf<bf16, #g, "N # 8", "K # 64">
    %4 = tcp.contract %3 "1" : <main align bf16, #g, row "N # 8", "M # 16, K # 64 / 32", "K # 64 % 32">
    %5 = tcp.accumulate %4 Interleaved "M # 16", "N # 8" : <main contract f32, #g, row "N # 8", "M # 16, K # 64 / 32", "1">
    %6 = tcp.commit %5 at 196608 "M # 16, N # 8" : <main accumulate f32, #g, "M # 16", "N # 8">
    %r = tcp.to_hbm %6 at 131072 : !tcp.dm<f32, #g, "M # 16, N # 8"> -> !HbmC
    return %r : !HbmC
  }
}
