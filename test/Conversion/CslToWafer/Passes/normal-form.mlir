// RUN: sequin-opt %s --pass-pipeline="builtin.module(csl.program(func.func(csl-normal-form)))" | FileCheck %s

// A chosen minimum is one, and bits that a cast drops are not masked.

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    func.func @f(%a: i16, %b: i16, %c: i32) -> (i16, i8) {
      %less = arith.cmpi slt, %a, %b : i16
      %m = arith.select %less, %a, %b : i16
      %mask = arith.constant 255 : i32
      %low = arith.andi %c, %mask : i32
      %t = arith.trunci %low : i32 to i8
      return %m, %t : i16, i8
    }
  }
}

// CHECK: func.func @f([[A0:%[a-z0-9_-]+]]: i16, [[A1:%[a-z0-9_-]+]]: i16, [[A2:%[a-z0-9_-]+]]: i32) -> (i16, i8) {
// CHECK-NEXT: [[V3:%[a-z0-9_-]+]] = arith.minsi [[A0]], [[A1]] : i16
// CHECK-NEXT: [[V4:%[a-z0-9_-]+]] = arith.trunci [[A2]] : i32 to i8
// CHECK-NEXT: return [[V3]], [[V4]] : i16, i8
// CHECK-NEXT: }
