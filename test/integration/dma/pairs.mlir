// All nine pairs of memories, one after the other, each with another layout.
//
// RUN: %python -c "import numpy as np; np.save(r'%t.npy', np.arange(2048, dtype=np.int32) * 7919)"
// RUN: sequin-run %s --input %t.npy --output %t.out.npy --verify
// RUN: %python -c "import numpy as np; print(np.array_equal(np.load(r'%t.npy'), np.load(r'%t.out.npy')))" | FileCheck %s
// RUN: sequin-opt %s --tcp-to-config | sequin-translate --tcp-to-json | %python %src/test/Conversion/TcpToConfig/Inputs/descriptors.py | FileCheck %s --check-prefix=PAIRS
// ROWS: DMA-01, DMA-02, MEM-10
// CHECK: True

#axes = #stream.axes<A = 2048>
#a = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8">
#b = #tcp.grid<#axes, chip "1", cluster "A / 1024", slice "A / 4 % 256">
#c = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2 % 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%0: !tcp.host<i32, #axes, "A">) -> !tcp.host<i32, #axes, "A"> {
    %1 = tcp.to_hbm %0 at 0 : !tcp.host<i32, #axes, "A"> -> !tcp.hbm<i32, #axes, "1", "A">
    %2 = tcp.launch @kernel(%1) : (!tcp.hbm<i32, #axes, "1", "A">) -> !tcp.hbm<i32, #axes, "1", "A">
    %3 = tcp.to_host %2 : !tcp.hbm<i32, #axes, "1", "A"> -> !tcp.host<i32, #axes, "A">
    return %3 : !tcp.host<i32, #axes, "A">
  }
  func.func @kernel(%0: !tcp.hbm<i32, #axes, "1", "A">) -> !tcp.hbm<i32, #axes, "1", "A"> {
    // PAIRS: to_dm: hbm 0 -> dm 0
    %1 = tcp.to_dm %0 at 0 : !tcp.hbm<i32, #axes, "1", "A"> -> !tcp.dm<i32, #a, "A % 8">
    // Across clusters and networks.
    // PAIRS: to_dm.1: dm 0 -> dm 0
    %2 = tcp.to_dm %1 at 64 : !tcp.dm<i32, #a, "A % 8"> -> !tcp.dm<i32, #b, "A % 4">
    // PAIRS: to_spm: dm 0 -> spm 0
    %3 = tcp.to_spm %2 at 128 : !tcp.dm<i32, #b, "A % 4"> -> !tcp.spm<i32, #axes, "1", "A">
    // PAIRS: to_spm.1: spm 0 -> spm 0
    %4 = tcp.to_spm %3 at 65536 : !tcp.spm<i32, #axes, "1", "A"> -> !tcp.spm<i32, #axes, "1", "A % 32, A / 32">
    // PAIRS: to_hbm.1: spm 0 -> hbm 0
    %5 = tcp.to_hbm %4 at 65536 : !tcp.spm<i32, #axes, "1", "A % 32, A / 32"> -> !tcp.hbm<i32, #axes, "1", "A % 32, A / 32">
    // PAIRS: to_hbm.2: hbm 0 -> hbm 0
    %6 = tcp.to_hbm %5 at 131072 : !tcp.hbm<i32, #axes, "1", "A % 32, A / 32"> -> !tcp.hbm<i32, #axes, "1", "A / 2, A % 2">
    // PAIRS: to_spm.2: hbm 0 -> spm 0
    %7 = tcp.to_spm %6 at 4 : !tcp.hbm<i32, #axes, "1", "A / 2, A % 2"> -> !tcp.spm<i32, #axes, "1", "A / 512, A / 2 % 256, A % 2">
    // PAIRS: to_dm.2: spm 0 -> dm 0
    %8 = tcp.to_dm %7 at 128 : !tcp.spm<i32, #axes, "1", "A / 512, A / 2 % 256, A % 2"> -> !tcp.dm<i32, #c, "A / 512, A % 2">
    // PAIRS: to_hbm.3: dm 0 -> hbm 0
    %9 = tcp.to_hbm %8 at 196608 : !tcp.dm<i32, #c, "A / 512, A % 2"> -> !tcp.hbm<i32, #axes, "1", "A">
    return %9 : !tcp.hbm<i32, #axes, "1", "A">
  }
}
