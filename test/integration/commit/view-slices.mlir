// Half of the slices write a row of a tensor that all slices hold; the others keep
// what they have.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; np.save('%t/a.npy', np.arange(8192, dtype=np.int32).reshape(256, 4, 8)); np.save('%t/b.npy', -1 - np.arange(2048, dtype=np.int32).reshape(256, 8))"
// RUN: sequin-run %s --target rngd --input %t/a.npy --input %t/b.npy --output %t/o.npy --verify 2>&1 | FileCheck %s --check-prefix=VERIFIED
// RUN: %python -c "import numpy as np; a = np.load('%t/a.npy'); a[128:, 2] = np.load('%t/b.npy')[128:]; print(np.array_equal(a, np.load('%t/o.npy')), (a < 0).sum())" | FileCheck %s
// RUN: sequin-opt --tcp-to-config %s | FileCheck %s --check-prefix=BITMAP
// RUN: rm -rf %t
// ROWS: COM-01, COM-13

// VERIFIED: verified: 1 output, 8192 elements
// CHECK: True 1024
// BITMAP: tcp.config_exec "commit_view"
// BITMAP-SAME: commit <{{.*}}slices = ["ffffffffffffffffffffffffffffffff00000000000000000000000000000000"

#axes = #stream.axes<I = 256, A = 4, B = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "I">
!Whole = !tcp.dm<i32, #grid, "A, B">
!Row = !tcp.dm<i32, #grid, "B">

module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%a: !tcp.hbm<i32, #axes, "1", "I, A, B">, %b: !tcp.hbm<i32, #axes, "1", "I, B">)
      -> !tcp.hbm<i32, #axes, "1", "I, A, B"> {
    %whole = tcp.to_dm %a at 0 : !tcp.hbm<i32, #axes, "1", "I, A, B"> -> !Whole
    %row = tcp.to_dm %b at 4096 : !tcp.hbm<i32, #axes, "1", "I, B"> -> !Row
    %0 = tcp.begin sub %row : !Row
    %1 = tcp.fetch %0 i32 "1", "B" : <sub begin i32, #grid, "1", "B">
    %2 = tcp.collect %1 "1", "B" : <sub fetch i32, #grid, "1", "B">
    %3 = tcp.commit_view %2 into %whole "A" at 2 size 1 "A = 1 # 4, B" slices "I @ 128 = 128 # 256 @ 128"
        : <sub collect i32, #grid, "1", "B">, !Whole
    %out = tcp.to_hbm %3 at 1048576 : !Whole -> !tcp.hbm<i32, #axes, "1", "I, A, B">
    return %out : !tcp.hbm<i32, #axes, "1", "I, A, B">
  }
  func.func @main(%a: !tcp.host<i32, #axes, "I, A, B">, %b: !tcp.host<i32, #axes, "I, B">)
      -> !tcp.host<i32, #axes, "I, A, B"> {
    %ha = tcp.to_hbm %a at 0 : !tcp.host<i32, #axes, "I, A, B"> -> !tcp.hbm<i32, #axes, "1", "I, A, B">
    %hb = tcp.to_hbm %b at 65536 : !tcp.host<i32, #axes, "I, B"> -> !tcp.hbm<i32, #axes, "1", "I, B">
    %r = tcp.launch @kernel(%ha, %hb)
        : (!tcp.hbm<i32, #axes, "1", "I, A, B">, !tcp.hbm<i32, #axes, "1", "I, B">)
        -> !tcp.hbm<i32, #axes, "1", "I, A, B">
    %o = tcp.to_host %r : !tcp.hbm<i32, #axes, "1", "I, A, B"> -> !tcp.host<i32, #axes, "I, A, B">
    return %o : !tcp.host<i32, #axes, "I, A, B">
  }
}
