// The greater of two numbers is the number where one is none; <math> gives the second one then.

// RUN: sequin-translate --csl-to-source %s | FileCheck %s
// RUN: sequin-run %s --target wse3 --launch main 2>&1 | FileCheck %s --check-prefix=RAN
// RUN: sequin-translate --csl-to-source %s --output-directory %t
// RUN: sequin-translate --import-csl --arch=wse3 %t/layout.csl -o %t.mlir
// RUN: sequin-run %t.mlir --target wse3 --launch main 2>&1 | FileCheck %s --check-prefix=RAN

// ROWS: LIB-025

// CHECK: if (nan != nan) x else math.max(x, nan)
// CHECK: if (x != x) nan else math.min(nan, x)
// CHECK: math.max(nan, @as(f32, 3.0))
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
