// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of rows, one in a flit, written to a part of a tensor that has a word of 8 bytes for each:
// what a commit writes behind an element is the tensor's own padding.
// RUN: %python -c "import numpy as n; n.save('%t.npy', n.arange(16 * 4, dtype='f4').reshape(16, 4))"
// RUN: sequin-run %s --input %t.npy --output %t.out.npy --verify 2>&1 | FileCheck %s --check-prefix=VERIFIED
// RUN: %python -c "import numpy as n; a = n.load('%t.npy'); r = n.load('%t.out.npy'); assert (r == a.sum(1)).all(); print('16 sums')" | FileCheck %s
// VERIFIED: verified: 1 output, 16 elements equal the reference interpreter's bit for bit
// CHECK: 16 sums

#axes = #stream.axes<A = 16, B = 4>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
!Host = !tcp.host<f32, #axes, "A, B">
!Out = !tcp.host<f32, #axes, "A">
!Hbm = !tcp.hbm<f32, #axes, "1", "A, B">
!OutHbm = !tcp.hbm<f32, #axes, "1", "A">
!Dm = !tcp.dm<f32, #grid, "A, B">
!Sums = !tcp.dm<f32, #grid, "A, 1 # 2">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !Host) -> !Out {
    %h = tcp.to_hbm %a at 0 : !Host -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !OutHbm
    %o = tcp.to_host %r : !OutHbm -> !Out
    return %o : !Out
  }
  func.func @kernel(%in: !Hbm) -> !OutHbm {
    %dm = tcp.to_dm %in at 0 : !Hbm -> !Dm
    %none = tcp.from_address 4096 : !Sums

    %t0 = tcp.tile %dm "A" at 0 size 8 "A = 8 # 16, B" : !Dm
    %0 = tcp.begin main %t0 : !tcp.dm<f32, #grid, "A = 8 # 16, B">
    %1 = tcp.fetch %0 f32 "A = 8", "B" : <main begin f32, #grid, "1", "A = 8 # 16, B">
    %2 = tcp.collect %1 "A = 8", "B # 8" : <main fetch f32, #grid, "A = 8", "B">
    %3 = tcp.vector_init %2 : <main collect f32, #grid, "A = 8", "B # 8">
    %4 = tcp.vector_intra_slice_branch %3 Unconditional : <main vector_init f32, #grid, "A = 8", "B # 8">
    %5 = tcp.vector_trim_way4 %4 "B" : <main vector_branch f32, #grid, "A = 8", "B # 8">
    %6 = tcp.vector_intra_slice_reduce %5 Add "B" "A = 8", "1 # 4" : <main vector_narrow f32, #grid, "A = 8", "B">
    %7 = tcp.vector_pad_way8 %6 "1 # 8" : <main vector_intra_slice_reduce f32, #grid, "A = 8", "1 # 4">
    %8 = tcp.vector_final %7 : <main vector_widen f32, #grid, "A = 8", "1 # 8">
    %half = tcp.commit_view %8 into %none "A" at 0 size 8 "A = 8 # 16, 1 # 2" : <main vector_final f32, #grid, "A = 8", "1 # 8">, !Sums

    %t1 = tcp.tile %dm "A" at 8 size 8 "A = 8 # 16, B" : !Dm
    %9 = tcp.begin main %t1 : !tcp.dm<f32, #grid, "A = 8 # 16, B">
    %10 = tcp.fetch %9 f32 "A = 8", "B" : <main begin f32, #grid, "1", "A = 8 # 16, B">
    %11 = tcp.collect %10 "A = 8", "B # 8" : <main fetch f32, #grid, "A = 8", "B">
    %12 = tcp.vector_init %11 : <main collect f32, #grid, "A = 8", "B # 8">
    %13 = tcp.vector_intra_slice_branch %12 Unconditional : <main vector_init f32, #grid, "A = 8", "B # 8">
    %14 = tcp.vector_trim_way4 %13 "B" : <main vector_branch f32, #grid, "A = 8", "B # 8">
    %15 = tcp.vector_intra_slice_reduce %14 Add "B" "A = 8", "1 # 4" : <main vector_narrow f32, #grid, "A = 8", "B">
    %16 = tcp.vector_pad_way8 %15 "1 # 8" : <main vector_intra_slice_reduce f32, #grid, "A = 8", "1 # 4">
    %17 = tcp.vector_final %16 : <main vector_widen f32, #grid, "A = 8", "1 # 8">
    %all = tcp.commit_view %17 into %half "A" at 8 size 8 "A = 8 # 16, 1 # 2" : <main vector_final f32, #grid, "A = 8", "1 # 8">, !Sums

    %out = tcp.to_hbm %all at 65536 : !Sums -> !OutHbm
    return %out : !OutHbm
  }
}
