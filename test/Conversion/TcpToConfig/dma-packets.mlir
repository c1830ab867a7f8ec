// Which packets the compiler chooses, and how it deals work out over engines.
//
// RUN: sequin-opt %s --tcp-to-config | sequin-translate --tcp-to-json | %python %S/Inputs/descriptors.py | FileCheck %s
// ROWS: DMA-06, DMA-12, DMA-13

#axes = #stream.axes<A = 4095, B = 4099, C = 8192, E = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "E # 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%0: !tcp.host<i8, #axes, "A">, %1: !tcp.host<i8, #axes, "B">, %2: !tcp.host<i8, #axes, "C">,
                  %3: !tcp.host<i8, #axes, "E, C">) {
    %a = tcp.to_hbm %0 at 0 : !tcp.host<i8, #axes, "A"> -> !tcp.hbm<i8, #axes, "1", "A">
    %b = tcp.to_hbm %1 at 4096 : !tcp.host<i8, #axes, "B"> -> !tcp.hbm<i8, #axes, "1", "B">
    %c = tcp.to_hbm %2 at 16384 : !tcp.host<i8, #axes, "C"> -> !tcp.hbm<i8, #axes, "1", "C">
    %e = tcp.to_hbm %3 at 1048576 : !tcp.host<i8, #axes, "E, C"> -> !tcp.hbm<i8, #axes, "1", "E, C">
    tcp.launch @kernel(%a, %b, %c, %e) : (!tcp.hbm<i8, #axes, "1", "A">, !tcp.hbm<i8, #axes, "1", "B">, !tcp.hbm<i8, #axes, "1", "C">, !tcp.hbm<i8, #axes, "1", "E, C">) -> ()
    return
  }
  func.func @kernel(%a: !tcp.hbm<i8, #axes, "1", "A">, %b: !tcp.hbm<i8, #axes, "1", "B">, %c: !tcp.hbm<i8, #axes, "1", "C">, %e: !tcp.hbm<i8, #axes, "1", "E, C">) {
    // CHECK: a.to_hbm: hbm 0 -> hbm 0 engine 0: []:4095 @ 0 -> 2097152
    %0 = tcp.to_hbm %a at 2097152 : !tcp.hbm<i8, #axes, "1", "A"> -> !tcp.hbm<i8, #axes, "1", "A"> loc("a")
    // A prime number of bytes in two descriptors, not byte by byte.
    // CHECK: b.to_hbm: hbm 0 -> hbm 0 engine 0: []:4096 @ 4096 -> 2101248
    // CHECK-NEXT: b.to_hbm: hbm 0 -> hbm 0 engine 0: []:3 @ 8192 -> 2105344
    %1 = tcp.to_hbm %b at 2101248 : !tcp.hbm<i8, #axes, "1", "B"> -> !tcp.hbm<i8, #axes, "1", "B"> loc("b")
    // CHECK: c.to_hbm: hbm 0 -> hbm 0 engine 0: []:4096 @ 16384 -> 2113536
    // CHECK-NEXT: c.to_hbm: hbm 0 -> hbm 0 engine 1: []:4096 @ 20480 -> 2117632
    %2 = tcp.to_hbm %c at 2113536 : !tcp.hbm<i8, #axes, "1", "C"> -> !tcp.hbm<i8, #axes, "1", "C"> loc("c")
    // Large packets alternate between the two networks of an engine.
    // CHECK: e.to_dm: hbm 0 -> dm 0 engine 0: [32:8192/4194304, 32:256/256, 2:262144/134217728]:256 @ 1048576 -> 0
    %4 = tcp.to_dm %e at 0 : !tcp.hbm<i8, #axes, "1", "E, C"> -> !tcp.dm<i8, #grid, "C"> loc("e")
    return
  }
}
