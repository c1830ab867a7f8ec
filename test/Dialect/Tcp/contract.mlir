// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s
// ROWS: ALN-02, ALN-08, CON-06, CON-10, RED-01, RED-05, RED-06, TRF-01, SIL-28, SIL-30

// Chip, cluster and slice pass through; shifts by one element.
#conv = #stream.axes<H = 4, W = 30, Fw = 3, K = 2, C = 8>
#grid = #tcp.grid<#conv, chip "1", cluster "1 # 2", slice "H # 256">
// CHECK-LABEL: func.func @shift
func.func @shift(%0: !tcp.stream<main collect bf16, #grid, "K, $(W:1, Fw:1) / 16", "$(W:1, Fw:1) % 16">,
                 %w: !tcp.trf<bf16, #grid, "C", "K, Fw">) {
  // CHECK: tcp.align %{{.*}}, %{{.*}} "K, Fw", "W # 32"
  %1 = tcp.align %0, %w "K, Fw", "W # 32" : <main collect bf16, #grid, "K, $(W:1, Fw:1) / 16", "$(W:1, Fw:1) % 16">, !tcp.trf<bf16, #grid, "C", "K, Fw">
  // CHECK: tcp.contract %{{.*}} "W # 32"
  %2 = tcp.contract %1 "W # 32" : <main align bf16, #grid, row "C", "K, Fw", "W # 32">
  // CHECK: tcp.accumulate %{{.*}} Sequential "C, W # 32 / 8", "W # 32 % 8" : <main contract f32, #grid, row "C", "K, Fw", "W # 32">
  %3 = tcp.accumulate %2 Sequential "C, W # 32 / 8", "W # 32 % 8" : <main contract f32, #grid, row "C", "K, Fw", "W # 32">
  return
}

#max = #stream.axes<M = 4, K = 64>
#one = #tcp.grid<#max, chip "1", cluster "1 # 2", slice "1 # 256">
// CHECK-LABEL: func.func @reduce_max
func.func @reduce_max(%0: !tcp.stream<main align i8, #one, row "1", "M", "K">) {
  // CHECK: tcp.contract %{{.*}} max "1" :
  %1 = tcp.contract %0 max "1" : <main align i8, #one, row "1", "M", "K">
  // CHECK: tcp.accumulate
  %2 = tcp.accumulate %1 Interleaved "M", "1 # 8" : <main contract i32, #one, row "1", "M", "1">
  return
}

// i5 and i9 come from the fetch engine and go where i4 and i8 do.
// CHECK-LABEL: func.func @widened
func.func @widened(%s: !tcp.stream<sub collect i9, #one, "K / 32", "K % 32">,
                   %0: !tcp.stream<main collect i9, #one, "M, K / 32", "K % 32">) {
  %w = tcp.to_trf %s Full "1", "K" : <sub collect i9, #one, "K / 32", "K % 32">
  %1 = tcp.align %0, %w "M", "K" : <main collect i9, #one, "M, K / 32", "K % 32">, !tcp.trf<i9, #one, "1", "K">
  // CHECK: tcp.accumulate %{{.*}} Interleaved "M", "1 # 8" : <main contract i32
  %2 = tcp.contract %1 "1" : <main align i9, #one, row "1", "M", "K">
  %3 = tcp.accumulate %2 Interleaved "M", "1 # 8" : <main contract i32, #one, row "1", "M", "1">
  return
}

// Only padding is left out of the 32 columns.
#four = #stream.axes<M = 4, V = 4>
#alone = #tcp.grid<#four, chip "1", cluster "1 # 2", slice "1 # 256">
// CHECK-LABEL: func.func @drops_padding
func.func @drops_padding(%0: !tcp.stream<main align i8, #alone, row "1", "M", "V # 32">) {
  // CHECK: tcp.contract %{{.*}} "V" :
  %1 = tcp.contract %0 "V" : <main align i8, #alone, row "1", "M", "V # 32">
  // CHECK: tcp.accumulate %{{.*}} Interleaved "M, V", "1 # 8"
  %2 = tcp.accumulate %1 Interleaved "M, V", "1 # 8" : <main contract i32, #alone, row "1", "M", "V">
  return
}
