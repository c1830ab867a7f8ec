// Constant addition: out = in + 1 over 2048 i32, eight elements in each of the 256
// slices of one cluster (TCP manual, Hello, Constant Addition).

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">

!Host = !tcp.host<i32, #axes, "A">
!Hbm = !tcp.hbm<i32, #axes, "1", "A">
!Dm = !tcp.dm<i32, #grid, "A % 8">

module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%input: !Host) -> !Host {
    %in_hbm = tcp.to_hbm %input at 0 : !Host -> !Hbm
    %out_hbm = tcp.launch @kernel(%in_hbm) : (!Hbm) -> !Hbm
    %out = tcp.to_host %out_hbm : !Hbm -> !Host
    return %out : !Host
  }

  func.func @kernel(%input: !Hbm) -> !Hbm {
    // HBM to DM: 8 elements per slice.
    %dm = tcp.to_dm %input at 0 : !Hbm -> !Dm

    %0 = tcp.begin main %dm : !Dm
    %1 = tcp.fetch %0 i32 "1", "A % 8" : <main begin i32, #grid, "1", "A % 8">
    %2 = tcp.collect %1 "1", "A % 8" : <main fetch i32, #grid, "1", "A % 8">
    %3 = tcp.vector_init %2 : <main collect i32, #grid, "1", "A % 8">
    %4 = tcp.vector_intra_slice_branch %3 Unconditional : <main vector_init i32, #grid, "1", "A % 8">
    %5 = tcp.vector_fxp %4 AddFxp (1 : i32) : <main vector_branch i32, #grid, "1", "A % 8">
    %6 = tcp.vector_final %5 : <main vector_fxp i32, #grid, "1", "A % 8">
    %result = tcp.commit %6 at 4096 "A % 8" : <main vector_final i32, #grid, "1", "A % 8">

    %out = tcp.to_hbm %result at 268435456 : !Dm -> !Hbm
    return %out : !Hbm
  }
}
