// RUN: sequin-translate --csl-to-wafer %s | FileCheck %s
// RUN: sequin-run %s --target wse3 --launch main --verify --raw --output out=%t.npy
// RUN: %python -c "import numpy, sys; print(*(hex(v) for v in numpy.load(sys.argv[1]).view(numpy.uint32).ravel()))" %t.npy | FileCheck %s --check-prefix=OUT

// ROWS: DOP-006

// A known number that is rounded to cb16, with its 9 bits behind the point, is
// known: 1 + 2^-10 + 2^-20 rounds up, 1 + 2^-10 to even; 0x1800 is 2^-30.

// CHECK-LABEL: function 'main'
// CHECK-NOT: float_
// CHECK: return
// OUT: 0x3f804000 0x3f800000 0x30800000 0x5401

module attributes {csl.target = #csl.target<"wse3", fp16 = cb16>} {
  csl.layout 1 x 1 {
    csl.tile_code @p at <0, 0>
    csl.export_name "main" : () -> ()
    csl.export_name "out" : !csl.ptr<many i32> mutable
  }
  csl.program @p {
    csl.var @out : memref<4xi32> = dense<0> : tensor<4xi32>
    func.func @main() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %out = csl.get_var @out : memref<4xi32>
      %up = arith.constant 0x3F802008 : f32
      %even = arith.constant 0x3F802000 : f32
      %bits = arith.constant 0x1800 : i16
      %h0 = csl.convert_cb16 %up : f32 -> !csl.cb16
      %f0 = csl.convert_cb16 %h0 : !csl.cb16 -> f32
      %h1 = csl.convert_cb16 %even : f32 -> !csl.cb16
      %f1 = csl.convert_cb16 %h1 : !csl.cb16 -> f32
      %h2 = csl.convert_cb16 %bits : i16 -> !csl.cb16
      %f2 = csl.convert_cb16 %h2 : !csl.cb16 -> f32
      %b3 = csl.convert_cb16 %h0 : !csl.cb16 -> i16
      %r0 = arith.bitcast %f0 : f32 to i32
      %r1 = arith.bitcast %f1 : f32 to i32
      %r2 = arith.bitcast %f2 : f32 to i32
      %r3 = arith.extui %b3 : i16 to i32
      memref.store %r0, %out[%c0] : memref<4xi32>
      memref.store %r1, %out[%c1] : memref<4xi32>
      memref.store %r2, %out[%c2] : memref<4xi32>
      memref.store %r3, %out[%c3] : memref<4xi32>
      return
    }
    csl.comptime {
      csl.export_symbol @main
      csl.export_symbol @out
    }
  }
}
