// Constants that are extended are written in the wider type: by their bits if the
// extension knows no sign.
//
// RUN: sequin-translate --csl-to-source %s | FileCheck %s
// RUN: sequin-translate --csl-to-source %s --output-directory %t
// RUN: sequin-csl --syntax-only %t/pe.csl

// ROWS: SYN-036, LIB-033

module attributes {csl.target = #csl.target<"wse3">} {
csl.program @pe {
  // CHECK-LABEL: fn f() void
  // CHECK: simprint.fmt("{d} {d} {d} {d}", .{
  // CHECK-NEXT: @as(i64, 4000000000),
  // CHECK-NEXT: @as(i64, -294967296),
  // CHECK-NEXT: @as(i32, 65000),
  // CHECK-NEXT: @as(i32, -536),
  func.func @f() {
    %a = arith.constant -294967296 : i32
    %b = arith.constant -536 : i16
    %0 = arith.extui %a : i32 to i64
    %1 = arith.extsi %a : i32 to i64
    %2 = arith.extui %b : i16 to i32
    %3 = arith.extsi %b : i16 to i32
    csl.sim_print "{d} {d} {d} {d}"(%0, %1, %2, %3) : i64, i64, i32, i32
    return
  }
  // CHECK-LABEL: fn g() u32
  // CHECK: return {{.*}}4294966760
  func.func @g() -> i32 {
    %v = csl.get_var @v : memref<i32>
    %x = memref.load %v[] : memref<i32>
    %b = arith.constant -536 : i16
    %0 = arith.extsi %b : i16 to i32
    %1 = arith.divui %x, %0 : i32
    return %1 : i32
  }
  csl.var @v unsigned : memref<i32>
  csl.comptime {
    csl.export_symbol @f as "f"
    csl.export_symbol @g as "g"
  }
}
csl.layout 1 x 1 {
  csl.tile_code @pe at <0, 0>
}
}
