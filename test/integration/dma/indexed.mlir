// An embedding lookup, then a dispatch and its inverse: gather and scatter by index
// tensors.
//
// RUN: %python %S/Inputs/indexed.py make %t
// RUN: sequin-run %s --input %t.table.npy --input %t.tokens.npy --input %t.places.npy --output %t.x.npy --output %t.y.npy --output %t.z.npy --report %t.json --verify
// RUN: sequin-run %s --timing-only --report %t.only.json
// RUN: %python %S/Inputs/indexed.py check %t | FileCheck %s
// CHECK: lookup True
// CHECK: dispatch True
// CHECK: restored True
// CHECK: same cycles True
//
// An index outside the table, and two equal places.
// RUN: %python %S/Inputs/indexed.py spoil %t
// RUN: not sequin-run %s --input %t.table.npy --input %t.high.npy --input %t.places.npy 2>&1 | FileCheck %s --check-prefix=HIGH
// RUN: not sequin-run %s --input %t.table.npy --input %t.tokens.npy --input %t.twice.npy 2>&1 | FileCheck %s --check-prefix=TWICE
// HIGH: trap: command 'gather' stage 'dma': index at address {{[0-9]+}} of chip 0 is 100, allowed are 0 to 99
// TWICE: trap: command 'scatter' stage 'dma': destination address {{[0-9]+}} of chip 0 is written twice
// ROWS: DMA-01

#axes = #stream.axes<V = 100, S = 16, P = 16, D = 128>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "S # 256">
!Table = !tcp.hbm<bf16, #axes, "1", "V, D">
!Tokens = !tcp.hbm<i32, #axes, "1", "S">
!X = !tcp.hbm<bf16, #axes, "1", "S, D">
!Y = !tcp.hbm<bf16, #axes, "1", "P, D">
!Dm = !tcp.dm<bf16, #grid, "D">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%0: !tcp.host<bf16, #axes, "V, D">, %1: !tcp.host<i32, #axes, "S">, %2: !tcp.host<i32, #axes, "S">)
      -> (!tcp.host<bf16, #axes, "S, D">, !tcp.host<bf16, #axes, "P, D">, !tcp.host<bf16, #axes, "S, D">) {
    %table = tcp.to_hbm %0 at 0 : !tcp.host<bf16, #axes, "V, D"> -> !Table
    %tokens = tcp.to_hbm %1 at 65536 : !tcp.host<i32, #axes, "S"> -> !Tokens
    %places = tcp.to_hbm %2 at 66560 : !tcp.host<i32, #axes, "S"> -> !Tokens
    %r:3 = tcp.launch @kernel(%table, %tokens, %places) : (!Table, !Tokens, !Tokens) -> (!X, !Y, !X)
    %x = tcp.to_host %r#0 : !X -> !tcp.host<bf16, #axes, "S, D">
    %y = tcp.to_host %r#1 : !Y -> !tcp.host<bf16, #axes, "P, D">
    %z = tcp.to_host %r#2 : !X -> !tcp.host<bf16, #axes, "S, D">
    return %x, %y, %z : !tcp.host<bf16, #axes, "S, D">, !tcp.host<bf16, #axes, "P, D">, !tcp.host<bf16, #axes, "S, D">
  }
  func.func @kernel(%table: !Table, %tokens: !Tokens, %places: !Tokens) -> (!X, !Y, !X) {
    %x = tcp.gather %table [%tokens] "V" at 0 : !Table, !Tokens -> !Dm
    %out = tcp.to_hbm %x at 131072 : !Dm -> !X
    %blocks = tcp.from_address 196608 : !Y
    %y = tcp.scatter %x [%places] "P" into %blocks : !Dm, !Tokens, !Y
    %z = tcp.gather %y [%places] "P" at 262144 : !Y, !Tokens -> !X
    return %out, %y, %z : !X, !Y, !X
  }
}
