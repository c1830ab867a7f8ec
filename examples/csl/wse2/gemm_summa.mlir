// C = A B by SUMMA on 4 x 4 PEs, each with a block of 14 x 14 of A, B and C.
// In step k the PEs of column k give their block of A to their row, those of
// row k their block of B to their column, and every PE adds the product of what
// it got to its block of C.
//
// A row has two colors, one for each way. A sender is its own receiver on both:
// it sends west first and takes its own copy, so that all it sent has left its
// router when it sends east; the next sender begins when it has got that. So no
// router ever sees two inputs of a color at once.

module attributes {csl.target = #csl.target<"wse2", memcpy = true>} {
  csl.layout 4 x 4 {
    csl.tile_code @pe at <0 to 4, 0 to 4> params {
      x = affine_map<(x, y) -> (x)>, y = affine_map<(x, y) -> (y)>}
    // A to the west and to the east.
    csl.color_config 2 at <0, 0 to 4> routes <rx [RAMP, EAST] tx RAMP>
    csl.color_config 2 at <1 to 3, 0 to 4> routes <rx [RAMP, EAST] tx [RAMP, WEST]>
    csl.color_config 2 at <3, 0 to 4> routes <rx RAMP tx [RAMP, WEST]>
    csl.color_config 3 at <0, 0 to 4> routes <rx RAMP tx [RAMP, EAST]>
    csl.color_config 3 at <1 to 3, 0 to 4> routes <rx [RAMP, WEST] tx [RAMP, EAST]>
    csl.color_config 3 at <3, 0 to 4> routes <rx [RAMP, WEST] tx RAMP>
    // B to the north and to the south.
    csl.color_config 4 at <0 to 4, 0> routes <rx [RAMP, SOUTH] tx RAMP>
    csl.color_config 4 at <0 to 4, 1 to 3> routes <rx [RAMP, SOUTH] tx [RAMP, NORTH]>
    csl.color_config 4 at <0 to 4, 3> routes <rx RAMP tx [RAMP, NORTH]>
    csl.color_config 5 at <0 to 4, 0> routes <rx RAMP tx [RAMP, SOUTH]>
    csl.color_config 5 at <0 to 4, 1 to 3> routes <rx [RAMP, NORTH] tx [RAMP, SOUTH]>
    csl.color_config 5 at <0 to 4, 3> routes <rx [RAMP, NORTH] tx RAMP>
    csl.export_name "A" : !csl.ptr<many f32> mutable
    csl.export_name "B" : !csl.ptr<many f32> mutable
    csl.export_name "C" : !csl.ptr<many f32> mutable
    csl.export_name "multiply" : () -> ()
  }

  csl.program @pe {
    csl.param @x : i16
    csl.param @y : i16
    // Blocks are column-major.
    csl.var @A : memref<14x14xf32>
    csl.var @B : memref<14x14xf32>
    csl.var @C : memref<14x14xf32>
    csl.var @Ak : memref<14x14xf32>
    csl.var @Bk : memref<14x14xf32>

    func.func @multiply() {
      %zero = arith.constant 0 : i16
      %one = arith.constant 1 : i16
      %steps = arith.constant 4 : i16
      scf.for %k = %zero to %steps step %one : i16 {
        func.call @share_A(%k) : (i16) -> ()
        func.call @share_B(%k) : (i16) -> ()
        func.call @add_product() : () -> ()
      }
      csl.unblock_cmd_stream
      return
    }

    func.func @share_A(%k: i16) {
      %mine = csl.get_var @A : memref<14x14xf32>
      %all = csl.get_var @Ak : memref<14x14xf32>
      %from = csl.mem1d_dsd %mine : memref<14x14xf32> extent 196
      %to = csl.mem1d_dsd %all : memref<14x14xf32> extent 196
      %ib = csl.constant 2 : !csl.input_queue
      %if = csl.constant 3 : !csl.input_queue
      %before = csl.fabin_dsd queue %ib extent 196
      %behind = csl.fabin_dsd queue %if extent 196
      %place = csl.get_param @x : i16
      %sends = arith.cmpi eq, %place, %k : i16
      %isBefore = arith.cmpi slt, %place, %k : i16
      scf.if %sends {
        %ob = csl.constant 2 : !csl.output_queue
        %of = csl.constant 3 : !csl.output_queue
        %west_color = csl.constant 2 : !csl.color
        %west = csl.fabout_dsd queue %ob color %west_color extent 196
        %east_color = csl.constant 3 : !csl.color
        %east = csl.fabout_dsd queue %of color %east_color extent 196
        csl.fmovs %west = %from : !csl.dsd<fabout> = !csl.dsd<mem1d> async
        csl.fmovs %to = %before : !csl.dsd<mem1d> = !csl.dsd<fabin>
        csl.fmovs %east = %from : !csl.dsd<fabout> = !csl.dsd<mem1d> async
        csl.fmovs %to = %behind : !csl.dsd<mem1d> = !csl.dsd<fabin>
      } else {
        scf.if %isBefore {
          csl.fmovs %to = %before : !csl.dsd<mem1d> = !csl.dsd<fabin>
        } else {
          csl.fmovs %to = %behind : !csl.dsd<mem1d> = !csl.dsd<fabin>
        }
      }
      return
    }

    func.func @share_B(%k: i16) {
      %mine = csl.get_var @B : memref<14x14xf32>
      %all = csl.get_var @Bk : memref<14x14xf32>
      %from = csl.mem1d_dsd %mine : memref<14x14xf32> extent 196
      %to = csl.mem1d_dsd %all : memref<14x14xf32> extent 196
      %ib = csl.constant 4 : !csl.input_queue
      %if = csl.constant 5 : !csl.input_queue
      %before = csl.fabin_dsd queue %ib extent 196
      %behind = csl.fabin_dsd queue %if extent 196
      %place = csl.get_param @y : i16
      %sends = arith.cmpi eq, %place, %k : i16
      %isBefore = arith.cmpi slt, %place, %k : i16
      scf.if %sends {
        %ob = csl.constant 4 : !csl.output_queue
        %of = csl.constant 5 : !csl.output_queue
        %north_color = csl.constant 4 : !csl.color
        %north = csl.fabout_dsd queue %ob color %north_color extent 196
        %south_color = csl.constant 5 : !csl.color
        %south = csl.fabout_dsd queue %of color %south_color extent 196
        csl.fmovs %north = %from : !csl.dsd<fabout> = !csl.dsd<mem1d> async
        csl.fmovs %to = %before : !csl.dsd<mem1d> = !csl.dsd<fabin>
        csl.fmovs %south = %from : !csl.dsd<fabout> = !csl.dsd<mem1d> async
        csl.fmovs %to = %behind : !csl.dsd<mem1d> = !csl.dsd<fabin>
      } else {
        scf.if %isBefore {
          csl.fmovs %to = %before : !csl.dsd<mem1d> = !csl.dsd<fabin>
        } else {
          csl.fmovs %to = %behind : !csl.dsd<mem1d> = !csl.dsd<fabin>
        }
      }
      return
    }

    // Column by column: C[:, j] += Ak[:, i] * Bk[i, j].
    func.func @add_product() {
      %A = csl.get_var @Ak : memref<14x14xf32>
      %B = csl.get_var @Bk : memref<14x14xf32>
      %C = csl.get_var @C : memref<14x14xf32>
      %firstC = csl.mem1d_dsd %C : memref<14x14xf32> extent 14
      %firstA = csl.mem1d_dsd %A : memref<14x14xf32> extent 14
      %rows = arith.constant 14 : i16
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 14 : index
      scf.for %j = %c0 to %n step %c1 iter_args(%sum = %firstC) -> (!csl.dsd<mem1d>) {
        scf.for %i = %c0 to %n step %c1 iter_args(%column = %firstA) -> (!csl.dsd<mem1d>) {
          %b = memref.load %B[%j, %i] : memref<14x14xf32>
          csl.fmacs %sum = %sum, %column, %b : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>, f32
          %next = csl.increment_dsd_offset %column, %rows of f32 : !csl.dsd<mem1d>
          scf.yield %next : !csl.dsd<mem1d>
        }
        %nextC = csl.increment_dsd_offset %sum, %rows of f32 : !csl.dsd<mem1d>
        scf.yield %nextC : !csl.dsd<mem1d>
      }
      return
    }

    csl.comptime {
      %west = csl.constant 2 : !csl.color
      %i2 = csl.constant 2 : !csl.input_queue
      %o2 = csl.constant 2 : !csl.output_queue
      csl.initialize_queue %i2 : !csl.input_queue color %west
      csl.initialize_queue %o2 : !csl.output_queue
      %east = csl.constant 3 : !csl.color
      %i3 = csl.constant 3 : !csl.input_queue
      %o3 = csl.constant 3 : !csl.output_queue
      csl.initialize_queue %i3 : !csl.input_queue color %east
      csl.initialize_queue %o3 : !csl.output_queue
      %north = csl.constant 4 : !csl.color
      %i4 = csl.constant 4 : !csl.input_queue
      %o4 = csl.constant 4 : !csl.output_queue
      csl.initialize_queue %i4 : !csl.input_queue color %north
      csl.initialize_queue %o4 : !csl.output_queue
      %south = csl.constant 5 : !csl.color
      %i5 = csl.constant 5 : !csl.input_queue
      %o5 = csl.constant 5 : !csl.output_queue
      csl.initialize_queue %i5 : !csl.input_queue color %south
      csl.initialize_queue %o5 : !csl.output_queue
      csl.export_symbol @A
      csl.export_symbol @B
      csl.export_symbol @C
      csl.export_symbol @multiply
    }
  }
}
