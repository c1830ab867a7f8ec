// A vector of 24 words handed out along a row of five PEs by filters: the PE in
// the west sends it once, it passes every PE, and each takes its part.
//
// Color 5 has a counter filter: it counts data wavelets from 0 to 23 and lets
// through while the counter is at most 5; the PEs start counting at different
// numbers. Color 6 has a range filter: the upper half of a wavelet is an index,
// and each PE lets through its range; a data task puts the value in its place.

module attributes {csl.target = #csl.target<"wse2", memcpy = true>} {
  csl.layout 5 x 1 {
    csl.tile_code @sender at <0, 0>
    csl.tile_code @worker at <1 to 5, 0> params {x = affine_map<(x, y) -> (x)>}
    csl.color_config 5 at <0, 0> routes <rx RAMP tx EAST>
    csl.color_config 5 at <1, 0> routes <rx WEST tx [RAMP, EAST]>
      filter <kind = counter, count_data = true, init_counter = 0, limit1 = 23, max_counter = 5>
    csl.color_config 5 at <2, 0> routes <rx WEST tx [RAMP, EAST]>
      filter <kind = counter, count_data = true, init_counter = 18, limit1 = 23, max_counter = 5>
    csl.color_config 5 at <3, 0> routes <rx WEST tx [RAMP, EAST]>
      filter <kind = counter, count_data = true, init_counter = 12, limit1 = 23, max_counter = 5>
    csl.color_config 5 at <4, 0> routes <rx WEST tx RAMP>
      filter <kind = counter, count_data = true, init_counter = 6, limit1 = 23, max_counter = 5>
    csl.color_config 6 at <0, 0> routes <rx RAMP tx EAST>
    csl.color_config 6 at <1, 0> routes <rx WEST tx [RAMP, EAST]>
      filter <kind = range, min_idx = 0, max_idx = 5>
    csl.color_config 6 at <2, 0> routes <rx WEST tx [RAMP, EAST]>
      filter <kind = range, min_idx = 6, max_idx = 11>
    csl.color_config 6 at <3, 0> routes <rx WEST tx [RAMP, EAST]>
      filter <kind = range, min_idx = 12, max_idx = 17>
    csl.color_config 6 at <4, 0> routes <rx WEST tx RAMP>
      filter <kind = range, min_idx = 18, max_idx = 23>
    csl.export_name "vector" : !csl.ptr<many f32> mutable
    csl.export_name "indices" : !csl.ptr<many i16> mutable
    csl.export_name "values" : !csl.ptr<many i16> mutable
    csl.export_name "part" : !csl.ptr<many f32>
    csl.export_name "bins" : !csl.ptr<many i16> mutable
    csl.export_name "scatter" : () -> ()
    csl.export_name "bin" : () -> ()
  }

  csl.program @sender {
    csl.var @vector : memref<24xf32>
    csl.var @indices : memref<32xi16>
    csl.var @values : memref<32xi16>

    func.func @scatter() {
      %vector = csl.get_var @vector : memref<24xf32>
      %from = csl.mem1d_dsd %vector : memref<24xf32> extent 24
      %oq = csl.constant 2 : !csl.output_queue
      %out_color = csl.constant 5 : !csl.color
      %out = csl.fabout_dsd queue %oq color %out_color extent 24
      csl.fmovs %out = %from : !csl.dsd<fabout> = !csl.dsd<mem1d>
      csl.unblock_cmd_stream
      return
    }

    func.func @bin() {
      %indices = csl.get_var @indices : memref<32xi16>
      %values = csl.get_var @values : memref<32xi16>
      %oq = csl.constant 3 : !csl.output_queue
      %out_color = csl.constant 6 : !csl.color
      %out = csl.fabout_dsd queue %oq color %out_color extent 1 index_offset
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 32 : index
      scf.for %i = %c0 to %n step %c1 {
        %index = memref.load %indices[%i] : memref<32xi16>
        %value = memref.load %values[%i] : memref<32xi16>
        csl.mov16 %out = %value : !csl.dsd<fabout> = i16 index(%index)
      }
      // Control wavelets pass a range filter: control task 40.
      %end_color = csl.constant 6 : !csl.color
      %end = csl.fabout_dsd queue %oq color %end_color extent 1 control
      %word = arith.constant 0x00280000 : i32
      csl.mov32 %end = %word : !csl.dsd<fabout> = i32
      csl.unblock_cmd_stream
      return
    }

    csl.comptime {
      %c5 = csl.constant 5 : !csl.color
      %c6 = csl.constant 6 : !csl.color
      %oq2 = csl.constant 2 : !csl.output_queue
      %oq3 = csl.constant 3 : !csl.output_queue
      csl.initialize_queue %oq2 : !csl.output_queue
      csl.initialize_queue %oq3 : !csl.output_queue
      csl.export_symbol @vector
      csl.export_symbol @indices
      csl.export_symbol @values
      csl.export_symbol @scatter
      csl.export_symbol @bin
    }
  }

  csl.program @worker {
    csl.param @x : i16
    csl.var @part : memref<6xf32>
    csl.var @bins : memref<6xi16>

    func.func @scatter() {
      %part = csl.get_var @part : memref<6xf32>
      %to = csl.mem1d_dsd %part : memref<6xf32> extent 6
      %iq = csl.constant 2 : !csl.input_queue
      %in = csl.fabin_dsd queue %iq extent 6
      %done = csl.task_id @done : !csl.local_task_id
      csl.fmovs %to = %in : !csl.dsd<mem1d> = !csl.dsd<fabin> async activate(%done)
      return
    }

    csl.task local @done() {
      csl.unblock_cmd_stream
      csl.return
    }

    func.func @bin() {
      return
    }

    csl.task data @add(%value: i16, %index: i16) {
      %bins = csl.get_var @bins : memref<6xi16>
      %x = csl.get_param @x : i16
      %one = arith.constant 1 : i16
      %six = arith.constant 6 : i16
      %before = arith.subi %x, %one : i16
      %first = arith.muli %before, %six : i16
      %offset = arith.subi %index, %first : i16
      %place = arith.index_cast %offset : i16 to index
      %old = memref.load %bins[%place] : memref<6xi16>
      %new = arith.addi %old, %value : i16
      memref.store %new, %bins[%place] : memref<6xi16>
      csl.return
    }

    csl.task control @end() {
      csl.unblock_cmd_stream
      csl.return
    }

    csl.comptime {
      %id = csl.constant 12 : !csl.local_task_id
      csl.bind_local_task @done to %id
      %c5 = csl.constant 5 : !csl.color
      %c6 = csl.constant 6 : !csl.color
      %iq2 = csl.constant 2 : !csl.input_queue
      %iq3 = csl.constant 3 : !csl.input_queue
      csl.initialize_queue %iq2 : !csl.input_queue color %c5
      csl.initialize_queue %iq3 : !csl.input_queue color %c6
      %add = csl.get_data_task_id %c6 : !csl.color
      csl.bind_data_task @add to %add
      %end = csl.constant 40 : !csl.control_task_id
      csl.bind_control_task @end to %end
      csl.export_symbol @part
      csl.export_symbol @bins
      csl.export_symbol @scatter
      csl.export_symbol @bin
    }
  }
}
