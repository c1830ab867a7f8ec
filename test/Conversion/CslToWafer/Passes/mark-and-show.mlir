// RUN: sequin-opt %s --pass-pipeline="builtin.module(csl.program(csl-mark-program,func.func(csl-simplify,csl-show-floats)))" | FileCheck %s
// RUN: sequin-opt %s --pass-pipeline="builtin.module(csl.program(csl-mark-program))" | FileCheck %s --check-prefix=HIDDEN
// HIDDEN: [[ONE:%.+]] = builtin.unrealized_conversion_cast %c1065353216_i32 : i32 to f32
// HIDDEN: arith.mulf %{{.*}}, [[ONE]]

// A product by 1 is hidden from folders and shown again: it makes a NaN canonical.

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    csl.var @a : memref<4xf32>
    func.func @f(%x: f32) -> f32 {
      %one = arith.constant 1.0 : f32
      %y = arith.mulf %x, %one : f32
      return %y : f32
    }
  }
}

// CHECK: func.func @f([[A0:%[a-z0-9_-]+]]: f32) -> f32 {
// CHECK-NEXT: [[V1:%[a-z0-9_-]+]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: [[V2:%[a-z0-9_-]+]] = arith.mulf [[A0]], [[V1]] : f32
// CHECK-NEXT: return [[V2]] : f32
// CHECK-NEXT: }
