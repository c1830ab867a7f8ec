// RUN: sequin-translate --csl-to-wafer %s | FileCheck %s

// Small functions stand in the place of their calls, and such as are called
// once; what has an array of its own, calls itself or is large and called twice
// does not. What the host calls stays.

module attributes {csl.target = #csl.target<"wse2">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    csl.export_name "main" : () -> ()
    csl.export_name "small" : () -> ()
  }
  csl.program @pe {
    csl.var @n : memref<32xi16>

    // CHECK-LABEL: function 'main'
    // CHECK: store
    // CHECK: store
    // CHECK-NOT: ; small
    // CHECK-NOT: ; once
    // CHECK: ; array
    // CHECK-NOT: ; small
    // CHECK: ; large
    // CHECK: ; large
    // CHECK: ; recursive
    // CHECK: return
    func.func @main() {
      func.call @small() : () -> ()
      func.call @once() : () -> ()
      func.call @array() : () -> ()
      func.call @large() : () -> ()
      func.call @large() : () -> ()
      func.call @recursive() : () -> ()
      return
    }
    // CHECK: function 'small'
    func.func @small() {
      %n = csl.get_var @n : memref<32xi16>
      %i = arith.constant 0 : index
      %one = arith.constant 1 : i16
      %v = memref.load %n[%i] : memref<32xi16>
      %w = arith.addi %v, %one : i16
      memref.store %w, %n[%i] : memref<32xi16>
      return
    }
    // CHECK-NOT: function 'once'
    func.func @once() {
      %n = csl.get_var @n : memref<32xi16>
      %i = arith.constant 1 : index
      %j = arith.constant 2 : index
      %k = arith.constant 3 : i16
      memref.store %k, %n[%i] : memref<32xi16>
      memref.store %k, %n[%j] : memref<32xi16>
      func.call @small() : () -> ()
      return
    }
    // CHECK: function 'array'
    func.func @array() {
      %n = csl.get_var @n : memref<32xi16>
      %mine = memref.alloca() : memref<4xi16>
      %i = arith.constant 0 : index
      %v = memref.load %n[%i] : memref<32xi16>
      %at = arith.index_castui %v : i16 to index
      memref.store %v, %mine[%at] : memref<4xi16>
      %w = memref.load %mine[%i] : memref<4xi16>
      memref.store %w, %n[%i] : memref<32xi16>
      return
    }
    // CHECK: function 'large'
    func.func @large() {
      %n = csl.get_var @n : memref<32xi16>
      %zero = arith.constant 0 : index
      %v = memref.load %n[%zero] : memref<32xi16>
      %at = arith.index_castui %v : i16 to index
      memref.store %v, %n[%at] : memref<32xi16>
      %a = memref.load %n[%at] : memref<32xi16>
      memref.store %a, %n[%zero] : memref<32xi16>
      %b = memref.load %n[%at] : memref<32xi16>
      memref.store %b, %n[%zero] : memref<32xi16>
      %c = memref.load %n[%at] : memref<32xi16>
      memref.store %c, %n[%zero] : memref<32xi16>
      %d = memref.load %n[%at] : memref<32xi16>
      memref.store %d, %n[%zero] : memref<32xi16>
      %e = memref.load %n[%at] : memref<32xi16>
      memref.store %e, %n[%zero] : memref<32xi16>
      %f = memref.load %n[%at] : memref<32xi16>
      memref.store %f, %n[%zero] : memref<32xi16>
      %g = memref.load %n[%at] : memref<32xi16>
      memref.store %g, %n[%zero] : memref<32xi16>
      %h = memref.load %n[%at] : memref<32xi16>
      memref.store %h, %n[%zero] : memref<32xi16>
      %j = memref.load %n[%at] : memref<32xi16>
      memref.store %j, %n[%zero] : memref<32xi16>
      %k = memref.load %n[%at] : memref<32xi16>
      memref.store %k, %n[%zero] : memref<32xi16>
      return
    }
    // CHECK: function 'recursive'
    // CHECK: ; recursive
    func.func @recursive() {
      %n = csl.get_var @n : memref<32xi16>
      %i = arith.constant 4 : index
      %zero = arith.constant 0 : i16
      %v = memref.load %n[%i] : memref<32xi16>
      %more = arith.cmpi ne, %v, %zero : i16
      scf.if %more {
        func.call @recursive() : () -> ()
      }
      return
    }
    csl.comptime {
      csl.export_symbol @main as "main"
      csl.export_symbol @small as "small"
    }
  }
}
