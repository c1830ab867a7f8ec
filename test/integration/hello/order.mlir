// A pass takes its place in the program where it ends, so a stage that is written early
// does not run before the register file it needs is loaded.
//
// RUN: %python %S/Inputs/kernel.py make elementwise_multiply %t
// RUN: sequin-run %s --input %t/in0.npy --input %t/in1.npy --output %t/out.npy --verify
// RUN: %python %S/Inputs/kernel.py check elementwise_multiply %t | FileCheck %s
// ROWS: SCH-01, HEL-14
// CHECK: elementwise_multiply: 2048 results equal NumPy's

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">

!Host = !tcp.host<i32, #axes, "A">
!Hbm = !tcp.hbm<i32, #axes, "1", "A">
!Dm = !tcp.dm<i32, #grid, "A % 8">
!Vrf = !tcp.vrf<i32, #grid, "A % 8">

module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%lhs: !Host, %rhs: !Host) -> !Host {
    %lhs_hbm = tcp.to_hbm %lhs at 0 : !Host -> !Hbm
    %rhs_hbm = tcp.to_hbm %rhs at 268435456 : !Host -> !Hbm
    %out_hbm = tcp.launch @kernel(%lhs_hbm, %rhs_hbm) : (!Hbm, !Hbm) -> !Hbm
    %out = tcp.to_host %out_hbm : !Hbm -> !Host
    return %out : !Host
  }

  func.func @kernel(%lhs: !Hbm, %rhs: !Hbm) -> !Hbm {
    %lhs_dm = tcp.to_dm %lhs at 0 : !Hbm -> !Dm
    %rhs_dm = tcp.to_dm %rhs at 4096 : !Hbm -> !Dm

    // The main pass starts before the pass it needs ...
    %0 = tcp.begin main %lhs_dm : !Dm
    %1 = tcp.fetch %0 i32 "1", "A % 8" : <main begin i32, #grid, "1", "A % 8">

    // Sub context: rhs into the VRF, not at its start.
    %s0 = tcp.begin sub %rhs_dm : !Dm
    %s1 = tcp.fetch %s0 i32 "1", "A % 8" : <sub begin i32, #grid, "1", "A % 8">
    %s2 = tcp.collect %s1 "A % 8 / 8", "A % 8 % 8" : <sub fetch i32, #grid, "1", "A % 8">
    %rhs_vrf = tcp.to_vrf %s2 at 64 "A % 8" : <sub collect i32, #grid, "A % 8 / 8", "A % 8 % 8">

    // ... and goes on here.
    %2 = tcp.collect %1 "1", "A % 8" : <main fetch i32, #grid, "1", "A % 8">
    %3 = tcp.vector_init %2 : <main collect i32, #grid, "1", "A % 8">
    %4 = tcp.vector_intra_slice_branch %3 Unconditional : <main vector_init i32, #grid, "1", "A % 8">
    %5 = tcp.vector_fxp %4 MulInt, %rhs_vrf : <main vector_branch i32, #grid, "1", "A % 8">, !Vrf
    %6 = tcp.vector_final %5 : <main vector_fxp i32, #grid, "1", "A % 8">
    %result = tcp.commit %6 at 8192 "A % 8" : <main vector_final i32, #grid, "1", "A % 8">

    %out = tcp.to_hbm %result at 536870912 : !Dm -> !Hbm
    return %out : !Hbm
  }
}
