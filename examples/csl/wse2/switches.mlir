// Blocks of a row of five PEs gathered at the PE in the west, in the order of
// the PEs, on one color. Every other PE's switch first takes wavelets of its own
// PE; when that has sent its block, a command moves the switch on and the PE
// passes on what comes from the east. The last PE's command sets all of them
// back, so that the next launch finds them as this one did.
//
// The command travels behind the data. Only the first router obeys it: that one
// takes its command out, and NOP is the next.

module attributes {csl.target = #csl.target<"wse2", memcpy = true>} {
  csl.layout 5 x 1 {
    csl.tile_code @root at <0, 0>
    csl.tile_code @leaf at <1 to 5, 0> params {
      x = affine_map<(x, y) -> (x)>}
    csl.color_config 6 at <0, 0> routes <rx EAST tx RAMP>
    csl.color_config 6 at <1 to 4, 0> routes <rx RAMP tx WEST>
      switches <pos1 = #csl.position<rx EAST>, pop = always_pop>
    csl.color_config 6 at <4, 0> routes <rx RAMP tx WEST>
    csl.export_name "all" : !csl.ptr<many f32>
    csl.export_name "block" : !csl.ptr<many f32> mutable
    csl.export_name "gather" : () -> ()
  }

  csl.program @root {
    csl.var @all : memref<4x6xf32>
    func.func @gather() {
      %all = csl.get_var @all : memref<4x6xf32>
      %to = csl.mem1d_dsd %all : memref<4x6xf32> extent 24
      %iq = csl.constant 2 : !csl.input_queue
      %in = csl.fabin_dsd queue %iq extent 24
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
      %c = csl.constant 6 : !csl.color
      %iq = csl.constant 2 : !csl.input_queue
      csl.initialize_queue %iq : !csl.input_queue color %c
      csl.export_symbol @all
      csl.export_symbol @gather
    }
  }

  csl.program @leaf {
    csl.param @x : i16
    csl.var @block : memref<6xf32>
    func.func @gather() {
      %block = csl.get_var @block : memref<6xf32>
      %from = csl.mem1d_dsd %block : memref<6xf32> extent 6
      %oq = csl.constant 2 : !csl.output_queue
      %out_color = csl.constant 6 : !csl.color
      %out = csl.fabout_dsd queue %oq color %out_color extent 6
      %command_color = csl.constant 6 : !csl.color
      %command = csl.fabout_dsd queue %oq color %command_color extent 1 control
      csl.fmovs %out = %from : !csl.dsd<fabout> = !csl.dsd<mem1d>
      // Both have no control task (31), and in every command the bit that keeps
      // it away from compute elements: one SWITCH_ADV and then NOPs, or in the
      // last PE a SWITCH_RST for every router on the way.
      %advance = arith.constant 0x095F9249 : i32
      %reset = arith.constant 0x2D9FDB6D : i32
      %x = csl.get_param @x : i16
      %last = arith.constant 4 : i16
      %isLast = arith.cmpi eq, %x, %last : i16
      %word = arith.select %isLast, %reset, %advance : i32
      csl.mov32 %command = %word : !csl.dsd<fabout> = i32
      csl.unblock_cmd_stream
      return
    }
    csl.comptime {
      %c = csl.constant 6 : !csl.color
      %oq = csl.constant 2 : !csl.output_queue
      csl.initialize_queue %oq : !csl.output_queue
      csl.export_symbol @block
      csl.export_symbol @gather
    }
  }
}
