// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s

// CHECK: csl.entry = #csl.entry<"main" ("A", "x") -> ("y")>
module attributes {csl.entry = #csl.entry<"main" ("A", "x") -> ("y")>} {
  csl.program @pe {}
  csl.layout 4 x 4 {
    csl.tile_code @pe at <0 to 4, 0 to 4>
    // CHECK: csl.distribution = #csl.distribution<[56 on y by 14, 56 on x by 14]>
    csl.export_name "A" : !csl.ptr<many f32> mutable {
      csl.distribution = #csl.distribution<[56 on y by 14, 56 on x by 14]>}
    // CHECK: csl.distribution = #csl.distribution<[30 on x by 8 from 1 at 1 of 10, 128], order [1, 0]>
    csl.export_name "x" : !csl.ptr<many f32> mutable {
      csl.distribution = #csl.distribution<[30 on x by 8 from 1 at 1 of 10, 128], order [1, 0]>}
    // CHECK: csl.distribution = #csl.distribution<[]>
    csl.export_name "y" : !csl.ptr<many f32> mutable {
      csl.distribution = #csl.distribution<[]>}
    // CHECK: csl.distribution = #csl.distribution<[60 on xy by 4]>
    csl.export_name "z" : !csl.ptr<many f32> mutable {
      csl.distribution = #csl.distribution<[60 on xy by 4]>}
    csl.export_name "main" : () -> ()
  }
}
