// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A pass streams, so it cannot write what it still has to read: rows 0 to 1023 to
// rows 1 to 1024 of one tensor. Other rows of the tensor are no harm.
// RUN: not sequin-run %s --timing-only 2>&1 | FileCheck %s
// CHECK: in-place.mlir:[[#@LINE + 24]]:{{[0-9]+}}: error: 'tcp.commit_view' op writes address 32 of a slice, which the same pass fetches: it would be overwritten before it is read
// RUN: sed 's/%c1 size 1024/%c1024 size 1024/' %s > %t.mlir
// RUN: sequin-run %t.mlir --timing-only

#axes = #stream.axes<A = 2048, B = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "B / 8 # 256">
!Host = !tcp.host<i32, #axes, "A, B">
!Hbm = !tcp.hbm<i32, #axes, "1", "A, B">
!Dm = !tcp.dm<i32, #grid, "A, B % 8">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%input: !Host) -> !Host {
    %in = tcp.to_hbm %input at 0 : !Host -> !Hbm
    %r = tcp.launch @kernel(%in) : (!Hbm) -> !Hbm
    %out = tcp.to_host %r : !Hbm -> !Host
    return %out : !Host
  }
  func.func @kernel(%in: !Hbm) -> !Hbm {
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %dm = tcp.to_dm %in at 0 : !Hbm -> !Dm
    %t = tcp.tile %dm "A" at 0 size 1024 "A = 1024 # 2048, B % 8" : !Dm
    %0 = tcp.begin main %t : !tcp.dm<i32, #grid, "A = 1024 # 2048, B % 8">
    %1 = tcp.fetch %0 i32 "A = 1024", "B % 8" : <main begin i32, #grid, "1", "A = 1024 # 2048, B % 8">
    %2 = tcp.collect %1 "A = 1024", "B % 8" : <main fetch i32, #grid, "A = 1024", "B % 8">
    %3 = tcp.commit_view %2 into %dm "A" at %c1 size 1024 "A = 1024 # 2048, B % 8"
        : <main collect i32, #grid, "A = 1024", "B % 8">, !Dm
    %r = tcp.to_hbm %3 at 268435456 : !Dm -> !Hbm
    return %r : !Hbm
  }
}
