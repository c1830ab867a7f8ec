// y = A x on a grid of 4 x 3 PEs, each with a block of A. The parts of x start
// in the top row and go down the columns, one broadcast per column; what the
// blocks give is summed along the rows, so that y ends up in the east column.

#east = affine_map<(x, y) -> (x mod 2 + 4)>
#west = affine_map<(x, y) -> ((x + 1) mod 2 + 4)>

module attributes {csl.target = #csl.target<"wse2", memcpy = true>} {
  csl.layout 4 x 3 {
    csl.tile_code @pe at <0 to 4, 0 to 3> params {
      x = affine_map<(x, y) -> (x)>, y = affine_map<(x, y) -> (y)>,
      east = #east, west = #west}
    // Down the columns.
    csl.color_config 2 at <0 to 4, 0> routes <rx RAMP tx SOUTH>
    csl.color_config 2 at <0 to 4, 1> routes <rx NORTH tx [RAMP, SOUTH]>
    csl.color_config 2 at <0 to 4, 2> routes <rx NORTH tx RAMP>
    // Along the rows, alternating.
    csl.color_config 4 at <0 to 4 step 2, 0 to 3> routes <rx RAMP tx EAST>
    csl.color_config 4 at <1 to 4 step 2, 0 to 3> routes <rx WEST tx RAMP>
    csl.color_config 5 at <1 to 3 step 2, 0 to 3> routes <rx RAMP tx EAST>
    csl.color_config 5 at <2 to 4 step 2, 0 to 3> routes <rx WEST tx RAMP>
    csl.export_name "A" : !csl.ptr<many f32> mutable
    csl.export_name "x" : !csl.ptr<many f32> mutable
    csl.export_name "y" : !csl.ptr<many f32>
    csl.export_name "compute" : () -> ()
  }

  csl.program @pe {
    csl.param @x : i16
    csl.param @y : i16
    csl.param @east : !csl.color
    csl.param @west : !csl.color
    // Column-major, 6 rows and 5 columns.
    csl.var @A : memref<5x6xf32>
    csl.var @xs : memref<5xf32>
    csl.var @ys : memref<6xf32>

    func.func @compute() {
      %xs = csl.get_var @xs : memref<5xf32>
      %xd = csl.mem1d_dsd %xs : memref<5xf32> extent 5
      %row = csl.get_param @y : i16
      %zero = arith.constant 0 : i16
      %isTop = arith.cmpi eq, %row, %zero : i16
      scf.if %isTop {
        %oq = csl.constant 2 : !csl.output_queue
        %out_color = csl.constant 2 : !csl.color
        %out = csl.fabout_dsd queue %oq color %out_color extent 5
        csl.fmovs %out = %xd : !csl.dsd<fabout> = !csl.dsd<mem1d>
      } else {
        %iq = csl.constant 2 : !csl.input_queue
        %in = csl.fabin_dsd queue %iq extent 5
        csl.fmovs %xd = %in : !csl.dsd<mem1d> = !csl.dsd<fabin>
      }

      %A = csl.get_var @A : memref<5x6xf32>
      %ys = csl.get_var @ys : memref<6xf32>
      %sum = csl.mem1d_dsd %ys : memref<6xf32> extent 6
      %none = arith.constant 0.0 : f32
      csl.fmovs %sum = %none : !csl.dsd<mem1d> = f32
      %first = csl.mem1d_dsd %A : memref<5x6xf32> extent 6
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c5 = arith.constant 5 : index
      %rows = arith.constant 6 : i16
      scf.for %j = %c0 to %c5 step %c1 iter_args(%column = %first) -> (!csl.dsd<mem1d>) {
        %xj = memref.load %xs[%j] : memref<5xf32>
        csl.fmacs %sum = %sum, %column, %xj : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>, f32
        %next = csl.increment_dsd_offset %column, %rows of f32 : !csl.dsd<mem1d>
        scf.yield %next : !csl.dsd<mem1d>
      }

      %iq = csl.constant 3 : !csl.input_queue
      %oq = csl.constant 3 : !csl.output_queue
      %in = csl.fabin_dsd queue %iq extent 6
      %out_color = csl.get_param @east : !csl.color
      %out = csl.fabout_dsd queue %oq color %out_color extent 6
      %x = csl.get_param @x : i16
      %last = arith.constant 3 : i16
      %isFirst = arith.cmpi eq, %x, %zero : i16
      %isLast = arith.cmpi eq, %x, %last : i16
      %done = csl.task_id @done : !csl.local_task_id
      scf.if %isFirst {
        csl.fmovs %out = %sum : !csl.dsd<fabout> = !csl.dsd<mem1d> async activate(%done)
      } else {
        scf.if %isLast {
          csl.fadds %sum = %in, %sum : !csl.dsd<mem1d> = !csl.dsd<fabin>, !csl.dsd<mem1d> async activate(%done)
        } else {
          csl.fadds %out = %in, %sum : !csl.dsd<fabout> = !csl.dsd<fabin>, !csl.dsd<mem1d> async activate(%done)
        }
      }
      return
    }

    csl.task local @done() {
      csl.unblock_cmd_stream
      csl.return
    }

    csl.comptime {
      %id = csl.constant 12 : !csl.local_task_id
      csl.bind_local_task @done to %id
      %down = csl.constant 2 : !csl.color
      %west = csl.get_param @west : !csl.color
      %east = csl.get_param @east : !csl.color
      %iq0 = csl.constant 2 : !csl.input_queue
      %oq0 = csl.constant 2 : !csl.output_queue
      %iq1 = csl.constant 3 : !csl.input_queue
      %oq1 = csl.constant 3 : !csl.output_queue
      csl.initialize_queue %iq0 : !csl.input_queue color %down
      csl.initialize_queue %oq0 : !csl.output_queue
      csl.initialize_queue %iq1 : !csl.input_queue color %west
      csl.initialize_queue %oq1 : !csl.output_queue
      csl.export_symbol @A
      csl.export_symbol @xs as "x"
      csl.export_symbol @ys as "y"
      csl.export_symbol @compute
    }
  }
}
