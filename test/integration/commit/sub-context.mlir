// Valid count packing and generate mode: rows of eight numbers keep as many as a
// list of counts says, then all rows keep the three that an immediate says.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; np.save('%t/k.npy', np.arange(64, dtype=np.int32).reshape(8, 8)); np.save('%t/n.npy', np.array([3, 0, 8, 1, 2, 0, 5, 4], np.int32)); np.save('%t/bad.npy', np.array([3, 0, 9, 1, 2, 0, 5, 4], np.int32))"
// RUN: sequin-run %s --target rngd --input %t/k.npy --input %t/n.npy --output %t/a.npy --output %t/b.npy --report %t/r.json --verify 2>&1 | FileCheck %s --check-prefix=VERIFIED
// RUN: %python -c "import json, numpy as np; [print(np.load('%t/' + f).ravel().tolist()) for f in ('a.npy', 'b.npy')]; [print(c['name'], dict(sorted(c['stages'].items()))) for c in json.load(open('%t/r.json'))['commands'] if c['context'] == 'sub']" | FileCheck %s
// RUN: not sequin-run %s --target rngd --input %t/k.npy --input %t/bad.npy --output %t/a.npy --output %t/b.npy 2>&1 | FileCheck %s --check-prefix=TRAP
// RUN: sequin-opt --tcp-to-config %s | sequin-translate --tcp-to-json -o %t/1.json
// RUN: FileCheck %s --check-prefix=JSON --input-file %t/1.json
// RUN: sequin-translate --json-to-tcp %t/1.json | sequin-translate --tcp-to-json -o %t/2.json && cmp %t/1.json %t/2.json
// RUN: %python -c "import json; c = json.load(open('%t/1.json')); e = [x for x in c['commands'] if 'commit' in x]; e[0]['commit']['packing']['counts']['base'] = 524280; json.dump(c, open('%t/3.json', 'w'))"
// RUN: not sequin-run %t/3.json --target rngd --input %t/k.npy --input %t/n.npy --output %t/a.npy --output %t/b.npy 2>&1 | FileCheck %s --check-prefix=EDITED
// RUN: rm -rf %t
// ROWS: COM-15, SIL-44

// The counts of the list keep 23 numbers; behind them is what was there before.
// CHECK: {{^}}[0, 1, 2, 16, 17, 18, 19, 20, 21, 22, 23, 24, 32, 33, 48, 49, 50, 51, 52, 56, 57, 58, 59, 23, 24,
// CHECK: {{^}}[0, 1, 2, 8, 9, 10, 16, 17, 18, 24, 25, 26, 32, 33, 34, 40, 41, 42, 48, 49, 50, 56, 57, 58, 24, 25,
// Every flit takes its four writes of eight bytes, whatever is kept.
// CHECK: commit_packed {'collect': 8, 'commit': 32, 'fetch': 32}
// CHECK: itos {'generate': 1}
// CHECK: commit_packed.1 {'collect': 8, 'commit': 32, 'fetch': 32}
// VERIFIED: verified: 2 outputs, 128 elements equal
// TRAP: trap: command 'commit_packed' stage 'commit': the count of valid elements is 9 in slice 0, allowed are 0 to 8
// EDITED: command 'commit_packed' stage 'commit': bytes 524280 to 524311 of the DM of a slice are accessed
// JSON: "kind": "generate"
// JSON: "value": 3

#axes = #stream.axes<R = 8, C = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
!Host = !tcp.host<i32, #axes, "R, C">
!Hbm = !tcp.hbm<i32, #axes, "1", "R, C">
!Dm = !tcp.dm<i32, #grid, "R, C">
!HostCount = !tcp.host<i32, #axes, "R">
!HbmCount = !tcp.hbm<i32, #axes, "1", "R">
!DmCount = !tcp.dm<i32, #grid, "R">

module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !Hbm, %counts: !HbmCount) -> (!Hbm, !Hbm) {
    %dm = tcp.to_dm %in at 0 : !Hbm -> !Dm
    %n = tcp.to_dm %counts at 4096 : !HbmCount -> !DmCount
    // Destinations hold the input before.
    %first = tcp.to_dm %in at 8192 : !Hbm -> !Dm
    %second = tcp.to_dm %in at 12288 : !Hbm -> !Dm

    %0 = tcp.begin sub %dm : !Dm
    %1 = tcp.fetch %0 i32 "R", "C" : <sub begin i32, #grid, "1", "R, C">
    %2 = tcp.collect %1 "R", "C" : <sub fetch i32, #grid, "R", "C">
    %3 = tcp.commit_packed %2 count %n into %first : <sub collect i32, #grid, "R", "C">, !DmCount, !Dm

    %three = tcp.itos 3 : i32 at 16384 : !tcp.dm<i32, #grid, "1">
    %4 = tcp.begin sub %dm : !Dm
    %5 = tcp.fetch %4 i32 "R", "C" : <sub begin i32, #grid, "1", "R, C">
    %6 = tcp.collect %5 "R", "C" : <sub fetch i32, #grid, "R", "C">
    %7 = tcp.commit_packed %6 count %three into %second
        : <sub collect i32, #grid, "R", "C">, !tcp.dm<i32, #grid, "1">, !Dm

    %a = tcp.to_hbm %3 at 1048576 : !Dm -> !Hbm
    %b = tcp.to_hbm %7 at 2097152 : !Dm -> !Hbm
    return %a, %b : !Hbm, !Hbm
  }
  func.func @main(%a: !Host, %n: !HostCount) -> (!Host, !Host) {
    %h = tcp.to_hbm %a at 0 : !Host -> !Hbm
    %c = tcp.to_hbm %n at 65536 : !HostCount -> !HbmCount
    %r:2 = tcp.launch @kernel(%h, %c) : (!Hbm, !HbmCount) -> (!Hbm, !Hbm)
    %o = tcp.to_host %r#0 : !Hbm -> !Host
    %p = tcp.to_host %r#1 : !Hbm -> !Host
    return %o, %p : !Host, !Host
  }
}
