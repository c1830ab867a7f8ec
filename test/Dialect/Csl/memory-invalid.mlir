// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// ROWS: BLT-025, BLT-063
// ROWS: BLT-018

func.func @f(%A: memref<4x5xf32>, %i: index) {
  // expected-error@+1 {{has 1 indices, the array has rank 2}}
  %p = csl.address_of %A[%i] : memref<4x5xf32> -> !csl.ptr<f32>
  return
}

// -----

func.func @f(%A: memref<4x5xf32>) {
  // expected-error@+1 {{the array is of type '!csl.array<5x4xf32>', expected '!csl.array<4x5xf32>'}}
  %p = csl.address_of %A : memref<4x5xf32> -> !csl.ptr<!csl.array<5x4xf32>>
  return
}

// -----

func.func @f(%A: memref<4x5xf32, strided<[1, 4]>>) {
  // expected-error@+1 {{takes the address of 'memref<4x5xf32, strided<[1, 4]>>', expected a row-major array}}
  %p = csl.address_of %A : memref<4x5xf32, strided<[1, 4]>> -> !csl.ptr<many f32>
  return
}

// -----

func.func @f(%p: !csl.ptr<none>) {
  // expected-error@+1 {{takes '!csl.ptr<none>', which points to no data}}
  %m = csl.as_memref %p : !csl.ptr<none> -> memref<f32>
  return
}

// -----

func.func @f(%p: !csl.ptr<f32>) {
  // expected-error@+1 {{the result is of type 'memref<?xf32>', expected 'memref<f32>'}}
  %m = csl.as_memref %p : !csl.ptr<f32> -> memref<?xf32>
  return
}

// -----

func.func @f(%p: !csl.ptr<f32>, %i: index) {
  // expected-error@+1 {{takes '!csl.ptr<f32>', expected a pointer to an array or to many}}
  %m = csl.element_ptr %p[%i] : !csl.ptr<f32> -> !csl.ptr<f32>
  return
}

// -----

func.func @f(%p: !csl.ptr<!csl.struct<packed "p" {x : i16}>>) {
  // expected-error@+1 {{takes the address of a field of packed struct "p"}}
  %m = csl.field_ptr %p["x"] : !csl.ptr<!csl.struct<packed "p" {x : i16}>> -> !csl.ptr<i16>
  return
}

// -----

func.func @f(%p: !csl.ptr<!csl.struct<"p" {x : i16, y : f32}>>) {
  // expected-error@+1 {{names field 'z', "p" has 'x' 'y'}}
  %m = csl.field_ptr %p["z"] : !csl.ptr<!csl.struct<"p" {x : i16, y : f32}>> -> !csl.ptr<i16>
  return
}

// -----

func.func @f(%p: !csl.ptr<f32>) {
  // expected-error@+1 {{the value is of type 'i16', expected 'f32'}}
  %m = csl.load %p : !csl.ptr<f32> -> i16
  return
}

// -----

func.func @f(%p: !csl.ptr<const f32>, %x: f32) {
  // expected-error@+1 {{writes through '!csl.ptr<const f32>'}}
  csl.store %x, %p : f32, !csl.ptr<const f32>
  return
}

// -----

module {
  func.func private @g(i16)
  func.func @f() {
    // expected-error@+1 {{the result is of type '!csl.ptr<const () -> ()>', expected '!csl.ptr<const (i16) -> ()>'}}
    %p = csl.function_address @g : !csl.ptr<const () -> ()>
    return
  }
}

// -----

func.func @f(%p: !csl.ptr<const (i16) -> ()>, %x: i32) {
  // expected-error@+1 {{has other arguments or results than '(i16) -> ()'}}
  csl.call_indirect %p(%x) : !csl.ptr<const (i16) -> ()>, (i32) -> ()
  return
}

// -----

func.func @f(%p: !csl.ptr<f32>) {
  // expected-error@+1 {{calls through '!csl.ptr<f32>', expected a pointer to a function}}
  csl.call_indirect %p() : !csl.ptr<f32>, () -> ()
  return
}

// -----

func.func @f(%x: i16) {
  // expected-error@+1 {{has 1 values, expected 2}}
  %s = csl.aggregate %x : (i16) -> !csl.struct<"p" {x : i16, y : i16}>
  return
}

// -----

func.func @f(%x: i16) {
  // expected-error@+1 {{makes a union and names no field}}
  %s = csl.aggregate %x : (i16) -> !csl.struct<union "p" {x : i16, y : i16}>
  return
}

// -----

func.func @f(%x: i16) {
  // expected-error@+1 {{field 'y' is of type 'i16', expected 'f32'}}
  %s = csl.aggregate %x, %x : (i16, i16) -> !csl.struct<"p" {x : i16, y : f32}>
  return
}

// -----

func.func @f(%a: !csl.array<4x5xf32>, %i: index) {
  // expected-error@+1 {{has 1 indices, the array has rank 2}}
  %s = csl.get_element %a[%i] : !csl.array<4x5xf32> -> f32
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{names 'green', "rgb" has 'red' 'white'}}
  %c = csl.enum_constant "green" : !csl.enum<"rgb" : i16 {red = 0, white = 4}>
  return
}

// -----

func.func @f(%x: i16) {
  // expected-error@+1 {{converts 'i16' to 'f32', one of them is !csl.cb16}}
  %c = csl.convert_cb16 %x : i16 -> f32
  return
}

// -----

func.func @f(%A: memref<?xf32>) {
  // expected-error@+1 {{takes the address of 'memref<?xf32>', whose size is not known}}
  %p = csl.address_of %A : memref<?xf32> -> !csl.ptr<!csl.array<4xf32>>
  return
}

// -----

func.func @f(%p: !csl.ptr<!csl.array<4x5xf32>>, %i: index) {
  // expected-error@+1 {{has 1 indices, the array has rank 2}}
  %m = csl.element_ptr %p[%i] : !csl.ptr<!csl.array<4x5xf32>> -> !csl.ptr<f32>
  return
}

// -----

func.func @f(%p: !csl.ptr<many !csl.struct<"p" {x : i16}>>) {
  // expected-error@+1 {{expected a pointer to a struct}}
  %m = csl.field_ptr %p["x"] : !csl.ptr<many !csl.struct<"p" {x : i16}>> -> !csl.ptr<i16>
  return
}

// -----

module {
  func.func @f() {
    // expected-error@+1 {{@nowhere}}
    %p = csl.function_address @nowhere : !csl.ptr<const () -> ()>
    return
  }
}

// -----

func.func @f(%x: i16) {
  // expected-error@+1 {{has 1 values, expected 2}}
  %s = csl.aggregate %x : (i16) -> !csl.array<2xi16>
  return
}

// -----

func.func @f(%x: i16) {
  // expected-error@+1 {{an element is of type 'i16', expected 'f32'}}
  %s = csl.aggregate %x, %x : (i16, i16) -> !csl.array<2xf32>
  return
}

// -----

func.func @f(%s: !csl.struct<"p" {x : i16}>) {
  // expected-error@+1 {{names field 'z', "p" has 'x'}}
  %m = csl.get_field %s["z"] : !csl.struct<"p" {x : i16}> -> i16
  return
}

// -----

func.func @f(%s: !csl.struct<"p" {x : i16}>, %v: i16) {
  // expected-error@+1 {{names field 'z', "p" has 'x'}}
  %m = csl.set_field %s["z"] = %v : !csl.struct<"p" {x : i16}>, i16
  return
}
