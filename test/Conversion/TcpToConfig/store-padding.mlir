// A store takes the padding behind its rows along, up to a whole unit of HBM of 64 elements,
// where the tensor has padding there. What is padding of a view alone is somebody's data: of
// rows of 128, a store of 61 leaves the others, wherever it begins.
//
// RUN: sequin-opt %s --tcp-derive-sequencers | FileCheck %s

#axes = #stream.axes<A = 8, B = 61, C = 128>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
!Dm = !tcp.dm<f32, #grid, "A, B # 64">
!Own = !tcp.hbm<f32, #axes, "1", "A, B # 64">
!Wide = !tcp.hbm<f32, #axes, "1", "A, C">
!Inside = !tcp.hbm<f32, #axes, "1", "A, B # 128">
module attributes {tcp.target = #tcp.target<"rngd">} {
  // CHECK-LABEL: func.func @own
  // CHECK: tcp.to_hbm_view
  // CHECK-SAME: "A" 8 : 64 -> 64, 64 : 1 -> 1]
  func.func @own(%dm: !Dm, %out: !Own) -> !Own {
    %0 = tcp.to_hbm_view %dm into %out at 0 as !Own : !Dm, !Own
    return %0 : !Own
  }
  // CHECK-LABEL: func.func @neighbours
  // CHECK: tcp.to_hbm_view
  // CHECK-SAME: "A" 8 : 64 -> 128, "B" 61 : 1 -> 1]
  // CHECK: tcp.to_hbm_view
  // CHECK-SAME: "A" 8 : 64 -> 128, "B" 61 : 1 -> 1]
  func.func @neighbours(%dm: !Dm, %out: !Wide) -> !Wide {
    %0 = tcp.to_hbm_view %dm into %out at 0 as !Inside : !Dm, !Wide
    %1 = tcp.to_hbm_view %dm into %0 at 3 as !Inside : !Dm, !Wide
    return %1 : !Wide
  }
}
