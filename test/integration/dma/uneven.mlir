// An axis of 15 over engines, slices and networks of 16, on four chips: cut into pieces
// both ways (the manual's Example 6).
//
// RUN: %python -c "import numpy as np; np.save(r'%t.npy', np.random.default_rng(5).integers(-100, 100, (8, 32, 15, 256)).astype(np.int8))"
// RUN: sequin-run %s --input %t.npy --output %t.out.npy --report %t.json --verify
// RUN: %python -c "import json, numpy as np; print(np.array_equal(np.load(r'%t.npy'), np.load(r'%t.out.npy'))); [print(c['name'], c['end'] - c['start']) for c in json.load(open(r'%t.json'))['commands'] if c['context'] == 'dma']" | FileCheck %s
// ROWS: DMA-07, DMA-19
// CHECK: True
// CHECK: to_hbm.4 1192

#axes = #stream.axes<A = 15, B = 32, C = 256, D = 8>
#grid = #tcp.grid<#axes, chip "D / 2", cluster "D % 2", slice "A # 16 / 4, A # 16 / 2 % 2, B">
!Host = !tcp.host<i8, #axes, "D, B, A, C">
!Hbm = !tcp.hbm<i8, #axes, "D / 2", "D % 2, B, A, C">
module attributes {tcp.target = #tcp.target<"rngd", chips = 4>} {
  func.func @main(%0: !Host) -> !Host {
    %1 = tcp.to_hbm %0 at 0 : !Host -> !Hbm
    %2 = tcp.launch @kernel(%1) : (!Hbm) -> !Hbm
    %3 = tcp.to_host %2 : !Hbm -> !Host
    return %3 : !Host
  }
  func.func @kernel(%0: !Hbm) -> !Hbm {
    %1 = tcp.to_dm %0 at 0 : !Hbm -> !tcp.dm<i8, #grid, "A # 16 % 2, C">
    %2 = tcp.to_hbm %1 at 1048576 : !tcp.dm<i8, #grid, "A # 16 % 2, C"> -> !Hbm
    return %2 : !Hbm
  }
}
