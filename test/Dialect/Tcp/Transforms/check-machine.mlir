// RUN: sequin-opt %s --tcp-check-machine | FileCheck %s
// RUN: sequin-opt %src/examples/tcp/constant_add.mlir --tcp-check-machine -o /dev/null
// RUN: sequin-opt %src/examples/tcp/elementwise_multiply.mlir --tcp-check-machine -o /dev/null
// RUN: sequin-opt %src/examples/tcp/dot_product.mlir --tcp-check-machine -o /dev/null
// RUN: sequin-opt %src/examples/tcp/gemv.mlir --tcp-check-machine -o /dev/null
// RUN: sequin-opt %src/examples/tcp/gemm.mlir --tcp-check-machine -o /dev/null

// The modes differ in the grid: per-engine snippets of the manual leave it open.
#axes = #stream.axes<A = 524288>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
module attributes {tcp.target = #tcp.target<"rngd", mode = unit>} {
  // A tensor that fills data memory exactly, then the same bytes once more after
  // its last use.
  // CHECK-LABEL: func.func @at_limit
  func.func @at_limit(%hbm: !tcp.hbm<i8, #axes, "1", "A">) {
    %0 = tcp.to_dm %hbm at 0 : !tcp.hbm<i8, #axes, "1", "A"> -> !tcp.dm<i8, #grid, "A">
    %1 = tcp.to_dm %hbm at 0 : !tcp.hbm<i8, #axes, "1", "A"> -> !tcp.dm<i8, #grid, "A">
    return
  }
}
