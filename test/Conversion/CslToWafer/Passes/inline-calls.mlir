// RUN: sequin-opt %s --pass-pipeline="builtin.module(csl.program(csl-inline-calls))" | FileCheck %s

// A function that is called once stands in the place of its call.

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    csl.var @v : memref<i16>
    func.func @set(%a: i16) {
      %v = csl.get_var @v : memref<i16>
      memref.store %a, %v[] : memref<i16>
      return
    }
    func.func @f(%a: i16) {
      call @set(%a) : (i16) -> ()
      return
    }
  }
}

// CHECK: func.func @f([[A0:%[a-z0-9_-]+]]: i16) {
// CHECK-NEXT: [[V1:%[a-z0-9_-]+]] = csl.get_var @v : memref<i16>
// CHECK-NEXT: memref.store [[A0]], [[V1]][] : memref<i16>
// CHECK-NEXT: return
// CHECK-NEXT: }
