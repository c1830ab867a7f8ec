// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// ROWS: TSK-007, TSK-009, TSK-010, TSK-013, TSK-015, TSK-016, TSK-018, TSK-020
// ROWS: TSK-021, TSK-023, TSK-024, TSK-026, TSK-036, TSK-046, TSK-048, BLT-008
// ROWS: BLT-010, BLT-011, BLT-012, BLT-032, BLT-033, BLT-034, BLT-036, BLT-037
// ROWS: BLT-050, BLT-051, BLT-052, BLT-053, BLT-054, BLT-072, BLT-074, BLT-075
// ROWS: BLT-077, BLT-078, FAB-001, ASY-016, ASY-017, ASY-028, AMB-021, AMB-034
// ROWS: BLT-049, TSK-047

// expected-note@+1 {{program is here}}
csl.program @pe {
  // expected-error@+1 {{is not for a csl.program}}
  %x = csl.constant 3 : !csl.direction
}

// -----

csl.program @pe {
  // expected-error@+1 {{has type 'memref<4xf32>', allowed are integers of 1 to 64 bits, floats, ids, directions and enums}}
  csl.param @x : memref<4xf32>
}

// -----

csl.program @pe {
  // expected-error@+1 {{of type '!csl.color' has default 3 : i32}}
  csl.param @x : !csl.color = 3 : i32
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    // expected-error@+1 {{color is 24, wse2 allows 0 to 23}}
    csl.param @x : !csl.color = 24 : i16
  }
}

// -----

csl.program @pe {
  // expected-note@+1 {{declared here}}
  csl.param @x : i16
  func.func @f() {
    // expected-error@+1 {{reads @x as 'i32', it is of type 'i16'}}
    %x = csl.get_param @x : i32
    return
  }
}

// -----

csl.program @pe {
  // expected-error@+1 {{has type 'memref<?xf32>', a variable is static, row-major and in the one memory}}
  csl.var @x : memref<?xf32>
}

// -----

csl.program @pe {
  // expected-error@+1 {{has elements of type 'index', which is not in memory}}
  csl.var @x : memref<4xindex>
}

// -----

csl.program @pe {
  // expected-error@+1 {{has alignment 3, allowed are powers of two}}
  csl.var @x : memref<4xf32> align(3)
}

// -----

csl.program @pe {
  // expected-error@+1 {{is constant and has no value}}
  csl.var const @x : memref<4xf32>
}

// -----

csl.program @pe {
  // expected-error@+1 {{is extern and has a value}}
  csl.var @x : memref<4xf32> = dense<0.0> : tensor<4xf32> extern
}

// -----

csl.program @pe {
  // expected-error@+1 {{is unsigned and of type 'f32'}}
  csl.var @x unsigned : memref<4xf32>
}

// -----

csl.program @pe {
  // expected-error@+1 {{of type 'memref<4x!csl.cb16>' has a value of type 'tensor<4xf16>', expected elements of 'f32'}}
  csl.var @x : memref<4x!csl.cb16> = dense<0.0> : tensor<4xf16>
}

// -----

csl.program @pe {
  // expected-error@+1 {{is a data task without arguments, it takes what a wavelet carries}}
  csl.task data @t() {
    csl.return
  }
}

// -----

csl.program @pe {
  // expected-error@+1 {{is local and takes 1 arguments, a local task takes none}}
  csl.task local @t(%a: i16) {
    csl.return
  }
}

// -----

csl.program @pe {
  // expected-error@+1 {{takes 3 arguments, a data task takes up to 2}}
  csl.task data @t(%a: i16, %b: i16, %c: i16) {
    csl.return
  }
}

// -----

csl.program @pe {
  // expected-error@+1 {{has argument 0 of type 'i8', a data task takes one of 16 or 32 bits or two of 16 bits}}
  csl.task data @t(%a: i8) {
    csl.return
  }
}

// -----

csl.program @pe {
  // expected-error@+1 {{has argument 0 of type 'i32', a data task takes one of 16 or 32 bits or two of 16 bits}}
  csl.task data @t(%a: i32, %b: i16) {
    csl.return
  }
}

// -----

csl.program @pe {
  // expected-error@+1 {{has argument 0 of type 'i32', a control task takes up to two of 16 bits}}
  csl.task control @t(%a: i32) {
    csl.return
  }
}

// -----

csl.program @pe {
  // expected-error@+1 {{has argument 0 of type '!csl.struct<packed "w" {a : i8, b : i16}>', a data task takes}}
  csl.task data @t(%a: !csl.struct<packed "w" {a : i8, b : i16}>) {
    csl.return
  }
}

// -----

csl.program @pe {
  // expected-error@+1 {{returns a value, a task returns nothing}}
  csl.task data @t(%a: i16) -> i16 {
    csl.return
  }
}

// -----

csl.program @pe {
  // expected-note@+1 {{defined here}}
  csl.task local @t() {
    csl.return
  }
  csl.comptime {
    %id = csl.constant 3 : !csl.data_task_id
    // expected-error@+1 {{takes a data task, @t is a local task}}
    csl.bind_data_task @t to %id
  }
}

// -----

csl.program @pe {
  csl.comptime {
    %id = csl.constant 9 : !csl.local_task_id
    // expected-error@+1 {{names task @t, which does not exist}}
    csl.bind_local_task @t to %id
  }
}

// -----

csl.program @pe {
  csl.task local @t() {
    %id = csl.constant 9 : !csl.local_task_id
    // expected-error@+1 {{belongs in a csl.comptime block}}
    csl.bind_local_task @t to %id
    csl.return
  }
}

// -----

csl.program @pe {
  csl.comptime {
    // expected-error@+1 {{is not for a csl.comptime block, the program does not run there yet}}
    %r = csl.random16
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 0 : !csl.local_task_id
      %b = csl.constant 30 : !csl.local_task_id
      // expected-error@+1 {{local task id is 31, wse2 allows 0 to 30}}
      %c = csl.constant 31 : !csl.local_task_id
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 8 : !csl.local_task_id
      // expected-error@+1 {{local task id is 7, wse3 allows 8 to 30}}
      %c = csl.constant 7 : !csl.local_task_id
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 63 : !csl.control_task_id
      // expected-error@+1 {{control task id is 64, wse3 allows 0 to 63}}
      %c = csl.constant 64 : !csl.control_task_id
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      // expected-error@+1 {{control task id is 31, which means no task in a control wavelet}}
      %c = csl.constant 31 : !csl.control_task_id
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 7 : !csl.input_queue
      // expected-error@+1 {{input queue is 8, wse3 allows 0 to 7}}
      %c = csl.constant 8 : !csl.input_queue
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 5 : !csl.output_queue
      // expected-error@+1 {{output queue is 6, wse2 allows 0 to 5}}
      %c = csl.constant 6 : !csl.output_queue
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 6 : !csl.output_queue
      %b = csl.constant 7 : !csl.ut_id
      // expected-error@+1 {{microthread is 8, wse3 allows 0 to 7}}
      %c = csl.constant 8 : !csl.ut_id
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      // expected-error@+1 {{has a microthread id, which wse2 does not have}}
      %c = csl.constant 0 : !csl.ut_id
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 23 : !csl.color
      // expected-error@+1 {{color is 24, wse2 allows 0 to 23}}
      %c = csl.constant 24 : !csl.color
    }
  }
}

// -----

// expected-error@+5 {{direction is 5, a router allows 0 to 4}}
module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 4 : !csl.direction
      %c = csl.constant 5 : !csl.direction
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 3 : !csl.color
      // expected-error@+1 {{takes '!csl.color', on wse3 it takes !csl.input_queue}}
      %c = csl.get_data_task_id %a : !csl.color
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %a = csl.constant 3 : !csl.input_queue
      // expected-error@+1 {{takes '!csl.input_queue', on wse2 it takes !csl.color}}
      %c = csl.get_data_task_id %a : !csl.input_queue
    }
  }
}

// -----

csl.program @pe {
  csl.comptime {
    %a = csl.constant 3 : !csl.color
    // expected-error@+1 {{of '!csl.color' gives 'i32', expected 'i16'}}
    %c = csl.get_int %a : !csl.color -> i32
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %q = csl.constant 3 : !csl.output_queue
      %c = csl.constant 3 : !csl.color
      // expected-error@+1 {{has color, which an output queue of wse2 does not}}
      csl.initialize_queue %q : !csl.output_queue color %c
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %q = csl.constant 3 : !csl.input_queue
      // expected-error@+1 {{has no color, an input queue of wse2 is bound to one}}
      csl.initialize_queue %q : !csl.input_queue
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %q = csl.constant 3 : !csl.output_queue
      // expected-error@+1 {{has no color, an output queue of wse3 is bound to one}}
      csl.initialize_queue %q : !csl.output_queue
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %q = csl.constant 3 : !csl.input_queue
      %c = csl.constant 3 : !csl.color
      // expected-error@+1 {{has priority, which an input queue of wse3 does not}}
      csl.initialize_queue %q : !csl.input_queue color %c priority high
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %q = csl.constant 3 : !csl.output_queue
      %c = csl.constant 3 : !csl.color
      // expected-error@+1 {{has ctrl_table_id, which an output queue of wse3 does not}}
      csl.initialize_queue %q : !csl.output_queue color %c ctrl_table_id 0
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %q = csl.constant 3 : !csl.input_queue
      %c = csl.constant 3 : !csl.color
      // expected-error@+1 {{has dense_mode, which an input queue of wse2 does not}}
      csl.initialize_queue %q : !csl.input_queue color %c dense_mode
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %c = csl.constant 3 : !csl.color
      // expected-error@+1 {{the id is of type '!csl.color', wse3 takes !csl.input_queue, !csl.data_task_id or !csl.local_task_id, or !csl.ut_id}}
      csl.block %c : !csl.color
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %c = csl.constant 3 : !csl.input_queue
      // expected-error@+1 {{the id is of type '!csl.input_queue', wse2 takes !csl.color, !csl.data_task_id or !csl.local_task_id}}
      csl.unblock %c : !csl.input_queue
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    func.func @f() {
      %c = csl.constant 3 : !csl.output_queue
      // expected-error@+1 {{has a queue flush, which wse2 does not have}}
      csl.queue_flush %c : !csl.output_queue
      return
    }
  }
}

// -----

csl.program @pe {
  // expected-note@+1 {{defined here}}
  func.func @f(%x: i16) {
    return
  }
  csl.comptime {
    %c = csl.constant 3 : !csl.color
    // expected-error@+1 {{has handler @f of type '(i16) -> ()', a handler takes and returns nothing}}
    csl.set_teardown_handler @f, %c
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      // expected-error@+1 {{has 3 instructions per entry, allowed are 2, 4 and 8}}
      csl.set_control_task_table instructions 3
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      // expected-error@+1 {{stride is 8, a table allows 1 to 7}}
      csl.set_control_task_table stride 8
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.task data @a(%x: i16) {
      csl.return
    }
    csl.task control @b() {
      csl.return
    }
    csl.comptime {
      %id = csl.constant 3 : !csl.data_task_id
      csl.bind_rotating_tasks @a, @b to %id limit 4 init 4
      // expected-error@+1 {{init is 5, the limit allows 0 to 4}}
      csl.bind_rotating_tasks @a, @b to %id limit 4 init 5
    }
  }
}

// -----

module {
  csl.program @pe {
    csl.task data @main(%x: i16) {
      csl.return
    }
    csl.comptime {
      %in = csl.constant 2 : !csl.input_queue
      %id = csl.get_data_task_id %in : !csl.input_queue
      // expected-error@+1 {{@rest}}
      csl.bind_rotating_tasks @main, @rest to %id limit 4 init 0
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      // expected-error@+1 {{a table of control tasks}}
      csl.set_control_task_table instructions 8 stride 7
    }
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %in = csl.constant 2 : !csl.input_queue
      %c = csl.constant 2 : !csl.color
      // expected-error@+1 {{ctrl_table_id is 8, an input queue allows 0 to 7}}
      csl.initialize_queue %in : !csl.input_queue color %c ctrl_table_id 8
    }
  }
}

// -----

module {
  csl.program @pe {
    csl.comptime {
      %c = csl.constant 2 : !csl.color
      // expected-error@+1 {{@gone}}
      csl.set_teardown_handler @gone, %c
    }
  }
}

// -----

module {
  csl.program @pe {
    // expected-error@+1 {{has argument 0 of type '!csl.struct<packed "w" {low : i8, p : !csl.ptr<i16>}>', a data task takes one of 16 or 32 bits or two of 16 bits}}
    csl.task data @t(%x: !csl.struct<packed "w" {low : i8, p : !csl.ptr<i16>}>) {
      csl.return
    }
    csl.task data @union(%x: !csl.struct<packed union "u" {low : i8, wide : i32}>) {
      csl.return
    }
    csl.task data @color(%x: !csl.enum<"rgb" : i16 {red = 0}>) {
      csl.return
    }
  }
}

// -----

module {
  csl.program @pe {
    func.func @f() {
      // expected-error@+1 {{@size}}
      %x = csl.get_param @size : i16
      return
    }
  }
}

// -----

module {
  csl.program @pe {
    func.func @f() {
      // expected-error@+1 {{@x}}
      %x = csl.get_var @x : memref<i16>
      return
    }
  }
}

// -----

module {
  csl.program @pe {
    // expected-error@+1 {{whose value running code sets}}
    csl.var @x : memref<1x!csl.ptr<f32>> = dense<[3]> : tensor<1xi16>
  }
}

// -----

module {
  csl.program @pe {
    csl.var @h : memref<2x!csl.cb16> = dense<[1.0, 2.0]> : tensor<2xf32>
    csl.var @e : memref<1x!csl.enum<"rgb" : i8 {red = 0}>> = dense<[0]> : tensor<1xi8>
    // expected-error@+1 {{has a value of type 'tensor<1xi16>', expected elements of 'i8'}}
    csl.var @f : memref<1x!csl.enum<"rgb" : i8 {red = 0}>> = dense<[0]> : tensor<1xi16>
  }
}
