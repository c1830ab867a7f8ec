// The branch logger of one pass decides what the next one does: the elements that were
// negative before the first pass added 1000 are doubled by the second.
//
// RUN: %python -c "import numpy as np; np.save(r'%t.npy', np.random.default_rng(5).integers(-99, 99, 4096).astype(np.int32))"
// RUN: sequin-run %s --input %t.npy --output %t.out.npy --verify
// RUN: %python -c "import numpy as np; x = np.load(r'%t.npy'); y = np.load(r'%t.out.npy'); print(np.array_equal(y, np.where(x < 0, 2 * (x + 1000), x + 1000)))" | FileCheck %s
// RUN: sequin-opt %s --tcp-to-config | FileCheck %s --check-prefix=CONFIG
// ROWS: VEC-10, VEC-30
// CHECK: True
// CONFIG: branch = <mode = comparison, comparisons = [<compare = less, constant = 0>], log_address = 128>
// CONFIG: branch = <mode = vrf, vrf = #stream.sequencer<[2 : 8, 8 : 1] packet 1 at 128>>

#axes = #stream.axes<A = 4096>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 16 # 256">

!Host = !tcp.host<i32, #axes, "A">
!Hbm = !tcp.hbm<i32, #axes, "1", "A">
!Dm = !tcp.dm<i32, #grid, "A % 16">
!Ids = !tcp.vrf<i4, #grid, "A / 8 % 2, A % 8">

module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%x: !Host) -> !Host {
    %x_hbm = tcp.to_hbm %x at 0 : !Host -> !Hbm
    %y_hbm = tcp.launch @kernel(%x_hbm) : (!Hbm) -> !Hbm
    %y = tcp.to_host %y_hbm : !Hbm -> !Host
    return %y : !Host
  }

  func.func @kernel(%x: !Hbm) -> !Hbm {
    %x_dm = tcp.to_dm %x at 0 : !Hbm -> !Dm
    %0 = tcp.begin main %x_dm : !Dm
    %1 = tcp.fetch %0 i32 "A / 8 % 2", "A % 8" : <main begin i32, #grid, "1", "A % 16">
    %2 = tcp.collect %1 "A / 8 % 2", "A % 8" : <main fetch i32, #grid, "A / 8 % 2", "A % 8">
    %3 = tcp.vector_init %2 : <main collect i32, #grid, "A / 8 % 2", "A % 8">
    %4 = tcp.vector_intra_slice_branch %3 Comparison [#tcp.cmp<Less, 0 : i32>] : <main vector_init i32, #grid, "A / 8 % 2", "A % 8">
    %5, %ids = tcp.vector_branch_log %4 at 128 "A / 8 % 2, A % 8" : <main vector_branch i32, #grid, "A / 8 % 2", "A % 8">
    %6 = tcp.vector_fxp %5 AddFxp (1000 : i32) : <main vector_branch i32, #grid, "A / 8 % 2", "A % 8">
    %7 = tcp.vector_final %6 : <main vector_fxp i32, #grid, "A / 8 % 2", "A % 8">
    %sum = tcp.commit %7 at 4096 "A % 16" : <main vector_final i32, #grid, "A / 8 % 2", "A % 8">

    %10 = tcp.begin main %sum : !Dm
    %11 = tcp.fetch %10 i32 "A / 8 % 2", "A % 8" : <main begin i32, #grid, "1", "A % 16">
    %12 = tcp.collect %11 "A / 8 % 2", "A % 8" : <main fetch i32, #grid, "A / 8 % 2", "A % 8">
    %13 = tcp.vector_init %12 : <main collect i32, #grid, "A / 8 % 2", "A % 8">
    %14 = tcp.vector_intra_slice_branch %13 Vrf, %ids : <main vector_init i32, #grid, "A / 8 % 2", "A % 8">, !Ids
    %15 = tcp.vector_fxp %14 MulInt (2 : i32) group One : <main vector_branch i32, #grid, "A / 8 % 2", "A % 8">
    %16 = tcp.vector_final %15 : <main vector_fxp i32, #grid, "A / 8 % 2", "A % 8">
    %result = tcp.commit %16 at 8192 "A % 16" : <main vector_final i32, #grid, "A / 8 % 2", "A % 8">
    %y = tcp.to_hbm %result at 268435456 : !Dm -> !Hbm
    return %y : !Hbm
  }
}
