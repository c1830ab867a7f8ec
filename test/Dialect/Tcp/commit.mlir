// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s
// ROWS: COM-01, COM-02, COM-13, COM-15, CAS-02, CAS-03, CAS-04, SIL-44

#axes = #stream.axes<P = 256, M = 16, N = 8, A = 4, B = 4>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "P">

// CHECK-LABEL: @cast_commit
// CHECK: -> !tcp.dm<bf16, #grid, "M, N # 16">
func.func @cast_commit(%0: !tcp.stream<main accumulate f32, #grid, "M", "N">) -> !tcp.dm<bf16, #grid, "M, N # 16"> {
  // CHECK: tcp.cast %{{.*}} bf16 "N # 16" : <main accumulate f32, #grid, "M", "N">
  %1 = tcp.cast %0 bf16 "N # 16" : <main accumulate f32, #grid, "M", "N">
  // CHECK: tcp.commit %{{.*}} at 0 "M, N # 16" : <main cast bf16, #grid, "M", "N # 16">
  %2 = tcp.commit %1 at 0 "M, N # 16" : <main cast bf16, #grid, "M", "N # 16">
  return %2 : !tcp.dm<bf16, #grid, "M, N # 16">
}

// CHECK-LABEL: @cast_padded
func.func @cast_padded(%0: !tcp.stream<main collect i32, #grid, "1", "A # 8">) {
  // CHECK: tcp.cast %{{.*}} i8 "A # 32"
  %1 = tcp.cast %0 i8 "A # 32" : <main collect i32, #grid, "1", "A # 8">
  %2 = tcp.commit %1 at 0 "A # 8" : <main cast i8, #grid, "1", "A # 32">
  return
}

// CHECK-LABEL: @some_slices
func.func @some_slices(%0: !tcp.stream<main collect i32, #grid, "M", "N">,
                       %1: !tcp.stream<sub collect i32, #grid, "M = 1", "N">,
                       %whole: !tcp.dm<i32, #grid, "M, N">) {
  // CHECK: tcp.commit %{{.*}} at 64 "M, N" slices "P = 1 # 256" : <main collect i32, #grid, "M", "N">
  %2 = tcp.commit %0 at 64 "M, N" slices "P = 1 # 256" : <main collect i32, #grid, "M", "N">
  // CHECK: tcp.commit_view %{{.*}} into %{{.*}} "M" at 2 size 1 "M = 1 # 16, N" slices "P @ 1 = 255 # 256 @ 1"
  %3 = tcp.commit_view %1 into %whole "M" at 2 size 1 "M = 1 # 16, N" slices "P @ 1 = 255 # 256 @ 1"
      : <sub collect i32, #grid, "M = 1", "N">, !tcp.dm<i32, #grid, "M, N">
  return
}

// CHECK-LABEL: @sub_context
func.func @sub_context(%0: !tcp.stream<sub collect i32, #grid, "M", "N">, %dst: !tcp.dm<i32, #grid, "M, N">) {
  // CHECK: %[[COUNT:.*]] = tcp.itos 5 : i32 at 8192 : !tcp.dm<i32, #grid, "1">
  %count = tcp.itos 5 : i32 at 8192 : !tcp.dm<i32, #grid, "1">
  // CHECK: tcp.itos 1.500000e+00 : f32 at 8196 : !tcp.dm<f32, #grid, "1 # 2">
  %other = tcp.itos 1.5 : f32 at 8196 : !tcp.dm<f32, #grid, "1 # 2">
  // CHECK: tcp.commit_packed %{{.*}} count %[[COUNT]] into %{{.*}} : <sub collect i32, #grid, "M", "N">, !tcp.dm<i32, #grid, "1">, !tcp.dm<i32, #grid, "M, N">
  %1 = tcp.commit_packed %0 count %count into %dst
      : <sub collect i32, #grid, "M", "N">, !tcp.dm<i32, #grid, "1">, !tcp.dm<i32, #grid, "M, N">
  return
}
