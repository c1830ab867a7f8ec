// RUN: sequin-opt %s --csl-check-program --split-input-file --verify-diagnostics

// ROWS: DSD-047, FAB-017, FAB-019, FAB-079, TSK-007, TSK-014, TSK-036, ASY-004
// ROWS: ASY-009, ASY-013, ASY-014, ASY-019, ASY-020, ASY-026, ASY-027, DSR-020
// ROWS: DSR-021, DSR-022, FIF-023, BLT-001, BLT-035, BLT-049, WEX-022, AMB-003, AMB-054

// Nothing to say about a row of PEs whose ends are what they are.
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @first {
    csl.var @x : memref<4xf32>
    csl.task local @send() {
      %x = csl.get_var @x : memref<4xf32>
      %m = csl.mem1d_dsd %x : memref<4xf32> extent 4
      %q = csl.constant 2 : !csl.output_queue
      %out = csl.fabout_dsd queue %q extent 4
      csl.fmovs %out = %m : !csl.dsd<fabout> = !csl.dsd<mem1d>
      csl.return
    }
    csl.comptime {
      %q = csl.constant 2 : !csl.output_queue
      %c = csl.constant 5 : !csl.color
      csl.initialize_queue %q : !csl.output_queue color %c
    }
  }
  csl.program @rest {
    csl.task data @take(%x: f32) {
      csl.return
    }
    csl.comptime {
      %q = csl.constant 2 : !csl.input_queue
      %c = csl.constant 5 : !csl.color
      csl.initialize_queue %q : !csl.input_queue color %c
      %id = csl.get_data_task_id %q : !csl.input_queue
      csl.bind_data_task @take to %id
    }
  }
  csl.layout 4 x 1 {
    csl.tile_code @first at <0, 0>
    csl.tile_code @rest at <1 to 4, 0>
    csl.color_config 5 at <0, 0> routes <rx RAMP tx EAST>
    csl.color_config 5 at <1 to 3, 0> routes <rx WEST tx [RAMP, EAST]>
    csl.color_config 5 at <3, 0> routes <rx WEST tx RAMP>
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {}
  csl.layout 4 x 1 {
    csl.tile_code @pe at <0 to 4, 0>
    // expected-warning@+1 {{'csl.color_config' op sends color 5 EAST, off the rectangle (PE 3, 0)}}
    csl.color_config 5 at <0 to 4, 0> routes <rx WEST tx EAST>
    // expected-warning@+1 {{sends color 6 NORTH, off the rectangle (PE 0, 0 and 3 more)}}
    csl.color_config 6 at <0 to 4, 0> routes <rx RAMP tx NORTH>
  }
}

// -----

// A port of the host is where it leads to.
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {}
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    csl.color_config 5 at <0, 0> routes <rx RAMP tx EAST>
    csl.stream "out" color 5 to_host at 0, 0 EAST
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  // expected-note@+1 {{it has this program and no configuration of the color}}
  csl.program @pe {}
  csl.layout 3 x 1 {
    csl.tile_code @pe at <0 to 3, 0>
    // expected-warning@+1 {{sends color 5 EAST to a PE that does not receive it from WEST (PE 0, 0)}}
    csl.color_config 5 at <0, 0> routes <rx RAMP tx EAST>
    // expected-warning@+1 {{sends color 6 EAST to a PE that does not receive it from WEST (PE 0, 0)}}
    csl.color_config 6 at <0, 0> routes <rx RAMP tx EAST>
    // expected-note@+1 {{its configuration is here}}
    csl.color_config 6 at <1, 0> routes <rx EAST>
  }
}

// -----

// Color 3 swapped with 2: what is sent on 2 arrives on 3 too.
module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {}
  csl.layout 2 x 1 {
    csl.tile_code @pe at <0 to 2, 0>
    csl.color_config 2 at <0, 0> routes <rx RAMP tx EAST>
    csl.color_config 3 at <1, 0> routes <rx WEST swap_x>
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  // expected-note@+1 {{the program of the PE is here}}
  csl.program @pe {
    func.func @take() -> !csl.dsd<fabin> {
      %q = csl.constant 2 : !csl.input_queue
      %d = csl.fabin_dsd queue %q extent 4
      return %d : !csl.dsd<fabin>
    }
    csl.comptime {
      %q = csl.constant 2 : !csl.input_queue
      %c = csl.constant 6 : !csl.color
      // expected-warning@+2 {{waits for color 6, on which no program sends}}
      // expected-warning@+1 {{reads color 6, which no route brings to the RAMP (PE 0, 0 and 1 more)}}
      csl.initialize_queue %q : !csl.input_queue color %c
    }
  }
  csl.layout 2 x 1 {
    csl.tile_code @pe at <0 to 2, 0>
    // expected-warning@+1 {{brings color 5 to the RAMP of a PE that does not read it (PE 1, 0)}}
    csl.color_config 5 at <1, 0> routes <rx WEST tx RAMP>
  }
}

// -----

// Nothing takes from the queue, so nothing waits.
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.comptime {
      %q = csl.constant 2 : !csl.input_queue
      %c = csl.constant 6 : !csl.color
      csl.initialize_queue %q : !csl.input_queue color %c
    }
  }
  csl.layout 2 x 1 {
    csl.tile_code @pe at <0 to 2, 0>
  }
}

// -----

// On WSE-2 a fabin DSD may name its color alone.
module attributes {csl.target = #csl.target<"wse2">} {
  // expected-note@+1 {{the program is here}}
  csl.program @pe {
    func.func @take() -> !csl.dsd<fabin> {
      %c = csl.constant 5 : !csl.color
      // expected-warning@+1 {{reads color 5, to which no input queue is bound}}
      %d = csl.fabin_dsd color %c extent 4
      return %d : !csl.dsd<fabin>
    }
    func.func @give() -> !csl.dsd<fabout> {
      %c = csl.constant 5 : !csl.color
      %d = csl.fabout_dsd color %c extent 4
      return %d : !csl.dsd<fabout>
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    csl.color_config 5 at <0, 0> routes <rx RAMP tx RAMP>
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.task data @t(%x: i16) {
      csl.return
    }
    csl.comptime {
      %q = csl.constant 2 : !csl.input_queue
      %id = csl.get_data_task_id %q : !csl.input_queue
      // expected-warning@+1 {{binds a data task to input queue 2, which is not initialised: the task never runs (PE 0, 0)}}
      csl.bind_data_task @t to %id
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.task data @t(%x: i16) {
      csl.return
    }
    csl.comptime {
      %c = csl.constant 4 : !csl.color
      %id = csl.get_data_task_id %c : !csl.color
      // expected-warning@+2 {{waits for color 4, on which no program sends}}
      // expected-warning@+1 {{waits for color 4, which no route brings to the RAMP (PE 0, 0)}}
      csl.bind_data_task @t to %id
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

// -----

// The host's streams come without routes, and a program gives them none.
module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.task data @t(%x: i16) {
      csl.return
    }
    csl.comptime {
      %c = csl.constant 4 : !csl.color
      %id = csl.get_data_task_id %c : !csl.color
      csl.bind_data_task @t to %id
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    csl.stream "in" color 4 to_device
    csl.stream "out" color 5 to_host
    // expected-warning@+1 {{configures color 5, which the host streams on (PE 0, 0)}}
    csl.color_config 5 at <0, 0> routes <rx RAMP>
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  // expected-note@+1 {{the program is here}}
  csl.program @pe {
    csl.var @x : memref<4xi16>
    func.func @f() {
      %id = csl.constant 9 : !csl.local_task_id
      // expected-error@+1 {{activates local task id 9, to which no local task is bound}}
      csl.activate %id
      %x = csl.get_var @x : memref<4xi16>
      %m = csl.mem1d_dsd %x : memref<4xi16> extent 4
      %q = csl.constant 3 : !csl.input_queue
      // expected-warning@+1 {{uses input queue 3, which the program does not initialise}}
      %in = csl.fabin_dsd queue %q extent 4
      %id2 = csl.constant 10 : !csl.local_task_id
      // expected-error@+2 {{activates local task id 9, to which no local task is bound}}
      // expected-error@+1 {{unblocks task id 10, to which no task is bound}}
      csl.mov16 %m = %in : !csl.dsd<mem1d> = !csl.dsd<fabin> async activate(%id) on_control unblock(%id2 : !csl.local_task_id)
      return
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  // expected-note@+1 {{the program is here}}
  csl.program @pe {
    csl.var @x : memref<4xi16>
    func.func @f() {
      %x = csl.get_var @x : memref<4xi16>
      %m = csl.mem1d_dsd %x : memref<4xi16> extent 4
      %q = csl.constant 3 : !csl.output_queue
      %c = csl.constant 3 : !csl.color
      // expected-warning@+2 {{uses output queue 3, which the program does not initialise}}
      // expected-warning@+1 {{names a color, which the queue has}}
      %out = csl.fabout_dsd queue %q color %c extent 4
      csl.mov16 %out = %m : !csl.dsd<fabout> = !csl.dsd<mem1d>
      return
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

// -----

// WSE-2 output queues need no initialisation; a color stands for its queue.
module attributes {csl.target = #csl.target<"wse2">} {
  // expected-note@+1 {{the program is here}}
  csl.program @pe {
    csl.var @x : memref<4xi16>
    func.func @f() {
      %x = csl.get_var @x : memref<4xi16>
      %m = csl.mem1d_dsd %x : memref<4xi16> extent 4
      %q = csl.constant 3 : !csl.output_queue
      %c = csl.constant 3 : !csl.color
      %out = csl.fabout_dsd queue %q color %c extent 4
      csl.mov16 %out = %m : !csl.dsd<fabout> = !csl.dsd<mem1d>
      // expected-warning@+1 {{reads color 3, to which no input queue is bound}}
      %in = csl.fabin_dsd color %c extent 4
      csl.mov16 %m = %in : !csl.dsd<mem1d> = !csl.dsd<fabin>
      return
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

// -----

// Output queue 0 and input queue 0 are one microthread.
module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.var @x : memref<4xi16>
    csl.task local @t() {
      %x = csl.get_var @x : memref<4xi16>
      %m = csl.mem1d_dsd %x : memref<4xi16> extent 4
      %oq = csl.constant 0 : !csl.output_queue
      %iq = csl.constant 0 : !csl.input_queue
      %c = csl.constant 3 : !csl.color
      %out = csl.fabout_dsd queue %oq color %c extent 4
      %in = csl.fabin_dsd queue %iq extent 4
      // expected-note@+1 {{started here}}
      csl.mov16 %out = %m : !csl.dsd<fabout> = !csl.dsd<mem1d> async
      // expected-warning@+1 {{runs on microthread 0, on which an operation started before may still run}}
      csl.mov16 %m = %in : !csl.dsd<mem1d> = !csl.dsd<fabin> async
      // expected-warning@+1 {{uses output queue 0, which an operation started before may still use}}
      csl.mov16 %out = %m : !csl.dsd<fabout> = !csl.dsd<mem1d> async
      csl.return
    }
    csl.comptime {
      %iq = csl.constant 0 : !csl.input_queue
      %c = csl.constant 3 : !csl.color
      csl.initialize_queue %iq : !csl.input_queue color %c
      csl.local_color_config %c routes <rx RAMP tx RAMP>
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

// -----

// Different microthreads may share queues (WSE-3).
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.var @x : memref<4xi16>
    csl.task local @t() {
      %x = csl.get_var @x : memref<4xi16>
      %m = csl.mem1d_dsd %x : memref<4xi16> extent 4
      %oq = csl.constant 2 : !csl.output_queue
      %out = csl.fabout_dsd queue %oq extent 4
      csl.mov16 %out = %m : !csl.dsd<fabout> = !csl.dsd<mem1d> async ut_id 0
      csl.mov16 %out = %m : !csl.dsd<fabout> = !csl.dsd<mem1d> async ut_id 1
      csl.return
    }
    csl.comptime {
      %oq = csl.constant 2 : !csl.output_queue
      %c = csl.constant 3 : !csl.color
      csl.initialize_queue %oq : !csl.output_queue color %c
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

// -----

// With memcpy, its ids are taken; the same program without has nothing to hear.
module attributes {csl.target = #csl.target<"wse3", memcpy = true>} {
  csl.program @pe {
    csl.task local @t() {
      csl.return
    }
    csl.task control @u() {
      csl.return
    }
    csl.comptime {
      %id = csl.constant 27 : !csl.local_task_id
      // expected-warning@+1 {{uses local task id 27, which the memcpy library needs}}
      csl.bind_local_task @t to %id
      %ctl = csl.constant 33 : !csl.control_task_id
      // expected-warning@+1 {{uses control task id 33, which the memcpy library needs}}
      csl.bind_control_task @u to %ctl
      %q = csl.constant 1 : !csl.input_queue
      %o = csl.constant 0 : !csl.output_queue
      %c = csl.constant 21 : !csl.color
      // expected-warning@+1 {{uses input queue 1, which the memcpy library needs}}
      csl.initialize_queue %q : !csl.input_queue color %c
      // expected-warning@+1 {{uses output queue 0, which the memcpy library needs}}
      csl.initialize_queue %o : !csl.output_queue color %c
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    // expected-warning@+1 {{uses color 21, which the memcpy library needs}}
    csl.color_config 21 at <0, 0> routes <rx RAMP tx RAMP>
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.task local @t() {
      csl.return
    }
    csl.comptime {
      %id = csl.constant 27 : !csl.local_task_id
      csl.bind_local_task @t to %id
      %q = csl.constant 1 : !csl.input_queue
      %c = csl.constant 21 : !csl.color
      csl.initialize_queue %q : !csl.input_queue color %c
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    csl.color_config 21 at <0, 0> routes <rx RAMP tx RAMP>
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.var @b : memref<4xi16>
    csl.var @c : memref<4xi16>
    // expected-note@+1 {{taken here}}
    csl.fifo @f over @b registers dest 2 src1 2 xdsr 0
    // expected-error@+1 {{takes DSR 2, which another FIFO has}}
    csl.fifo @g over @c registers dest 2 src1 2 xdsr 1
    func.func @use(%d: !csl.dsd<mem1d>) {
      %r = csl.get_dsr 2 : !csl.dsr<src1>
      // expected-error@+1 {{loads DSR 2, which a FIFO has}}
      csl.load_to_dsr %r, %d : !csl.dsr<src1>, !csl.dsd<mem1d>
      return
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

// -----

// The XDSR of a FIFO is its own, too.
module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.var @b : memref<4xi16>
    csl.var @c : memref<4xi16>
    // expected-note@+1 {{taken here}}
    csl.fifo @f over @b registers dest 2 src1 2 xdsr 1
    // expected-error@+1 {{takes XDSR 1, which another FIFO has}}
    csl.fifo @g over @c registers dest 3 src1 3 xdsr 1
    func.func @use(%d: !csl.dsd<circbuf>) {
      %r = csl.get_dsr 2 : !csl.dsr<src0>
      %x = csl.get_xdsr 1
      // expected-error@+1 {{loads XDSR 1, which a FIFO has}}
      csl.load_to_dsr_xdsr %r, %x, %d : !csl.dsr<src0>, !csl.dsd<circbuf>
      return
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {}
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    // expected-note@+1 {{first here}}
    csl.color_config 3 at <0, 0> routes <rx RAMP tx RAMP>
    // expected-error@+1 {{configures color 3 of PE (0, 0), which is configured already}}
    csl.color_config 3 at <0, 0> routes <rx RAMP tx RAMP>
  }
}

// -----

// Two tasks that wavelets start, on one output queue.
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.var @x : memref<4xi16>
    csl.task data @one(%d: i32) {
      %x = csl.get_var @x : memref<4xi16>
      %m = csl.mem1d_dsd %x : memref<4xi16> extent 4
      %q = csl.constant 4 : !csl.output_queue
      %out = csl.fabout_dsd queue %q extent 4
      // expected-note@+1 {{started here}}
      csl.mov16 %out = %m : !csl.dsd<fabout> = !csl.dsd<mem1d> async
      csl.return
    }
    csl.task data @two(%d: i32) {
      func.call @helper() : () -> ()
      csl.return
    }
    func.func @helper() {
      %x = csl.get_var @x : memref<4xi16>
      %m = csl.mem1d_dsd %x : memref<4xi16> extent 4
      %q = csl.constant 4 : !csl.output_queue
      %out = csl.fabout_dsd queue %q extent 4
      // expected-warning@+1 {{uses output queue 4, which an operation of another task may use at the same time}}
      csl.mov16 %out = %m : !csl.dsd<fabout> = !csl.dsd<mem1d> async
      return
    }
    csl.comptime {
      %i2 = csl.constant 2 : !csl.input_queue
      %i3 = csl.constant 3 : !csl.input_queue
      %q = csl.constant 4 : !csl.output_queue
      %c2 = csl.constant 2 : !csl.color
      %c3 = csl.constant 3 : !csl.color
      csl.initialize_queue %i2 : !csl.input_queue color %c2
      csl.initialize_queue %i3 : !csl.input_queue color %c3
      csl.initialize_queue %q : !csl.output_queue color %c2
      %d2 = csl.get_data_task_id %i2 : !csl.input_queue
      %d3 = csl.get_data_task_id %i3 : !csl.input_queue
      csl.bind_data_task @one to %d2
      csl.bind_data_task @two to %d3
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    csl.stream "two" color 2 to_device
    csl.stream "three" color 3 to_device
  }
}

// -----

// The second starts when the first is over; the third is activated at once.
module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.var @x : memref<4xi16>
    csl.task local @one() {
      %x = csl.get_var @x : memref<4xi16>
      %m = csl.mem1d_dsd %x : memref<4xi16> extent 4
      %q = csl.constant 4 : !csl.output_queue
      %c = csl.constant 2 : !csl.color
      %out = csl.fabout_dsd queue %q color %c extent 4
      %two = csl.task_id @two : !csl.local_task_id
      %three = csl.task_id @three : !csl.local_task_id
      // expected-note@+1 {{started here}}
      csl.mov16 %out = %m : !csl.dsd<fabout> = !csl.dsd<mem1d> async activate(%two)
      csl.activate %three
      csl.return
    }
    csl.task local @two() {
      %x = csl.get_var @x : memref<4xi16>
      %m = csl.mem1d_dsd %x : memref<4xi16> extent 4
      %q = csl.constant 4 : !csl.output_queue
      %c = csl.constant 2 : !csl.color
      %out = csl.fabout_dsd queue %q color %c extent 4
      csl.mov16 %out = %m : !csl.dsd<fabout> = !csl.dsd<mem1d> async
      csl.return
    }
    csl.task local @three() {
      %x = csl.get_var @x : memref<4xi16>
      %m = csl.mem1d_dsd %x : memref<4xi16> extent 4
      %q = csl.constant 4 : !csl.output_queue
      %c = csl.constant 2 : !csl.color
      %out = csl.fabout_dsd queue %q color %c extent 4
      // expected-warning@+1 {{uses output queue 4, which an operation of another task may use at the same time}}
      csl.mov16 %out = %m : !csl.dsd<fabout> = !csl.dsd<mem1d> async
      csl.return
    }
    csl.comptime {
      %a = csl.constant 9 : !csl.local_task_id
      %b = csl.constant 10 : !csl.local_task_id
      %c = csl.constant 11 : !csl.local_task_id
      csl.bind_local_task @one to %a
      csl.bind_local_task @two to %b
      csl.bind_local_task @three to %c
      csl.activate %a
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

// -----

// Two fabric inputs that come in registers.
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.var @x : memref<4xf32>
    func.func @f() {
      %q2 = csl.constant 2 : !csl.input_queue
      %q3 = csl.constant 3 : !csl.input_queue
      %a = csl.fabin_dsd queue %q2 extent 4
      %b = csl.fabin_dsd queue %q3 extent 4
      %s0 = csl.get_dsr 1 : !csl.dsr<src0>
      %s1 = csl.get_dsr 1 : !csl.dsr<src1>
      // expected-note@+1 {{the first is loaded here}}
      csl.load_to_dsr %s0, %a : !csl.dsr<src0>, !csl.dsd<fabin>
      csl.load_to_dsr %s1, %b : !csl.dsr<src1>, !csl.dsd<fabin>
      %x = csl.get_var @x : memref<4xf32>
      %d = csl.mem1d_dsd %x : memref<4xf32> extent 4
      // expected-error@+1 {{has two fabric inputs, wse3 allows one}}
      csl.fadds %d = %s0, %s1 : !csl.dsd<mem1d> = !csl.dsr<src0>, !csl.dsr<src1>
      return
    }
    csl.comptime {
      %q2 = csl.constant 2 : !csl.input_queue
      %q3 = csl.constant 3 : !csl.input_queue
      %c2 = csl.constant 2 : !csl.color
      %c3 = csl.constant 3 : !csl.color
      csl.initialize_queue %q2 : !csl.input_queue color %c2
      csl.initialize_queue %q3 : !csl.input_queue color %c3
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    csl.stream "two" color 2 to_device
    csl.stream "three" color 3 to_device
  }
}

// -----

// A switch that is advanced and not there.
module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.var @x : memref<4xf32>
    func.func @f() {
      %x = csl.get_var @x : memref<4xf32>
      %m = csl.mem1d_dsd %x : memref<4xf32> extent 4
      %q = csl.constant 2 : !csl.output_queue
      // expected-warning@+1 {{advances the switch of color 2, which has no switch positions here (PE 1, 0)}}
      %out = csl.fabout_dsd queue %q extent 4 advance_switch
      csl.fmovs %out = %m : !csl.dsd<fabout> = !csl.dsd<mem1d>
      return
    }
    csl.comptime {
      %q = csl.constant 2 : !csl.output_queue
      %c = csl.constant 2 : !csl.color
      csl.initialize_queue %q : !csl.output_queue color %c
    }
  }
  csl.program @sink {
    csl.comptime {
      %q = csl.constant 2 : !csl.input_queue
      %c = csl.constant 2 : !csl.color
      csl.initialize_queue %q : !csl.input_queue color %c
    }
  }
  csl.layout 3 x 1 {
    csl.tile_code @pe at <0 to 2, 0>
    csl.tile_code @sink at <2, 0>
    csl.color_config 2 at <0, 0> routes <rx RAMP tx EAST> switches <pos1 = #csl.position<rx WEST>>
    // expected-note@+1 {{the color's configuration is here}}
    csl.color_config 2 at <1, 0> routes <rx [WEST, RAMP] tx EAST>
    csl.color_config 2 at <2, 0> routes <rx WEST tx RAMP>
  }
}

// -----

// Routes that go round.
module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {}
  csl.layout 2 x 1 {
    csl.tile_code @pe at <0 to 2, 0>
    // expected-note@+1 {{it leads back to here}}
    csl.color_config 3 at <0, 0> routes <rx EAST tx EAST>
    // expected-warning@+1 {{closes a circle of routes of color 3 (PE 1, 0)}}
    csl.color_config 3 at <1, 0> routes <rx WEST tx WEST>
  }
}

// -----

module attributes {csl.target = #csl.target<"wse3", memcpy = true>} {
  csl.program @pe {
    csl.var @x : memref<4xf32>
    func.func @f() {
      %x = csl.get_var @x : memref<4xf32>
      %m = csl.mem1d_dsd %x : memref<4xf32> extent 4
      %q = csl.constant 2 : !csl.output_queue
      %out = csl.fabout_dsd queue %q extent 4
      // expected-warning@+1 {{uses microthread 0, which the memcpy library needs}}
      csl.fmovs %out = %m : !csl.dsd<fabout> = !csl.dsd<mem1d> async ut_id 0
      return
    }
    csl.comptime {
      %q = csl.constant 2 : !csl.output_queue
      %c = csl.constant 2 : !csl.color
      csl.initialize_queue %q : !csl.output_queue color %c
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
}

// -----

// A wavelet goes to one queue.
module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.comptime {
      %c = csl.constant 3 : !csl.color
      %a = csl.constant 2 : !csl.input_queue
      %b = csl.constant 4 : !csl.input_queue
      // expected-note@+1 {{bound here}}
      csl.initialize_queue %a : !csl.input_queue color %c
      // expected-warning@+1 {{binds input queue 4 to color 3, which another input queue has}}
      csl.initialize_queue %b : !csl.input_queue color %c
    }
  }
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    csl.color_config 3 at <0, 0> routes <rx RAMP tx RAMP>
  }
}
