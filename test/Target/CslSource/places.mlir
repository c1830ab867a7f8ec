// RUN: rm -rf %t && sequin-translate --csl-to-source %s --output-directory %t && FileCheck %s < %t/pe.csl
// RUN: sequin-translate --import-csl --arch=wse3 %t/layout.csl -o %t/again.mlir
// RUN: sequin-run %s --target wse3 --launch f --verify --output out=%t/first.npy
// RUN: sequin-run %t/again.mlir --target wse3 --launch f --verify --output out=%t/out.npy
// RUN: %python -c "import numpy, sys; [print(*numpy.load(name).ravel()) for name in sys.argv[1:]]" %t/first.npy %t/out.npy | FileCheck %s --check-prefix=OUT

// ROWS: SYN-039, SYN-062

// A place that is written as what it is made of names a pointer; the pointer is
// that of the time when the place was made, whatever its variable holds then.

// OUT: 1 1 1 100 0 100 6 7
// OUT-NEXT: 1 1 1 100 0 100 6 7

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.export_name "f" : () -> ()
    csl.export_name "out" : !csl.ptr<many i16> mutable
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    csl.var @a : memref<4xi16> = dense<[0, 1, 2, 3]> : tensor<4xi16>
    csl.var @b : memref<4xi16> = dense<[99, 100, 101, 102]> : tensor<4xi16>
    csl.var @here : memref<!csl.ptr<many i16>>
    csl.var @there : memref<!csl.ptr<many i16>>
    csl.var @n : memref<i16> = dense<7> : tensor<i16>
    csl.var @out : memref<8xi16> = dense<0> : tensor<8xi16>

    // Two loops with one variable for the pointer.
    // CHECK: fn view() void {
    // CHECK: var same: [*]i16 = p;
    // CHECK: out[i] = p[1];
    func.func @view() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %here = csl.get_var @here : memref<!csl.ptr<many i16>>
      %there = csl.get_var @there : memref<!csl.ptr<many i16>>
      %out = csl.get_var @out : memref<8xi16>
      %from = memref.load %here[] : memref<!csl.ptr<many i16>>
      %to = memref.load %there[] : memref<!csl.ptr<many i16>>
      %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%p = %from) -> (!csl.ptr<many i16>) {
        %view = csl.as_memref %p : !csl.ptr<many i16> -> memref<?xi16>
        %q = scf.for %j = %c0 to %c1 step %c1 iter_args(%same = %p) -> (!csl.ptr<many i16>) {
          scf.yield %to : !csl.ptr<many i16>
        }
        %v = memref.load %view[%c1] : memref<?xi16>
        memref.store %v, %out[%i] : memref<8xi16>
        scf.yield %q : !csl.ptr<many i16>
      }
      return
    }
    // The same with the address of an element.
    func.func @address() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %here = csl.get_var @here : memref<!csl.ptr<many i16>>
      %there = csl.get_var @there : memref<!csl.ptr<many i16>>
      %out = csl.get_var @out : memref<8xi16>
      %from = memref.load %here[] : memref<!csl.ptr<many i16>>
      %to = memref.load %there[] : memref<!csl.ptr<many i16>>
      %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%p = %from) -> (!csl.ptr<many i16>) {
        %view = csl.as_memref %p : !csl.ptr<many i16> -> memref<?xi16>
        %x = csl.address_of %view[%c1] : memref<?xi16> -> !csl.ptr<i16>
        %q = scf.for %j = %c0 to %c1 step %c1 iter_args(%same = %p) -> (!csl.ptr<many i16>) {
          scf.yield %to : !csl.ptr<many i16>
        }
        %v = csl.load %x : !csl.ptr<i16> -> i16
        memref.store %v, %out[%c1] : memref<8xi16>
        scf.yield %q : !csl.ptr<many i16>
      }
      return
    }
    // Both change at once; the address is of the old array.
    // CHECK: fn together() void {
    // CHECK: q = &p[1];
    // CHECK-NEXT: p = to;
    func.func @together() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %a = csl.get_var @a : memref<4xi16>
      %there = csl.get_var @there : memref<!csl.ptr<many i16>>
      %out = csl.get_var @out : memref<8xi16>
      %from = csl.address_of %a : memref<4xi16> -> !csl.ptr<many i16>
      %to = memref.load %there[] : memref<!csl.ptr<many i16>>
      %none = csl.address_of %a[%c0] : memref<4xi16> -> !csl.ptr<i16>
      %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %from, %q = %none) -> (!csl.ptr<many i16>, !csl.ptr<i16>) {
        %old = csl.load %q : !csl.ptr<i16> -> i16
        %k = arith.addi %i, %c1 : index
        memref.store %old, %out[%k] : memref<8xi16>
        %view = csl.as_memref %p : !csl.ptr<many i16> -> memref<?xi16>
        %x = csl.address_of %view[%c1] : memref<?xi16> -> !csl.ptr<i16>
        scf.yield %to, %x : !csl.ptr<many i16>, !csl.ptr<i16>
      }
      %v = csl.load %r#1 : !csl.ptr<i16> -> i16
      memref.store %v, %out[%c3] : memref<8xi16>
      %one = memref.load %a[%c1] : memref<4xi16>
      memref.store %one, %out[%c1] : memref<8xi16>
      return
    }
    // A part of an array that begins where a variable says.
    func.func @part() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %a = csl.get_var @a : memref<4xi16>
      %b = csl.get_var @b : memref<4xi16>
      %out = csl.get_var @out : memref<8xi16>
      %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%p = %c0) -> (index) {
        %first = memref.subview %a[%p] [2] [1] : memref<4xi16> to memref<2xi16, strided<[1], offset: ?>>
        %second = memref.subview %b[%p] [2] [1] : memref<4xi16> to memref<2xi16, strided<[1], offset: ?>>
        %q = scf.for %j = %c0 to %c1 step %c1 iter_args(%same = %p) -> (index) {
          scf.yield %c2 : index
        }
        %v = memref.load %first[%c0] : memref<2xi16, strided<[1], offset: ?>>
        memref.store %v, %out[%c4] : memref<8xi16>
        %w = memref.load %second[%c1] : memref<2xi16, strided<[1], offset: ?>>
        memref.store %w, %out[%c5] : memref<8xi16>
        scf.yield %q : index
      }
      return
    }
    // What a loop computed and what stands behind it needs: of a branch, and of
    // blocks that join in the loop.
    func.func @escapes(%n: i16) -> i16 {
      %k0 = arith.constant 0 : i16
      %k1 = arith.constant 1 : i16
      %k5 = arith.constant 5 : i16
      cf.br ^head(%k0 : i16)
    ^head(%i: i16):
      %small = arith.cmpi slt, %i, %k5 : i16
      %y = scf.if %small -> i16 {
        %t = arith.addi %i, %k1 : i16
        scf.yield %t : i16
      } else {
        %u = arith.subi %i, %k5 : i16
        scf.yield %u : i16
      }
      cf.cond_br %small, ^left, ^right
    ^left:
      cf.br ^join(%k1 : i16)
    ^right:
      cf.br ^join(%k5 : i16)
    ^join(%m: i16):
      %j = arith.addi %i, %k1 : i16
      %go = arith.cmpi slt, %j, %n : i16
      cf.cond_br %go, ^head(%j : i16), ^done
    ^done:
      %z = arith.addi %y, %m : i16
      return %z : i16
    }
    func.func @f() {
      %c0 = arith.constant 0 : index
      %c6 = arith.constant 6 : index
      %c7 = arith.constant 7 : index
      %cm1 = arith.constant -1 : index
      %out = csl.get_var @out : memref<8xi16>
      %a = csl.get_var @a : memref<4xi16>
      %b = csl.get_var @b : memref<4xi16>
      %here = csl.get_var @here : memref<!csl.ptr<many i16>>
      %there = csl.get_var @there : memref<!csl.ptr<many i16>>
      %pa = csl.address_of %a : memref<4xi16> -> !csl.ptr<many i16>
      %pb = csl.address_of %b : memref<4xi16> -> !csl.ptr<many i16>
      memref.store %pa, %here[] : memref<!csl.ptr<many i16>>
      memref.store %pb, %there[] : memref<!csl.ptr<many i16>>
      func.call @together() : () -> ()
      func.call @view() : () -> ()
      func.call @address() : () -> ()
      func.call @part() : () -> ()
      %nn = csl.get_var @n : memref<i16>
      %n = memref.load %nn[] : memref<i16>
      %e = func.call @escapes(%n) : (i16) -> i16
      memref.store %e, %out[%c6] : memref<8xi16>
      // A case that no value of the index's range has.
      %wide = arith.index_castui %n : i16 to index
      %r = scf.index_switch %wide -> i16
      case -1 { %k = arith.constant 3 : i16 scf.yield %k : i16 }
      case 70000 { %k = arith.constant 4 : i16 scf.yield %k : i16 }
      default { scf.yield %n : i16 }
      memref.store %r, %out[%c7] : memref<8xi16>
      return
    }
    csl.comptime {
      csl.export_symbol @f
      csl.export_symbol @out
    }
  }
}
