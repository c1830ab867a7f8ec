// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s

#matrix = #stream.axes<A = 100, B = 10>
#block = #stream.axes<M = 4, N = 2>
#flat = #stream.axes<X = 1600>
#grid = #tcp.grid<#block, chip "1", cluster "1 # 2", slice "M # 256">
!Matrix = !tcp.hbm<f32, #matrix, "1", "A, B # 16">
!Block = !tcp.hbm<f32, #block, "1", "M, N # 16">

// CHECK-LABEL: func @view
func.func @view(%t: !Matrix, %i: index, %j: index) {
  // CHECK: tcp.view %{{.*}} at 88 : !tcp.hbm<f32, #{{.*}}, "1", "A, B # 16"> -> !tcp.hbm<f32, #{{.*}}, "1", "M, N # 16">
  %0 = tcp.view %t at 88 : !Matrix -> !Block
  // CHECK: tcp.view %{{.*}} at 0 :
  %1 = tcp.view %t at 0 : !Matrix -> !tcp.hbm<f32, #flat, "1", "X">
  // CHECK: tcp.view %{{.*}} at %[[I:.*]] * 16 + %[[J:.*]] + 8 :
  %2 = tcp.view %t at 5 + %i * 16 + 3 + %j : !Matrix -> !Block
  // CHECK: tcp.view %{{.*}} at %[[I]] * -16 + %[[I]] * 2 + -8 :
  %3 = tcp.view %t at %i * -16 + %i * 2 + -8 : !Matrix -> !Block
  // CHECK: tcp.view %{{.*}} at %[[I]] :
  %4 = tcp.view %t at %i * 1 + 0 : !Matrix -> !Block
  // Padding may hang over at both ends.
  %5 = tcp.view %t at 1544 : !Matrix -> !Block
  %6 = tcp.view %t at -4 : !Matrix -> !tcp.hbm<f32, #block, "1", "M, N # 16 @ 4">
  return
}

// CHECK-LABEL: func @to_hbm_view
func.func @to_hbm_view(%d: !tcp.dm<f32, #grid, "N">, %h: !Block, %out: !Matrix, %i: index) -> !Matrix {
  // CHECK: %[[NEW:.*]] = tcp.to_hbm_view %{{.*}} into %{{.*}} at %{{.*}} * 16 + 8 as !tcp.hbm<f32, #{{.*}}, "1", "M, N # 16"> : !tcp.dm<f32, #{{.*}}, "N">, !tcp.hbm<f32, #{{.*}}, "1", "A, B # 16">
  %0 = tcp.to_hbm_view %d into %out at %i * 16 + 8 as !Block : !tcp.dm<f32, #grid, "N">, !Matrix
  // CHECK: tcp.to_hbm_view %{{.*}} into %[[NEW]] at 0 as
  %1 = tcp.to_hbm_view %h into %0 at 0 as !Block : !Block, !Matrix
  return %1 : !Matrix
}

// Zeros are seen where they are.
// CHECK-LABEL: func @zeros
func.func @zeros(%t: !tcp.hbm<f32, #matrix, "1", "A, B #z 16">, %h: !tcp.hbm<f32, #block, "1", "M, N">, %i: index) {
  %0 = tcp.view %t at %i * 32 + 16
      : !tcp.hbm<f32, #matrix, "1", "A, B #z 16"> -> !tcp.hbm<f32, #stream.axes<P = 2, Q = 10>, "1", "P, Q #z 16">
  %1 = tcp.view %t at 8 : !tcp.hbm<f32, #matrix, "1", "A, B #z 16"> -> !Block
  return
}

// CHECK-LABEL: func @constant
func.func @constant() {
  // CHECK: tcp.constant dense<{{.*}}> : tensor<2x2xf32> : !tcp.host<f32, #{{.*}}, "A, B">
  %0 = tcp.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> : !tcp.host<f32, #stream.axes<A = 2, B = 2>, "A, B">
  // CHECK: tcp.constant dense<-3> : tensor<1000xi4> : !tcp.host<i4
  %1 = tcp.constant dense<-3> : tensor<1000xi4> : !tcp.host<i4, #matrix, "A, B">
  return
}
