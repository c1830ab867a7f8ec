// RUN: sequin-opt %s --pass-pipeline="builtin.module(csl.program(func.func(csl-merge-blocks)))" | FileCheck %s

// Blocks that do the same become one.

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    csl.var @v : memref<i16>
    func.func @f(%c: i1, %a: i16) {
      %v = csl.get_var @v : memref<i16>
      cf.cond_br %c, ^x, ^y
    ^x:
      memref.store %a, %v[] : memref<i16>
      return
    ^y:
      memref.store %a, %v[] : memref<i16>
      return
    }
  }
}

// CHECK: func.func @f([[A0:%[a-z0-9_-]+]]: i1, [[A1:%[a-z0-9_-]+]]: i16) {
// CHECK-NEXT: [[V2:%[a-z0-9_-]+]] = csl.get_var @v : memref<i16>
// CHECK-NEXT: cf.cond_br [[A0]], [[B3:\^bb[0-9]+]], [[B3]]
// CHECK-NEXT: [[B3]]:{{.*}}
// CHECK-NEXT: memref.store [[A1]], [[V2]][] : memref<i16>
// CHECK-NEXT: return
// CHECK-NEXT: }
