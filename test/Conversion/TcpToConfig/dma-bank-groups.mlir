// What many slices read at once would keep one bank group busy: every other engine reads
// the halves of 16 KB in the other order, if there is an even number of them.
//
// RUN: sequin-opt %s --tcp-to-config | sequin-translate --tcp-to-json | %python %S/Inputs/descriptors.py | FileCheck %s
// RUN: sequin-run %s --timing-only --report %t.json
// RUN: %python -c "import json; [print(c['name'], c['stages']['hbm']) for c in json.load(open(r'%t.json'))['commands'] if c['context'] == 'dma']" | FileCheck %s --check-prefix=CYCLES

#axes = #stream.axes<R = 2, S = 256, A = 32768, B = 40960, C = 25600>
#grid = #tcp.grid<#axes, chip "1", cluster "R", slice "S">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%0: !tcp.host<i8, #axes, "A">, %1: !tcp.host<i8, #axes, "B">, %2: !tcp.host<i8, #axes, "C">) {
    %a = tcp.to_hbm %0 at 0 : !tcp.host<i8, #axes, "A"> -> !tcp.hbm<i8, #axes, "1", "A">
    %b = tcp.to_hbm %1 at 65536 : !tcp.host<i8, #axes, "B"> -> !tcp.hbm<i8, #axes, "1", "B">
    %c = tcp.to_hbm %2 at 131072 : !tcp.host<i8, #axes, "C"> -> !tcp.hbm<i8, #axes, "1", "C">
    tcp.launch @kernel(%a, %b, %c) : (!tcp.hbm<i8, #axes, "1", "A">, !tcp.hbm<i8, #axes, "1", "B">, !tcp.hbm<i8, #axes, "1", "C">) -> ()
    return
  }
  func.func @kernel(%a: !tcp.hbm<i8, #axes, "1", "A">, %b: !tcp.hbm<i8, #axes, "1", "B">, %c: !tcp.hbm<i8, #axes, "1", "C">) {
    // CHECK: a.to_dm: hbm 0 -> dm 0 engine 0: [32:0/4194304, 128:256/256, 2:0/134217728]:256 @ 0 -> 0
    // CHECK-NEXT: a.to_dm: hbm 0 -> dm 0 engine 1: [32:0/4194304, 2:16384/16384, 2:-8192/-8192, 32:256/256, 2:0/134217728]:256 @ 8192 -> 268443648
    // CHECK-NEXT: a.to_dm: hbm 0 -> dm 0 engine 2: [32:0/4194304, 128:256/256, 2:0/134217728]:256 @ 0 ->
    // CYCLES: a.to_dm 11418
    %0 = tcp.to_dm %a at 0 : !tcp.hbm<i8, #axes, "1", "A"> -> !tcp.dm<i8, #grid, "A"> loc("a")
    // 40 KB are five halves.
    // CHECK: b.to_dm: hbm 0 -> dm 0 engine 1: [32:0/4194304, 160:256/256, 2:0/134217728]:256 @ 65536 ->
    // CYCLES: b.to_dm 27796
    %1 = tcp.to_dm %b at 32768 : !tcp.hbm<i8, #axes, "1", "B"> -> !tcp.dm<i8, #grid, "B"> loc("b")
    // Ten packets of 2,560 bytes are whole requests, eight of 3,200 are not.
    // CHECK: c.to_dm: hbm 0 -> dm 0 engine 1: [32:0/4194304, 100:256/256, 2:0/134217728]:256 @ 131072 ->
    %2 = tcp.to_dm %c at 73728 : !tcp.hbm<i8, #axes, "1", "C"> -> !tcp.dm<i8, #grid, "C"> loc("c")
    return
  }
}
