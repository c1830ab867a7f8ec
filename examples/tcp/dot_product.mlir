// Dot product of two bf16 vectors in one slice (TCP manual, Hello, Dot Product).

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">

!Host = !tcp.host<bf16, #axes, "A">
!HostOut = !tcp.host<bf16, #axes, "1">
!Hbm = !tcp.hbm<bf16, #axes, "1", "A">
!HbmOut = !tcp.hbm<bf16, #axes, "1", "1">
!Dm = !tcp.dm<bf16, #grid, "A">
!Trf = !tcp.trf<bf16, #grid, "1", "A">

module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%lhs: !Host, %rhs: !Host) -> !HostOut {
    %lhs_hbm = tcp.to_hbm %lhs at 0 : !Host -> !Hbm
    %rhs_hbm = tcp.to_hbm %rhs at 268435456 : !Host -> !Hbm
    %out_hbm = tcp.launch @kernel(%lhs_hbm, %rhs_hbm) : (!Hbm, !Hbm) -> !HbmOut
    %out = tcp.to_host %out_hbm : !HbmOut -> !HostOut
    return %out : !HostOut
  }

  func.func @kernel(%lhs: !Hbm, %rhs: !Hbm) -> !HbmOut {
    %lhs_dm = tcp.to_dm %lhs at 0 : !Hbm -> !Dm
    %rhs_dm = tcp.to_dm %rhs at 4096 : !Hbm -> !Dm

    // Sub context: rhs into the whole TRF.
    %s0 = tcp.begin sub %rhs_dm : !Dm
    %s1 = tcp.fetch %s0 bf16 "1", "A" : <sub begin bf16, #grid, "1", "A">
    %s2 = tcp.collect %s1 "1, A / 16", "A % 16" : <sub fetch bf16, #grid, "1", "A">
    %rhs_trf = tcp.to_trf %s2 Full "1", "A" : <sub collect bf16, #grid, "1, A / 16", "A % 16">

    // Main context: lhs past it, summed along A.
    %0 = tcp.begin main %lhs_dm : !Dm
    %1 = tcp.fetch %0 bf16 "1", "A" : <main begin bf16, #grid, "1", "A">
    %2 = tcp.collect %1 "A / 16", "A % 16" : <main fetch bf16, #grid, "1", "A">
    %3 = tcp.align %2, %rhs_trf "A / 32", "A % 32" : <main collect bf16, #grid, "A / 16", "A % 16">, !Trf
    %4 = tcp.contract %3 "1" : <main align bf16, #grid, row "1", "A / 32", "A % 32">
    %5 = tcp.accumulate %4 Interleaved "1", "1 # 8" : <main contract f32, #grid, row "1", "A / 32", "1">
    %6 = tcp.cast %5 bf16 "1 # 16" : <main accumulate f32, #grid, "1", "1 # 8">
    %result = tcp.commit %6 at 8192 "1 # 8" : <main cast bf16, #grid, "1", "1 # 16">

    %out = tcp.to_hbm %result at 536870912 : !tcp.dm<bf16, #grid, "1 # 8"> -> !HbmOut
    return %out : !HbmOut
  }
}
