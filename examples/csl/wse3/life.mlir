// The game of life on 6 x 5 PEs, one cell each; outside is dead.
//
// Eight neighbours take two rounds of four: each PE first sends its cell to the
// west and the east and adds what comes to its own, and then sends that sum of
// three to the north and the south.

module attributes {csl.target = #csl.target<"wse3", memcpy = true>} {
  csl.layout 6 x 5 {
    csl.tile_code @pe at <0 to 6, 0 to 5> params {
      to_east = affine_map<(x, y) -> (x mod 2 + 2)>,
      from_west = affine_map<(x, y) -> ((x + 1) mod 2 + 2)>,
      to_west = affine_map<(x, y) -> (x mod 2 + 4)>,
      from_east = affine_map<(x, y) -> ((x + 1) mod 2 + 4)>,
      to_south = affine_map<(x, y) -> (y mod 2 + 6)>,
      from_north = affine_map<(x, y) -> ((y + 1) mod 2 + 6)>,
      to_north = affine_map<(x, y) -> (y mod 2 + 8)>,
      from_south = affine_map<(x, y) -> ((y + 1) mod 2 + 8)>}
    csl.color_config 2 at <0 to 5 step 2, 0 to 5> routes <rx RAMP tx EAST>
    csl.color_config 2 at <1 to 6 step 2, 0 to 5> routes <rx WEST tx RAMP>
    csl.color_config 3 at <1 to 4 step 2, 0 to 5> routes <rx RAMP tx EAST>
    csl.color_config 3 at <2 to 5 step 2, 0 to 5> routes <rx WEST tx RAMP>
    csl.color_config 4 at <2 to 5 step 2, 0 to 5> routes <rx RAMP tx WEST>
    csl.color_config 4 at <1 to 4 step 2, 0 to 5> routes <rx EAST tx RAMP>
    csl.color_config 5 at <1 to 6 step 2, 0 to 5> routes <rx RAMP tx WEST>
    csl.color_config 5 at <0 to 5 step 2, 0 to 5> routes <rx EAST tx RAMP>
    csl.color_config 6 at <0 to 6, 0 to 3 step 2> routes <rx RAMP tx SOUTH>
    csl.color_config 6 at <0 to 6, 1 to 4 step 2> routes <rx NORTH tx RAMP>
    csl.color_config 7 at <0 to 6, 1 to 4 step 2> routes <rx RAMP tx SOUTH>
    csl.color_config 7 at <0 to 6, 2 to 5 step 2> routes <rx NORTH tx RAMP>
    csl.color_config 8 at <0 to 6, 2 to 5 step 2> routes <rx RAMP tx NORTH>
    csl.color_config 8 at <0 to 6, 1 to 4 step 2> routes <rx SOUTH tx RAMP>
    csl.color_config 9 at <0 to 6, 1 to 4 step 2> routes <rx RAMP tx NORTH>
    csl.color_config 9 at <0 to 6, 0 to 3 step 2> routes <rx SOUTH tx RAMP>
    csl.export_name "cell" : !csl.ptr<many i16> mutable
    csl.export_name "run" : (i16) -> ()
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
    csl.var @cell : memref<1xi16>
    csl.var @sum : memref<1xi16>

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

    // Adds the neighbours' sums to this PE's.
    func.func @add_row(%west: i1, %east: i1) {
      %s = csl.get_var @sum : memref<1xi16>
      %to = csl.mem1d_dsd %s : memref<1xi16> extent 1
      %c0 = arith.constant 0 : index
      %value = memref.load %s[%c0] : memref<1xi16>
      scf.if %east {
        %oq = csl.constant 2 : !csl.output_queue
        %out = csl.fabout_dsd queue %oq extent 1
        csl.mov16 %out = %value : !csl.dsd<fabout> = i16
      }
      scf.if %west {
        %iq = csl.constant 2 : !csl.input_queue
        %in = csl.fabin_dsd queue %iq extent 1
        csl.add16 %to = %to, %in : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<fabin>
      }
      scf.if %west {
        %oq = csl.constant 3 : !csl.output_queue
        %out = csl.fabout_dsd queue %oq extent 1
        csl.mov16 %out = %value : !csl.dsd<fabout> = i16
      }
      scf.if %east {
        %iq = csl.constant 3 : !csl.input_queue
        %in = csl.fabin_dsd queue %iq extent 1
        csl.add16 %to = %to, %in : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<fabin>
      }
      return
    }

    func.func @add_column(%north: i1, %south: i1) {
      %s = csl.get_var @sum : memref<1xi16>
      %to = csl.mem1d_dsd %s : memref<1xi16> extent 1
      %c0 = arith.constant 0 : index
      %value = memref.load %s[%c0] : memref<1xi16>
      scf.if %south {
        %oq = csl.constant 4 : !csl.output_queue
        %out = csl.fabout_dsd queue %oq extent 1
        csl.mov16 %out = %value : !csl.dsd<fabout> = i16
      }
      scf.if %north {
        %iq = csl.constant 4 : !csl.input_queue
        %in = csl.fabin_dsd queue %iq extent 1
        csl.add16 %to = %to, %in : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<fabin>
      }
      scf.if %north {
        %oq = csl.constant 5 : !csl.output_queue
        %out = csl.fabout_dsd queue %oq extent 1
        csl.mov16 %out = %value : !csl.dsd<fabout> = i16
      }
      scf.if %south {
        %iq = csl.constant 5 : !csl.input_queue
        %in = csl.fabin_dsd queue %iq extent 1
        csl.add16 %to = %to, %in : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<fabin>
      }
      return
    }

    func.func @run(%generations: i16) {
      %c = csl.get_var @cell : memref<1xi16>
      %s = csl.get_var @sum : memref<1xi16>
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i16
      %one = arith.constant 1 : i16
      %two = arith.constant 2 : i16
      %three = arith.constant 3 : i16
      %west = func.call @has_west() : () -> i1
      %east = func.call @has_east() : () -> i1
      %north = func.call @has_north() : () -> i1
      %south = func.call @has_south() : () -> i1
      scf.for %i = %zero to %generations step %one : i16 {
        %cell = memref.load %c[%c0] : memref<1xi16>
        memref.store %cell, %s[%c0] : memref<1xi16>
        func.call @add_row(%west, %east) : (i1, i1) -> ()
        func.call @add_column(%north, %south) : (i1, i1) -> ()
        %all = memref.load %s[%c0] : memref<1xi16>
        %others = arith.subi %all, %cell : i16
        %isThree = arith.cmpi eq, %others, %three : i16
        %isTwo = arith.cmpi eq, %others, %two : i16
        %isAlive = arith.cmpi eq, %cell, %one : i16
        %stays = arith.andi %isTwo, %isAlive : i1
        %lives = arith.ori %isThree, %stays : i1
        %next = arith.extui %lives : i1 to i16
        memref.store %next, %c[%c0] : memref<1xi16>
      }
      csl.unblock_cmd_stream
      return
    }

    csl.comptime {
      %to_east = csl.get_param @to_east : !csl.color
      %from_west = csl.get_param @from_west : !csl.color
      %iq2 = csl.constant 2 : !csl.input_queue
      %oq2 = csl.constant 2 : !csl.output_queue
      csl.initialize_queue %iq2 : !csl.input_queue color %from_west
      csl.initialize_queue %oq2 : !csl.output_queue color %to_east
      %to_west = csl.get_param @to_west : !csl.color
      %from_east = csl.get_param @from_east : !csl.color
      %iq3 = csl.constant 3 : !csl.input_queue
      %oq3 = csl.constant 3 : !csl.output_queue
      csl.initialize_queue %iq3 : !csl.input_queue color %from_east
      csl.initialize_queue %oq3 : !csl.output_queue color %to_west
      %to_south = csl.get_param @to_south : !csl.color
      %from_north = csl.get_param @from_north : !csl.color
      %iq4 = csl.constant 4 : !csl.input_queue
      %oq4 = csl.constant 4 : !csl.output_queue
      csl.initialize_queue %iq4 : !csl.input_queue color %from_north
      csl.initialize_queue %oq4 : !csl.output_queue color %to_south
      %to_north = csl.get_param @to_north : !csl.color
      %from_south = csl.get_param @from_south : !csl.color
      %iq5 = csl.constant 5 : !csl.input_queue
      %oq5 = csl.constant 5 : !csl.output_queue
      csl.initialize_queue %iq5 : !csl.input_queue color %from_south
      csl.initialize_queue %oq5 : !csl.output_queue color %to_north
      csl.export_symbol @cell
      csl.export_symbol @run
    }
  }
}
