// GEMM, C_ij = sum over k of A_ik B_jk: a 16 x 16 grid of slices, each with a tile of
// 32 x 32 results; B is stationary, 8 of its rows at a time (TCP manual, Hello, GEMM,
// with K = 1024 so that a TRF row holds B's tile, and addresses that do not overlap).

#axes = #stream.axes<I = 512, J = 512, K = 1024>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "I / 32, J / 32">

!HostA = !tcp.host<bf16, #axes, "I, K">
!HostB = !tcp.host<bf16, #axes, "J, K">
!HostC = !tcp.host<bf16, #axes, "I, J">
!HbmA = !tcp.hbm<bf16, #axes, "1", "I, K">
!HbmB = !tcp.hbm<bf16, #axes, "1", "J, K">
!HbmC = !tcp.hbm<bf16, #axes, "1", "I, J">
!DmA = !tcp.dm<bf16, #grid, "I % 32, K">
!DmB = !tcp.dm<bf16, #grid, "J % 32, K">
!DmC = !tcp.dm<bf16, #grid, "I % 32, J % 32">
!Trf = !tcp.trf<bf16, #grid, "J % 8", "J / 8 % 4, K">

module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !HostA, %b: !HostB) -> !HostC {
    %a_hbm = tcp.to_hbm %a at 0 : !HostA -> !HbmA
    %b_hbm = tcp.to_hbm %b at 268435456 : !HostB -> !HbmB
    %c_hbm = tcp.launch @kernel(%a_hbm, %b_hbm) : (!HbmA, !HbmB) -> !HbmC
    %c = tcp.to_host %c_hbm : !HbmC -> !HostC
    return %c : !HostC
  }

  func.func @kernel(%a: !HbmA, %b: !HbmB) -> !HbmC {
    // A's tile repeats over J / 32, B's over I / 32.
    %a_dm = tcp.to_dm %a at 0 : !HbmA -> !DmA
    %b_dm = tcp.to_dm %b at 131072 : !HbmB -> !DmB

    // Sub context: B into the TRF, eight rows side by side.
    %s0 = tcp.begin sub %b_dm : !DmB
    %s1 = tcp.fetch %s0 bf16 "J % 8, J / 8 % 4", "K" : <sub begin bf16, #grid, "1", "J % 32, K">
    %s2 = tcp.collect %s1 "J % 8, J / 8 % 4, K / 16", "K % 16" : <sub fetch bf16, #grid, "J % 8, J / 8 % 4", "K">
    %b_trf = tcp.to_trf %s2 Full "J % 8", "J / 8 % 4, K" : <sub collect bf16, #grid, "J % 8, J / 8 % 4, K / 16", "K % 16">

    // Main context: A past B; K is reduced, I and J are kept.
    %0 = tcp.begin main %a_dm : !DmA
    %1 = tcp.fetch %0 bf16 "I % 32, J / 8 % 4", "K" : <main begin bf16, #grid, "1", "I % 32, K">
    %2 = tcp.collect %1 "I % 32, J / 8 % 4, K / 16", "K % 16" : <main fetch bf16, #grid, "I % 32, J / 8 % 4", "K">
    %3 = tcp.align %2, %b_trf "I % 32, J / 8 % 4, K / 32", "K % 32" : <main collect bf16, #grid, "I % 32, J / 8 % 4, K / 16", "K % 16">, !Trf
    %4 = tcp.contract %3 "1" : <main align bf16, #grid, row "J % 8", "I % 32, J / 8 % 4, K / 32", "K % 32">
    %5 = tcp.accumulate %4 Interleaved "I % 32, J / 8 % 4", "J % 8" : <main contract f32, #grid, row "J % 8", "I % 32, J / 8 % 4, K / 32", "1">
    %6 = tcp.cast %5 bf16 "J % 8 # 16" : <main accumulate f32, #grid, "I % 32, J / 8 % 4", "J % 8">
    %c_dm = tcp.commit %6 at 262144 "I % 32, J % 32" : <main cast bf16, #grid, "I % 32, J / 8 % 4", "J % 8 # 16">

    %c = tcp.to_hbm %c_dm at 536870912 : !DmC -> !HbmC
    return %c : !HbmC
  }
}
