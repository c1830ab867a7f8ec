// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A loop of a million rounds is one command. The two buffers change places, so its
// body is two rounds; the last one is left over.
// RUN: sequin-opt %s --tcp-to-config | FileCheck %s
// CHECK: tcp.config_loop "for" count 500000 {
// CHECK: tcp.config_exec "commit_view" {{.*}}packet 1 at 0>{{.*}}packet 1 at 1024>
// CHECK: tcp.config_exec "commit_view#1" {{.*}}packet 1 at 1024>{{.*}}packet 1 at 0>
// CHECK: }
// CHECK: tcp.config_exec "commit_view[1000000]" {{.*}}packet 1 at 0>{{.*}}packet 1 at 1024>
// CHECK-NOT: commit_view

#axes = #stream.axes<A = 8, B = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "B / 8 # 256">
!Hbm = !tcp.hbm<i32, #axes, "1", "A, B">
!Dm = !tcp.dm<i32, #grid, "A, B % 8">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !Hbm) -> !Hbm {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 1000001 : index
    %first = tcp.to_dm %in at 0 : !Hbm -> !Dm
    %second = tcp.from_address 1024 : !Dm
    %now, %old = scf.for %i = %c0 to %c3 step %c1
        iter_args(%from = %first, %to = %second) -> (!Dm, !Dm) {
      %a = tcp.begin main %from : !Dm
      %b = tcp.fetch %a i32 "A", "B % 8" : <main begin i32, #grid, "1", "A, B % 8">
      %c = tcp.collect %b "A", "B % 8" : <main fetch i32, #grid, "A", "B % 8">
      %d = tcp.vector_init %c : <main collect i32, #grid, "A", "B % 8">
      %e = tcp.vector_intra_slice_branch %d Unconditional : <main vector_init i32, #grid, "A", "B % 8">
      %f = tcp.vector_fxp %e AddFxp (1 : i32) : <main vector_branch i32, #grid, "A", "B % 8">
      %g = tcp.vector_final %f : <main vector_fxp i32, #grid, "A", "B % 8">
      %next = tcp.commit_view %g into %to "A" at 0 size 8 "A, B % 8"
          : <main vector_final i32, #grid, "A", "B % 8">, !Dm
      scf.yield %next, %from : !Dm, !Dm
    }
    %r = tcp.to_hbm %now at 268435456 : !Dm -> !Hbm
    return %r : !Hbm
  }
  func.func @main(%a: !tcp.host<i32, #axes, "A, B">) -> !tcp.host<i32, #axes, "A, B"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<i32, #axes, "A, B"> -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !Hbm
    %o = tcp.to_host %r : !Hbm -> !tcp.host<i32, #axes, "A, B">
    return %o : !tcp.host<i32, #axes, "A, B">
  }
}
