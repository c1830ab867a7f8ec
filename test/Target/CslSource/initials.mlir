// RUN: sequin-translate --csl-to-source %s --output-directory %t
// RUN: FileCheck %s < %t/pe.csl
// RUN: sequin-csl --syntax-only %t/pe.csl
// RUN: sequin-translate --import-csl --arch=wse3 %t/layout.csl -o %t.mlir
// RUN: sequin-translate --csl-to-wafer %t.mlir -o /dev/null

// ROWS: SYN-070, SYN-071, CMP-015

// What comptime blocks store in parts of variables becomes their initial
// values; pointers have the sign of what they point at, and what is read has
// the sign of its array.

module attributes {csl.target = #csl.target<"wse3">} {
csl.layout 1 x 1 {
  csl.export_name "main" : () -> ()
  csl.tile_code @pe at <0, 0>
}
csl.program @pe {
  // CHECK: var place: Outer = Outer {
  // CHECK-NEXT: .a = -3, .inner = Inner { .x = 7, .y = 0 }, .list = [3]i16 { 0, 5, 0 },
  // CHECK-NEXT: };
  csl.var @place : memref<!csl.struct<"Outer" {a : i16, inner : !csl.struct<"Inner" {x : i16, y : i32}>, list : !csl.array<3xi16>}>>
  // CHECK-NEXT: var row = [4]u16 { 1, 2, 3, 4 };
  csl.var @row unsigned : memref<4xi16> = dense<[1, 2, 3, 4]> : tensor<4xi16>
  // CHECK-NEXT: var row_ptr: [*]u16 = &row;
  csl.var @row_ptr : memref<!csl.ptr<many i16>>
  csl.var @n : memref<i16>
  // CHECK: fn main() void {
  // CHECK-NEXT: n = @as(i16, row[2]);
  // CHECK: n = @as(i16, pointer[1] + @as(u16, n));
  func.func @main() {
    %row = csl.get_var @row : memref<4xi16>
    %n = csl.get_var @n : memref<i16>
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %first = memref.load %row[%c2] : memref<4xi16>
    memref.store %first, %n[] : memref<i16>
    %var = csl.get_var @row_ptr : memref<!csl.ptr<many i16>>
    %pointer = memref.load %var[] : memref<!csl.ptr<many i16>>
    %many = csl.as_memref %pointer : !csl.ptr<many i16> -> memref<?xi16>
    %second = memref.load %many[%c1] : memref<?xi16>
    %old = memref.load %n[] : memref<i16>
    %sum = arith.addi %second, %old : i16
    memref.store %sum, %n[] : memref<i16>
    return
  }
  // A sum of known numbers without a sign is no difference.
  // CHECK: fn wraps() void {
  // CHECK-NEXT: row[0] = 65528;
  func.func @wraps() {
    %row = csl.get_var @row : memref<4xi16>
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i16
    %m9 = arith.constant -9 : i16
    %sum = arith.addi %one, %m9 : i16
    memref.store %sum, %row[%c0] : memref<4xi16>
    return
  }
  csl.comptime {
    csl.export_symbol @main
    %place = csl.get_var @place : memref<!csl.struct<"Outer" {a : i16, inner : !csl.struct<"Inner" {x : i16, y : i32}>, list : !csl.array<3xi16>}>>
    %p = csl.address_of %place : memref<!csl.struct<"Outer" {a : i16, inner : !csl.struct<"Inner" {x : i16, y : i32}>, list : !csl.array<3xi16>}>> -> !csl.ptr<!csl.struct<"Outer" {a : i16, inner : !csl.struct<"Inner" {x : i16, y : i32}>, list : !csl.array<3xi16>}>>
    %a = csl.field_ptr %p["a"] : !csl.ptr<!csl.struct<"Outer" {a : i16, inner : !csl.struct<"Inner" {x : i16, y : i32}>, list : !csl.array<3xi16>}>> -> !csl.ptr<i16>
    %m3 = arith.constant -3 : i16
    csl.store %m3, %a : i16, !csl.ptr<i16>
    %inner = csl.field_ptr %p["inner"] : !csl.ptr<!csl.struct<"Outer" {a : i16, inner : !csl.struct<"Inner" {x : i16, y : i32}>, list : !csl.array<3xi16>}>> -> !csl.ptr<!csl.struct<"Inner" {x : i16, y : i32}>>
    %x = csl.field_ptr %inner["x"] : !csl.ptr<!csl.struct<"Inner" {x : i16, y : i32}>> -> !csl.ptr<i16>
    %c7 = arith.constant 7 : i16
    csl.store %c7, %x : i16, !csl.ptr<i16>
    %list = csl.field_ptr %p["list"] : !csl.ptr<!csl.struct<"Outer" {a : i16, inner : !csl.struct<"Inner" {x : i16, y : i32}>, list : !csl.array<3xi16>}>> -> !csl.ptr<!csl.array<3xi16>>
    %elements = csl.as_memref %list : !csl.ptr<!csl.array<3xi16>> -> memref<3xi16>
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : i16
    memref.store %c5, %elements[%c1] : memref<3xi16>
    %row = csl.get_var @row : memref<4xi16>
    %pointer = csl.address_of %row : memref<4xi16> -> !csl.ptr<many i16>
    %var = csl.get_var @row_ptr : memref<!csl.ptr<many i16>>
    memref.store %pointer, %var[] : memref<!csl.ptr<many i16>>
  }
}
}
