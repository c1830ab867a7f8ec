// RUN: rm -rf %t && sequin-translate --csl-to-source %s --output-directory %t && FileCheck %s < %t/pe.csl
// RUN: sequin-translate --import-csl --arch=wse3 %t/layout.csl -o %t/again.mlir
// RUN: sequin-run %s --target wse3 --launch f --verify --output out=%t/first.npy
// RUN: sequin-run %t/again.mlir --target wse3 --launch f --verify --output out=%t/out.npy
// RUN: %python -c "import numpy, sys; [print(*numpy.load(name).ravel()) for name in sys.argv[1:]]" %t/first.npy %t/out.npy | FileCheck %s --check-prefix=OUT

// ROWS: SYN-039, SYN-041

// What stands behind a loop and is also reached from inside of it, past what
// stands there, is written once, behind both, with what the loop computed.

// OUT: 105 107 101 103
// OUT-NEXT: 105 107 101 103

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.export_name "f" : () -> ()
    csl.export_name "out" : !csl.ptr<many i16> mutable
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    csl.var @from : memref<4xi16> = dense<[5, 300, 1, 3]> : tensor<4xi16>
    csl.var @ends : memref<i16> = dense<0> : tensor<i16>
    csl.var @out : memref<4xi16> = dense<0> : tensor<4xi16>

    // CHECK: fn count(n: i16) i16 {
    // CHECK-NOT: return
    // CHECK: {{^ *}}[[BLOCK:.*]]: {
    // CHECK: while (true) {
    // CHECK: break :[[BLOCK]];
    // CHECK: ends = 100;
    // CHECK-NEXT: = 100;
    // CHECK-NEXT: }
    // CHECK: return
    // CHECK-NOT: return
    // CHECK: fn counts(
    func.func @count(%n: i16) -> i16 {
      %c0 = arith.constant 0 : i16
      %c1 = arith.constant 1 : i16
      %c100 = arith.constant 100 : i16
      %c200 = arith.constant 200 : i16
      %ends = csl.get_var @ends : memref<i16>
      cf.br ^head(%c0 : i16)
    ^head(%i: i16):
      %next = arith.addi %i, %c1 : i16
      %more = arith.cmpi slt, %next, %n : i16
      cf.cond_br %more, ^body, ^exit
    ^body:
      %is_large = arith.cmpi sgt, %n, %c200 : i16
      cf.cond_br %is_large, ^join(%c0 : i16), ^head(%next : i16)
    ^exit:
      memref.store %c100, %ends[] : memref<i16>
      cf.br ^join(%c100 : i16)
    ^join(%what: i16):
      %sum = arith.addi %what, %next : i16
      return %sum : i16
    }
    func.func @counts(%k: i16) -> i1 {
      %c0 = arith.constant 0 : i16
      %ends = csl.get_var @ends : memref<i16>
      %before = memref.load %ends[] : memref<i16>
      %sum = arith.addi %before, %k : i16
      memref.store %sum, %ends[] : memref<i16>
      %is_positive = arith.cmpi sgt, %sum, %c0 : i16
      return %is_positive : i1
    }
    // A branch that both ways lead on without doing anything asks all the same.
    // CHECK: fn asks(k: i16) void {
    // CHECK-NEXT: counts(k);
    // CHECK-NEXT: }
    func.func @asks(%k: i16) {
      %c0 = arith.constant 0 : index
      %from = csl.get_var @from : memref<4xi16>
      %yes = func.call @counts(%k) : (i16) -> i1
      cf.cond_br %yes, ^reads, ^end
    ^reads:
      %unused = memref.load %from[%c0] : memref<4xi16>
      cf.br ^end
    ^end:
      return
    }
    func.func @f() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %from = csl.get_var @from : memref<4xi16>
      %out = csl.get_var @out : memref<4xi16>
      scf.for %i = %c0 to %c4 step %c1 {
        %n = memref.load %from[%i] : memref<4xi16>
        %r = func.call @count(%n) : (i16) -> i16
        memref.store %r, %out[%i] : memref<4xi16>
      }
      %c7 = arith.constant 7 : i16
      func.call @asks(%c7) : (i16) -> ()
      %ends = csl.get_var @ends : memref<i16>
      %all = memref.load %ends[] : memref<i16>
      memref.store %all, %out[%c1] : memref<4xi16>
      return
    }
    csl.comptime {
      csl.export_symbol @f
      csl.export_symbol @out
    }
  }
}
