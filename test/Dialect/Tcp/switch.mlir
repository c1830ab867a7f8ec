// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s
// ROWS: HEL-10, SWI-05, SWI-06

// The manual's GEMV: one slice's vector goes to all 256.
#gemv = #stream.axes<I = 256, J = 2048>
#one = #tcp.grid<#gemv, chip "1", cluster "1 # 2", slice "1 # 256">
// CHECK-LABEL: func.func @gemv
func.func @gemv(%0: !tcp.stream<sub fetch bf16, #one, "1", "J">) {
  // CHECK: tcp.switch %{{.*}} Broadcast01 slice1 = 256 slice0 = 1 time0 = 1 "I", "1 # 256" : <sub fetch
  %1 = tcp.switch %0 Broadcast01 slice1 = 256 slice0 = 1 time0 = 1 "I", "1 # 256" : <sub fetch bf16, #one, "1", "J">
  return
}

#a = #stream.axes<A = 256, B = 64, C = 63, X = 4>
#slices = #tcp.grid<#a, chip "1", cluster "1 # 2", slice "A">
// CHECK-LABEL: func.func @rings_of_four
func.func @rings_of_four(%0: !tcp.stream<main fetch i8, #slices, "B", "C # 64">) {
  // CHECK: tcp.switch
  %1 = tcp.switch %0 Broadcast01 slice1 = 2 slice0 = 2 time0 = 4 "A / 4, X", "B / 4, A / 2 % 2, B % 4, A % 2" : <main fetch i8, #slices, "B", "C # 64">
  return
}

#b = #stream.axes<A = 64, B = 64, X = 64>
#unit = #tcp.grid<#b, chip "1", cluster "1", slice "A">
// CHECK-LABEL: func.func @one_ring
func.func @one_ring(%0: !tcp.stream<main fetch i8, #unit, "B / 2", "B % 2 # 8">) {
  // CHECK: tcp.switch
  %1 = tcp.switch %0 Broadcast01 slice1 = 8 slice0 = 8 time0 = 2 "A / 64, X", "B / 4, A / 8 % 8, B / 2 % 2, A % 8" : <main fetch i8, #unit, "B / 2", "B % 2 # 8">
  return
}
