// A pass that reads one bank of data memory 64 times in a row holds the DMA engines: the
// load behind it waits, although nothing else stands in its way. A configuration that
// denies it gets the machine's NoC timeout.
//
// RUN: %python -c "import numpy as np; np.save(r'%t.npy', np.arange(64 * 128).astype(np.int8).reshape(64, 128))"
// RUN: sequin-run %s --input %t.npy --input %t.npy --output %t.x.npy --output %t.y.npy --report %t.json --timeline %t.trace.json --verify
// RUN: %python %S/Inputs/starvation.py %t.json %t.trace.json | FileCheck %s
// CHECK: main commit after 'to_dm': dma busy
// CHECK: dma to_dm.1 after 'commit': dma busy
// CHECK: tracks ['main', 'sub', 'dma']
// CHECK: nested True
// CHECK: wait: dma busy
//
// RUN: sequin-opt %s --tcp-to-config -o %t.config.mlir
// RUN: FileCheck %s --check-prefix=CONFIG < %t.config.mlir
// CONFIG: tcp.config_exec "commit"{{.*}} occupies_dma fetch
// RUN: sed -e 's/occupies_dma //' %t.config.mlir > %t.hand.mlir
// RUN: not sequin-run %t.hand.mlir --timing-only 2>&1 | FileCheck %s --check-prefix=TRAP
// TRAP: trap: command 'to_dm.1' stage 'dma': NoC timeout: 'commit' accesses bank 0 of data memory {{6[4-9]}} times in a row, allowed beside DMA are at most 63
// ROWS: SCH-05, DMA-20, MEM-06, SIL-43

#axes = #stream.axes<A = 64, B = 128>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
!Host = !tcp.host<i8, #axes, "A, B">
!Hbm = !tcp.hbm<i8, #axes, "1", "A, B">
!Dm = !tcp.dm<i8, #grid, "A, B">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%0: !Host, %1: !Host) -> (!Host, !Host) {
    %2 = tcp.to_hbm %0 at 0 : !Host -> !Hbm
    %3 = tcp.to_hbm %1 at 65536 : !Host -> !Hbm
    %4:2 = tcp.launch @kernel(%2, %3) : (!Hbm, !Hbm) -> (!Hbm, !Hbm)
    %5 = tcp.to_host %4#0 : !Hbm -> !Host
    %6 = tcp.to_host %4#1 : !Hbm -> !Host
    return %5, %6 : !Host, !Host
  }
  func.func @kernel(%0: !Hbm, %1: !Hbm) -> (!Hbm, !Hbm) {
    %x = tcp.to_dm %0 at 0 : !Hbm -> !Dm
    // Columns of rows of 128 bytes: all of a column's words are in one bank.
    %2 = tcp.begin main %x : !Dm
    %3 = tcp.fetch %2 i8 "B / 8, A", "B % 8" : <main begin i8, #grid, "1", "A, B">
    %4 = tcp.collect %3 "B / 8, A", "B % 8 # 32" : <main fetch i8, #grid, "B / 8, A", "B % 8">
    %columns = tcp.commit %4 at 16384 "B / 8, A, B % 8" : <main collect i8, #grid, "B / 8, A", "B % 8 # 32">
    %y = tcp.to_dm %1 at 32768 : !Hbm -> !Dm
    %5 = tcp.to_hbm %columns at 131072 : !tcp.dm<i8, #grid, "B / 8, A, B % 8"> -> !Hbm
    %6 = tcp.to_hbm %y at 196608 : !Dm -> !Hbm
    return %5, %6 : !Hbm, !Hbm
  }
}
