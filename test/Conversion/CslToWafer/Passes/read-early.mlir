// RUN: sequin-opt %s --pass-pipeline="builtin.module(csl.program(func.func(csl-read-early)))" | FileCheck %s

// A load comes before what is computed, behind what it needs.

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    csl.var @a : memref<8xf32>
    func.func @f(%x: f32, %i: index) -> f32 {
      %a = csl.get_var @a : memref<8xf32>
      %y = arith.mulf %x, %x : f32
      %z = arith.addf %y, %x : f32
      %v = memref.load %a[%i] : memref<8xf32>
      %r = arith.addf %z, %v : f32
      return %r : f32
    }
  }
}

// CHECK: func.func @f([[A0:%[a-z0-9_-]+]]: f32, [[A1:%[a-z0-9_-]+]]: index) -> f32 {
// CHECK-NEXT: [[V2:%[a-z0-9_-]+]] = csl.get_var @a : memref<8xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_-]+]] = memref.load [[V2]][[[A1]]] : memref<8xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_-]+]] = arith.mulf [[A0]], [[A0]] : f32
// CHECK-NEXT: [[V5:%[a-z0-9_-]+]] = arith.addf [[V4]], [[A0]] : f32
// CHECK-NEXT: [[V6:%[a-z0-9_-]+]] = arith.addf [[V5]], [[V3]] : f32
// CHECK-NEXT: return [[V6]] : f32
// CHECK-NEXT: }
