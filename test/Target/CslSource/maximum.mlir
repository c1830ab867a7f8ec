// The greater of two numbers is the number where one is none; CSL says so by comparisons and bits.

// RUN: sequin-translate --csl-to-source %s | FileCheck %s
// RUN: sequin-run %s --target wse3 --launch main 2>&1 | FileCheck %s --check-prefix=RAN
// RUN: sequin-translate --csl-to-source %s --output-directory %t
// RUN: sequin-translate --import-csl --arch=wse3 %t/layout.csl -o %t.mlir
// RUN: sequin-run %t.mlir --target wse3 --launch main 2>&1 | FileCheck %s --check-prefix=RAN

// ROWS: LIB-025

// CHECK: const value = @bitcast(i32, x);
// CHECK-NEXT: const value_2 = @bitcast(i32, nan);
// CHECK-NEXT: const value_3 = @bitcast(f32, value & value_2);
// CHECK-NEXT: const value_4 = if (x == nan) value_3 else nan;
// CHECK-NEXT: const value_5 = x + nan;
// CHECK-NEXT: const value_6 = if (x > nan) x else value_4;
// CHECK-NEXT: const value_7 = if (x == x) x else value_5;
// CHECK-NEXT: const value_8 = if (nan == nan) value_6 else value_7;
// CHECK: const value_11 = @bitcast(f32, value_9 | value_10);
// CHECK: if (value == value_2) x else value_8,
// CHECK: if (nan > 3.0) nan else 3.0,
// RAN: @{{[0-9]+}} P0.0: 1.0 1.0 3.0
module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @p at <0, 0>
    csl.export_name "main" : () -> ()
  }
  csl.program @p {
    csl.var @g : memref<2xf32> = dense<[1.0, 0.0]> : tensor<2xf32>
    func.func @main() {
      %g = csl.get_var @g : memref<2xf32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %three = arith.constant 3.0 : f32
      %x = memref.load %g[%c0] : memref<2xf32>
      %z = memref.load %g[%c1] : memref<2xf32>
      %nan = arith.divf %z, %z : f32
      %a = arith.maxnumf %x, %nan : f32
      %b = arith.minnumf %nan, %x : f32
      %c = arith.maxnumf %nan, %three : f32
      csl.sim_print "{f} {f} {f}"(%a, %b, %c) : f32, f32, f32
      return
    }
    csl.comptime {
      csl.export_symbol @main
    }
  }
}
