// A 5 x 7 array in blocks of 3 x 3 on 3 x 2 PEs, doubled.

module attributes {csl.target = #csl.target<"wse3", memcpy = true>,
                   csl.entry = #csl.entry<"main" ("A") -> ("A")>} {
  csl.layout 3 x 2 {
    csl.tile_code @pe at <0 to 3, 0 to 2>
    csl.export_name "A" : !csl.ptr<many f32> mutable {
      csl.distribution = #csl.distribution<[5 on y by 3, 7 on x by 3]>}
    csl.export_name "main" : () -> ()
  }
  csl.program @pe {
    csl.var @A : memref<3x3xf32>
    func.func @main() {
      %A = csl.get_var @A : memref<3x3xf32>
      %d = csl.mem1d_dsd %A : memref<3x3xf32> extent 9
      csl.fadds %d = %d, %d : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>
      csl.unblock_cmd_stream
      return
    }
    csl.comptime {
      csl.export_symbol @A
      csl.export_symbol @main
    }
  }
}
