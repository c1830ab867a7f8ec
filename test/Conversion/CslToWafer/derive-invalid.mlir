// RUN: split-file %s %t
// RUN: not sequin-translate --csl-to-json %t/layouts.mlir 2>&1 | FileCheck %s --check-prefix=LAYOUTS
// RUN: not sequin-translate --csl-to-json %t/target.mlir 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not sequin-translate --csl-to-json %t/twice.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not sequin-translate --csl-to-json %t/local-twice.mlir 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: not sequin-translate --csl-to-json %t/task-twice.mlir 2>&1 | FileCheck %s --check-prefix=TASK
// RUN: not sequin-translate --csl-to-json %t/control.mlir 2>&1 | FileCheck %s --check-prefix=CONTROL
// RUN: not sequin-translate --csl-to-json %t/queue-twice.mlir 2>&1 | FileCheck %s --check-prefix=QUEUE
// RUN: not sequin-translate --csl-to-json %t/handler.mlir 2>&1 | FileCheck %s --check-prefix=HANDLER
// RUN: not sequin-translate --csl-to-json %t/handler-twice.mlir 2>&1 | FileCheck %s --check-prefix=TORN
// RUN: not sequin-translate --csl-to-json %t/filters.mlir 2>&1 | FileCheck %s --check-prefix=FILTERS
// RUN: not sequin-translate --csl-to-json %t/memory.mlir 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not sequin-translate --csl-to-json %t/code.mlir 2>&1 | FileCheck %s --check-prefix=CODE
// RUN: not sequin-translate --csl-to-json %t/memcpy.mlir 2>&1 | FileCheck %s --check-prefix=MEMCPY
// RUN: not sequin-translate --csl-to-json %t/export.mlir 2>&1 | FileCheck %s --check-prefix=EXPORT
// RUN: not sequin-translate --csl-to-json %t/export-type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not sequin-translate --csl-to-json %t/export-constant.mlir 2>&1 | FileCheck %s --check-prefix=CONSTANT
// RUN: not sequin-translate --csl-to-json %t/rotating.mlir 2>&1 | FileCheck %s --check-prefix=ROTATING
// RUN: not sequin-translate --csl-to-json %t/runtime.mlir 2>&1 | FileCheck %s --check-prefix=RUNTIME
// RUN: not sequin-translate --csl-to-json %t/wide.mlir 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not sequin-translate --csl-to-json %t/range.mlir 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not sequin-translate --csl-to-json %t/config.mlir 2>&1 | FileCheck %s --check-prefix=CONFIG

// ROWS: FAB-017, TSK-011, TSK-017, TSK-018, BLT-010, BLT-040, BLT-049, BLT-050
// ROWS: BLT-070, BLT-071, BLT-072, BLT-077, BLT-078, FAB-065, SIM-014
// ROWS: SIM-015

//--- layouts.mlir
// LAYOUTS: error: module has 0 csl.layout operations, expected one
module attributes {csl.target = #csl.target<"wse2">} {}

//--- target.mlir
// TARGET: error: no machine: the module needs 'csl.target = #csl.target<"...">' with one of wse2, wse3
module {
  csl.program @pe {}
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

//--- twice.mlir
// TWICE: twice.mlir:8:5: error: {{.*}}configures color 3 of PE (1, 0), which is configured already
// TWICE: twice.mlir:7:5: note: first here
module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {}
  csl.layout 2 x 1 {
    csl.tile_code @pe at <0 to 2, 0>
    csl.color_config 3 at <0 to 2, 0> routes <rx RAMP tx EAST>
    csl.color_config 3 at <1, 0> routes <rx RAMP tx EAST>
  }
}

//--- local-twice.mlir
// LOCAL: error: {{.*}}configures color 3 of PE (0, 0), which is configured already
module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %c = csl.constant 3 : !csl.color
      csl.local_color_config %c routes <rx RAMP tx EAST>
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    csl.color_config 3 at <0, 0> routes <rx RAMP tx EAST>
  }
}

//--- task-twice.mlir
// TASK: error: {{.*}}binds local task id 9, which has a task already
// TASK: note: first here
module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.task local @a() {
      csl.return
    }
    csl.task local @b() {
      csl.return
    }
    csl.comptime {
      %c = csl.constant 9 : !csl.local_task_id
      csl.bind_local_task @a to %c
      csl.bind_local_task @b to %c
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

//--- control.mlir
// CONTROL: error: {{.*}}binds control task id 9, which another task has
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.task local @a() {
      csl.return
    }
    csl.task control @b() {
      csl.return
    }
    csl.comptime {
      %c = csl.constant 9 : !csl.local_task_id
      %d = csl.constant 9 : !csl.control_task_id
      csl.bind_local_task @a to %c
      csl.bind_control_task @b to %d
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

//--- queue-twice.mlir
// QUEUE: error: {{.*}}initialises input queue 2 a second time
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %q = csl.constant 2 : !csl.input_queue
      %c = csl.constant 9 : !csl.color
      %d = csl.constant 10 : !csl.color
      csl.initialize_queue %q : !csl.input_queue color %c
      csl.initialize_queue %q : !csl.input_queue color %c
      csl.initialize_queue %q : !csl.input_queue color %d
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

//--- handler.mlir
// HANDLER: error: {{.*}}sets a handler, and task id 29 has a task
// HANDLER: note: bound here
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.task local @t() {
      csl.return
    }
    func.func @h() {
      return
    }
    csl.comptime {
      %id = csl.constant 29 : !csl.local_task_id
      %c = csl.constant 9 : !csl.color
      csl.bind_local_task @t to %id
      csl.set_teardown_handler @h, %c
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

//--- handler-twice.mlir
// TORN: error: {{.*}}sets a teardown handler for color 9, which has one already
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    func.func @h() {
      return
    }
    csl.comptime {
      %c = csl.constant 9 : !csl.color
      csl.set_teardown_handler @h, %c
      csl.set_teardown_handler @h, %c
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

//--- filters.mlir
// FILTERS: error: {{.*}}has a filter beyond the 6 of a PE of wse2
module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {}
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    csl.color_config 0 at <0, 0> routes <rx WEST tx RAMP> filter <kind = range>
    csl.color_config 1 at <0, 0> routes <rx WEST tx RAMP> filter <kind = range>
    csl.color_config 2 at <0, 0> routes <rx WEST tx RAMP> filter <kind = range>
    csl.color_config 3 at <0, 0> routes <rx WEST tx RAMP> filter <kind = range>
    csl.color_config 4 at <0, 0> routes <rx WEST tx RAMP> filter <kind = range>
    csl.color_config 5 at <0, 0> routes <rx WEST tx RAMP> filter <kind = range>
    csl.color_config 6 at <0, 0> routes <rx WEST tx RAMP> filter <kind = range>
  }
}

//--- memory.mlir
// MEMORY: error: {{.*}}ends beyond the 49152 bytes of a PE
// MEMORY: note: program is here
// MEMORY: note: 'x' takes 49138 bytes
// MEMORY: note: 'y' takes 64 bytes
// MEMORY: note: 'a' takes 2 bytes
module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.var @a : memref<i16>
    csl.var @y : memref<16xf32>
    csl.var @x : memref<24569xi16>
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

//--- code.mlir
// All that fits behind the first 16 bytes, but for stack and code.
// CODE: error: {{.*}}needs 50176 bytes (49152 of variables, 1024 of stack, 0 of code), a PE of wse2 has 49152
module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.var @x : memref<24568xi16>
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

//--- memcpy.mlir
// The library takes what it was measured to take.
// MEMCPY: error: {{.*}}needs 50168 bytes (44968 of variables, 1024 of stack, 4176 of code), a PE of wse3 has 49152
// MEMCPY: note: 'x' takes 44952 bytes
module attributes {csl.target = #csl.target<"wse3", memcpy = true>} {
  csl.program @pe {
    csl.var @x : memref<22476xi16>
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

//--- export.mlir
// EXPORT: error: {{.*}}advertises "x", which the layout does not export
module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.var @x : memref<4xi16>
    csl.comptime {
      csl.export_symbol @x
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

//--- export-type.mlir
// TYPE: error: {{.*}}exports a variable under a name of another type
// TYPE: note: name is exported here
// TYPE: note: symbol is here
module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.var @x : memref<4xi16>
    csl.comptime {
      csl.export_symbol @x
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    csl.export_name "x" : !csl.ptr<many f32> mutable
  }
}

//--- export-constant.mlir
// CONSTANT: error: {{.*}}exports a constant under a mutable name
module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.var const @x : memref<4xi16> = dense<0> : tensor<4xi16>
    csl.comptime {
      csl.export_symbol @x
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    csl.export_name "x" : !csl.ptr<many i16> mutable
  }
}

//--- rotating.mlir
// ROTATING: error: {{.*}}is number 3, wse3 allows 2
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.task data @a(%x: i16) {
      csl.return
    }
    csl.task control @b() {
      csl.return
    }
    csl.comptime {
      %0 = csl.constant 0 : !csl.data_task_id
      %1 = csl.constant 1 : !csl.data_task_id
      %2 = csl.constant 2 : !csl.data_task_id
      csl.bind_rotating_tasks @a, @b to %0 limit 4
      csl.bind_rotating_tasks @a, @b to %1 limit 4
      csl.bind_rotating_tasks @a, @b to %2 limit 4
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

//--- runtime.mlir
// RUNTIME: error: {{.*}}reads what has no value before the program starts
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.var @x : memref<i16>
    csl.comptime {
      %x = csl.get_var @x : memref<i16>
      %v = memref.load %x[] : memref<i16>
      %id = csl.make_id %v : !csl.local_task_id
      csl.activate %id
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

//--- wide.mlir
// WIDE: error: {{.*}}has type 'i65', which a PE does not hold
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    func.func @g(%x: i64) {
      return
    }
    func.func @f(%x: i65) {
      return
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

//--- config.mlir
// CONFIG: error: {{.*}}reads register 32767, which nothing wrote and has no default
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %a = arith.constant 32767 : i16
      %v = csl.get_config %a
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

//--- range.mlir
// RANGE: error: {{.*}}color is 256, wse3 allows 0 to 23
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.param @c : !csl.color
    csl.comptime {
      %c = csl.get_param @c : !csl.color
      csl.local_color_config %c routes <rx RAMP tx RAMP>
    }
  }
  csl.layout 2 x 1 {
    csl.tile_code @pe at <0 to 2, 0> params {c = affine_map<(x, y) -> (x * 256)>}
  }
}
