// RUN: sequin-opt %s --pass-pipeline="builtin.module(csl.program(func.func(csl-index-to-i32)))" | FileCheck %s

// An index is a number of 32 bits; what addresses memory stays an index.

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    csl.var @a : memref<8xi16>
    func.func @f(%i: i16) -> i16 {
      %a = csl.get_var @a : memref<8xi16>
      %j = arith.index_cast %i : i16 to index
      %two = arith.constant 2 : index
      %k = arith.muli %j, %two : index
      %v = memref.load %a[%k] : memref<8xi16>
      return %v : i16
    }
  }
}

// CHECK: func.func @f([[A0:%[a-z0-9_-]+]]: i16) -> i16 {
// CHECK-NEXT: [[V1:%[a-z0-9_-]+]] = arith.constant 2 : i32
// CHECK-NEXT: [[V2:%[a-z0-9_-]+]] = csl.get_var @a : memref<8xi16>
// CHECK-NEXT: [[V3:%[a-z0-9_-]+]] = arith.extsi [[A0]] : i16 to i32
// CHECK-NEXT: [[V4:%[a-z0-9_-]+]] = arith.muli [[V3]], [[V1]] : i32
// CHECK-NEXT: [[V5:%[a-z0-9_-]+]] = arith.index_cast [[V4]] : i32 to index
// CHECK-NEXT: [[V6:%[a-z0-9_-]+]] = memref.load [[V2]][[[V5]]] : memref<8xi16>
// CHECK-NEXT: return [[V6]] : i16
// CHECK-NEXT: }
