// What an index steps by: the distance of two positions of the axis in HBM, also where
// a bracket has padding between them, or holds the rows with their padding.
//
// RUN: sequin-opt %s --tcp-to-config | sequin-translate --tcp-to-json | %python -c "import json, sys; [print(c['name'], d['indirection']['step'], d['indirection']['count']) for c in json.load(sys.stdin)['commands'] for d in c.get('descriptors', []) if d.get('indirection')]" | FileCheck %s
// ROWS: DMA-01

#axes = #stream.axes<V = 15, W = 3, S = 4, D = 100>
!Indices = !tcp.hbm<i32, #axes, "1", "S # 16">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%0: !tcp.host<i32, #axes, "V">, %1: !tcp.host<i32, #axes, "S">, %2: !tcp.host<bf16, #axes, "W, D">) {
    %3 = tcp.to_hbm %0 at 0 : !tcp.host<i32, #axes, "V"> -> !tcp.hbm<i32, #axes, "1", "[V, 1 # 2] # 32">
    %4 = tcp.to_hbm %1 at 4096 : !tcp.host<i32, #axes, "S"> -> !Indices
    %5 = tcp.to_hbm %2 at 8192 : !tcp.host<bf16, #axes, "W, D"> -> !tcp.hbm<bf16, #axes, "1", "[W, D # 128] # 1024">
    tcp.launch @kernel(%3, %4, %5) : (!tcp.hbm<i32, #axes, "1", "[V, 1 # 2] # 32">, !Indices, !tcp.hbm<bf16, #axes, "1", "[W, D # 128] # 1024">) -> ()
    return
  }
  func.func @kernel(%0: !tcp.hbm<i32, #axes, "1", "[V, 1 # 2] # 32">, %1: !Indices, %2: !tcp.hbm<bf16, #axes, "1", "[W, D # 128] # 1024">) {
    // CHECK: elements.gather 8 15
    %3 = tcp.gather %0 [%1] "V" at 16384 : !tcp.hbm<i32, #axes, "1", "[V, 1 # 2] # 32">, !Indices -> !tcp.hbm<i32, #axes, "1", "S # 16"> loc("elements")
    // CHECK: rows.gather 256 3
    %4 = tcp.gather %2 [%1] "W" at 32768 : !tcp.hbm<bf16, #axes, "1", "[W, D # 128] # 1024">, !Indices -> !tcp.hbm<bf16, #axes, "1", "S, D # 128"> loc("rows")
    // CHECK: back.scatter 8 15
    %5 = tcp.scatter %3 [%1] "V" into %0 : !tcp.hbm<i32, #axes, "1", "S # 16">, !Indices, !tcp.hbm<i32, #axes, "1", "[V, 1 # 2] # 32"> loc("back")
    return
  }
}
