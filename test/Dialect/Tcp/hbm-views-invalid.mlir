// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: sequin-opt %s --split-input-file --verify-diagnostics

#matrix = #stream.axes<A = 100, B = 10>
#block = #stream.axes<M = 4, N = 2>
!Matrix = !tcp.hbm<f32, #matrix, "1", "A, B # 16">
!Block = !tcp.hbm<f32, #block, "1", "M, N # 16">
func.func @end(%t: !Matrix) {
  // The last data position of the view is 49 behind its first.
  %0 = tcp.view %t at 1550 : !Matrix -> !Block
  // expected-error @+1 {{views positions [1551, 1601) of "A, B # 16", which has 1600}}
  %1 = tcp.view %t at 1551 : !Matrix -> !Block
  return
}

// -----

#matrix = #stream.axes<A = 100, B = 10>
#block = #stream.axes<M = 4, N = 2>
!Matrix = !tcp.hbm<f32, #matrix, "1", "A, B # 16">
!Shifted = !tcp.hbm<f32, #block, "1", "M, N # 16 @ 4">
func.func @beginning(%t: !Matrix, %d: !Shifted) {
  %0 = tcp.to_hbm_view %d into %t at -4 as !Shifted : !Shifted, !Matrix
  // expected-error @+1 {{views positions [-1, 49) of "A, B # 16", which has 1600}}
  %1 = tcp.to_hbm_view %d into %t at -5 as !Shifted : !Shifted, !Matrix
  return
}

// -----

#matrix = #stream.axes<A = 100, B = 10>
#block = #stream.axes<M = 4, N = 2>
func.func @overflow(%t: !tcp.hbm<f32, #matrix, "1", "A, B # 16">) {
  // expected-error @+1 {{views positions from 9223372036854775807 of "A, B # 16", which has 1600}}
  %1 = tcp.view %t at 9223372036854775807 : !tcp.hbm<f32, #matrix, "1", "A, B # 16"> -> !tcp.hbm<f32, #block, "1", "M, N # 16">
  return
}

// -----

#matrix = #stream.axes<A = 100, B = 10>
func.func @sum(%t: !tcp.hbm<f32, #matrix, "1", "A, B">) {
  // expected-error @+1 {{offset does not fit in 64 bits}}
  %1 = tcp.view %t at 9223372036854775807 + 1 : !tcp.hbm<f32, #matrix, "1", "A, B"> -> !tcp.hbm<f32, #matrix, "1", "A, B">
  return
}

// -----

#matrix = #stream.axes<A = 100, B = 10>
#block = #stream.axes<M = 4, N = 2>
func.func @nibble(%t: !tcp.hbm<i4, #matrix, "1", "A, B">) {
  %0 = tcp.view %t at 6 : !tcp.hbm<i4, #matrix, "1", "A, B"> -> !tcp.hbm<i4, #block, "1", "M, N # 10">
  // expected-error @+1 {{starts at element 7 of the buffer, which is no whole byte}}
  %1 = tcp.view %t at 7 : !tcp.hbm<i4, #matrix, "1", "A, B"> -> !tcp.hbm<i4, #block, "1", "M, N # 10">
  return
}

// -----

#matrix = #stream.axes<A = 100, B = 10>
#block = #stream.axes<M = 4, N = 2>
func.func @types(%t: !tcp.hbm<f32, #matrix, "1", "A, B">) {
  // expected-error @+1 {{views 'f32' elements as 'i32'}}
  %1 = tcp.view %t at 0 : !tcp.hbm<f32, #matrix, "1", "A, B"> -> !tcp.hbm<i32, #block, "1", "M, N # 10">
  return
}

// -----

#matrix = #stream.axes<A = 100, B = 10>
#block = #stream.axes<M = 4, N = 2>
func.func @chips(%t: !tcp.hbm<f32, #matrix, "A / 25", "A % 25, B">) {
  // expected-error @+1 {{view is on 2 chips, the tensor on 4}}
  %1 = tcp.view %t at 0 : !tcp.hbm<f32, #matrix, "A / 25", "A % 25, B"> -> !tcp.hbm<f32, #block, "N", "M">
  return
}

// -----

#matrix = #stream.axes<A = 100, B = 10>
func.func @steps(%t: !tcp.hbm<f32, #matrix, "1", "A, B">, %i: index) {
  // expected-error @+1 {{has 2 steps for 1 indices}}
  %1 = "tcp.view"(%t, %i) {steps = array<i64: 1, 2>, offset = 0 : i64}
      : (!tcp.hbm<f32, #matrix, "1", "A, B">, index) -> !tcp.hbm<f32, #matrix, "1", "A, B">
  return
}

// -----

#matrix = #stream.axes<A = 100, B = 10>
#block = #stream.axes<M = 4, N = 2>
!Block = !tcp.hbm<f32, #block, "1", "M, N">
func.func @moved_axes(%t: !tcp.hbm<f32, #matrix, "1", "A, B">, %d: !Block) {
  // expected-error @+1 {{source has axes #stream.axes<M = 4, N = 2>, the view #stream.axes<A = 100, B = 10>}}
  %1 = tcp.to_hbm_view %d into %t at 0 as !tcp.hbm<f32, #matrix, "1", "A, B"> : !Block, !tcp.hbm<f32, #matrix, "1", "A, B">
  return
}

// -----

#matrix = #stream.axes<A = 100, B = 10>
func.func @moved_types(%t: !tcp.hbm<f32, #matrix, "1", "A, B">, %d: !tcp.hbm<i32, #matrix, "1", "A, B">) {
  // expected-error @+1 {{moves 'i32' elements to a view of 'f32'}}
  %1 = tcp.to_hbm_view %d into %t at 0 as !tcp.hbm<f32, #matrix, "1", "A, B"> : !tcp.hbm<i32, #matrix, "1", "A, B">, !tcp.hbm<f32, #matrix, "1", "A, B">
  return
}

// -----

// Zeros that a view claims are where the tensor has them.
#matrix = #stream.axes<A = 100, B = 10>
#block = #stream.axes<M = 4, N = 10>
!Claim = !tcp.hbm<f32, #block, "1", "M, N #z 16">
func.func @zeros(%t: !tcp.hbm<f32, #matrix, "1", "A, B # 16">) {
  // expected-error @+1 {{view "M, N #z 16" has zero padding, "A, B # 16" has none like it}}
  %1 = tcp.view %t at 0 : !tcp.hbm<f32, #matrix, "1", "A, B # 16"> -> !Claim
  return
}

// -----

#matrix = #stream.axes<A = 100, B = 10>
#block = #stream.axes<M = 4, N = 10>
!Claim = !tcp.hbm<f32, #block, "1", "M, N #z 16">
func.func @zeros_elsewhere(%t: !tcp.hbm<f32, #matrix, "1", "A, B #z 16">, %i: index) {
  %0 = tcp.view %t at %i * 32 + 16 : !tcp.hbm<f32, #matrix, "1", "A, B #z 16"> -> !Claim
  // expected-error @+1 {{moves a view with zero padding by 8 elements, allowed are multiples of 16}}
  %1 = tcp.view %t at %i * 8 : !tcp.hbm<f32, #matrix, "1", "A, B #z 16"> -> !Claim
  return
}

// -----

#matrix = #stream.axes<A = 100, B = 10>
#block = #stream.axes<M = 4, N = 10>
!Block = !tcp.hbm<f32, #block, "1", "M, N # 16">
func.func @zeros_overwritten(%t: !tcp.hbm<f32, #matrix, "1", "A, B #z 16">, %d: !Block) {
  // expected-error @+1 {{destination "A, B #z 16" has zero padding that the view "M, N # 16" does not have}}
  %1 = tcp.to_hbm_view %d into %t at 0 as !Block : !Block, !tcp.hbm<f32, #matrix, "1", "A, B #z 16">
  return
}

// -----

#matrix = #stream.axes<A = 100, B = 10>
func.func @constant_count() {
  // expected-error @+1 {{has 999 elements, the tensor "A, B" 1000}}
  %1 = tcp.constant dense<1.0> : tensor<999xf32> : !tcp.host<f32, #matrix, "A, B">
  return
}

// -----

#matrix = #stream.axes<A = 100, B = 10>
func.func @constant_type() {
  // expected-error @+1 {{has 'f32' elements, the tensor 'bf16'}}
  %1 = tcp.constant dense<1.0> : tensor<1000xf32> : !tcp.host<bf16, #matrix, "A, B">
  return
}

// -----

#matrix = #stream.axes<A = 100, B = 10>
func.func @constant_sparse() {
  // expected-error @+1 {{has elements that are not listed, allowed are those of a dense attribute}}
  %1 = tcp.constant sparse<[[0]], [1.0]> : tensor<1000xf32> : !tcp.host<f32, #matrix, "A, B">
  return
}
