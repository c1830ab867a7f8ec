// RUN: sequin-opt %s --csl-prepare | FileCheck %s

// The pipeline, from structured control flow to one block that stores twice.

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
      %true = arith.constant true
      %b = scf.if %true -> i16 {
        func.call @set(%a) : (i16) -> ()
        scf.yield %a : i16
      } else {
        %zero = arith.constant 0 : i16
        scf.yield %zero : i16
      }
      func.call @set(%b) : (i16) -> ()
      return
    }
  }
}

// CHECK: csl.program @pe
// CHECK-NOT: @set
// CHECK: func.func @f([[A:%.+]]: i16) {
// CHECK-NEXT: [[V:%.+]] = csl.get_var @v : memref<i16>
// CHECK-NEXT: memref.store [[A]], [[V]][] : memref<i16>
// CHECK-NEXT: memref.store [[A]], [[V]][] : memref<i16>
// CHECK-NEXT: return
