// Intra-slice reduce as the manual's examples have it (in the ruled forms), placements
// of padded axes included.
//
// RUN: sequin-opt %s --split-input-file --verify-roundtrip | FileCheck %s
// ROWS: ISR-01, ISR-04, ISR-05, ISR-06, ISR-09, VCG-01, VCG-18

// CHECK-LABEL: func.func @reduce_time(
// CHECK: tcp.vector_intra_slice_reduce %{{.*}} AddSat "R" "1", "A % 2 # 4" : <main vector_narrow i32, #{{.*}}, "R", "A % 2 # 4">
#axes = #stream.axes<A = 8, R = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A / 2">
func.func @reduce_time(%0: !tcp.stream<main vector_init i32, #grid, "R", "A % 2 # 8">) -> !tcp.stream<main vector_intra_slice_reduce i32, #grid, "1", "A % 2 # 4"> {
  %1 = tcp.vector_intra_slice_branch %0 Unconditional : <main vector_init i32, #grid, "R", "A % 2 # 8">
  %2 = tcp.vector_trim_way4 %1 "A % 2 # 4" : <main vector_branch i32, #grid, "R", "A % 2 # 8">
  %3 = tcp.vector_intra_slice_reduce %2 AddSat "R" "1", "A % 2 # 4" : <main vector_narrow i32, #grid, "R", "A % 2 # 4">
  return %3 : !tcp.stream<main vector_intra_slice_reduce i32, #grid, "1", "A % 2 # 4">
}

// -----

// CHECK-LABEL: func.func @reduce_packet(
// CHECK: tcp.vector_intra_slice_reduce %{{.*}} Add "R" "A % 2", "1 # 4"
#axes = #stream.axes<A = 8, R = 4>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A / 2">
func.func @reduce_packet(%0: !tcp.stream<main vector_init f32, #grid, "A % 2", "R # 8">) -> !tcp.stream<main vector_intra_slice_reduce f32, #grid, "A % 2", "1 # 4"> {
  %1 = tcp.vector_intra_slice_branch %0 Unconditional : <main vector_init f32, #grid, "A % 2", "R # 8">
  %2 = tcp.vector_trim_way4 %1 "R" : <main vector_branch f32, #grid, "A % 2", "R # 8">
  %3 = tcp.vector_intra_slice_reduce %2 Add "R" "A % 2", "1 # 4" : <main vector_narrow f32, #grid, "A % 2", "R">
  return %3 : !tcp.stream<main vector_intra_slice_reduce f32, #grid, "A % 2", "1 # 4">
}

// -----

// CHECK-LABEL: func.func @reduce_time_packet(
// CHECK: tcp.vector_intra_slice_reduce %{{.*}} Max "R" "1", "1 # 4"
#axes = #stream.axes<A = 8, R = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A / 2">
func.func @reduce_time_packet(%0: !tcp.stream<main vector_init f32, #grid, "R / 4", "R % 4 # 8">) -> !tcp.stream<main vector_intra_slice_reduce f32, #grid, "1", "1 # 4"> {
  %1 = tcp.vector_intra_slice_branch %0 Unconditional : <main vector_init f32, #grid, "R / 4", "R % 4 # 8">
  %2 = tcp.vector_trim_way4 %1 "R % 4" : <main vector_branch f32, #grid, "R / 4", "R % 4 # 8">
  %3 = tcp.vector_intra_slice_reduce %2 Max "R" "1", "1 # 4" : <main vector_narrow f32, #grid, "R / 4", "R % 4">
  return %3 : !tcp.stream<main vector_intra_slice_reduce f32, #grid, "1", "1 # 4">
}

// -----

// Eight slots, and behind a float operation; the result widens.
// CHECK-LABEL: func.func @eight_slots(
// CHECK: tcp.vector_intra_slice_reduce %{{.*}} Min "R" "A % 2, B % 4", "C"
#axes = #stream.axes<A = 8, B = 8, C = 4, R = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A / 2, B / 4">
func.func @eight_slots(%0: !tcp.stream<main vector_fp f32, #grid, "R, A % 2, B % 4", "C">) {
  %1 = tcp.vector_intra_slice_reduce %0 Min "R" "A % 2, B % 4", "C" : <main vector_fp f32, #grid, "R, A % 2, B % 4", "C">
  %2 = tcp.vector_pad_way8 %1 "C # 8" : <main vector_intra_slice_reduce f32, #grid, "A % 2, B % 4", "C">
  return
}

// -----

// The other part of a split packet is time, of the axis or of another.
// CHECK-LABEL: func.func @split_packet(
#axes = #stream.axes<R = 24, X = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "X # 256">
func.func @split_packet(%0: !tcp.stream<main vector_init f32, #grid, "R / 8", "R % 8">) {
  %1 = tcp.vector_intra_slice_branch %0 Unconditional : <main vector_init f32, #grid, "R / 8", "R % 8">
  %2 = tcp.vector_split %1 "R / 8, R / 4 % 2", "R % 4" : <main vector_branch f32, #grid, "R / 8", "R % 8">
  %3 = tcp.vector_intra_slice_reduce %2 Add "R" "1", "1 # 4" : <main vector_narrow f32, #grid, "R / 8, R / 4 % 2", "R % 4">
  return
}

// -----

// What the generator does not support, with the identity in its place.
// CHECK-LABEL: func.func @prefilled(
// CHECK: tcp.vector_intra_slice_reduce %{{.*}} Min "R" "1", "1 # 4" prefilled
#axes = #stream.axes<R = 13>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "R # 32 / 8">
func.func @prefilled(%0: !tcp.stream<main vector_narrow i32, #grid, "R # 32 / 4 % 2", "R # 32 % 4">) {
  %1 = tcp.vector_intra_slice_reduce %0 Min "R" "1", "1 # 4" prefilled : <main vector_narrow i32, #grid, "R # 32 / 4 % 2", "R # 32 % 4">
  return
}
