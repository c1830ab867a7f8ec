// RUN: rm -rf %t && sequin-translate --csl-to-source %s --output-directory %t && FileCheck %s < %t/pe.csl

// ROWS: SYN-039

// What changes nothing takes time all the same.

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0> params {p = 2 : i16}
  }
  csl.program @pe {
    csl.param @p : i16
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

    func.func @count(%x: i16) -> i16 {
      %n = csl.get_var @n : memref<i16>
      memref.store %x, %n[] : memref<i16>
      return %x : i16
    }

    // What nobody asks for is computed by a call all the same.
    // CHECK: fn calls(a: i16, b: i16) void {
    // CHECK-NEXT: if (a < b) {
    // CHECK: count(a)
    func.func @calls(%a: i16, %b: i16) {
      %less = arith.cmpi slt, %a, %b : i16
      %unused = scf.if %less -> (i1) {
        %counted = func.call @count(%a) : (i16) -> i16
        %p = csl.get_param @p : i16
        %q = csl.get_param @p : i16
        %twice = arith.addi %p, %q : i16
        %equal = arith.cmpi eq, %twice, %counted : i16
        scf.yield %equal : i1
      } else {
        %no = arith.constant false
        scf.yield %no : i1
      }
      return
    }

    // What an assertion says is a comment to its end.
    // CHECK: fn asserts(n_2: i16) void {
    // CHECK-NEXT: // is one; n = 2; // or so
    // CHECK-NEXT: @assert(n_2 == 1);
    // CHECK-NEXT: }
    func.func @asserts(%n: i16) {
      %one = arith.constant 1 : i16
      %is_one = arith.cmpi eq, %n, %one : i16
      cf.assert %is_one, "is one;\0An = 2; // or so"
      return
    }

    // A loop is left when what it calls is not reached.
    // CHECK: fn loops() void {
    // CHECK-NEXT: for (@range({{.*}}2)) |{{.*}}| {}
    func.func @loops() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %no = arith.constant false
      %one = arith.constant 1 : i16
      scf.for %i = %c0 to %c2 step %c1 {
        scf.if %no {
          %counted = func.call @count(%one) : (i16) -> i16
        }
      }
      return
    }
  }
}
