// The sum of a vector over a row of eight PEs, at the PE in the west: a tree.
// In round r every 2^r-th PE still has a sum; of those, every second one sends
// it west to its neighbour among them, on color 8 + r, through the PEs between.
//
//     PE       0   1   2   3   4   5   6   7
//     round 0  <---+   <---+   <---+   <---+
//     round 1  <-------+       <-------+
//     round 2  <---------------+
//
// A PE receives in as many rounds as its number has zeros at the end (PE 0: in
// all three) and then sends, in the round of its lowest one.

module attributes {csl.target = #csl.target<"wse3", memcpy = true>} {
  csl.layout 8 x 1 {
    csl.tile_code @pe at <0 to 8, 0> params {
      receives = dense<[[3, 0, 1, 0, 2, 0, 1, 0]]> : tensor<1x8xi16>,
      out = dense<[[8, 8, 9, 8, 10, 8, 9, 8]]> : tensor<1x8xi16>,
      root = dense<[[true, false, false, false, false, false, false, false]]> : tensor<1x8xi1>}
    csl.color_config 8 at <1 to 8 step 2, 0> routes <rx RAMP tx WEST>
    csl.color_config 8 at <0 to 8 step 2, 0> routes <rx EAST tx RAMP>
    csl.color_config 9 at <2 to 8 step 4, 0> routes <rx RAMP tx WEST>
    csl.color_config 9 at <1 to 8 step 4, 0> routes <rx EAST tx WEST>
    csl.color_config 9 at <0 to 8 step 4, 0> routes <rx EAST tx RAMP>
    csl.color_config 10 at <4, 0> routes <rx RAMP tx WEST>
    csl.color_config 10 at <1 to 4, 0> routes <rx EAST tx WEST>
    csl.color_config 10 at <0, 0> routes <rx EAST tx RAMP>
    csl.export_name "data" : !csl.ptr<many f32> mutable
    csl.export_name "reduce" : () -> ()
  }

  csl.program @pe {
    csl.param @receives : i16
    csl.param @out : !csl.color
    csl.param @root : i1
    csl.var @data : memref<16xf32>

    func.func @reduce() {
      %data = csl.get_var @data : memref<16xf32>
      %mem = csl.mem1d_dsd %data : memref<16xf32> extent 16
      %iq0 = csl.constant 2 : !csl.input_queue
      %iq1 = csl.constant 3 : !csl.input_queue
      %iq2 = csl.constant 4 : !csl.input_queue
      %in0 = csl.fabin_dsd queue %iq0 extent 16
      %in1 = csl.fabin_dsd queue %iq1 extent 16
      %in2 = csl.fabin_dsd queue %iq2 extent 16
      %n = csl.get_param @receives : i16
      %zero = arith.constant 0 : i16
      %one = arith.constant 1 : i16
      %two = arith.constant 2 : i16
      %round0 = arith.cmpi sgt, %n, %zero : i16
      %round1 = arith.cmpi sgt, %n, %one : i16
      %round2 = arith.cmpi sgt, %n, %two : i16
      scf.if %round0 {
        csl.fadds %mem = %in0, %mem : !csl.dsd<mem1d> = !csl.dsd<fabin>, !csl.dsd<mem1d>
      }
      scf.if %round1 {
        csl.fadds %mem = %in1, %mem : !csl.dsd<mem1d> = !csl.dsd<fabin>, !csl.dsd<mem1d>
      }
      scf.if %round2 {
        csl.fadds %mem = %in2, %mem : !csl.dsd<mem1d> = !csl.dsd<fabin>, !csl.dsd<mem1d>
      }
      %root = csl.get_param @root : i1
      scf.if %root {
      } else {
        %oq = csl.constant 2 : !csl.output_queue
        %out = csl.fabout_dsd queue %oq extent 16
        csl.fmovs %out = %mem : !csl.dsd<fabout> = !csl.dsd<mem1d>
      }
      csl.unblock_cmd_stream
      return
    }

    csl.comptime {
      %c0 = csl.constant 8 : !csl.color
      %c1 = csl.constant 9 : !csl.color
      %c2 = csl.constant 10 : !csl.color
      %out = csl.get_param @out : !csl.color
      %iq0 = csl.constant 2 : !csl.input_queue
      %iq1 = csl.constant 3 : !csl.input_queue
      %iq2 = csl.constant 4 : !csl.input_queue
      %oq = csl.constant 2 : !csl.output_queue
      csl.initialize_queue %iq0 : !csl.input_queue color %c0
      csl.initialize_queue %iq1 : !csl.input_queue color %c1
      csl.initialize_queue %iq2 : !csl.input_queue color %c2
      csl.initialize_queue %oq : !csl.output_queue color %out
      csl.export_symbol @data
      csl.export_symbol @reduce
    }
  }
}
