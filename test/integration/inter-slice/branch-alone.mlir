// A branch without an operation that looks at its ExecutionIds changes nothing; the
// configuration has no intra-slice block.
//
// RUN: %python -c "import numpy as np; np.save(r'%t.npy', np.random.default_rng(5).integers(-99, 99, (512, 4)).astype(np.int32))"
// RUN: sequin-run %s --input %t.npy --output %t.out.npy --verify
// RUN: %python -c "import numpy as np; x = np.load(r'%t.npy'); y = np.load(r'%t.out.npy'); print(np.array_equal(y, x.sum(axis=1)))" | FileCheck %s
// RUN: sequin-opt %s --tcp-to-config | FileCheck %s --check-prefix=CONFIG
// CHECK: True
// CONFIG-NOT: comparisons =
// CONFIG: inter_slice = <
// CONFIG-NOT: comparisons =

#axes = #stream.axes<R = 4, A = 512>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8, R">
#out = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8, 1 # 4">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%0: !tcp.host<i32, #axes, "A, R">) -> !tcp.host<i32, #axes, "A"> {
    %1 = tcp.to_hbm %0 at 0 : !tcp.host<i32, #axes, "A, R"> -> !tcp.hbm<i32, #axes, "1", "A / 8, R, A % 8">
    %2 = tcp.launch @kernel(%1) : (!tcp.hbm<i32, #axes, "1", "A / 8, R, A % 8">) -> !tcp.hbm<i32, #axes, "1", "A">
    %3 = tcp.to_host %2 : !tcp.hbm<i32, #axes, "1", "A"> -> !tcp.host<i32, #axes, "A">
    return %3 : !tcp.host<i32, #axes, "A">
  }
  func.func @kernel(%0: !tcp.hbm<i32, #axes, "1", "A / 8, R, A % 8">) -> !tcp.hbm<i32, #axes, "1", "A"> {
    %dm = tcp.to_dm %0 at 0 : !tcp.hbm<i32, #axes, "1", "A / 8, R, A % 8"> -> !tcp.dm<i32, #in, "A % 8">
    %b = tcp.begin main %dm : !tcp.dm<i32, #in, "A % 8">
    %f = tcp.fetch %b i32 "1", "A % 8" : <main begin i32, #in, "1", "A % 8">
    %c = tcp.collect %f "1", "A % 8" : <main fetch i32, #in, "1", "A % 8">
    %v = tcp.vector_init %c : <main collect i32, #in, "1", "A % 8">
    %i = tcp.vector_inter_slice_reduce %v Add "A / 8, 1 # 4", "1" : <main vector_init i32, #in, "1", "A % 8">
    %br = tcp.vector_intra_slice_branch %i Comparison [#tcp.cmp<Less, 0 : i32>] : <main vector_inter_first i32, #out, "1", "A % 8">
    %o = tcp.vector_final %br : <main vector_branch i32, #out, "1", "A % 8">
    %r = tcp.commit %o at 131072 "A % 8" : <main vector_final i32, #out, "1", "A % 8">
    %h = tcp.to_hbm %r at 268435456 : !tcp.dm<i32, #out, "A % 8"> -> !tcp.hbm<i32, #axes, "1", "A">
    return %h : !tcp.hbm<i32, #axes, "1", "A">
  }
}
