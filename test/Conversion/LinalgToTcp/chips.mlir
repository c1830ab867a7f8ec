// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Groups on four chips: every chip has blocks of its own, told apart by axis C, and what
// lies otherwise than a group wants it comes by a collective.
// ROWS: KER-01, MAP-23
// RUN: sequin-opt %s '--linalg-to-tcp=target=rngd chips=4' --split-input-file | FileCheck %s

// The host sends blocks of rows, and to each chip a copy of the other operand.
// CHECK-LABEL: func.func @rows_kernel(
// CHECK-NOT: "E"
// CHECK-LABEL: func.func @rows(
// CHECK: tcp.to_hbm %{{.*}} -> !tcp.hbm<bf16, #{{.*}}, "D0 / 16", "D0 % 16{{[^"]*}}, D1{{[^"]*}}">
// CHECK: tcp.to_hbm %{{.*}} -> !tcp.hbm<bf16, #{{.*}}, "C", "{{.*}}D{{.*}}">
func.func @rows(%a: tensor<64x128xbf16>, %b: tensor<128x64xbf16>, %z: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c = linalg.matmul {sequin.pin = {chips = array<i64: 4, 0, 0>}}
      ins(%a, %b : tensor<64x128xbf16>, tensor<128x64xbf16>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}

// -----

// Blocks of columns become whole on every chip: E is the chip that has a block.
// CHECK-LABEL: func.func @gather_kernel(
// CHECK: %[[V:.*]] = tcp.view %{{.*}} -> !tcp.hbm<bf16, #[[AXES:.*]], "E", "[[BLOCK:.*]]">
// CHECK: tcp.to_hbm_view %[[V]] into %{{.*}} as !tcp.hbm<bf16, #[[AXES]], "C", "{{.*E.*}}"> : !tcp.hbm<bf16, #[[AXES]], "E", "[[BLOCK]]">
func.func @gather(%a: tensor<64x128xbf16>, %b: tensor<128x64xbf16>, %c: tensor<64x128xbf16>, %z: tensor<64x64xbf16>, %y: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %p = linalg.matmul {sequin.pin = {chips = array<i64: 0, 4, 0>}}
      ins(%a, %b : tensor<64x128xbf16>, tensor<128x64xbf16>) outs(%z : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %q = linalg.matmul {sequin.pin = {chips = array<i64: 0, 4, 0>}}
      ins(%p, %c : tensor<64x64xbf16>, tensor<64x128xbf16>) outs(%y : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %q : tensor<64x128xf32>
}

// -----

// Every chip sends every other one the part that it adds up.
// CHECK-LABEL: func.func @scatter_kernel(
// CHECK: %[[V:.*]] = tcp.view %{{.*}} -> !tcp.hbm<f32, #[[AXES:.*]], "E", "C, {{.*}}">
// CHECK: tcp.to_hbm_view %[[V]] into %{{.*}} as !tcp.hbm<f32, #[[AXES]], "C", "E, {{.*}}">
func.func @scatter(%a: tensor<64x128xbf16>, %b: tensor<128x64xbf16>, %z: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c = linalg.matmul {sequin.pin = {chips = array<i64: 0, 0, 4>}}
      ins(%a, %b : tensor<64x128xbf16>, tensor<128x64xbf16>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}

// -----

// What every chip has starts elsewhere on each.
// CHECK-LABEL: func.func @slice_kernel(
// CHECK: %[[T:.*]] = tcp.tile %{{.*}} "D0" at [0, 16, 32, 48] size 16 "D0 = 16 # 64, D1{{[^"]*}}"
// CHECK: tcp.to_hbm_view %[[T]] into %{{.*}} as !tcp.hbm<bf16, #{{.*}}, "C", "D0 = 16, D1{{[^"]*}}">
func.func @slice(%a: tensor<64x128xbf16>, %b: tensor<128x64xbf16>, %c: tensor<64x128xbf16>, %z: tensor<64x64xbf16>, %y: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %p = linalg.matmul {sequin.pin = {chips = array<i64: 1, 1, 1>}}
      ins(%a, %b : tensor<64x128xbf16>, tensor<128x64xbf16>) outs(%z : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %q = linalg.matmul {sequin.pin = {chips = array<i64: 4, 0, 0>}}
      ins(%p, %c : tensor<64x64xbf16>, tensor<64x128xbf16>) outs(%y : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %q : tensor<64x128xf32>
}
