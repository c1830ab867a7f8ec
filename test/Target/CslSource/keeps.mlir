// RUN: rm -rf %t && sequin-translate --csl-to-source %s --output-directory %t && FileCheck %s < %t/pe.csl

// ROWS: SYN-039

// What changes nothing takes time all the same.

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    csl.var @n : memref<i16>

    // CHECK: fn same() void {
    // CHECK-NEXT: n = n;
    // CHECK-NEXT: }
    func.func @same() {
      %n = csl.get_var @n : memref<i16>
      %value = memref.load %n[] : memref<i16>
      memref.store %value, %n[] : memref<i16>
      return
    }

    // CHECK: fn waits() void {
    // CHECK-NEXT: while (n != 0) {}
    func.func @waits() {
      %n = csl.get_var @n : memref<i16>
      %zero = arith.constant 0 : i16
      scf.while : () -> () {
        %value = memref.load %n[] : memref<i16>
        %more = arith.cmpi ne, %value, %zero : i16
        scf.condition(%more)
      } do {
        scf.yield
      }
      return
    }
  }
}
