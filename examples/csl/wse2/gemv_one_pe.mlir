// y = A x + b on one PE: one fmacs per column of A, the column as a strided
// DSD that moves on by one element.

module attributes {csl.target = #csl.target<"wse2", memcpy = true>} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    csl.export_name "A" : !csl.ptr<many f32> mutable
    csl.export_name "x" : !csl.ptr<many f32> mutable
    csl.export_name "b" : !csl.ptr<many f32> mutable
    csl.export_name "y" : !csl.ptr<many f32>
    csl.export_name "compute" : () -> ()
  }

  csl.program @pe {
    csl.var @A : memref<8x6xf32>
    csl.var @x : memref<6xf32>
    csl.var @b : memref<8xf32>
    csl.var @y : memref<8xf32>

    func.func @compute() {
      %A = csl.get_var @A : memref<8x6xf32>
      %x = csl.get_var @x : memref<6xf32>
      %b = csl.get_var @b : memref<8xf32>
      %y = csl.get_var @y : memref<8xf32>
      %yd = csl.mem1d_dsd %y : memref<8xf32> extent 8
      %bd = csl.mem1d_dsd %b : memref<8xf32> extent 8
      csl.fmovs %yd = %bd : !csl.dsd<mem1d> = !csl.dsd<mem1d>
      %first = csl.mem1d_dsd %A : memref<8x6xf32> access <(i) -> (i, 0), [8]>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c6 = arith.constant 6 : index
      %one = arith.constant 1 : i16
      scf.for %j = %c0 to %c6 step %c1 iter_args(%column = %first) -> (!csl.dsd<mem1d>) {
        %xj = memref.load %x[%j] : memref<6xf32>
        csl.fmacs %yd = %yd, %column, %xj : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>, f32
        %next = csl.increment_dsd_offset %column, %one of f32 : !csl.dsd<mem1d>
        scf.yield %next : !csl.dsd<mem1d>
      }
      csl.unblock_cmd_stream
      return
    }

    csl.comptime {
      csl.export_symbol @A
      csl.export_symbol @x
      csl.export_symbol @b
      csl.export_symbol @y
      csl.export_symbol @compute
    }
  }
}
