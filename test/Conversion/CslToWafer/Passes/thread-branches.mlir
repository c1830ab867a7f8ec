// RUN: sequin-opt %s --pass-pipeline="builtin.module(csl.program(func.func(csl-thread-branches)))" | FileCheck %s

// Who comes to the join knows where it leads, and whether it was there.

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    csl.var @v : memref<i16>
    func.func @f(%c: i1, %a: i16) {
      %v = csl.get_var @v : memref<i16>
      %true = arith.constant true
      %false = arith.constant false
      cf.cond_br %c, ^x, ^join(%false : i1)
    ^x:
      memref.store %a, %v[] : memref<i16>
      cf.br ^join(%true : i1)
    ^join(%went: i1):
      cf.cond_br %went, ^y, ^end
    ^y:
      memref.store %a, %v[] : memref<i16>
      cf.br ^end
    ^end:
      return
    }
  }
}

// CHECK: func.func @f([[A0:%[a-z0-9_-]+]]: i1, [[A1:%[a-z0-9_-]+]]: i16) {
// CHECK-NEXT: [[V2:%[a-z0-9_-]+]] = csl.get_var @v : memref<i16>
// CHECK-NEXT: cf.cond_br [[A0]], [[B3:\^bb[0-9]+]], [[B4:\^bb[0-9]+]]
// CHECK-NEXT: [[B3]]:{{.*}}
// CHECK-NEXT: memref.store [[A1]], [[V2]][] : memref<i16>
// CHECK-NEXT: memref.store [[A1]], [[V2]][] : memref<i16>
// CHECK-NEXT: return
// CHECK-NEXT: [[B4]]:{{.*}}
// CHECK-NEXT: return
// CHECK-NEXT: }
