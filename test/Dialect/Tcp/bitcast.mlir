// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s

#axes = #stream.axes<A = 64, B = 8, C = 2, D = 4>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A # 256">

// CHECK-LABEL: func @words
func.func @words(%h: !tcp.hbm<f32, #axes, "1", "A, B">, %d: !tcp.dm<i32, #grid, "B">,
                 %v: !tcp.vrf<f32, #grid, "B">) {
  // CHECK: tcp.bitcast %{{.*}} : !tcp.hbm<f32, #{{.*}}, "1", "A, B"> -> !tcp.hbm<i32, #{{.*}}, "1", "A, B">
  %0 = tcp.bitcast %h : !tcp.hbm<f32, #axes, "1", "A, B"> -> !tcp.hbm<i32, #axes, "1", "A, B">
  // CHECK: tcp.bitcast %{{.*}} : !tcp.dm<i32, #{{.*}}, "B"> -> !tcp.dm<f32, #{{.*}}, "B">
  %1 = tcp.bitcast %d : !tcp.dm<i32, #grid, "B"> -> !tcp.dm<f32, #grid, "B">
  // CHECK: tcp.bitcast %{{.*}} : !tcp.vrf<f32, #{{.*}}, "B"> -> !tcp.vrf<i32, #{{.*}}, "B">
  %2 = tcp.bitcast %v : !tcp.vrf<f32, #grid, "B"> -> !tcp.vrf<i32, #grid, "B">
  return
}

// CHECK-LABEL: func @narrow
func.func @narrow(%a: !tcp.dm<i16, #grid, "B">, %b: !tcp.dm<f8E4M3FN, #grid, "B">) {
  // CHECK: tcp.bitcast %{{.*}} : !tcp.dm<i16, {{.*}} -> !tcp.dm<bf16,
  %0 = tcp.bitcast %a : !tcp.dm<i16, #grid, "B"> -> !tcp.dm<bf16, #grid, "B">
  // CHECK: tcp.bitcast %{{.*}} : !tcp.dm<f8E4M3FN, {{.*}} -> !tcp.dm<i8,
  %1 = tcp.bitcast %b : !tcp.dm<f8E4M3FN, #grid, "B"> -> !tcp.dm<i8, #grid, "B">
  return
}

// CHECK-LABEL: func @renamed
func.func @renamed(%a: !tcp.dm<i16, #grid, "B">) {
  // CHECK: tcp.bitcast %{{.*}} : !tcp.dm<i16, {{.*}}, "B"> -> !tcp.dm<i16, {{.*}}, "C, D">
  %0 = tcp.bitcast %a : !tcp.dm<i16, #grid, "B"> -> !tcp.dm<i16, #grid, "C, D">
  return
}
