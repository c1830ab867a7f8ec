// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s
// ROWS: TRA-01, TRA-03, TRA-04, TRA-07, TRA-08, TRA-09, TRA-10

#axes = #stream.axes<P = 256, A = 4, B = 2, C = 8, D = 8, E = 8, F = 2, G = 4, H = 16, R = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "P">

// CHECK-LABEL: @basic_transpose
func.func @basic_transpose(%0: !tcp.stream<main collect i8, #grid, "C, D", "E # 32">) {
  // CHECK: tcp.transpose %{{.*}} "C, E", "D # 32" : <main collect i8, #grid, "C, D", "E # 32">
  %1 = tcp.transpose %0 "C, E", "D # 32" : <main collect i8, #grid, "C, D", "E # 32">
  // CHECK: tcp.commit %{{.*}} at 0 "C, E, D" : <main transpose i8, #grid, "C, E", "D # 32">
  %2 = tcp.commit %1 at 0 "C, E, D" : <main transpose i8, #grid, "C, E", "D # 32">
  return
}

// CHECK-LABEL: @small_transpose
func.func @small_transpose(%0: !tcp.stream<main collect i8, #grid, "A", "B # 32">) {
  // CHECK: tcp.transpose
  %1 = tcp.transpose %0 "B", "A # 32" : <main collect i8, #grid, "A", "B # 32">
  return
}

// CHECK-LABEL: @large_col_transpose
func.func @large_col_transpose(%0: !tcp.stream<main collect i8, #grid, "F, C, G", "E # 32">) {
  // CHECK: tcp.transpose
  %1 = tcp.transpose %0 "F, G, E", "C # 32" : <main collect i8, #grid, "F, C, G", "E # 32">
  return
}

// CHECK-LABEL: @bf16_transpose
func.func @bf16_transpose(%0: !tcp.stream<main collect bf16, #grid, "C, G", "E # 16">) {
  // CHECK: tcp.transpose
  %1 = tcp.transpose %0 "C, E", "G # 16" : <main collect bf16, #grid, "C, G", "E # 16">
  return
}

// The most rows of every width, from every source.
// CHECK-LABEL: @sources
func.func @sources(%fetched: !tcp.stream<main collect i4, #grid, "R", "H # 64">,
                   %contracted: !tcp.stream<main accumulate f32, #grid, "C, F", "E">,
                   %vector: !tcp.stream<main vector_final i32, #grid, "C, F", "E">,
                   %cast: !tcp.stream<main cast i16, #grid, "C, G", "E # 16">) {
  // CHECK-COUNT-4: tcp.transpose
  %0 = tcp.transpose %fetched "H", "R # 64" : <main collect i4, #grid, "R", "H # 64">
  %1 = tcp.transpose %contracted "C, E", "F # 8" : <main accumulate f32, #grid, "C, F", "E">
  %2 = tcp.transpose %vector "C, E", "F # 8" : <main vector_final i32, #grid, "C, F", "E">
  %3 = tcp.transpose %cast "C, E", "G # 16" : <main cast i16, #grid, "C, G", "E # 16">
  return
}
