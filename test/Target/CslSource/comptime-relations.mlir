// RUN: rm -rf %t && sequin-translate --csl-to-source %s --output-directory %t && FileCheck %s < %t/pe.csl
// RUN: sequin-translate --import-csl --arch=wse3 %t/layout.csl -o %t/again.mlir
// RUN: sequin-run %s --target wse3 --launch main --verify --output out=%t/first.npy
// RUN: sequin-run %t/again.mlir --target wse3 --launch main --verify --output out=%t/out.npy
// RUN: %python -c "import numpy, sys; [print(*row) for name in sys.argv[1:] for row in numpy.load(name).reshape(-1, 4)]" %t/first.npy %t/out.npy | FileCheck %s --check-prefix=OUT

// ROWS: CMP-015, SYN-070

// Relations of floats in a comptime block, of which CSL has six: the others are
// said by these in the initial values, with the same results where a side is no
// number. Each relation is asked of (x, y), (x, n), (y, x) and (x, x), where x is
// less than y and n is no number.

// OUT: {{^}}0 0 0 1{{$}}
// OUT-NEXT: {{^}}0 0 1 0{{$}}
// OUT-NEXT: {{^}}0 0 1 1{{$}}
// OUT-NEXT: {{^}}1 0 0 0{{$}}
// OUT-NEXT: {{^}}1 0 0 1{{$}}
// OUT-NEXT: {{^}}1 0 1 0{{$}}
// OUT-NEXT: {{^}}1 0 1 1{{$}}
// OUT-NEXT: {{^}}0 1 0 1{{$}}
// OUT-NEXT: {{^}}0 1 1 0{{$}}
// OUT-NEXT: {{^}}0 1 1 1{{$}}
// OUT-NEXT: {{^}}1 1 0 0{{$}}
// OUT-NEXT: {{^}}1 1 0 1{{$}}
// OUT-NEXT: {{^}}1 1 1 0{{$}}
// OUT-NEXT: {{^}}0 1 0 0{{$}}
// OUT-NEXT: {{^}}0 0 0 1{{$}}
// OUT-NEXT: {{^}}0 0 1 0{{$}}
// OUT-NEXT: {{^}}0 0 1 1{{$}}
// OUT-NEXT: {{^}}1 0 0 0{{$}}
// OUT-NEXT: {{^}}1 0 0 1{{$}}
// OUT-NEXT: {{^}}1 0 1 0{{$}}
// OUT-NEXT: {{^}}1 0 1 1{{$}}
// OUT-NEXT: {{^}}0 1 0 1{{$}}
// OUT-NEXT: {{^}}0 1 1 0{{$}}
// OUT-NEXT: {{^}}0 1 1 1{{$}}
// OUT-NEXT: {{^}}1 1 0 0{{$}}
// OUT-NEXT: {{^}}1 1 0 1{{$}}
// OUT-NEXT: {{^}}1 1 1 0{{$}}
// OUT-NEXT: {{^}}0 1 0 0{{$}}

// CHECK: var out: [56]i16 = [56]i16 {
// CHECK: if (x == y) @as(i16, 1) else @as(i16, 0),
// CHECK: if (x > y) @as(i16, 1) else @as(i16, 0),
// CHECK: if (x >= y) @as(i16, 1) else @as(i16, 0),
// CHECK: if (x < y) @as(i16, 1) else @as(i16, 0),
// CHECK: if (x <= y) @as(i16, 1) else @as(i16, 0),
// CHECK: if (x < y or x > y) @as(i16, 1) else @as(i16, 0),
// CHECK: if (x == x and y == y) @as(i16, 1) else @as(i16, 0),
// CHECK: if (!(x < y or x > y)) @as(i16, 1) else @as(i16, 0),
// CHECK: if (!(x <= y)) @as(i16, 1) else @as(i16, 0),
// CHECK: if (!(x < y)) @as(i16, 1) else @as(i16, 0),
// CHECK: if (!(x >= y)) @as(i16, 1) else @as(i16, 0),
// CHECK: if (!(x > y)) @as(i16, 1) else @as(i16, 0),
// CHECK: if (x != y) @as(i16, 1) else @as(i16, 0),
// CHECK: if (x != x or y != y) @as(i16, 1) else @as(i16, 0),

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0> params {x = 1.5 : f32, y = 2.0 : f32, n = 0x7fc00000 : f32}
    csl.export_name "main" : () -> ()
    csl.export_name "out" : !csl.ptr<many i16> mutable
  }
  csl.program @pe {
    csl.param @x : f32
    csl.param @y : f32
    csl.param @n : f32
    csl.var @out : memref<56xi16>
    func.func @main() {
      return
    }
    csl.comptime {
      csl.export_symbol @main
      csl.export_symbol @out
      %out = csl.get_var @out : memref<56xi16>
      %x = csl.get_param @x : f32
      %y = csl.get_param @y : f32
      %n = csl.get_param @n : f32
      %zero = arith.constant 0 : i16
      %one = arith.constant 1 : i16
      %i0 = arith.constant 0 : index
      %c0 = arith.cmpf oeq, %x, %y : f32
      %v0 = arith.select %c0, %one, %zero : i16
      memref.store %v0, %out[%i0] : memref<56xi16>
      %i1 = arith.constant 1 : index
      %c1 = arith.cmpf oeq, %x, %n : f32
      %v1 = arith.select %c1, %one, %zero : i16
      memref.store %v1, %out[%i1] : memref<56xi16>
      %i2 = arith.constant 2 : index
      %c2 = arith.cmpf oeq, %y, %x : f32
      %v2 = arith.select %c2, %one, %zero : i16
      memref.store %v2, %out[%i2] : memref<56xi16>
      %i3 = arith.constant 3 : index
      %c3 = arith.cmpf oeq, %x, %x : f32
      %v3 = arith.select %c3, %one, %zero : i16
      memref.store %v3, %out[%i3] : memref<56xi16>
      %i4 = arith.constant 4 : index
      %c4 = arith.cmpf ogt, %x, %y : f32
      %v4 = arith.select %c4, %one, %zero : i16
      memref.store %v4, %out[%i4] : memref<56xi16>
      %i5 = arith.constant 5 : index
      %c5 = arith.cmpf ogt, %x, %n : f32
      %v5 = arith.select %c5, %one, %zero : i16
      memref.store %v5, %out[%i5] : memref<56xi16>
      %i6 = arith.constant 6 : index
      %c6 = arith.cmpf ogt, %y, %x : f32
      %v6 = arith.select %c6, %one, %zero : i16
      memref.store %v6, %out[%i6] : memref<56xi16>
      %i7 = arith.constant 7 : index
      %c7 = arith.cmpf ogt, %x, %x : f32
      %v7 = arith.select %c7, %one, %zero : i16
      memref.store %v7, %out[%i7] : memref<56xi16>
      %i8 = arith.constant 8 : index
      %c8 = arith.cmpf oge, %x, %y : f32
      %v8 = arith.select %c8, %one, %zero : i16
      memref.store %v8, %out[%i8] : memref<56xi16>
      %i9 = arith.constant 9 : index
      %c9 = arith.cmpf oge, %x, %n : f32
      %v9 = arith.select %c9, %one, %zero : i16
      memref.store %v9, %out[%i9] : memref<56xi16>
      %i10 = arith.constant 10 : index
      %c10 = arith.cmpf oge, %y, %x : f32
      %v10 = arith.select %c10, %one, %zero : i16
      memref.store %v10, %out[%i10] : memref<56xi16>
      %i11 = arith.constant 11 : index
      %c11 = arith.cmpf oge, %x, %x : f32
      %v11 = arith.select %c11, %one, %zero : i16
      memref.store %v11, %out[%i11] : memref<56xi16>
      %i12 = arith.constant 12 : index
      %c12 = arith.cmpf olt, %x, %y : f32
      %v12 = arith.select %c12, %one, %zero : i16
      memref.store %v12, %out[%i12] : memref<56xi16>
      %i13 = arith.constant 13 : index
      %c13 = arith.cmpf olt, %x, %n : f32
      %v13 = arith.select %c13, %one, %zero : i16
      memref.store %v13, %out[%i13] : memref<56xi16>
      %i14 = arith.constant 14 : index
      %c14 = arith.cmpf olt, %y, %x : f32
      %v14 = arith.select %c14, %one, %zero : i16
      memref.store %v14, %out[%i14] : memref<56xi16>
      %i15 = arith.constant 15 : index
      %c15 = arith.cmpf olt, %x, %x : f32
      %v15 = arith.select %c15, %one, %zero : i16
      memref.store %v15, %out[%i15] : memref<56xi16>
      %i16 = arith.constant 16 : index
      %c16 = arith.cmpf ole, %x, %y : f32
      %v16 = arith.select %c16, %one, %zero : i16
      memref.store %v16, %out[%i16] : memref<56xi16>
      %i17 = arith.constant 17 : index
      %c17 = arith.cmpf ole, %x, %n : f32
      %v17 = arith.select %c17, %one, %zero : i16
      memref.store %v17, %out[%i17] : memref<56xi16>
      %i18 = arith.constant 18 : index
      %c18 = arith.cmpf ole, %y, %x : f32
      %v18 = arith.select %c18, %one, %zero : i16
      memref.store %v18, %out[%i18] : memref<56xi16>
      %i19 = arith.constant 19 : index
      %c19 = arith.cmpf ole, %x, %x : f32
      %v19 = arith.select %c19, %one, %zero : i16
      memref.store %v19, %out[%i19] : memref<56xi16>
      %i20 = arith.constant 20 : index
      %c20 = arith.cmpf one, %x, %y : f32
      %v20 = arith.select %c20, %one, %zero : i16
      memref.store %v20, %out[%i20] : memref<56xi16>
      %i21 = arith.constant 21 : index
      %c21 = arith.cmpf one, %x, %n : f32
      %v21 = arith.select %c21, %one, %zero : i16
      memref.store %v21, %out[%i21] : memref<56xi16>
      %i22 = arith.constant 22 : index
      %c22 = arith.cmpf one, %y, %x : f32
      %v22 = arith.select %c22, %one, %zero : i16
      memref.store %v22, %out[%i22] : memref<56xi16>
      %i23 = arith.constant 23 : index
      %c23 = arith.cmpf one, %x, %x : f32
      %v23 = arith.select %c23, %one, %zero : i16
      memref.store %v23, %out[%i23] : memref<56xi16>
      %i24 = arith.constant 24 : index
      %c24 = arith.cmpf ord, %x, %y : f32
      %v24 = arith.select %c24, %one, %zero : i16
      memref.store %v24, %out[%i24] : memref<56xi16>
      %i25 = arith.constant 25 : index
      %c25 = arith.cmpf ord, %x, %n : f32
      %v25 = arith.select %c25, %one, %zero : i16
      memref.store %v25, %out[%i25] : memref<56xi16>
      %i26 = arith.constant 26 : index
      %c26 = arith.cmpf ord, %y, %x : f32
      %v26 = arith.select %c26, %one, %zero : i16
      memref.store %v26, %out[%i26] : memref<56xi16>
      %i27 = arith.constant 27 : index
      %c27 = arith.cmpf ord, %x, %x : f32
      %v27 = arith.select %c27, %one, %zero : i16
      memref.store %v27, %out[%i27] : memref<56xi16>
      %i28 = arith.constant 28 : index
      %c28 = arith.cmpf ueq, %x, %y : f32
      %v28 = arith.select %c28, %one, %zero : i16
      memref.store %v28, %out[%i28] : memref<56xi16>
      %i29 = arith.constant 29 : index
      %c29 = arith.cmpf ueq, %x, %n : f32
      %v29 = arith.select %c29, %one, %zero : i16
      memref.store %v29, %out[%i29] : memref<56xi16>
      %i30 = arith.constant 30 : index
      %c30 = arith.cmpf ueq, %y, %x : f32
      %v30 = arith.select %c30, %one, %zero : i16
      memref.store %v30, %out[%i30] : memref<56xi16>
      %i31 = arith.constant 31 : index
      %c31 = arith.cmpf ueq, %x, %x : f32
      %v31 = arith.select %c31, %one, %zero : i16
      memref.store %v31, %out[%i31] : memref<56xi16>
      %i32 = arith.constant 32 : index
      %c32 = arith.cmpf ugt, %x, %y : f32
      %v32 = arith.select %c32, %one, %zero : i16
      memref.store %v32, %out[%i32] : memref<56xi16>
      %i33 = arith.constant 33 : index
      %c33 = arith.cmpf ugt, %x, %n : f32
      %v33 = arith.select %c33, %one, %zero : i16
      memref.store %v33, %out[%i33] : memref<56xi16>
      %i34 = arith.constant 34 : index
      %c34 = arith.cmpf ugt, %y, %x : f32
      %v34 = arith.select %c34, %one, %zero : i16
      memref.store %v34, %out[%i34] : memref<56xi16>
      %i35 = arith.constant 35 : index
      %c35 = arith.cmpf ugt, %x, %x : f32
      %v35 = arith.select %c35, %one, %zero : i16
      memref.store %v35, %out[%i35] : memref<56xi16>
      %i36 = arith.constant 36 : index
      %c36 = arith.cmpf uge, %x, %y : f32
      %v36 = arith.select %c36, %one, %zero : i16
      memref.store %v36, %out[%i36] : memref<56xi16>
      %i37 = arith.constant 37 : index
      %c37 = arith.cmpf uge, %x, %n : f32
      %v37 = arith.select %c37, %one, %zero : i16
      memref.store %v37, %out[%i37] : memref<56xi16>
      %i38 = arith.constant 38 : index
      %c38 = arith.cmpf uge, %y, %x : f32
      %v38 = arith.select %c38, %one, %zero : i16
      memref.store %v38, %out[%i38] : memref<56xi16>
      %i39 = arith.constant 39 : index
      %c39 = arith.cmpf uge, %x, %x : f32
      %v39 = arith.select %c39, %one, %zero : i16
      memref.store %v39, %out[%i39] : memref<56xi16>
      %i40 = arith.constant 40 : index
      %c40 = arith.cmpf ult, %x, %y : f32
      %v40 = arith.select %c40, %one, %zero : i16
      memref.store %v40, %out[%i40] : memref<56xi16>
      %i41 = arith.constant 41 : index
      %c41 = arith.cmpf ult, %x, %n : f32
      %v41 = arith.select %c41, %one, %zero : i16
      memref.store %v41, %out[%i41] : memref<56xi16>
      %i42 = arith.constant 42 : index
      %c42 = arith.cmpf ult, %y, %x : f32
      %v42 = arith.select %c42, %one, %zero : i16
      memref.store %v42, %out[%i42] : memref<56xi16>
      %i43 = arith.constant 43 : index
      %c43 = arith.cmpf ult, %x, %x : f32
      %v43 = arith.select %c43, %one, %zero : i16
      memref.store %v43, %out[%i43] : memref<56xi16>
      %i44 = arith.constant 44 : index
      %c44 = arith.cmpf ule, %x, %y : f32
      %v44 = arith.select %c44, %one, %zero : i16
      memref.store %v44, %out[%i44] : memref<56xi16>
      %i45 = arith.constant 45 : index
      %c45 = arith.cmpf ule, %x, %n : f32
      %v45 = arith.select %c45, %one, %zero : i16
      memref.store %v45, %out[%i45] : memref<56xi16>
      %i46 = arith.constant 46 : index
      %c46 = arith.cmpf ule, %y, %x : f32
      %v46 = arith.select %c46, %one, %zero : i16
      memref.store %v46, %out[%i46] : memref<56xi16>
      %i47 = arith.constant 47 : index
      %c47 = arith.cmpf ule, %x, %x : f32
      %v47 = arith.select %c47, %one, %zero : i16
      memref.store %v47, %out[%i47] : memref<56xi16>
      %i48 = arith.constant 48 : index
      %c48 = arith.cmpf une, %x, %y : f32
      %v48 = arith.select %c48, %one, %zero : i16
      memref.store %v48, %out[%i48] : memref<56xi16>
      %i49 = arith.constant 49 : index
      %c49 = arith.cmpf une, %x, %n : f32
      %v49 = arith.select %c49, %one, %zero : i16
      memref.store %v49, %out[%i49] : memref<56xi16>
      %i50 = arith.constant 50 : index
      %c50 = arith.cmpf une, %y, %x : f32
      %v50 = arith.select %c50, %one, %zero : i16
      memref.store %v50, %out[%i50] : memref<56xi16>
      %i51 = arith.constant 51 : index
      %c51 = arith.cmpf une, %x, %x : f32
      %v51 = arith.select %c51, %one, %zero : i16
      memref.store %v51, %out[%i51] : memref<56xi16>
      %i52 = arith.constant 52 : index
      %c52 = arith.cmpf uno, %x, %y : f32
      %v52 = arith.select %c52, %one, %zero : i16
      memref.store %v52, %out[%i52] : memref<56xi16>
      %i53 = arith.constant 53 : index
      %c53 = arith.cmpf uno, %x, %n : f32
      %v53 = arith.select %c53, %one, %zero : i16
      memref.store %v53, %out[%i53] : memref<56xi16>
      %i54 = arith.constant 54 : index
      %c54 = arith.cmpf uno, %y, %x : f32
      %v54 = arith.select %c54, %one, %zero : i16
      memref.store %v54, %out[%i54] : memref<56xi16>
      %i55 = arith.constant 55 : index
      %c55 = arith.cmpf uno, %x, %x : f32
      %v55 = arith.select %c55, %one, %zero : i16
      memref.store %v55, %out[%i55] : memref<56xi16>
    }
  }
}
