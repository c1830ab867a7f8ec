// A name has the mutability of its symbol: a variable that the host only reads is const if nothing else writes it, and
// otherwise the host may write it too.

// RUN: sequin-translate --csl-to-source %s --output-directory %t
// RUN: FileCheck %s --check-prefix=LAYOUT < %t/layout.csl
// RUN: FileCheck %s --check-prefix=CODE < %t/pe.csl
// RUN: sequin-translate --import-csl --arch=wse3 %t/layout.csl -o %t.mlir
// RUN: sequin-run %t.mlir --target wse3 --launch main --output count=%t.npy

// ROWS: RPC-002, RPC-007

// LAYOUT: @export_name("count", i16, true);
// LAYOUT: @export_name("limit", i16, false);
// LAYOUT: @export_name("free", i16, true);
// LAYOUT: @export_name("fixed", i16, false);
// LAYOUT: @export_name("list", [*]i16, false);
// CODE-DAG: var count: i16 = 1;
// CODE-DAG: const limit: i16 = 7;
// CODE-DAG: var free: i16;
// CODE-DAG: const fixed: i16 = 3;
// CODE-DAG: const list_ptr: [*]i16 = &list;

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    csl.export_name "count" : i16
    csl.export_name "limit" : i16
    csl.export_name "free" : i16 mutable
    csl.export_name "fixed" : i16
    csl.export_name "list" : !csl.ptr<many i16>
    csl.export_name "main" : () -> ()
  }
  csl.program @pe {
    csl.var @count : memref<i16> = dense<1> : tensor<i16>
    csl.var @limit : memref<i16> = dense<7> : tensor<i16>
    csl.var @free : memref<i16>
    csl.var const @fixed : memref<i16> = dense<3> : tensor<i16>
    csl.var @list : memref<4xi16>
    func.func @main() {
      %limit = csl.get_var @limit : memref<i16>
      %more = memref.load %limit[] : memref<i16>
      %count = csl.get_var @count : memref<i16>
      %old = memref.load %count[] : memref<i16>
      %new = arith.addi %old, %more : i16
      memref.store %new, %count[] : memref<i16>
      return
    }
    csl.comptime {
      csl.export_symbol @count
      csl.export_symbol @limit
      csl.export_symbol @free
      csl.export_symbol @fixed
      csl.export_symbol @list as "list"
      csl.export_symbol @main
    }
  }
}
