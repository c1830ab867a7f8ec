// y_i = sum over j of A_ij x_j with A in f8 and x in bf16, which the contraction
// engine takes in one type only: A becomes bf16 while it is fetched, a
// conversion that RNGD-S has beyond RNGD's.

#axes = #stream.axes<I = 256, J = 512>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "I">

!Matrix = !tcp.host<f8E4M3FN, #axes, "I, J">
!Vector = !tcp.host<bf16, #axes, "J">
!Out = !tcp.host<bf16, #axes, "I">
!MatrixHbm = !tcp.hbm<f8E4M3FN, #axes, "1", "I, J">
!VectorHbm = !tcp.hbm<bf16, #axes, "1", "J">
!OutHbm = !tcp.hbm<bf16, #axes, "1", "I">
!DmMatrix = !tcp.dm<f8E4M3FN, #grid, "J">
!DmVector = !tcp.dm<bf16, #grid, "J">
!Trf = !tcp.trf<bf16, #grid, "1", "J">

module attributes {tcp.target = #tcp.target<"rngd-s", chips = 1>} {
  func.func @main(%matrix: !Matrix, %vector: !Vector) -> !Out {
    %matrix_hbm = tcp.to_hbm %matrix at 0 : !Matrix -> !MatrixHbm
    %vector_hbm = tcp.to_hbm %vector at 268435456 : !Vector -> !VectorHbm
    %out_hbm = tcp.launch @kernel(%matrix_hbm, %vector_hbm) : (!MatrixHbm, !VectorHbm) -> !OutHbm
    %out = tcp.to_host %out_hbm : !OutHbm -> !Out
    return %out : !Out
  }

  func.func @kernel(%matrix: !MatrixHbm, %vector: !VectorHbm) -> !OutHbm {
    %matrix_dm = tcp.to_dm %matrix at 0 : !MatrixHbm -> !DmMatrix
    %vector_dm = tcp.to_dm %vector at 4096 : !VectorHbm -> !DmVector

    // Sub context: the vector into the TRF of every slice.
    %s0 = tcp.begin sub %vector_dm : !DmVector
    %s1 = tcp.fetch %s0 bf16 "1", "J" : <sub begin bf16, #grid, "1", "J">
    %s2 = tcp.collect %s1 "J / 16", "J % 16" : <sub fetch bf16, #grid, "1", "J">
    %vector_trf = tcp.to_trf %s2 Full "1", "J" : <sub collect bf16, #grid, "J / 16", "J % 16">

    // Main context: I is in the slices, J is reduced.
    %0 = tcp.begin main %matrix_dm : !DmMatrix
    %1 = tcp.fetch %0 bf16 "J / 32", "J % 32" : <main begin f8E4M3FN, #grid, "1", "J">
    %2 = tcp.collect %1 "J / 16", "J % 16" : <main fetch bf16, #grid, "J / 32", "J % 32">
    %3 = tcp.align %2, %vector_trf "J / 32", "J % 32" : <main collect bf16, #grid, "J / 16", "J % 16">, !Trf
    %4 = tcp.contract %3 "1" : <main align bf16, #grid, row "1", "J / 32", "J % 32">
    %5 = tcp.accumulate %4 Interleaved "1", "1 # 8" : <main contract f32, #grid, row "1", "J / 32", "1">
    %6 = tcp.cast %5 bf16 "1 # 16" : <main accumulate f32, #grid, "1", "1 # 8">
    %result = tcp.commit %6 at 8192 "1 # 8" : <main cast bf16, #grid, "1", "1 # 16">

    %out = tcp.to_hbm %result at 536870912 : !tcp.dm<bf16, #grid, "1 # 8"> -> !OutHbm
    return %out : !OutHbm
  }
}
