// y = A x + b on a row of four PEs. Each has some columns of A and the part of
// x that goes with them. Sums travel east: every PE adds what its columns give
// to what comes from the west, without a copy in memory between.
//
// The color alternates from link to link, so that a PE's router takes one color
// from the west and another from its own PE.

#east = affine_map<(x, y) -> (x mod 2 + 2)>
#west = affine_map<(x, y) -> ((x + 1) mod 2 + 2)>

module attributes {csl.target = #csl.target<"wse2", memcpy = true>} {
  csl.layout 4 x 1 {
    csl.tile_code @pe at <0 to 4, 0> params {
      x = affine_map<(x, y) -> (x)>, east = #east, west = #west}
    csl.color_config 2 at <0 to 4 step 2, 0> routes <rx RAMP tx EAST>
    csl.color_config 2 at <1 to 4 step 2, 0> routes <rx WEST tx RAMP>
    csl.color_config 3 at <1 to 3 step 2, 0> routes <rx RAMP tx EAST>
    csl.color_config 3 at <2 to 4 step 2, 0> routes <rx WEST tx RAMP>
    csl.export_name "A" : !csl.ptr<many f32> mutable
    csl.export_name "x" : !csl.ptr<many f32> mutable
    csl.export_name "b" : !csl.ptr<many f32> mutable
    csl.export_name "y" : !csl.ptr<many f32>
    csl.export_name "compute" : () -> ()
  }

  csl.program @pe {
    csl.param @x : i16
    csl.param @east : !csl.color
    csl.param @west : !csl.color
    // Column-major: the columns of a PE lie one after the other.
    csl.var @A : memref<3x8xf32>
    csl.var @xs : memref<3xf32>
    csl.var @b : memref<8xf32>
    csl.var @y : memref<8xf32>

    func.func @compute() {
      %A = csl.get_var @A : memref<3x8xf32>
      %xs = csl.get_var @xs : memref<3xf32>
      %b = csl.get_var @b : memref<8xf32>
      %y = csl.get_var @y : memref<8xf32>
      %sum = csl.mem1d_dsd %y : memref<8xf32> extent 8
      %bd = csl.mem1d_dsd %b : memref<8xf32> extent 8
      csl.fmovs %sum = %bd : !csl.dsd<mem1d> = !csl.dsd<mem1d>
      %first = csl.mem1d_dsd %A : memref<3x8xf32> extent 8
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %rows = arith.constant 8 : i16
      scf.for %j = %c0 to %c3 step %c1 iter_args(%column = %first) -> (!csl.dsd<mem1d>) {
        %xj = memref.load %xs[%j] : memref<3xf32>
        csl.fmacs %sum = %sum, %column, %xj : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>, f32
        %next = csl.increment_dsd_offset %column, %rows of f32 : !csl.dsd<mem1d>
        scf.yield %next : !csl.dsd<mem1d>
      }

      %iq = csl.constant 2 : !csl.input_queue
      %oq = csl.constant 3 : !csl.output_queue
      %in = csl.fabin_dsd queue %iq extent 8
      %out_color = csl.get_param @east : !csl.color
      %out = csl.fabout_dsd queue %oq color %out_color extent 8
      %x = csl.get_param @x : i16
      %zero = arith.constant 0 : i16
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
      %west = csl.get_param @west : !csl.color
      %east = csl.get_param @east : !csl.color
      %iq = csl.constant 2 : !csl.input_queue
      %oq = csl.constant 3 : !csl.output_queue
      csl.initialize_queue %iq : !csl.input_queue color %west
      csl.initialize_queue %oq : !csl.output_queue
      csl.export_symbol @A
      csl.export_symbol @xs as "x"
      csl.export_symbol @b
      csl.export_symbol @y
      csl.export_symbol @compute
    }
  }
}
