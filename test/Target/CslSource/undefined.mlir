// RUN: rm -rf %t && sequin-translate --csl-to-source %s --output-directory %t && FileCheck %s < %t/pe.csl
// RUN: sequin-translate --import-csl --arch=wse3 %t/layout.csl -o %t/again.mlir
// RUN: sequin-run %s --target wse3 --launch f --verify --output out=%t/before.npy
// RUN: sequin-run %t/again.mlir --target wse3 --launch f --verify --output out=%t/after.npy
// RUN: %python -c "import numpy, sys; print(*numpy.load(sys.argv[1]).ravel())" %t/before.npy | FileCheck %s --check-prefix=OUT
// RUN: %python -c "import numpy, sys; print(*numpy.load(sys.argv[1]).ravel())" %t/after.npy | FileCheck %s --check-prefix=OUT

// ROWS: BLT-005, AMB-039

// What the compiler of CSL refuses to compute, or types by the side of a choice
// that it does not take, and running code gives a value: divisions by zero,
// counts of shifts beyond the width, floats beyond an integer, choices on what
// is known, a rest of a divisor that may be zero.

// OUT: -1 7 -128 0 0 -1 32767 0 44 44 34464 0

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.export_name "f" : () -> ()
    csl.export_name "out" : !csl.ptr<many i32> mutable
    csl.tile_code @pe at <0, 0> params {flag = false}
  }
  csl.program @pe {
    csl.param @flag : i1
    csl.var @small : memref<1xi8> = dense<3> : tensor<1xi8>
    csl.var @large : memref<2xi32> = dense<[100000, 8]> : tensor<2xi32>
    csl.var @out : memref<12xi32> = dense<0> : tensor<12xi32>

    // CHECK: fn f() void {
    // CHECK-NOT: / 0
    // CHECK-NOT: % 0
    // The count would not fit the type of the left side.
    // CHECK: << @as(u8, 254)
    // CHECK: var chosen: i8 = if (flag) small_{{[0-9]+}} else @as(i8, -56);
    func.func @f() {
      %i0 = arith.constant 0 : index
      %i1 = arith.constant 1 : index
      %i2 = arith.constant 2 : index
      %i3 = arith.constant 3 : index
      %i4 = arith.constant 4 : index
      %i5 = arith.constant 5 : index
      %i6 = arith.constant 6 : index
      %i7 = arith.constant 7 : index
      %i8 = arith.constant 8 : index
      %i9 = arith.constant 9 : index
      %i10 = arith.constant 10 : index
      %i11 = arith.constant 11 : index
      %out = csl.get_var @out : memref<12xi32>
      %seven = arith.constant 7 : i8
      %zero = arith.constant 0 : i8
      %lowest = arith.constant -128 : i8
      %minus = arith.constant -1 : i8
      %count = arith.constant 254 : i8

      %quotient = arith.divsi %seven, %zero : i8
      %q = arith.extsi %quotient : i8 to i32
      memref.store %q, %out[%i0] : memref<12xi32>
      %rest = arith.remui %seven, %zero : i8
      %r = arith.extsi %rest : i8 to i32
      memref.store %r, %out[%i1] : memref<12xi32>
      %same = arith.divsi %lowest, %minus : i8
      %s = arith.extsi %same : i8 to i32
      memref.store %s, %out[%i2] : memref<12xi32>
      %none = arith.remsi %lowest, %minus : i8
      %n = arith.extsi %none : i8 to i32
      memref.store %n, %out[%i3] : memref<12xi32>

      %place = csl.get_var @small : memref<1xi8>
      %small = memref.load %place[%i0] : memref<1xi8>
      %gone = arith.shli %small, %count : i8
      %g = arith.extsi %gone : i8 to i32
      memref.store %g, %out[%i4] : memref<12xi32>
      %signs = arith.shrsi %minus, %count : i8
      %b = arith.extsi %signs : i8 to i32
      memref.store %b, %out[%i5] : memref<12xi32>

      %much = arith.constant 64992.0 : f16
      %most = arith.fptosi %much : f16 to i16
      %m = arith.extsi %most : i16 to i32
      memref.store %m, %out[%i6] : memref<12xi32>
      %below = arith.constant -1.0 : f32
      %least = arith.fptoui %below : f32 to i16
      %l = arith.extui %least : i16 to i32
      memref.store %l, %out[%i7] : memref<12xi32>

      // 200 + 100 in eight bits.
      %false = arith.constant false
      %hundred = arith.constant 100 : i8
      %twohundred = arith.constant -56 : i8
      %known = scf.if %false -> i8 {
        scf.yield %small : i8
      } else {
        scf.yield %twohundred : i8
      }
      %sum = arith.addi %known, %hundred : i8
      %u = arith.extui %sum : i8 to i32
      memref.store %u, %out[%i8] : memref<12xi32>
      %flag = csl.get_param @flag : i1
      %chosen = arith.select %flag, %small, %twohundred : i8
      %other = arith.addi %chosen, %hundred : i8
      %v = arith.extui %other : i8 to i32
      memref.store %v, %out[%i9] : memref<12xi32>

      // By 8 & 7; a rest is not always smaller than what divides.
      %places = csl.get_var @large : memref<2xi32>
      %large = memref.load %places[%i0] : memref<2xi32>
      %eight = memref.load %places[%i1] : memref<2xi32>
      %mask = arith.constant 7 : i32
      %divisor = arith.andi %eight, %mask : i32
      %whole = arith.remui %large, %divisor : i32
      %half = arith.trunci %whole : i32 to i16
      %h = arith.extui %half : i16 to i32
      memref.store %h, %out[%i10] : memref<12xi32>
      return
    }
    csl.comptime {
      csl.export_symbol @f
      csl.export_symbol @out
    }
  }
}
