// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: sequin-opt %s --split-input-file --verify-diagnostics

#axes = #stream.axes<A = 64>
func.func @width(%h: !tcp.hbm<f32, #axes, "1", "A">) {
  // expected-error@+1 {{'tcp.bitcast' op reads 'f32' as 'i16', only types of one width can be exchanged}}
  %0 = tcp.bitcast %h : !tcp.hbm<f32, #axes, "1", "A"> -> !tcp.hbm<i16, #axes, "1", "A">
  return
}

// -----

#axes = #stream.axes<A = 64>
func.func @mapping(%h: !tcp.hbm<f32, #axes, "1", "A">) {
  // expected-error@+1 {{makes '!tcp.hbm<i32, #stream.axes<A = 64>, "1", "A # 128">' of '!tcp.hbm<f32, #stream.axes<A = 64>, "1", "A">', only the element type may change}}
  %0 = tcp.bitcast %h : !tcp.hbm<f32, #axes, "1", "A"> -> !tcp.hbm<i32, #axes, "1", "A # 128">
  return
}

// -----

#axes = #stream.axes<A = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @memory(%d: !tcp.dm<f32, #grid, "A">) {
  // expected-error@+1 {{only the element type may change}}
  %0 = tcp.bitcast %d : !tcp.dm<f32, #grid, "A"> -> !tcp.vrf<i32, #grid, "A">
  return
}

// -----

#axes = #stream.axes<A = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
#other = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A # 256">
func.func @grid(%d: !tcp.dm<f32, #grid, "1 # 2">) {
  // Other axes are other names of the same memory; sizes stay.
  %0 = tcp.bitcast %d : !tcp.dm<f32, #grid, "1 # 2"> -> !tcp.dm<i32, #other, "1 # 2">
  // expected-error@+1 {{names "1 # 2" of size 2 anew as "1 # 4" of size 4}}
  %1 = tcp.bitcast %d : !tcp.dm<f32, #grid, "1 # 2"> -> !tcp.dm<f32, #grid, "1 # 4">
  return
}

// -----

#axes = #stream.axes<A = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @more_padding(%0: !tcp.dm<i32, #grid, "A # 16">) {
  // Padding behind the elements may be left out, but there is none to add.
  %1 = tcp.bitcast %0 : !tcp.dm<i32, #grid, "A # 16"> -> !tcp.dm<i32, #grid, "A">
  // expected-error@+1 {{names "A" of size 8 anew as "A # 16" of size 16}}
  %2 = tcp.bitcast %1 : !tcp.dm<i32, #grid, "A"> -> !tcp.dm<i32, #grid, "A # 16">
  return
}

// -----

#axes = #stream.axes<A = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @fewer_elements(%0: !tcp.dm<i32, #grid, "A">) {
  // expected-error@+1 {{names "A" of size 8 anew as "A % 4" of size 4}}
  %1 = tcp.bitcast %0 : !tcp.dm<i32, #grid, "A"> -> !tcp.dm<i32, #grid, "A % 4">
  return
}
