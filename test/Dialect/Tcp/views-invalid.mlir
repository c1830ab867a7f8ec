// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: sequin-opt %s --split-input-file --verify-diagnostics

#axes = #stream.axes<A = 8, B = 512>
func.func @dimension(%t: !tcp.hbm<bf16, #axes, "1", "A, B">) {
  // expected-error @+1 {{tiles "A, B", a dimension is an axis or one digit of it, as "B" or "B / 32"}}
  %0 = tcp.tile %t "A, B" at 0 size 1 "A, B" : !tcp.hbm<bf16, #axes, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 8, B = 512, C = 4>
func.func @absent(%t: !tcp.hbm<bf16, #axes, "1", "A, B">) {
  // expected-error @+1 {{tiles "C", which is no dimension of "A, B"}}
  %0 = tcp.tile %t "C" at 0 size 1 "A, B" : !tcp.hbm<bf16, #axes, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 8, B = 512>
func.func @across(%t: !tcp.hbm<bf16, #axes, "1", "B / 32, A, B % 32">) {
  // expected-error @+1 {{tiles "B / 16", which is no dimension of "B / 32, A, B % 32"}}
  %0 = tcp.tile %t "B / 16" at 0 size 1 "B / 32, A, B % 32" : !tcp.hbm<bf16, #axes, "1", "B / 32, A, B % 32">
  return
}

// -----

#axes = #stream.axes<A = 8, B = 512>
func.func @size(%t: !tcp.hbm<bf16, #axes, "1", "A, B">) {
  // expected-error @+1 {{tile of 17 along "B / 32", which has 16}}
  %0 = tcp.tile %t "B / 32" at 0 size 17 "A, B" : !tcp.hbm<bf16, #axes, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 8, B = 512>
func.func @mapping(%t: !tcp.hbm<bf16, #axes, "1", "A, B">) {
  // expected-error @+1 {{tile is "A, B / 32 = 3 # 16, B % 32", expected "A, [B] / 32 % 16 = 2 # 16, [B] % 32": they differ at position 64}}
  %0 = tcp.tile %t "B / 32" at 0 size 2 "A, B / 32 = 3 # 16, B % 32" : !tcp.hbm<bf16, #axes, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 8, B = 512>
func.func @footprint(%t: !tcp.hbm<bf16, #axes, "1", "A, B">) {
  // Without its padding the tile would have other strides than the tensor.
  // expected-error @+1 {{tile is "A, B / 32 = 2, B % 32", expected}}
  %0 = tcp.tile %t "B / 32" at 0 size 2 "A, B / 32 = 2, B % 32" : !tcp.hbm<bf16, #axes, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 8, B = 512>
func.func @inside(%t: !tcp.hbm<bf16, #axes, "1", "A, B">) {
  %0 = tcp.tile %t "B / 32" at 14 size 2 "A, B / 32 = 2 # 16, B % 32" : !tcp.hbm<bf16, #axes, "1", "A, B">
  // expected-error @+1 {{tile [15, 17) of "B / 32", which has 16}}
  %1 = tcp.tile %t "B / 32" at 15 size 2 "A, B / 32 = 2 # 16, B % 32" : !tcp.hbm<bf16, #axes, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 8, B = 512>
func.func @negative(%t: !tcp.hbm<bf16, #axes, "1", "A, B">, %i: index) {
  %0 = tcp.tile %t "B" at %i + -1 size 2 "A, B = 2 # 512" : !tcp.hbm<bf16, #axes, "1", "A, B">
  // expected-error @+1 {{starts at -1 of "B"}}
  %1 = tcp.tile %t "B" at -1 size 2 "A, B = 2 # 512" : !tcp.hbm<bf16, #axes, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 8, B = 512>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
#other = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A # 256">
func.func @grids(%s: !tcp.stream<main collect i32, #grid, "1", "B = 8">, %e: !tcp.dm<i32, #other, "B">) {
  // expected-error @+1 {{stream is spread as}}
  %r = tcp.commit_view %s into %e "B" at 0 size 8 "B = 8"
      : <main collect i32, #grid, "1", "B = 8">, !tcp.dm<i32, #other, "B">
  return
}

// -----

#axes = #stream.axes<A = 8, B = 512>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @types(%s: !tcp.stream<main collect i32, #grid, "1", "B = 8">, %e: !tcp.dm<f32, #grid, "B">) {
  // expected-error @+1 {{stream has element type 'i32', the destination 'f32'}}
  %r = tcp.commit_view %s into %e "B" at 0 size 8 "B = 8"
      : <main collect i32, #grid, "1", "B = 8">, !tcp.dm<f32, #grid, "B">
  return
}

// -----

#axes = #stream.axes<A = 8, B = 512>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @address() {
  %d = tcp.from_address 4096 : !tcp.dm<i32, #grid, "A, B">
  // expected-error @+1 {{address 4098 is not a multiple of the element size, 4 bytes}}
  %e = tcp.from_address 4098 : !tcp.dm<i32, #grid, "A, B">
  return
}

// -----

#axes = #stream.axes<A = 8, B = 512, L = 1, E = 1>
func.func @single(%t: !tcp.hbm<bf16, #axes, "1", "L, A, B">) {
  %0 = tcp.tile %t "L" at 0 size 1 "L, A, B" : !tcp.hbm<bf16, #axes, "1", "L, A, B">
  // expected-error @+1 {{tile of 2 along "L", which has 1}}
  %1 = tcp.tile %t "L" at 0 size 2 "L, A, B" : !tcp.hbm<bf16, #axes, "1", "L, A, B">
  return
}

// -----

#axes = #stream.axes<A = 8, B = 512, L = 1>
func.func @single_start(%t: !tcp.hbm<bf16, #axes, "1", "L, A, B">) {
  // expected-error @+1 {{tile [1, 2) of "L", which has 1}}
  %0 = tcp.tile %t "L" at 1 size 1 "L, A, B" : !tcp.hbm<bf16, #axes, "1", "L, A, B">
  return
}

// -----

#axes = #stream.axes<A = 8, B = 512, L = 1, E = 1>
func.func @single_absent(%t: !tcp.hbm<bf16, #axes, "1", "L, A, B">) {
  // expected-error @+1 {{tiles "E", which is no dimension of "L, A, B"}}
  %0 = tcp.tile %t "E" at 0 size 1 "L, A, B" : !tcp.hbm<bf16, #axes, "1", "L, A, B">
  return
}

// -----

#axes = #stream.axes<A = 8, B = 512>
func.func @identity(%t: !tcp.hbm<bf16, #axes, "1", "A, B">) {
  // expected-error @+1 {{tiles "1", a dimension is an axis or one digit of it}}
  %0 = tcp.tile %t "1" at 0 size 1 "A, B" : !tcp.hbm<bf16, #axes, "1", "A, B">
  return
}

// -----

// B alone is no digit of both axes together.
#axes = #stream.axes<A = 3, B = 20>
func.func @group(%t: !tcp.hbm<bf16, #axes, "1", "[A, B] # 64">) {
  %0 = tcp.tile %t "[A, B] # 64 % 4" at 2 size 2 "[A, B] # 64 / 4, [A, B] # 64 % 4 = 2 # 4" : !tcp.hbm<bf16, #axes, "1", "[A, B] # 64">
  // expected-error @+1 {{tile [3, 5) of "[A, B] # 64 % 4", which has 4}}
  %1 = tcp.tile %t "[A, B] # 64 % 4" at 3 size 2 "[A, B] # 64 / 4, [A, B] # 64 % 4 = 2 # 4" : !tcp.hbm<bf16, #axes, "1", "[A, B] # 64">
  return
}

// -----

#axes = #stream.axes<A = 3, B = 20>
func.func @group_axis(%t: !tcp.hbm<bf16, #axes, "1", "[A, B] # 64">) {
  // expected-error @+1 {{tiles "B % 4", which is no dimension of "[A, B] # 64"}}
  %0 = tcp.tile %t "B % 4" at 0 size 2 "[A, B] # 64 / 4, [A, B] # 64 % 4 = 2 # 4" : !tcp.hbm<bf16, #axes, "1", "[A, B] # 64">
  return
}
