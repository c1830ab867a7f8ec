// RUN: sequin-opt %s --pass-pipeline="builtin.module(csl.program(func.func(csl-simplify)))" | FileCheck %s

// A branch on a constant cuts off a loop, where MLIR's canonicalizer may not end.

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    func.func @f(%n: i16) -> i16 {
      %false = arith.constant false
      %one = arith.constant 1 : i16
      cf.cond_br %false, ^loop(%n : i16), ^end
    ^loop(%i: i16):
      %j = arith.addi %i, %one : i16
      %more = arith.cmpi slt, %j, %n : i16
      cf.cond_br %more, ^loop(%j : i16), ^end
    ^end:
      %z = arith.subi %n, %n : i16
      return %z : i16
    }
  }
}

// CHECK: func.func @f([[A0:%[a-z0-9_-]+]]: i16) -> i16 {
// CHECK-NEXT: [[V1:%[a-z0-9_-]+]] = arith.constant 0 : i16
// CHECK-NEXT: return [[V1]] : i16
// CHECK-NEXT: }
