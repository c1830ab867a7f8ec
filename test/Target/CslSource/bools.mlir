// RUN: rm -rf %t && sequin-translate --csl-to-source %s --output-directory %t && FileCheck %s < %t/pe.csl
// RUN: sequin-translate --import-csl --arch=wse3 %t/layout.csl -o %t/again.mlir
// RUN: sequin-run %s --target wse3 --launch f --verify --output out=%t/first.npy
// RUN: sequin-run %t/again.mlir --target wse3 --launch f --verify --output out=%t/out.npy
// RUN: %python -c "import numpy, sys; [print(*numpy.load(name).ravel()) for name in sys.argv[1:]]" %t/first.npy %t/out.npy | FileCheck %s --check-prefix=OUT

// ROWS: SYN-010

// Bools have no order in CSL: what one is of them is said by `and` and `or`.
// For two bools, false and true each: the bits of ult, ule, ugt, uge, slt, sle,
// sgt, sge from the lowest on.

// OUT: 170 195 60 170
// OUT-NEXT: 170 195 60 170

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.export_name "f" : () -> ()
    csl.export_name "out" : !csl.ptr<many i16> mutable
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    csl.var @bools : memref<2xi1> = dense<[false, true]> : tensor<2xi1>
    csl.var @out : memref<4xi16> = dense<0> : tensor<4xi16>
    // CHECK: fn orders(a: bool, b: bool) i16 {
    // CHECK: !a and b
    // CHECK: !a or b
    func.func @orders(%a: i1, %b: i1) -> i16 {
      %c1 = arith.constant 1 : i16
      %c2 = arith.constant 2 : i16
      %c3 = arith.constant 3 : i16
      %c4 = arith.constant 4 : i16
      %c5 = arith.constant 5 : i16
      %c6 = arith.constant 6 : i16
      %c7 = arith.constant 7 : i16
      %0 = arith.cmpi ult, %a, %b : i1
      %1 = arith.cmpi ule, %a, %b : i1
      %2 = arith.cmpi ugt, %a, %b : i1
      %3 = arith.cmpi uge, %a, %b : i1
      %4 = arith.cmpi slt, %a, %b : i1
      %5 = arith.cmpi sle, %a, %b : i1
      %6 = arith.cmpi sgt, %a, %b : i1
      %7 = arith.cmpi sge, %a, %b : i1
      %n0 = arith.extui %0 : i1 to i16
      %n1 = arith.extui %1 : i1 to i16
      %n2 = arith.extui %2 : i1 to i16
      %n3 = arith.extui %3 : i1 to i16
      %n4 = arith.extui %4 : i1 to i16
      %n5 = arith.extui %5 : i1 to i16
      %n6 = arith.extui %6 : i1 to i16
      %n7 = arith.extui %7 : i1 to i16
      %s1 = arith.shli %n1, %c1 : i16
      %s2 = arith.shli %n2, %c2 : i16
      %s3 = arith.shli %n3, %c3 : i16
      %s4 = arith.shli %n4, %c4 : i16
      %s5 = arith.shli %n5, %c5 : i16
      %s6 = arith.shli %n6, %c6 : i16
      %s7 = arith.shli %n7, %c7 : i16
      %t1 = arith.ori %n0, %s1 : i16
      %t2 = arith.ori %t1, %s2 : i16
      %t3 = arith.ori %t2, %s3 : i16
      %t4 = arith.ori %t3, %s4 : i16
      %t5 = arith.ori %t4, %s5 : i16
      %t6 = arith.ori %t5, %s6 : i16
      %t7 = arith.ori %t6, %s7 : i16
      return %t7 : i16
    }
    func.func @f() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %bools = csl.get_var @bools : memref<2xi1>
      %out = csl.get_var @out : memref<4xi16>
      scf.for %i = %c0 to %c2 step %c1 {
        scf.for %j = %c0 to %c2 step %c1 {
          %a = memref.load %bools[%i] : memref<2xi1>
          %b = memref.load %bools[%j] : memref<2xi1>
          %bits = func.call @orders(%a, %b) : (i1, i1) -> i16
          %row = arith.muli %i, %c2 : index
          %at = arith.addi %row, %j : index
          memref.store %bits, %out[%at] : memref<4xi16>
        }
      }
      return
    }
    csl.comptime {
      csl.export_symbol @f
      csl.export_symbol @out
    }
  }
}
