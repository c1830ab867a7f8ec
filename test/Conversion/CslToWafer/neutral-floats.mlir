// An operation on floats that is no number gives the canonical NaN, also where the other operand is known and changes
// no number: what is folded has the bits that running code has.

// ROWS: SYN-047

// RUN: sequin-run %s --target wse3 --launch main --verify --raw --output out=%t.npy
// RUN: %python -c "import numpy, sys; print(*(hex(v) for v in numpy.load(sys.argv[1]).view(numpy.uint32).ravel()))" %t.npy | FileCheck %s
// CHECK: 0x7fc00000 0x7fc00000 0x7fc00000 0x7fc00000 0x7fc00000 0x7fa12345 0x7fa12345 0x0

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @p at <0, 0>
    csl.export_name "main" : () -> ()
    csl.export_name "out" : !csl.ptr<many f32> mutable
  }
  csl.program @p {
    csl.var @out : memref<8xf32> = dense<0.0> : tensor<8xf32>
    csl.var @in : memref<f32> = dense<0x7FA12345> : tensor<f32>
    csl.var @one : memref<f32> = dense<1.0> : tensor<f32>
    csl.var @ptr : memref<!csl.ptr<many f32>>
    func.func @main() {
      %i = csl.get_var @in : memref<f32>
      %x = memref.load %i[] : memref<f32>
      %j = csl.get_var @one : memref<f32>
      %r1 = memref.load %j[] : memref<f32>
      %one = arith.constant 1.0 : f32
      %zero = arith.constant 0.0 : f32
      %mzero = arith.constant -0.0 : f32
      %o = csl.get_var @out : memref<8xf32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %a = arith.mulf %x, %one : f32
      memref.store %a, %o[%c0] : memref<8xf32>
      %b = arith.mulf %x, %r1 : f32
      memref.store %b, %o[%c1] : memref<8xf32>
      %c = arith.divf %x, %one : f32
      memref.store %c, %o[%c2] : memref<8xf32>
      %d = arith.addf %x, %mzero : f32
      memref.store %d, %o[%c3] : memref<8xf32>
      %e = arith.subf %x, %zero : f32
      memref.store %e, %o[%c4] : memref<8xf32>
      %n = arith.negf %x : f32
      %nn = arith.negf %n : f32
      memref.store %nn, %o[%c5] : memref<8xf32>
      %m = arith.maxnumf %x, %x : f32
      memref.store %m, %o[%c6] : memref<8xf32>
      return
    }
    csl.comptime {
      %p = csl.get_var @ptr : memref<!csl.ptr<many f32>>
      %o = csl.get_var @out : memref<8xf32>
      %q = csl.address_of %o : memref<8xf32> -> !csl.ptr<many f32>
      memref.store %q, %p[] : memref<!csl.ptr<many f32>>
      csl.export_symbol @main
      csl.export_symbol @ptr as "out"
    }
  }
}
