// RUN: rm -rf %t && sequin-translate --csl-to-source %s --output-directory %t && FileCheck %s < %t/pe.csl
// RUN: sequin-translate --import-csl --arch=wse3 %t/layout.csl -o %t/again.mlir
// RUN: sequin-run %s --target wse3 --launch f --verify --output out=%t/first.npy
// RUN: sequin-run %t/again.mlir --target wse3 --launch f --verify --output out=%t/out.npy
// RUN: %python -c "import numpy, sys; [print(*numpy.load(name).ravel()) for name in sys.argv[1:]]" %t/first.npy %t/out.npy | FileCheck %s --check-prefix=OUT

// ROWS: SYN-029

// Memory that a function is given is the caller's, not a copy of it: what is
// written there meanwhile is read, and what the function writes stays.

// OUT: 7 2 30 9
// OUT-NEXT: 7 2 30 9

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.export_name "f" : () -> ()
    csl.export_name "out" : !csl.ptr<many i16> mutable
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    csl.var @h : memref<4xi16> = dense<[1, 2, 3, 4]> : tensor<4xi16>
    csl.var const @table : memref<4xi16> = dense<[10, 20, 30, 40]> : tensor<4xi16>
    csl.var @out : memref<4xi16> = dense<0> : tensor<4xi16>

    // CHECK: fn reads(x: *const [4]i16) void {
    func.func @reads(%x: memref<4xi16>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %h = csl.get_var @h : memref<4xi16>
      %out = csl.get_var @out : memref<4xi16>
      %seven = arith.constant 7 : i16
      // CHECK: h[0] = 7;
      // CHECK-NEXT: out[0] = x.*[0];
      memref.store %seven, %h[%c0] : memref<4xi16>
      %first = memref.load %x[%c0] : memref<4xi16>
      memref.store %first, %out[%c0] : memref<4xi16>
      %copy = memref.alloca() : memref<4xi16>
      memref.copy %x, %copy : memref<4xi16> to memref<4xi16>
      %second = memref.load %copy[%c1] : memref<4xi16>
      memref.store %second, %out[%c1] : memref<4xi16>
      return
    }
    // CHECK: fn third(x: *const [4]i16) i16 {
    func.func @third(%x: memref<4xi16>) -> i16 {
      %c2 = arith.constant 2 : index
      %value = memref.load %x[%c2] : memref<4xi16>
      return %value : i16
    }
    // CHECK: fn passes(x: *const [4]i16) i16 {
    // CHECK: third(&x.*)
    func.func @passes(%x: memref<4xi16>) -> i16 {
      %value = func.call @third(%x) : (memref<4xi16>) -> i16
      return %value : i16
    }
    // CHECK: fn writes(x: *[4]i16, one: *i16) void {
    // CHECK-NEXT: one.* = 9;
    // CHECK-NEXT: x.*[3] = one.*;
    func.func @writes(%x: memref<4xi16>, %one: memref<i16>) {
      %c3 = arith.constant 3 : index
      %nine = arith.constant 9 : i16
      memref.store %nine, %one[] : memref<i16>
      %again = memref.load %one[] : memref<i16>
      memref.store %again, %x[%c3] : memref<4xi16>
      return
    }
    // CHECK: reads(&h);
    // CHECK: passes(&table)
    // CHECK: writes(&out, &
    func.func @f() {
      %c2 = arith.constant 2 : index
      %h = csl.get_var @h : memref<4xi16>
      %table = csl.get_var @table : memref<4xi16>
      %out = csl.get_var @out : memref<4xi16>
      func.call @reads(%h) : (memref<4xi16>) -> ()
      %third = func.call @passes(%table) : (memref<4xi16>) -> i16
      memref.store %third, %out[%c2] : memref<4xi16>
      %one = memref.alloca() : memref<i16>
      func.call @writes(%out, %one) : (memref<4xi16>, memref<i16>) -> ()
      return
    }
    csl.comptime {
      csl.export_symbol @f
      csl.export_symbol @out
    }
  }
}
