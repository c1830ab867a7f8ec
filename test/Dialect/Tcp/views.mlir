// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s

#axes = #stream.axes<A = 8, B = 512>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">

// The manual's tiles (TCP manual, Resize; Stride and Modulo).
// ROWS: MAP-15, SIL-18
// CHECK-LABEL: func @tiles
func.func @tiles(%t: !tcp.hbm<bf16, #axes, "1", "A, B">, %i: index) {
  // CHECK: tcp.tile %{{.*}} "B / 32" at %{{.*}} size 2 "A, B / 32 = 2 # 16, B % 32"
  %0 = tcp.tile %t "B / 32" at %i size 2 "A, B / 32 = 2 # 16, B % 32" : !tcp.hbm<bf16, #axes, "1", "A, B">
  // CHECK: tcp.tile %{{.*}} "B" at 2 size 2 "A, B = 2 # 512"
  %1 = tcp.tile %t "B" at 2 size 2 "A, B = 2 # 512" : !tcp.hbm<bf16, #axes, "1", "A, B">
  // The outermost dimension may leave its padding out.
  // CHECK: tcp.tile %{{.*}} "A" at %{{.*}} + 1 size 1 "A = 1, B"
  %2 = tcp.tile %t "A" at %i + 1 size 1 "A = 1, B" : !tcp.hbm<bf16, #axes, "1", "A, B">
  // A digit further in, of a dimension that is cut in two.
  // CHECK: tcp.tile %{{.*}} "B % 32" at 0 size 8
  %3 = tcp.tile %t "B % 32" at 0 size 8 "A, B / 32, B % 32 = 8 # 32" : !tcp.hbm<bf16, #axes, "1", "A, B">
  // A tile of a tile.
  // CHECK: tcp.tile %{{.*}} "A" at [0, 3, 2, 1] size 1 "A = 1 # 8, B / 32 = 2 # 16, B % 32"
  %4 = tcp.tile %0 "A" at [0, 3, 2, 1] size 1 "A = 1 # 8, B / 32 = 2 # 16, B % 32" : !tcp.hbm<bf16, #axes, "1", "A, B / 32 = 2 # 16, B % 32">
  // CHECK: at %{{.*}} + [0, 1, 2, 3] size 4
  %5 = tcp.tile %t "A" at %i + [0, 1, 2, 3] size 4 "A = 4 # 8, B" : !tcp.hbm<bf16, #axes, "1", "A, B">
  return
}

// CHECK-LABEL: func @commit_view
func.func @commit_view(%s: !tcp.stream<main collect i32, #grid, "1", "B = 8">, %i: index)
    -> !tcp.dm<i32, #grid, "A, B"> {
  // CHECK: tcp.from_address 4096 : !tcp.dm
  %d = tcp.from_address 4096 : !tcp.dm<i32, #grid, "A, B">
  // CHECK: tcp.commit_view %{{.*}} into %{{.*}} "B" at %{{.*}} size 8 "B = 8"
  %0 = tcp.tile %d "A" at 0 size 1 "A = 1, B" : !tcp.dm<i32, #grid, "A, B">
  %e = tcp.from_address 0 : !tcp.dm<i32, #grid, "B">
  %r = tcp.commit_view %s into %e "B" at %i size 8 "B = 8"
      : <main collect i32, #grid, "1", "B = 8">, !tcp.dm<i32, #grid, "B">
  return %d : !tcp.dm<i32, #grid, "A, B">
}
