// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s
// ROWS: FET-02, FET-10, FET-11, FET-17, FET-19, FET-21, FET-22, KER-02, ERR-79, SIL-31

#axes = #stream.axes<A = 512, B = 32, I = 2, C = 63, N = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">

// CHECK-LABEL: func.func @fetch_matrix_example
func.func @fetch_matrix_example(%dm: !tcp.dm<i8, #grid, "A, B">) {
  // CHECK: tcp.begin main %{{.*}} : !tcp.dm<i8
  %0 = tcp.begin main %dm : !tcp.dm<i8, #grid, "A, B">
  // CHECK: tcp.fetch %{{.*}} i32 "A", "B" : <main begin i8
  %1 = tcp.fetch %0 i32 "A", "B" : <main begin i8, #grid, "1", "A, B">
  return
}

// CHECK-LABEL: func.func @fetch_interleaved
func.func @fetch_interleaved(%lhs: !tcp.dm<i8, #grid, "A, B">, %rhs: !tcp.dm<i8, #grid, "A, B">) {
  // CHECK: tcp.begin_interleaved main "I" %{{.*}}, %{{.*}} : !tcp.dm<i8
  %0 = tcp.begin_interleaved main "I" %lhs, %rhs : !tcp.dm<i8, #grid, "A, B">
  // CHECK: tcp.fetch %{{.*}} i8 "A, I", "B" : <main begin i8, {{.*}}, "I", "A, B">
  %1 = tcp.fetch %0 i8 "A, I", "B" : <main begin i8, #grid, "I", "A, B">
  return
}

// CHECK-LABEL: func.func @split_reduce
func.func @split_reduce(%t0: !tcp.dm<bf16, #grid, "A, B">, %t1: !tcp.dm<bf16, #grid, "A, B">) {
  %0 = tcp.begin_interleaved main "I" %t0, %t1 : !tcp.dm<bf16, #grid, "A, B">
  // CHECK: tcp.fetch %{{.*}} f32 "A, I", "B" : <main begin bf16
  %1 = tcp.fetch %0 f32 "A, I", "B" : <main begin bf16, #grid, "I", "A, B">
  return
}

// CHECK-LABEL: func.func @fetch_interleaved_with_zero_points
func.func @fetch_interleaved_with_zero_points(%0: !tcp.stream<main begin i8, #grid, "I", "N">) {
  // CHECK: tcp.fetch %{{.*}} i32 "I", "N" zero_points [100, -100] : <main begin
  %1 = tcp.fetch %0 i32 "I", "N" zero_points [100, -100] : <main begin i8, #grid, "I", "N">
  return
}

// CHECK-LABEL: func.func @adapter
func.func @adapter(%0: !tcp.stream<main begin i4, #grid, "1", "C">,
                   %1: !tcp.stream<main begin i8, #grid, "1", "C">,
                   %2: !tcp.stream<main begin bf16, #grid, "1", "C">,
                   %3: !tcp.stream<sub begin i8, #grid, "1", "N">,
                   %4: !tcp.stream<main begin i8, #grid, "1", "A, B">) {
  // CHECK: tcp.fetch %{{.*}} i8 "1", "C # 64" table dense<[0, 1, 2, 3, 4, {{.*}}, 15]> : tensor<16xi8>
  %5 = tcp.fetch %0 i8 "1", "C # 64" table dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : tensor<16xi8> : <main begin i4, #grid, "1", "C">
  // CHECK: tcp.fetch %{{.*}} i9 "1", "C # 64" pad_value -128 : i8 zero_points [-3]
  %6 = tcp.fetch %1 i9 "1", "C # 64" zero_points [-3] pad_value -128 : i8 : <main begin i8, #grid, "1", "C">
  // CHECK: tcp.fetch %{{.*}} f32 "1", "C # 64" pad_value 0xFF80 : bf16
  %7 = tcp.fetch %2 f32 "1", "C # 64" pad_value 0xFF80 : bf16 : <main begin bf16, #grid, "1", "C">
  // CHECK: tcp.fetch %{{.*}} i32 "1", "N" zero_points [10] : <sub begin
  %8 = tcp.fetch %3 i32 "1", "N" zero_points [10] : <sub begin i8, #grid, "1", "N">
  // CHECK: tcp.fetch %{{.*}} i8 "A / 4", "A % 4, B" dual_channel : <main begin
  %9 = tcp.fetch %4 i8 "A / 4", "A % 4, B" dual_channel : <main begin i8, #grid, "1", "A, B">
  return
}
