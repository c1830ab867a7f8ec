// The sum of a vector over a row of eight PEs, at the PE in the west: a chain.
// Each element passes one PE after the other; one operation per PE adds it to
// what comes from the east and sends it on.

module attributes {csl.target = #csl.target<"wse2", memcpy = true>} {
  csl.layout 8 x 1 {
    csl.tile_code @pe at <0 to 8, 0> params {
      x = affine_map<(x, y) -> (x)>,
      out = affine_map<(x, y) -> (x mod 2 + 4)>,
      in = affine_map<(x, y) -> ((x + 1) mod 2 + 4)>}
    csl.color_config 5 at <1 to 8 step 2, 0> routes <rx RAMP tx WEST>
    csl.color_config 5 at <0 to 8 step 2, 0> routes <rx EAST tx RAMP>
    csl.color_config 4 at <2 to 8 step 2, 0> routes <rx RAMP tx WEST>
    csl.color_config 4 at <1 to 7 step 2, 0> routes <rx EAST tx RAMP>
    csl.export_name "data" : !csl.ptr<many f32> mutable
    csl.export_name "reduce" : () -> ()
  }

  csl.program @pe {
    csl.param @x : i16
    csl.param @out : !csl.color
    csl.param @in : !csl.color
    csl.var @data : memref<16xf32>

    func.func @reduce() {
      %data = csl.get_var @data : memref<16xf32>
      %mem = csl.mem1d_dsd %data : memref<16xf32> extent 16
      %iq = csl.constant 2 : !csl.input_queue
      %oq = csl.constant 2 : !csl.output_queue
      %in = csl.fabin_dsd queue %iq extent 16
      %out_color = csl.get_param @out : !csl.color
      %out = csl.fabout_dsd queue %oq color %out_color extent 16
      %x = csl.get_param @x : i16
      %zero = arith.constant 0 : i16
      %last = arith.constant 7 : i16
      %isRoot = arith.cmpi eq, %x, %zero : i16
      %isLeaf = arith.cmpi eq, %x, %last : i16
      %done = csl.task_id @done : !csl.local_task_id
      scf.if %isRoot {
        csl.fadds %mem = %in, %mem : !csl.dsd<mem1d> = !csl.dsd<fabin>, !csl.dsd<mem1d> async activate(%done)
      } else {
        scf.if %isLeaf {
          csl.fmovs %out = %mem : !csl.dsd<fabout> = !csl.dsd<mem1d> async activate(%done)
        } else {
          csl.fadds %out = %in, %mem : !csl.dsd<fabout> = !csl.dsd<fabin>, !csl.dsd<mem1d> async activate(%done)
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
      %in = csl.get_param @in : !csl.color
      %out = csl.get_param @out : !csl.color
      %iq = csl.constant 2 : !csl.input_queue
      %oq = csl.constant 2 : !csl.output_queue
      csl.initialize_queue %iq : !csl.input_queue color %in
      csl.initialize_queue %oq : !csl.output_queue
      csl.export_symbol @data
      csl.export_symbol @reduce
    }
  }
}
