// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s

#axes = #stream.axes<A = 2048, V = 100, S = 16, D = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8">

// CHECK-LABEL: @moves
func.func @moves(%0: !tcp.hbm<i32, #axes, "1", "A">) {
  // CHECK: tcp.to_dm %{{.*}} at 0 stream [#tcp.dma_stream<chip "1", cluster "1", slice "A / 512", time "A % 512 / 8", packet "A % 8">] :
  %1 = tcp.to_dm %0 at 0 stream [#tcp.dma_stream<chip "1", cluster "1", slice "A / 512", time "A % 512 / 8", packet "A % 8">]
      : !tcp.hbm<i32, #axes, "1", "A"> -> !tcp.dm<i32, #grid, "A % 8">
  // CHECK: tcp.to_spm %{{.*}} at 64 : {{.*}} -> !tcp.spm<i32, #{{.*}}, "1", "A">
  %2 = tcp.to_spm %1 at 64 : !tcp.dm<i32, #grid, "A % 8"> -> !tcp.spm<i32, #axes, "1", "A">
  // CHECK: tcp.to_hbm %{{.*}} at 16384 : !tcp.spm
  %3 = tcp.to_hbm %2 at 16384 : !tcp.spm<i32, #axes, "1", "A"> -> !tcp.hbm<i32, #axes, "1", "A">
  return
}

// CHECK-LABEL: @shuffle
func.func @shuffle(%0: !tcp.hbm<i8, #axes, "S", "D">) {
  // CHECK: tcp.chip_shuffle %{{.*}} [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0] at 4096 : !tcp.hbm
  %1 = tcp.chip_shuffle %0 [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0] at 4096 : !tcp.hbm<i8, #axes, "S", "D">
  return
}

// CHECK-LABEL: @indexed
func.func @indexed(%table: !tcp.hbm<bf16, #axes, "1", "V, D">, %i: !tcp.hbm<i32, #axes, "1", "S">) {
  // CHECK: %[[X:.*]] = tcp.gather %{{.*}}[%{{.*}}] "V" at 0 :
  %x = tcp.gather %table [%i] "V" at 0
      : !tcp.hbm<bf16, #axes, "1", "V, D">, !tcp.hbm<i32, #axes, "1", "S"> -> !tcp.hbm<bf16, #axes, "1", "S, D">
  // CHECK: tcp.scatter %[[X]][%{{.*}}] "V" into %{{.*}} :
  %y = tcp.scatter %x [%i] "V" into %table
      : !tcp.hbm<bf16, #axes, "1", "S, D">, !tcp.hbm<i32, #axes, "1", "S">, !tcp.hbm<bf16, #axes, "1", "V, D">
  return
}
