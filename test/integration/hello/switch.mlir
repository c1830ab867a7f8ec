// Broadcast01 at work: slices 0 to 3 of a ring exchange their packets; every slice of
// the ring then holds all of A. The result is the input, held by the first slice.
//
// RUN: %python -c "import numpy as np; np.save(r'%t.npy', np.arange(2048, dtype=np.int32) * 7919)"
// RUN: sequin-run %s --input %t.npy --output %t.out.npy --report %t.json --verify
// RUN: %python -c "import json, numpy as np; print(np.array_equal(np.load(r'%t.npy'), np.load(r'%t.out.npy'))); [print(c['name'], c['stages'].get('switch')) for c in json.load(open(r'%t.json'))['commands'] if 'switch' in c['stages']]" | FileCheck %s
// ROWS: SWI-01, SWI-04, SWI-19
// CHECK: True
// 4 slices x 64 packets of one flit.
// CHECK: commit 256

#axes = #stream.axes<A = 2048, X = 4>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 512 # 256">
#out = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "X # 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%0: !tcp.host<i32, #axes, "A">) -> !tcp.host<i32, #axes, "A"> {
    %1 = tcp.to_hbm %0 at 0 : !tcp.host<i32, #axes, "A"> -> !tcp.hbm<i32, #axes, "1", "A">
    %2 = tcp.launch @kernel(%1) : (!tcp.hbm<i32, #axes, "1", "A">) -> !tcp.hbm<i32, #axes, "1", "A">
    %3 = tcp.to_host %2 : !tcp.hbm<i32, #axes, "1", "A"> -> !tcp.host<i32, #axes, "A">
    return %3 : !tcp.host<i32, #axes, "A">
  }
  func.func @kernel(%0: !tcp.hbm<i32, #axes, "1", "A">) -> !tcp.hbm<i32, #axes, "1", "A"> {
    %dm = tcp.to_dm %0 at 0 : !tcp.hbm<i32, #axes, "1", "A"> -> !tcp.dm<i32, #in, "A % 512">
    %1 = tcp.begin main %dm : !tcp.dm<i32, #in, "A % 512">
    %2 = tcp.fetch %1 i32 "A % 512 / 8", "A % 8" : <main begin i32, #in, "1", "A % 512">
    %3 = tcp.switch %2 Broadcast01 slice1 = 4 slice0 = 1 time0 = 64 "X # 256", "A / 512, A % 512 / 8" : <main fetch i32, #in, "A % 512 / 8", "A % 8">
    %4 = tcp.collect %3 "A / 8", "A % 8" : <main switch i32, #out, "A / 512, A % 512 / 8", "A % 8">
    %all = tcp.commit %4 at 4096 "A" : <main collect i32, #out, "A / 8", "A % 8">
    %5 = tcp.to_hbm %all at 65536 : !tcp.dm<i32, #out, "A"> -> !tcp.hbm<i32, #axes, "1", "A">
    return %5 : !tcp.hbm<i32, #axes, "1", "A">
  }
}
