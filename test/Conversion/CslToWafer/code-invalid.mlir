// Code and names that no program for PEs can be derived of.

// RUN: sequin-opt %s --csl-check-program --split-input-file --verify-diagnostics

// ROWS: BLT-046, RPC-005

// A stack of more than a PE has.
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.var @x : memref<1xi32>
    func.func @main() {
      %c = arith.constant 1 : i32
      %i = arith.constant 0 : index
      // expected-error@+1 {{of type 'memref<100000xi32>' takes 400000 bytes, a PE has 49152}}
      %a = memref.alloca() : memref<100000xi32>
      memref.store %c, %a[%i] : memref<100000xi32>
      %v = memref.load %a[%i] : memref<100000xi32>
      %x = csl.get_var @x : memref<1xi32>
      memref.store %v, %x[%i] : memref<1xi32>
      return
    }
    csl.comptime {
      csl.export_symbol @main
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0 to 1, 0>
    csl.export_name "main" : () -> ()
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.var @x : memref<1xi16>
    func.func @main() {
      %x = csl.get_var @x : memref<1xi16>
      %i = arith.constant 0 : index
      %v = memref.load %x[%i] : memref<1xi16>
      %b = arith.cmpi eq, %v, %v : i16
      %n = arith.trunci %v : i16 to i1
      cf.cond_br %n, ^bb1, ^bb2
      ^bb1:
      // expected-error@+1 {{is not in the first block of its function}}
      %a = memref.alloca() : memref<2xi16>
      memref.store %v, %a[%i] : memref<2xi16>
      %w = memref.load %a[%i] : memref<2xi16>
      memref.store %w, %x[%i] : memref<1xi16>
      cf.br ^bb2
      ^bb2:
      return
    }
    csl.comptime {
      csl.export_symbol @main
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0 to 1, 0>
    csl.export_name "main" : () -> ()
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.var @x : memref<4x4xi16>
    csl.var @y : memref<2x2xi16>
    func.func @main() {
      %x = csl.get_var @x : memref<4x4xi16>
      %y = csl.get_var @y : memref<2x2xi16>
      %s = memref.subview %x[0, 0] [2, 2] [1, 1] : memref<4x4xi16> to memref<2x2xi16, strided<[4, 1]>>
      // expected-error@+1 {{expected row-major arrays of known size}}
      memref.copy %s, %y : memref<2x2xi16, strided<[4, 1]>> to memref<2x2xi16>
      return
    }
    csl.comptime {
      csl.export_symbol @main
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0 to 1, 0>
    csl.export_name "main" : () -> ()
  }
}

// -----

// A register is no value.
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    // expected-error@+1 {{has type '!csl.dsr<src1>', which a PE does not hold}}
    func.func @g(%d: !csl.dsr<src1>) -> i16 {
      %i = csl.get_int %d : !csl.dsr<src1> -> i16
      return %i : i16
    }
    func.func @main() {
      return
    }
    csl.comptime {
      csl.export_symbol @main
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0 to 1, 0>
    csl.export_name "main" : () -> ()
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.task local @t() {
      csl.return
    }
    func.func @main() {
      // expected-error@+1 {{names task 't', which is bound to no known id}}
      %id = csl.task_id @t : !csl.local_task_id
      csl.activate %id
      return
    }
    csl.comptime {
      csl.export_symbol @main
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0 to 1, 0>
    csl.export_name "main" : () -> ()
  }
}

// -----

// Filters.
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    func.func @g(%c: !csl.color) -> i16 {
      // expected-error@+1 {{has a color that is not comptime-known}}
      %f = csl.get_filter_id %c
      return %f : i16
    }
    func.func @main() {
      return
    }
    csl.comptime {
      csl.export_symbol @main
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0 to 1, 0>
    csl.export_name "main" : () -> ()
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    func.func @g() -> i16 {
      %c = csl.constant 3 : !csl.color
      // expected-error@+1 {{asks for the filter of color 3, which has none}}
      %f = csl.get_filter_id %c
      return %f : i16
    }
    func.func @main() {
      return
    }
    csl.comptime {
      csl.export_symbol @main
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0 to 1, 0>
    csl.export_name "main" : () -> ()
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    func.func @g() -> i16 {
      %c = csl.constant 3 : !csl.color
      // expected-error@+1 {{asks for the filter of color 3, which is not the same for all PEs of the program}}
      %f = csl.get_filter_id %c
      return %f : i16
    }
    func.func @main() {
      return
    }
    csl.comptime {
      csl.export_symbol @main
    }
  }
  csl.layout 2 x 1 {
    csl.tile_code @pe at <0 to 2, 0>
    csl.export_name "main" : () -> ()
    csl.color_config 2 at <0, 0> routes <rx RAMP tx RAMP> filter <kind = counter, count_data = true, limit1 = 14, max_counter = 1>
    csl.color_config 3 at <0 to 2, 0> routes <rx RAMP tx RAMP> filter <kind = counter, count_data = true, limit1 = 14, max_counter = 1>
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    func.func @g(%m: memref<4xi16, strided<[?], offset: ?>>) -> i16 {
      %i = arith.constant 0 : index
      // expected-error@+1 {{whose strides are not known}}
      %v = memref.load %m[%i] : memref<4xi16, strided<[?], offset: ?>>
      return %v : i16
    }
    func.func @main() {
      return
    }
    csl.comptime {
      csl.export_symbol @main
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0 to 1, 0>
    csl.export_name "main" : () -> ()
  }
}

// -----

// One name for a pointer and an array.
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @one {
    csl.var @A : memref<4xf32>
    csl.comptime {
      csl.export_symbol @A
    }
  }
  csl.program @other {
    // expected-error@+1 {{is advertised as 'A', which is a pointer in one program and an array in another}}
    csl.var @A : memref<!csl.ptr<many f32>>
    csl.comptime {
      csl.export_symbol @A
    }
  }
  csl.layout 2 x 1 {
    csl.tile_code @one at <0, 0>
    csl.tile_code @other at <1, 0>
    csl.export_name "A" : !csl.ptr<many f32> mutable
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @one {
    csl.var @A : memref<!csl.ptr<many f32>>
    csl.comptime {
      csl.export_symbol @A
    }
  }
  csl.program @other {
    // expected-error@+1 {{is advertised as 'A', which is a pointer in one program and an array in another}}
    csl.var @A : memref<4xf32>
    csl.comptime {
      csl.export_symbol @A
    }
  }
  csl.layout 2 x 1 {
    csl.tile_code @one at <0, 0>
    csl.tile_code @other at <1, 0>
    csl.export_name "A" : !csl.ptr<many f32> mutable
  }
}
