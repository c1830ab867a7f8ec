// Two PEs. scale(n, f): A <- f * A, count <- count + n, on both; the west one
// has `west` and the stream of words it adds up.

module attributes {csl.target = #csl.target<"wse3", memcpy = true>} {
  csl.layout 2 x 1 {
    csl.tile_code @west at <0, 0>
    csl.tile_code @east at <1, 0>
    csl.export_name "A" : !csl.ptr<many f32> mutable
    csl.export_name "h" : !csl.ptr<many f16> mutable
    csl.export_name "count" : i16
    csl.export_name "west" : !csl.ptr<many i32> mutable
    csl.export_name "scale" : (i16, f32) -> ()
    csl.export_name "sum" : () -> ()
    csl.export_name "forget" : () -> ()
    csl.export_name "spin" : () -> ()
    csl.export_name "outside" : (i16) -> ()
    csl.stream "words" color 6 to_device
    csl.stream "echo" color 7 to_host
  }
  csl.program @west {
    csl.var @A : memref<4xf32>
    csl.var @h : memref<2xf16>
    csl.var @count : memref<i16>
    csl.var @west : memref<3xi32>
    func.func @scale(%n: i16, %f: f32) {
      %A = csl.get_var @A : memref<4xf32>
      %d = csl.mem1d_dsd %A : memref<4xf32> extent 4
      csl.fmuls %d = %d, %f : !csl.dsd<mem1d> = !csl.dsd<mem1d>, f32
      %c = csl.get_var @count : memref<i16>
      %old = memref.load %c[] : memref<i16>
      %new = arith.addi %old, %n : i16
      memref.store %new, %c[] : memref<i16>
      csl.unblock_cmd_stream
      return
    }
    // What comes on the stream goes into `west` and back.
    func.func @sum() {
      %w = csl.get_var @west : memref<3xi32>
      %to = csl.mem1d_dsd %w : memref<3xi32> extent 3
      %iq = csl.constant 2 : !csl.input_queue
      %oq = csl.constant 2 : !csl.output_queue
      %in = csl.fabin_dsd queue %iq extent 3
      %c = csl.constant 7 : !csl.color
      %out = csl.fabout_dsd queue %oq color %c extent 3
      csl.mov32 %to = %in : !csl.dsd<mem1d> = !csl.dsd<fabin>
      csl.mov32 %out = %to : !csl.dsd<fabout> = !csl.dsd<mem1d>
      csl.unblock_cmd_stream
      return
    }
    func.func @forget() {
      return
    }
    func.func @spin() {
      %t = arith.constant true
      %one = arith.constant 1 : i16
      %c = csl.get_var @count : memref<i16>
      scf.while : () -> () {
        scf.condition(%t)
      } do {
        memref.store %one, %c[] : memref<i16>
        scf.yield
      }
      return
    }
    func.func @outside(%n: i16) {
      %A = csl.get_var @A : memref<4xf32>
      %d = csl.mem1d_dsd %A : memref<4xf32> extent %n
      %zero = arith.constant 0.0 : f32
      csl.fmovs %d = %zero : !csl.dsd<mem1d> = f32
      csl.unblock_cmd_stream
      return
    }
    csl.comptime {
      %c6 = csl.constant 6 : !csl.color
      %c7 = csl.constant 7 : !csl.color
      %iq = csl.constant 2 : !csl.input_queue
      %oq = csl.constant 2 : !csl.output_queue
      csl.initialize_queue %iq : !csl.input_queue color %c6
      csl.initialize_queue %oq : !csl.output_queue color %c7
      csl.export_symbol @A
      csl.export_symbol @h
      csl.export_symbol @count
      csl.export_symbol @west
      csl.export_symbol @scale
      csl.export_symbol @sum
      csl.export_symbol @forget
      csl.export_symbol @spin
      csl.export_symbol @outside
    }
  }
  csl.program @east {
    csl.var @A : memref<4xf32>
    csl.var @h : memref<2xf16>
    csl.var @count : memref<i16>
    func.func @scale(%n: i16, %f: f32) {
      %A = csl.get_var @A : memref<4xf32>
      %d = csl.mem1d_dsd %A : memref<4xf32> extent 4
      csl.fmuls %d = %d, %f : !csl.dsd<mem1d> = !csl.dsd<mem1d>, f32
      %c = csl.get_var @count : memref<i16>
      %old = memref.load %c[] : memref<i16>
      %new = arith.addi %old, %n : i16
      memref.store %new, %c[] : memref<i16>
      csl.unblock_cmd_stream
      return
    }
    csl.comptime {
      csl.export_symbol @A
      csl.export_symbol @h
      csl.export_symbol @count
      csl.export_symbol @scale
    }
  }
}
