// y = A x for a sparse x on a row of five PEs. The PE in the west has the
// nonzero elements of x and sends each as one wavelet: the value below, its
// index above. The others have some rows of A each; a wavelet starts a data task
// that adds its multiple of a column. A control wavelet at the end starts the
// task that lets the host go on.

module attributes {csl.target = #csl.target<"wse2", memcpy = true>} {
  csl.layout 5 x 1 {
    csl.tile_code @sender at <0, 0>
    csl.tile_code @worker at <1 to 5, 0>
    csl.color_config 5 at <0, 0> routes <rx RAMP tx EAST>
    csl.color_config 5 at <1 to 4, 0> routes <rx WEST tx [RAMP, EAST]>
    csl.color_config 5 at <4, 0> routes <rx WEST tx RAMP>
    csl.export_name "indices" : !csl.ptr<many i16> mutable
    csl.export_name "values" : !csl.ptr<many f16> mutable
    csl.export_name "A" : !csl.ptr<many f16> mutable
    csl.export_name "y" : !csl.ptr<many f32> mutable
    csl.export_name "send" : (i16) -> ()
    csl.export_name "receive" : () -> ()
  }

  csl.program @sender {
    csl.var @indices : memref<16xi16>
    csl.var @values : memref<16xf16>

    // Sends the first `count` of them.
    func.func @send(%count: i16) {
      %indices = csl.get_var @indices : memref<16xi16>
      %values = csl.get_var @values : memref<16xf16>
      %oq = csl.constant 2 : !csl.output_queue
      %out_color = csl.constant 5 : !csl.color
      %out = csl.fabout_dsd queue %oq color %out_color extent 1 index_offset
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.index_cast %count : i16 to index
      scf.for %i = %c0 to %n step %c1 {
        %index = memref.load %indices[%i] : memref<16xi16>
        %value = memref.load %values[%i] : memref<16xf16>
        csl.fmovh %out = %value : !csl.dsd<fabout> = f16 index(%index)
      }
      // Control task 40 and no commands.
      %end_color = csl.constant 5 : !csl.color
      %end = csl.fabout_dsd queue %oq color %end_color extent 1 control
      %word = arith.constant 0x00280000 : i32
      csl.mov32 %end = %word : !csl.dsd<fabout> = i32
      csl.unblock_cmd_stream
      return
    }

    csl.comptime {
      %c = csl.constant 5 : !csl.color
      %oq = csl.constant 2 : !csl.output_queue
      csl.initialize_queue %oq : !csl.output_queue
      csl.export_symbol @indices
      csl.export_symbol @values
      csl.export_symbol @send
    }
  }

  csl.program @worker {
    // Column-major: 6 rows of 20 columns.
    csl.var @A : memref<20x6xf16>
    csl.var @y : memref<6xf32>

    csl.task data @element(%value: f16, %index: i16) {
      %A = csl.get_var @A : memref<20x6xf16>
      %y = csl.get_var @y : memref<6xf32>
      %rows = arith.constant 6 : i16
      %offset = arith.muli %index, %rows : i16
      %first = csl.mem1d_dsd %A : memref<20x6xf16> extent 6
      %column = csl.increment_dsd_offset %first, %offset of f16 : !csl.dsd<mem1d>
      %sum = csl.mem1d_dsd %y : memref<6xf32> extent 6
      csl.fmachs %sum = %sum, %column, %value : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>, f16
      csl.return
    }

    csl.task control @end() {
      csl.unblock_cmd_stream
      csl.return
    }

    // The wavelets do the rest.
    func.func @receive() {
      return
    }

    csl.comptime {
      %c = csl.constant 5 : !csl.color
      %iq = csl.constant 2 : !csl.input_queue
      csl.initialize_queue %iq : !csl.input_queue color %c
      %id = csl.get_data_task_id %c : !csl.color
      csl.bind_data_task @element to %id
      %end = csl.constant 40 : !csl.control_task_id
      csl.bind_control_task @end to %end
      csl.export_symbol @A
      csl.export_symbol @y
      csl.export_symbol @receive
    }
  }
}
