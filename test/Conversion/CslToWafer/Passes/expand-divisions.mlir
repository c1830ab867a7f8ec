// RUN: sequin-opt %s --pass-pipeline="builtin.module(csl.program(func.func(csl-expand-divisions)))" | FileCheck %s

// Quotients that round down are expanded; a minimum of floats stays what it is.

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    func.func @f(%a: i16, %b: i16, %x: f32, %y: f32) -> (i16, f32) {
      %q = arith.floordivsi %a, %b : i16
      %m = arith.minimumf %x, %y : f32
      return %q, %m : i16, f32
    }
  }
}

// CHECK: func.func @f([[A0:%[a-z0-9_-]+]]: i16, [[A1:%[a-z0-9_-]+]]: i16, [[A2:%[a-z0-9_-]+]]: f32, [[A3:%[a-z0-9_-]+]]: f32) -> (i16, f32) {
// CHECK-NEXT: [[V4:%[a-z0-9_-]+]] = arith.constant -1 : i16
// CHECK-NEXT: [[V5:%[a-z0-9_-]+]] = arith.constant 0 : i16
// CHECK-NEXT: [[V6:%[a-z0-9_-]+]] = arith.divsi [[A0]], [[A1]] : i16
// CHECK-NEXT: [[V7:%[a-z0-9_-]+]] = arith.muli [[V6]], [[A1]] : i16
// CHECK-NEXT: [[V8:%[a-z0-9_-]+]] = arith.cmpi ne, [[A0]], [[V7]] : i16
// CHECK-NEXT: [[V9:%[a-z0-9_-]+]] = arith.cmpi slt, [[A0]], [[V5]] : i16
// CHECK-NEXT: [[V10:%[a-z0-9_-]+]] = arith.cmpi slt, [[A1]], [[V5]] : i16
// CHECK-NEXT: [[V11:%[a-z0-9_-]+]] = arith.cmpi ne, [[V9]], [[V10]] : i1
// CHECK-NEXT: [[V12:%[a-z0-9_-]+]] = arith.andi [[V8]], [[V11]] : i1
// CHECK-NEXT: [[V13:%[a-z0-9_-]+]] = arith.addi [[V6]], [[V4]] : i16
// CHECK-NEXT: [[V14:%[a-z0-9_-]+]] = arith.select [[V12]], [[V13]], [[V6]] : i16
// CHECK-NEXT: [[V15:%[a-z0-9_-]+]] = arith.minimumf [[A2]], [[A3]] : f32
// CHECK-NEXT: return [[V14]], [[V15]] : i16, f32
// CHECK-NEXT: }
