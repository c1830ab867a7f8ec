// RUN: sequin-opt %s --pass-pipeline="builtin.module(csl.program(func.func(csl-mem2reg)))" | FileCheck %s

// A variable that is written first is a value; one that nobody has written is still read.

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    func.func @f(%a: i16) -> (i16, i16) {
      %v = memref.alloca() : memref<i16>
      %w = memref.alloca() : memref<i16>
      memref.store %a, %v[] : memref<i16>
      %x = memref.load %v[] : memref<i16>
      %y = memref.load %w[] : memref<i16>
      return %x, %y : i16, i16
    }
  }
}

// CHECK: func.func @f([[A0:%[a-z0-9_-]+]]: i16) -> (i16, i16) {
// CHECK-NEXT: [[V1:%[a-z0-9_-]+]] = memref.alloca() : memref<i16>
// CHECK-NEXT: [[V2:%[a-z0-9_-]+]] = memref.load [[V1]][] : memref<i16>
// CHECK-NEXT: return [[A0]], [[V2]] : i16, i16
// CHECK-NEXT: }
