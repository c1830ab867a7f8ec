// RUN: rm -rf %t && sequin-translate --csl-to-source %s --output-directory %t && FileCheck %s < %t/pe.csl
// RUN: sequin-translate --import-csl --arch=wse3 %t/layout.csl -o %t/again.mlir
// RUN: sequin-run %t/again.mlir --target wse3 --launch f --verify --output out=%t/out.npy
// RUN: %python -c "import numpy, sys; print(*numpy.load(sys.argv[1]).ravel())" %t/out.npy | FileCheck %s --check-prefix=OUT

// ROWS: BLT-005, AMB-039

// What the compiler knows where running code wraps or keeps bits: elements of
// constants, and the smaller of a parameter and a number.

// OUT: 40000 2147483647

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.export_name "f" : () -> ()
    csl.export_name "out" : !csl.ptr<many i32> mutable
    csl.tile_code @pe at <0, 0> params {p = 7 : i16}
  }
  csl.program @pe {
    csl.param @p : i16
    csl.var const @table : memref<2xi16> = dense<[-30000, 10]> : tensor<2xi16>
    csl.var @out : memref<2xi32> = dense<0> : tensor<2xi32>

    // CHECK: var [[MUCH:.*]]: i16 = 10000;
    // CHECK: [[MUCH]] - table[0]
    // CHECK: @bitcast(u32, @as(i32, @as(i16, -3) >> (if (p < 16) p else 16)))
    func.func @f() {
      %i0 = arith.constant 0 : index
      %i1 = arith.constant 1 : index
      %much = arith.constant 10000 : i16
      %table = csl.get_var @table : memref<2xi16>
      %out = csl.get_var @out : memref<2xi32>
      %known = memref.load %table[%i0] : memref<2xi16>
      %difference = arith.subi %much, %known : i16
      %wide = arith.extui %difference : i16 to i32
      memref.store %wide, %out[%i0] : memref<2xi32>
      %p = csl.get_param @p : i16
      %most = arith.constant 16 : i16
      %count = arith.minui %p, %most : i16
      %minus = arith.constant -3 : i16
      %cut = arith.shrsi %minus, %count : i16
      %bits = arith.extsi %cut : i16 to i32
      %two = arith.constant 2 : i32
      %unsigned = arith.divui %bits, %two : i32
      memref.store %unsigned, %out[%i1] : memref<2xi32>
      return
    }
    csl.comptime {
      csl.export_symbol @f
      csl.export_symbol @out
    }
  }
}
