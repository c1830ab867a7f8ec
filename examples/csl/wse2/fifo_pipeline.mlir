// A pipeline of three PEs. The first sends a signal, the second scales it, the
// third keeps it. The second has a FIFO between the microthread that receives
// and the one that scales and sends on, so that bursts on one side do not stop
// the other: the FIFO has room for 6 elements of 40.

module attributes {csl.target = #csl.target<"wse2", memcpy = true>} {
  csl.layout 3 x 1 {
    csl.tile_code @source at <0, 0>
    csl.tile_code @stage at <1, 0>
    csl.tile_code @sink at <2, 0>
    csl.color_config 4 at <0, 0> routes <rx RAMP tx EAST>
    csl.color_config 4 at <1, 0> routes <rx WEST tx RAMP>
    csl.color_config 5 at <1, 0> routes <rx RAMP tx EAST>
    csl.color_config 5 at <2, 0> routes <rx WEST tx RAMP>
    csl.export_name "signal" : !csl.ptr<many f32> mutable
    csl.export_name "result" : !csl.ptr<many f32>
    csl.export_name "run" : (f32) -> ()
  }

  csl.program @source {
    csl.var @signal : memref<40xf32>
    func.func @run(%factor: f32) {
      %signal = csl.get_var @signal : memref<40xf32>
      %from = csl.mem1d_dsd %signal : memref<40xf32> extent 40
      %oq = csl.constant 2 : !csl.output_queue
      %out_color = csl.constant 4 : !csl.color
      %out = csl.fabout_dsd queue %oq color %out_color extent 40
      csl.fmovs %out = %from : !csl.dsd<fabout> = !csl.dsd<mem1d>
      csl.unblock_cmd_stream
      return
    }
    csl.comptime {
      %c = csl.constant 4 : !csl.color
      %oq = csl.constant 2 : !csl.output_queue
      csl.initialize_queue %oq : !csl.output_queue
      csl.export_symbol @signal
      csl.export_symbol @run
    }
  }

  csl.program @stage {
    csl.var @buffer : memref<6xf32> align(16)
    csl.fifo @queue over @buffer

    func.func @run(%factor: f32) {
      %fifo = csl.get_fifo @queue : !csl.fifo<f32>
      %iq = csl.constant 2 : !csl.input_queue
      %oq = csl.constant 3 : !csl.output_queue
      %in = csl.fabin_dsd queue %iq extent 40
      %out_color = csl.constant 5 : !csl.color
      %out = csl.fabout_dsd queue %oq color %out_color extent 40
      %done = csl.task_id @done : !csl.local_task_id
      csl.fmovs %fifo = %in : !csl.fifo<f32> = !csl.dsd<fabin> async
      csl.fmuls %out = %factor, %fifo : !csl.dsd<fabout> = f32, !csl.fifo<f32> async activate(%done)
      return
    }

    csl.task local @done() {
      csl.unblock_cmd_stream
      csl.return
    }

    csl.comptime {
      %id = csl.constant 12 : !csl.local_task_id
      csl.bind_local_task @done to %id
      %c4 = csl.constant 4 : !csl.color
      %c5 = csl.constant 5 : !csl.color
      %iq = csl.constant 2 : !csl.input_queue
      %oq = csl.constant 3 : !csl.output_queue
      csl.initialize_queue %iq : !csl.input_queue color %c4
      csl.initialize_queue %oq : !csl.output_queue
      csl.export_symbol @run
    }
  }

  csl.program @sink {
    csl.var @result : memref<40xf32>
    func.func @run(%factor: f32) {
      %result = csl.get_var @result : memref<40xf32>
      %to = csl.mem1d_dsd %result : memref<40xf32> extent 40
      %iq = csl.constant 2 : !csl.input_queue
      %in = csl.fabin_dsd queue %iq extent 40
      %done = csl.task_id @done : !csl.local_task_id
      csl.fmovs %to = %in : !csl.dsd<mem1d> = !csl.dsd<fabin> async activate(%done)
      return
    }
    csl.task local @done() {
      csl.unblock_cmd_stream
      csl.return
    }
    csl.comptime {
      %id = csl.constant 12 : !csl.local_task_id
      csl.bind_local_task @done to %id
      %c = csl.constant 5 : !csl.color
      %iq = csl.constant 2 : !csl.input_queue
      csl.initialize_queue %iq : !csl.input_queue color %c
      csl.export_symbol @result
      csl.export_symbol @run
    }
  }
}
