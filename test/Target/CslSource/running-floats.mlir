// RUN: rm -rf %t && sequin-translate --csl-to-source %s --output-directory %t && FileCheck %s < %t/pe.csl
// RUN: sequin-translate --import-csl --arch=wse3 %t/layout.csl -o %t/again.mlir
// RUN: sequin-run %s --target wse3 --launch f --verify --raw --output out=%t/first.npy --output half=%t/first_half.npy --output long=%t/first_long.npy
// RUN: sequin-run %t/again.mlir --target wse3 --launch f --verify --raw --output out=%t/out.npy --output half=%t/half.npy --output long=%t/long.npy
// RUN: cmp %t/first.npy %t/out.npy && cmp %t/first_half.npy %t/half.npy && cmp %t/first_long.npy %t/long.npy
// RUN: %python -c "import numpy, sys; print(*(hex(int(x)) for x in numpy.load(sys.argv[1]).ravel().view('u2')))" %t/half.npy | FileCheck %s --check-prefix=HALF
// RUN: %python -c "import numpy, sys; print(*(hex(int(x)) for x in numpy.load(sys.argv[1]).ravel().view('u4')))" %t/out.npy | FileCheck %s --check-prefix=OUT
// RUN: %python -c "import numpy, sys; print(*numpy.load(sys.argv[1]).ravel())" %t/long.npy | FileCheck %s --check-prefix=LONG

// ROWS: BLT-005

// Known floats that a compiler would round twice, refuse, or give another NaN.

// The tie of two halves, infinity, canonical NaNs, the same of parameters.
// HALF: 0x3c00 0x7c00 0x7e00 0x7e00 0x7c00 0x7c00 0x7e00 0x7e00
// OUT: 0x7fc00000 0x7fc00000 0x7fc00000 0x7f800000 0x5f800000 0x5e800001 0x0 0x0
// LONG: -1 65535 0 -1

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.export_name "f" : () -> ()
    csl.export_name "out" : !csl.ptr<many f32> mutable
    csl.export_name "half" : !csl.ptr<many f16> mutable
    csl.export_name "long" : !csl.ptr<many i32> mutable
    csl.tile_code @pe at <0, 0> params {much = 70000.0 : f32, zero = 0.0 : f32, most = -1 : i64, tie = 4611686293305294849 : i64, wide = -2147483648 : i32}
  }
  csl.program @pe {
    csl.param @much : f32
    csl.param @zero : f32
    csl.param @most : i64
    csl.param @tie : i64
    csl.param @wide : i32
    csl.var const @none : memref<2xf16> = dense<[0x7E01, 1.0]> : tensor<2xf16>
    csl.var @out : memref<8xf32> = dense<0.0> : tensor<8xf32>
    csl.var @half : memref<8xf16> = dense<0.0> : tensor<8xf16>
    csl.var @long : memref<4xi32> = dense<0> : tensor<4xi32>
    // CHECK: fn f() void {
    // CHECK: half[0] = 1.0;
    func.func @f() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %c7 = arith.constant 7 : index
      %out = csl.get_var @out : memref<8xf32>
      %half = csl.get_var @half : memref<8xf16>
      %long = csl.get_var @long : memref<4xi32>
      // Its shortest decimal in f32 is above the tie.
      %between = arith.constant 1.00048828125 : f32
      %even = arith.truncf %between : f32 to f16
      memref.store %even, %half[%c0] : memref<8xf16>
      %large = arith.constant 70000.0 : f32
      %infinite = arith.truncf %large : f32 to f16
      memref.store %infinite, %half[%c1] : memref<8xf16>
      %nan = arith.constant 0xFFC12345 : f32
      %cut = arith.truncf %nan : f32 to f16
      memref.store %cut, %half[%c2] : memref<8xf16>
      %small = arith.constant 0xFE01 : f16
      %sum = arith.addf %small, %infinite : f16
      memref.store %sum, %half[%c3] : memref<8xf16>
      %added = arith.addf %nan, %large : f32
      memref.store %added, %out[%c0] : memref<8xf32>
      %long_nan = arith.extf %small : f16 to f32
      memref.store %long_nan, %out[%c1] : memref<8xf32>
      // Parameters.
      %much = csl.get_param @much : f32
      %zero = csl.get_param @zero : f32
      %narrow = arith.truncf %much : f32 to f16
      memref.store %narrow, %half[%c4] : memref<8xf16>
      %quotient = arith.divf %much, %zero : f32
      memref.store %quotient, %out[%c3] : memref<8xf32>
      %none = arith.subf %quotient, %quotient : f32
      memref.store %none, %out[%c2] : memref<8xf32>
      %none_too = arith.truncf %none : f32 to f16
      memref.store %none_too, %half[%c6] : memref<8xf16>
      %number = arith.fptosi %much : f32 to i16
      %positive = arith.fptoui %much : f32 to i16
      %plus = arith.extui %positive : i16 to i32
      memref.store %plus, %long[%c1] : memref<4xi32>
      %wide = csl.get_param @wide : i32
      %times = arith.sitofp %number : i16 to f16
      %two = arith.constant 2.0 : f16
      %more = arith.addf %times, %times : f16
      memref.store %more, %half[%c5] : memref<8xf16>
      // An element of a constant.
      %nones = csl.get_var @none : memref<2xf16>
      %element = memref.load %nones[%c0] : memref<2xf16>
      %element_sum = arith.addf %element, %two : f16
      memref.store %element_sum, %half[%c7] : memref<8xf16>
      // Integers of 64 bits, rounded once.
      %most = csl.get_param @most : i64
      %positive_most = arith.uitofp %most : i64 to f32
      memref.store %positive_most, %out[%c4] : memref<8xf32>
      %tie = csl.get_param @tie : i64
      %up = arith.sitofp %tie : i64 to f32
      memref.store %up, %out[%c5] : memref<8xf32>
      // An index has 32 bits.
      %place = arith.constant -2147483648 : i32
      %index = arith.index_castui %place : i32 to index
      %again = arith.index_cast %index : index to i64
      %c32 = arith.constant 32 : i64
      %high = arith.shrui %again, %c32 : i64
      %signs = arith.trunci %high : i64 to i32
      memref.store %signs, %long[%c0] : memref<4xi32>
      %at = arith.index_castui %wide : i32 to index
      %at_again = arith.index_cast %at : index to i64
      %at_high = arith.shrui %at_again, %c32 : i64
      %at_signs = arith.trunci %at_high : i64 to i32
      memref.store %at_signs, %long[%c3] : memref<4xi32>
      return
    }
    csl.comptime {
      csl.export_symbol @f
      csl.export_symbol @out
      csl.export_symbol @half
      csl.export_symbol @long
    }
  }
}
