// A 7-point stencil on 5 x 4 PEs, each with a column of 10 cells along z:
//
//     u[x, y, z] <- center * u[x, y, z] + side * (sum of the six neighbours)
//
// with zero outside. In every step a PE sends its column to up to four
// neighbours, one microthread each, adds what stands above and below, and then
// what comes in. Colors alternate from PE to PE, so that a router has one color
// for what it sends to the east and another for what it gets from the west.

module attributes {csl.target = #csl.target<"wse2", memcpy = true>} {
  csl.layout 5 x 4 {
    csl.tile_code @pe at <0 to 5, 0 to 4> params {
      to_east = affine_map<(x, y) -> (x mod 2 + 2)>,
      from_west = affine_map<(x, y) -> ((x + 1) mod 2 + 2)>,
      to_west = affine_map<(x, y) -> (x mod 2 + 4)>,
      from_east = affine_map<(x, y) -> ((x + 1) mod 2 + 4)>,
      to_south = affine_map<(x, y) -> (y mod 2 + 6)>,
      from_north = affine_map<(x, y) -> ((y + 1) mod 2 + 6)>,
      to_north = affine_map<(x, y) -> (y mod 2 + 8)>,
      from_south = affine_map<(x, y) -> ((y + 1) mod 2 + 8)>}
    csl.color_config 2 at <0 to 3 step 2, 0 to 4> routes <rx RAMP tx EAST>
    csl.color_config 2 at <1 to 4 step 2, 0 to 4> routes <rx WEST tx RAMP>
    csl.color_config 3 at <1 to 4 step 2, 0 to 4> routes <rx RAMP tx EAST>
    csl.color_config 3 at <2 to 5 step 2, 0 to 4> routes <rx WEST tx RAMP>
    csl.color_config 4 at <2 to 5 step 2, 0 to 4> routes <rx RAMP tx WEST>
    csl.color_config 4 at <1 to 4 step 2, 0 to 4> routes <rx EAST tx RAMP>
    csl.color_config 5 at <1 to 4 step 2, 0 to 4> routes <rx RAMP tx WEST>
    csl.color_config 5 at <0 to 3 step 2, 0 to 4> routes <rx EAST tx RAMP>
    csl.color_config 6 at <0 to 5, 0 to 3 step 2> routes <rx RAMP tx SOUTH>
    csl.color_config 6 at <0 to 5, 1 to 4 step 2> routes <rx NORTH tx RAMP>
    csl.color_config 7 at <0 to 5, 1> routes <rx RAMP tx SOUTH>
    csl.color_config 7 at <0 to 5, 2> routes <rx NORTH tx RAMP>
    csl.color_config 8 at <0 to 5, 2> routes <rx RAMP tx NORTH>
    csl.color_config 8 at <0 to 5, 1> routes <rx SOUTH tx RAMP>
    csl.color_config 9 at <0 to 5, 1 to 4 step 2> routes <rx RAMP tx NORTH>
    csl.color_config 9 at <0 to 5, 0 to 3 step 2> routes <rx SOUTH tx RAMP>
    csl.export_name "u" : !csl.ptr<many f32> mutable
    csl.export_name "run" : (i16, f32, f32) -> ()
  }

  csl.program @pe {
    csl.param @to_east : !csl.color
    csl.param @from_west : !csl.color
    csl.param @to_west : !csl.color
    csl.param @from_east : !csl.color
    csl.param @to_south : !csl.color
    csl.param @from_north : !csl.color
    csl.param @to_north : !csl.color
    csl.param @from_south : !csl.color
    csl.var @u : memref<10xf32>
    csl.var @v : memref<10xf32>
    csl.var @steps : memref<i16>
    csl.var @pending : memref<i16>
    csl.var @center : memref<f32>
    csl.var @side : memref<f32>

    // Which neighbours there are.
    func.func @has_west() -> i1 {
      %x = csl.coordinate x
      %zero = arith.constant 0 : i16
      %b = arith.cmpi sgt, %x, %zero : i16
      return %b : i1
    }
    func.func @has_north() -> i1 {
      %y = csl.coordinate y
      %zero = arith.constant 0 : i16
      %b = arith.cmpi sgt, %y, %zero : i16
      return %b : i1
    }
    func.func @has_east() -> i1 {
      %x = csl.coordinate x
      %w, %h, %fw, %fh, %ox, %oy = csl.get_rectangle
      %one = arith.constant 1 : i16
      %next = arith.addi %x, %one : i16
      %b = arith.cmpi slt, %next, %w : i16
      return %b : i1
    }
    func.func @has_south() -> i1 {
      %y = csl.coordinate y
      %w, %h, %fw, %fh, %ox, %oy = csl.get_rectangle
      %one = arith.constant 1 : i16
      %next = arith.addi %y, %one : i16
      %b = arith.cmpi slt, %next, %h : i16
      return %b : i1
    }

    func.func @run(%steps: i16, %center: f32, %side: f32) {
      %s = csl.get_var @steps : memref<i16>
      %c = csl.get_var @center : memref<f32>
      %d = csl.get_var @side : memref<f32>
      memref.store %steps, %s[] : memref<i16>
      memref.store %center, %c[] : memref<f32>
      memref.store %side, %d[] : memref<f32>
      %step = csl.task_id @step : !csl.local_task_id
      csl.activate %step
      return
    }

    csl.task local @step() {
      %s = csl.get_var @steps : memref<i16>
      %left = memref.load %s[] : memref<i16>
      %zero = arith.constant 0 : i16
      %over = arith.cmpi sle, %left, %zero : i16
      scf.if %over {
        csl.unblock_cmd_stream
      } else {
        %one = arith.constant 1 : i16
        %less = arith.subi %left, %one : i16
        memref.store %less, %s[] : memref<i16>
        // One for this task itself.
        %p = csl.get_var @pending : memref<i16>
        memref.store %one, %p[] : memref<i16>
        %u = csl.get_var @u : memref<10xf32>
        %column = csl.mem1d_dsd %u : memref<10xf32> extent 10
        %east = func.call @has_east() : () -> i1
        scf.if %east {
          %oq = csl.constant 2 : !csl.output_queue
          %out_color = csl.get_param @to_east : !csl.color
          %out = csl.fabout_dsd queue %oq color %out_color extent 10
          %sent = csl.task_id @sent_east : !csl.local_task_id
          func.call @expect() : () -> ()
          csl.fmovs %out = %column : !csl.dsd<fabout> = !csl.dsd<mem1d> async activate(%sent)
        }
        %west = func.call @has_west() : () -> i1
        scf.if %west {
          %oq = csl.constant 3 : !csl.output_queue
          %out_color = csl.get_param @to_west : !csl.color
          %out = csl.fabout_dsd queue %oq color %out_color extent 10
          %sent = csl.task_id @sent_west : !csl.local_task_id
          func.call @expect() : () -> ()
          csl.fmovs %out = %column : !csl.dsd<fabout> = !csl.dsd<mem1d> async activate(%sent)
        }
        %south = func.call @has_south() : () -> i1
        scf.if %south {
          %oq = csl.constant 4 : !csl.output_queue
          %out_color = csl.get_param @to_south : !csl.color
          %out = csl.fabout_dsd queue %oq color %out_color extent 10
          %sent = csl.task_id @sent_south : !csl.local_task_id
          func.call @expect() : () -> ()
          csl.fmovs %out = %column : !csl.dsd<fabout> = !csl.dsd<mem1d> async activate(%sent)
        }
        %north = func.call @has_north() : () -> i1
        scf.if %north {
          %oq = csl.constant 5 : !csl.output_queue
          %out_color = csl.get_param @to_north : !csl.color
          %out = csl.fabout_dsd queue %oq color %out_color extent 10
          %sent = csl.task_id @sent_north : !csl.local_task_id
          func.call @expect() : () -> ()
          csl.fmovs %out = %column : !csl.dsd<fabout> = !csl.dsd<mem1d> async activate(%sent)
        }

        // The column itself.
        %cv = csl.get_var @center : memref<f32>
        %dv = csl.get_var @side : memref<f32>
        %center = memref.load %cv[] : memref<f32>
        %side = memref.load %dv[] : memref<f32>
        %v = csl.get_var @v : memref<10xf32>
        %sum = csl.mem1d_dsd %v : memref<10xf32> extent 10
        %upper = csl.mem1d_dsd %v : memref<10xf32> extent 9 offset 1
        %lower = csl.mem1d_dsd %v : memref<10xf32> extent 9
        %above = csl.mem1d_dsd %u : memref<10xf32> extent 9 offset 1
        %below = csl.mem1d_dsd %u : memref<10xf32> extent 9
        csl.fmuls %sum = %column, %center : !csl.dsd<mem1d> = !csl.dsd<mem1d>, f32
        csl.fmacs %upper = %upper, %below, %side : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>, f32
        csl.fmacs %lower = %lower, %above, %side : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>, f32

        // What comes in.
        scf.if %west {
          %iq = csl.constant 2 : !csl.input_queue
          %in = csl.fabin_dsd queue %iq extent 10
          csl.fmacs %sum = %sum, %in, %side : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<fabin>, f32
        }
        scf.if %east {
          %iq = csl.constant 3 : !csl.input_queue
          %in = csl.fabin_dsd queue %iq extent 10
          csl.fmacs %sum = %sum, %in, %side : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<fabin>, f32
        }
        scf.if %north {
          %iq = csl.constant 4 : !csl.input_queue
          %in = csl.fabin_dsd queue %iq extent 10
          csl.fmacs %sum = %sum, %in, %side : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<fabin>, f32
        }
        scf.if %south {
          %iq = csl.constant 5 : !csl.input_queue
          %in = csl.fabin_dsd queue %iq extent 10
          csl.fmacs %sum = %sum, %in, %side : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<fabin>, f32
        }
        func.call @arrive() : () -> ()
      }
      csl.return
    }

    func.func @expect() {
      %p = csl.get_var @pending : memref<i16>
      %one = arith.constant 1 : i16
      %old = memref.load %p[] : memref<i16>
      %new = arith.addi %old, %one : i16
      memref.store %new, %p[] : memref<i16>
      return
    }

    // The last of what a step waits for begins the next one.
    func.func @arrive() {
      %p = csl.get_var @pending : memref<i16>
      %zero = arith.constant 0 : i16
      %one = arith.constant 1 : i16
      %old = memref.load %p[] : memref<i16>
      %new = arith.subi %old, %one : i16
      memref.store %new, %p[] : memref<i16>
      %last = arith.cmpi eq, %new, %zero : i16
      scf.if %last {
        %u = csl.get_var @u : memref<10xf32>
        %v = csl.get_var @v : memref<10xf32>
        %to = csl.mem1d_dsd %u : memref<10xf32> extent 10
        %from = csl.mem1d_dsd %v : memref<10xf32> extent 10
        csl.fmovs %to = %from : !csl.dsd<mem1d> = !csl.dsd<mem1d>
        %step = csl.task_id @step : !csl.local_task_id
        csl.activate %step
      }
      return
    }

    csl.task local @sent_east() {
      func.call @arrive() : () -> ()
      csl.return
    }
    csl.task local @sent_west() {
      func.call @arrive() : () -> ()
      csl.return
    }
    csl.task local @sent_south() {
      func.call @arrive() : () -> ()
      csl.return
    }
    csl.task local @sent_north() {
      func.call @arrive() : () -> ()
      csl.return
    }

    csl.comptime {
      %id0 = csl.constant 12 : !csl.local_task_id
      csl.bind_local_task @step to %id0
      %id1 = csl.constant 13 : !csl.local_task_id
      csl.bind_local_task @sent_east to %id1
      %id2 = csl.constant 14 : !csl.local_task_id
      csl.bind_local_task @sent_west to %id2
      %id3 = csl.constant 15 : !csl.local_task_id
      csl.bind_local_task @sent_south to %id3
      %id4 = csl.constant 16 : !csl.local_task_id
      csl.bind_local_task @sent_north to %id4
      %to_east = csl.get_param @to_east : !csl.color
      %from_west = csl.get_param @from_west : !csl.color
      %iq2 = csl.constant 2 : !csl.input_queue
      %oq2 = csl.constant 2 : !csl.output_queue
      csl.initialize_queue %iq2 : !csl.input_queue color %from_west
      csl.initialize_queue %oq2 : !csl.output_queue
      %to_west = csl.get_param @to_west : !csl.color
      %from_east = csl.get_param @from_east : !csl.color
      %iq3 = csl.constant 3 : !csl.input_queue
      %oq3 = csl.constant 3 : !csl.output_queue
      csl.initialize_queue %iq3 : !csl.input_queue color %from_east
      csl.initialize_queue %oq3 : !csl.output_queue
      %to_south = csl.get_param @to_south : !csl.color
      %from_north = csl.get_param @from_north : !csl.color
      %iq4 = csl.constant 4 : !csl.input_queue
      %oq4 = csl.constant 4 : !csl.output_queue
      csl.initialize_queue %iq4 : !csl.input_queue color %from_north
      csl.initialize_queue %oq4 : !csl.output_queue
      %to_north = csl.get_param @to_north : !csl.color
      %from_south = csl.get_param @from_south : !csl.color
      %iq5 = csl.constant 5 : !csl.input_queue
      %oq5 = csl.constant 5 : !csl.output_queue
      csl.initialize_queue %iq5 : !csl.input_queue color %from_south
      csl.initialize_queue %oq5 : !csl.output_queue
      csl.export_symbol @u
      csl.export_symbol @run
    }
  }
}
