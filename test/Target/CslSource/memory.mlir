// RUN: sequin-translate --csl-to-source %s | FileCheck %s --match-full-lines --strict-whitespace
// RUN: sequin-translate --csl-to-source %s --output-directory %t
// RUN: sequin-csl --syntax-only %t/pe.csl

// ROWS: SYN-057, SYN-058, SYN-059, SYN-062, SYN-067, SYN-068, SYN-069, SYN-070, SYN-071, BLT-004, BLT-007, BLT-018, BLT-019, BLT-063

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.var @grid : memref<4x5xf32>
    csl.var @small : memref<4xi16>
    csl.var @other : memref<4xi16>
    csl.var @where : memref<!csl.ptr<many i16>>
    csl.var @points : memref<3x!csl.struct<"point" {x : i16, y : f32}>>
    csl.var @numbers : memref<6xf32> = dense<[0.1, 1.0e+20, -0.0, 0x7F800000, 3.0e-5, 0xFFC00000]> : tensor<6xf32>
    csl.var @byte : memref<i8>

    // A store may be to what was read: the value is kept.
    func.func @swap(%p: !csl.ptr<many i16>, %i: i16, %j: i16) {
      %m = csl.as_memref %p : !csl.ptr<many i16> -> memref<?xi16>
      %a = arith.index_cast %i : i16 to index
      %b = arith.index_cast %j : i16 to index
      %x = memref.load %m[%a] : memref<?xi16>
      %y = memref.load %m[%b] : memref<?xi16>
      memref.store %y, %m[%a] : memref<?xi16>
      memref.store %x, %m[%b] : memref<?xi16>
      return
    }
    // Two variables are two places: the value moves into the second store.
    func.func @move() {
      %small = csl.get_var @small : memref<4xi16>
      %other = csl.get_var @other : memref<4xi16>
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %seven = arith.constant 7 : i16
      %x = memref.load %small[%zero] : memref<4xi16>
      memref.store %seven, %other[%one] : memref<4xi16>
      memref.store %x, %other[%zero] : memref<4xi16>
      memref.copy %other, %small : memref<4xi16> to memref<4xi16>
      return
    }
    func.func @pointers(%rows: !csl.ptr<!csl.array<4x5xf32>>, %point: !csl.ptr<!csl.struct<"point" {x : i16, y : f32}>>) -> i16 {
      %grid = csl.get_var @grid : memref<4x5xf32>
      %two = arith.constant 2 : index
      %cell = csl.address_of %grid[%two, %two] : memref<4x5xf32> -> !csl.ptr<f32>
      %v = csl.load %cell : !csl.ptr<f32> -> f32
      %row = csl.element_ptr %rows[%two, %two] : !csl.ptr<!csl.array<4x5xf32>> -> !csl.ptr<f32>
      csl.store %v, %row : f32, !csl.ptr<f32>
      %y = csl.field_ptr %point["y"] : !csl.ptr<!csl.struct<"point" {x : i16, y : f32}>> -> !csl.ptr<f32>
      csl.store %v, %y : f32, !csl.ptr<f32>
      %bits = csl.ptr_cast %y : !csl.ptr<f32> -> !csl.ptr<i32>
      %word = csl.load %bits : !csl.ptr<i32> -> i32
      %address = csl.ptr_to_int %bits : !csl.ptr<i32>
      %low = arith.trunci %word : i32 to i16
      %sum = arith.addi %low, %address : i16
      return %sum : i16
    }
    func.func @aggregates(%x: i16, %y: f32, %i: i16) -> f32 {
      %s = csl.aggregate %x, %y : (i16, f32) -> !csl.struct<"point" {x : i16, y : f32}>
      %t = csl.set_field %s["y"] = %y : !csl.struct<"point" {x : i16, y : f32}>, f32
      %u = csl.set_field %t["x"] = %i : !csl.struct<"point" {x : i16, y : f32}>, i16
      %f = csl.get_field %u["y"] : !csl.struct<"point" {x : i16, y : f32}> -> f32
      %points = csl.get_var @points : memref<3x!csl.struct<"point" {x : i16, y : f32}>>
      %place = arith.index_cast %i : i16 to index
      memref.store %u, %points[%place] : memref<3x!csl.struct<"point" {x : i16, y : f32}>>
      %w = csl.aggregate field "f" %f : (f32) -> !csl.struct<extern union "bits" {f : f32, u : i32}>
      %raw = csl.get_field %w["u"] : !csl.struct<extern union "bits" {f : f32, u : i32}> -> i32
      %a = csl.splat %y : f32 -> !csl.array<4xf32>
      %b = csl.set_element %a[%place] = %f : !csl.array<4xf32>, f32
      %e = csl.get_element %b[%place] : !csl.array<4xf32> -> f32
      %g = arith.sitofp %raw : i32 to f32
      %r = arith.addf %e, %g : f32
      return %r : f32
    }
    func.func @kinds(%n: i16) -> i16 {
      %white = csl.enum_constant "white" : !csl.enum<"shade" : i16 {black = 0, white = 4, grey = 1}>
      %given = csl.to_enum %n : i16 -> !csl.enum<"shade" : i16 {black = 0, white = 4, grey = 1}>
      %same = csl.same %white, %given : !csl.enum<"shade" : i16 {black = 0, white = 4, grey = 1}>
      %number = csl.get_int %given : !csl.enum<"shade" : i16 {black = 0, white = 4, grey = 1}> -> i16
      %r = arith.select %same, %number, %n : i16
      return %r : i16
    }
    csl.comptime {
      %small = csl.get_var @small : memref<4xi16>
      %p = csl.address_of %small : memref<4xi16> -> !csl.ptr<many i16>
      %where = csl.get_var @where : memref<!csl.ptr<many i16>>
      memref.store %p, %where[] : memref<!csl.ptr<many i16>>
    }
  }
}

// What comes out.
//      CHECK:// -----// pe.csl
// CHECK-NEXT:const point = struct { x: i16, y: f32 };
// CHECK-NEXT:const bits_2 = extern union { f: f32, u: i32 };
// CHECK-NEXT:const shade = enum(u16) { black = 0, white = 4, grey = 1 };
//CHECK-EMPTY:
// CHECK-NEXT:var grid: [4, 5]f32;
// CHECK-NEXT:var small: [4]i16;
// CHECK-NEXT:var other: [4]i16;
// CHECK-NEXT:var where: [*]i16 = &small;
// CHECK-NEXT:var points: [3]point;
// CHECK-NEXT:var numbers = [6]f32 {
// CHECK-NEXT:  0.1, 1.0e20, -0.0, @bitcast(f32, @as(u32, 0x7f800000)), 3.0e-5,
// CHECK-NEXT:  @bitcast(f32, @as(u32, 0xffc00000)),
// CHECK-NEXT:};
// CHECK-NEXT:var byte: i8;
//CHECK-EMPTY:
// CHECK-NEXT:fn swap(p: [*]i16, i: i16, j: i16) void {
// CHECK-NEXT:  const x = p[i];
// CHECK-NEXT:  p[i] = p[j];
// CHECK-NEXT:  p[j] = x;
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:fn move() void {
// CHECK-NEXT:  other[1] = 7;
// CHECK-NEXT:  other[0] = small[0];
// CHECK-NEXT:  small = other;
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:fn pointers(rows: *[4, 5]f32, point_2: *point) i16 {
// CHECK-NEXT:  const v = grid[2, 2];
// CHECK-NEXT:  rows.*[2, 2] = v;
// CHECK-NEXT:  const y = &point_2.*.y;
// CHECK-NEXT:  y.* = v;
// CHECK-NEXT:  const bits = @ptrcast(*i32, y);
// CHECK-NEXT:  return @as(i16, bits.*) + @bitcast(i16, bits);
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:fn aggregates(x: i16, y: f32, i: i16) f32 {
// CHECK-NEXT:  var buffer: point;
// CHECK-NEXT:  var buffer_2: [4]f32;
// CHECK-NEXT:  buffer = point { .x = x, .y = y };
// CHECK-NEXT:  buffer.y = y;
// CHECK-NEXT:  buffer.x = i;
// CHECK-NEXT:  const value = buffer;
// CHECK-NEXT:  const f = value.y;
// CHECK-NEXT:  points[i] = value;
// CHECK-NEXT:  buffer_2 = @constants([4]f32, y);
// CHECK-NEXT:  buffer_2[i] = f;
// CHECK-NEXT:  const value_2 = buffer_2;
// CHECK-NEXT:  return value_2[i] + @as(f32, bits_2 { .f = f }.u);
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:fn kinds(n: u16) u16 {
// CHECK-NEXT:  const given = @as(shade, n);
// CHECK-NEXT:  const number = @get_int(given);
// CHECK-NEXT:  return if (shade.white == given) number else n;
// CHECK-NEXT:}
