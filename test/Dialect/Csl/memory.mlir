// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s

// ROWS: BLT-004, BLT-007, BLT-018, BLT-019, BLT-025, BLT-063, DSD-005

csl.program @pe {
  csl.var @A : memref<4x5xf32>
  func.func @g(%x: i16) -> i16 {
    return %x : i16
  }

  // CHECK-LABEL: func.func @pointers
  func.func @pointers(%m: !csl.ptr<many i16>, %a: !csl.ptr<!csl.array<4x5xf32>>, %i: index, %s: !csl.ptr<!csl.struct<"p" {x : i16, y : f32}>>, %v: i16) {
    %A = csl.get_var @A : memref<4x5xf32>
    // CHECK: csl.address_of %{{.*}} : memref<4x5xf32> -> !csl.ptr<!csl.array<4x5xf32>>
    %p = csl.address_of %A : memref<4x5xf32> -> !csl.ptr<!csl.array<4x5xf32>>
    // CHECK: csl.address_of %{{.*}} : memref<4x5xf32> -> !csl.ptr<many f32>
    %q = csl.address_of %A : memref<4x5xf32> -> !csl.ptr<many f32>
    // CHECK: csl.address_of %{{.*}}[%{{.*}}, %{{.*}}] : memref<4x5xf32> -> !csl.ptr<f32>
    %e = csl.address_of %A[%i, %i] : memref<4x5xf32> -> !csl.ptr<f32>
    // CHECK: csl.as_memref %{{.*}} : !csl.ptr<many i16> -> memref<?xi16>
    %n = csl.as_memref %m : !csl.ptr<many i16> -> memref<?xi16>
    // CHECK: csl.as_memref %{{.*}} : !csl.ptr<!csl.array<4x5xf32>> -> memref<4x5xf32>
    %o = csl.as_memref %a : !csl.ptr<!csl.array<4x5xf32>> -> memref<4x5xf32>
    // CHECK: csl.as_memref %{{.*}} : !csl.ptr<f32> -> memref<f32>
    %f = csl.as_memref %e : !csl.ptr<f32> -> memref<f32>
    // CHECK: csl.element_ptr %{{.*}}[%{{.*}}] : !csl.ptr<many i16> -> !csl.ptr<i16>
    %g = csl.element_ptr %m[%i] : !csl.ptr<many i16> -> !csl.ptr<i16>
    // CHECK: csl.field_ptr %{{.*}}["x"] : !csl.ptr<!csl.struct<"p" {x : i16, y : f32}>> -> !csl.ptr<i16>
    %h = csl.field_ptr %s["x"] : !csl.ptr<!csl.struct<"p" {x : i16, y : f32}>> -> !csl.ptr<i16>
    // CHECK: csl.load %{{.*}} : !csl.ptr<i16> -> i16
    %l = csl.load %h : !csl.ptr<i16> -> i16
    // CHECK: csl.store %{{.*}}, %{{.*}} : i16, !csl.ptr<i16>
    csl.store %v, %h : i16, !csl.ptr<i16>
    // CHECK: csl.ptr_cast %{{.*}} : !csl.ptr<i16> -> !csl.ptr<none>
    %c = csl.ptr_cast %h : !csl.ptr<i16> -> !csl.ptr<none>
    // CHECK: %[[ADDR:.*]] = csl.ptr_to_int %{{.*}} : !csl.ptr<i16>
    %w = csl.ptr_to_int %h : !csl.ptr<i16>
    // CHECK: csl.int_to_ptr %[[ADDR]] : !csl.ptr<f32>
    %x = csl.int_to_ptr %w : !csl.ptr<f32>
    // CHECK: %[[G:.*]] = csl.function_address @g : !csl.ptr<const (i16) -> i16>
    %fp = csl.function_address @g : !csl.ptr<const (i16) -> i16>
    // CHECK: csl.call_indirect %[[G]](%{{.*}}) : !csl.ptr<const (i16) -> i16>, (i16) -> i16
    %r = csl.call_indirect %fp(%v) : !csl.ptr<const (i16) -> i16>, (i16) -> i16
    return
  }

  // CHECK-LABEL: func.func @aggregates
  func.func @aggregates(%x: i16, %y: f32, %i: index, %h: !csl.cb16) {
    // CHECK: %[[S:.*]] = csl.aggregate %{{.*}}, %{{.*}} : (i16, f32) -> !csl.struct<"p" {x : i16, y : f32}>
    %s = csl.aggregate %x, %y : (i16, f32) -> !csl.struct<"p" {x : i16, y : f32}>
    // CHECK: csl.aggregate field "f" %{{.*}} : (f32) -> !csl.struct<union "u" {i : i32, f : f32}>
    %u = csl.aggregate field "f" %y : (f32) -> !csl.struct<union "u" {i : i32, f : f32}>
    // CHECK: csl.aggregate %{{.*}}, %{{.*}} : (i16, i16) -> !csl.array<2xi16>
    %a = csl.aggregate %x, %x : (i16, i16) -> !csl.array<2xi16>
    // CHECK: csl.splat %{{.*}} : f32 -> !csl.array<4x5xf32>
    %b = csl.splat %y : f32 -> !csl.array<4x5xf32>
    // CHECK: csl.get_field %[[S]]["x"] : !csl.struct<"p" {x : i16, y : f32}> -> i16
    %f = csl.get_field %s["x"] : !csl.struct<"p" {x : i16, y : f32}> -> i16
    // CHECK: csl.set_field %[[S]]["y"] = %{{.*}} : !csl.struct<"p" {x : i16, y : f32}>, f32
    %t = csl.set_field %s["y"] = %y : !csl.struct<"p" {x : i16, y : f32}>, f32
    // CHECK: csl.get_element %{{.*}}[%{{.*}}, %{{.*}}] : !csl.array<4x5xf32> -> f32
    %e = csl.get_element %b[%i, %i] : !csl.array<4x5xf32> -> f32
    // CHECK: csl.set_element %{{.*}}[%{{.*}}] = %{{.*}} : !csl.array<2xi16>, i16
    %g = csl.set_element %a[%i] = %x : !csl.array<2xi16>, i16
    // CHECK: %[[E:.*]] = csl.enum_constant "white" : !csl.enum<"rgb" : i16 {red = 0, white = 4}>
    %c = csl.enum_constant "white" : !csl.enum<"rgb" : i16 {red = 0, white = 4}>
    // CHECK: csl.get_int %[[E]] : !csl.enum<"rgb" : i16 {red = 0, white = 4}> -> i16
    %n = csl.get_int %c : !csl.enum<"rgb" : i16 {red = 0, white = 4}> -> i16
    // CHECK: csl.to_enum %{{.*}} : i16 -> !csl.enum<"rgb" : i16 {red = 0, white = 4}>
    %m = csl.to_enum %n : i16 -> !csl.enum<"rgb" : i16 {red = 0, white = 4}>
    // CHECK: csl.convert_cb16 %{{.*}} : !csl.cb16 -> f32
    %k = csl.convert_cb16 %h : !csl.cb16 -> f32
    // CHECK: csl.convert_cb16 %{{.*}} : i16 -> !csl.cb16
    %l = csl.convert_cb16 %x : i16 -> !csl.cb16
    return
  }
}
