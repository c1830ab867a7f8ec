// RUN: sequin-opt %s --split-input-file --verify-roundtrip | FileCheck %s
// ROWS: INT-01, INT-03, INT-04, INT-05, INT-06, INT-07, INT-08, VEC-04, ERR-77

// The freed slices hold nothing: dummy.
#axes = #stream.axes<R = 4, A = 512>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8, R">
#out = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8, 1 # 4">
// CHECK-LABEL: func.func @dummy
func.func @dummy(%0: !tcp.stream<main vector_init i32, #in, "1", "A % 8">) -> !tcp.stream<main vector_final i32, #out, "1", "A % 8"> {
  // CHECK: tcp.vector_inter_slice_reduce %{{.*}} AddSat "A / 8, 1 # 4", "1" : <main vector_init
  %1 = tcp.vector_inter_slice_reduce %0 AddSat "A / 8, 1 # 4", "1" : <main vector_init i32, #in, "1", "A % 8">
  // CHECK: tcp.vector_final %{{.*}} : <main vector_inter_first
  %2 = tcp.vector_final %1 : <main vector_inter_first i32, #out, "1", "A % 8">
  return %2 : !tcp.stream<main vector_final i32, #out, "1", "A % 8">
}

// InterFirst: the intra-slice block follows.
// CHECK-LABEL: func.func @inter_first
func.func @inter_first(%0: !tcp.stream<main vector_init i32, #in, "1", "A % 8">) {
  %1 = tcp.vector_inter_slice_reduce %0 AddSat "A / 8, 1 # 4", "1" : <main vector_init i32, #in, "1", "A % 8">
  // CHECK: tcp.vector_intra_slice_branch %{{.*}} Unconditional : <main vector_inter_first
  %2 = tcp.vector_intra_slice_branch %1 Unconditional : <main vector_inter_first i32, #out, "1", "A % 8">
  %3 = tcp.vector_fxp %2 AddFxp(100 : i32) : <main vector_branch i32, #out, "1", "A % 8">
  %4 = tcp.vector_final %3 : <main vector_fxp i32, #out, "1", "A % 8">
  return
}

// IntraFirst: the inter-slice block ends it.
// CHECK-LABEL: func.func @intra_first
func.func @intra_first(%0: !tcp.stream<main vector_init i32, #in, "1", "A % 8">) {
  %1 = tcp.vector_intra_slice_branch %0 Unconditional : <main vector_init i32, #in, "1", "A % 8">
  %2 = tcp.vector_fxp %1 AddFxp(100 : i32) : <main vector_branch i32, #in, "1", "A % 8">
  // CHECK: tcp.vector_inter_slice_reduce %{{.*}} AddSat "A / 8, 1 # 4", "1" : <main vector_fxp
  %3 = tcp.vector_inter_slice_reduce %2 AddSat "A / 8, 1 # 4", "1" : <main vector_fxp i32, #in, "1", "A % 8">
  // CHECK: tcp.vector_final %{{.*}} : <main vector_intra_first
  %4 = tcp.vector_final %3 : <main vector_intra_first i32, #out, "1", "A % 8">
  return
}

// Every 8-lane stage of the block leads to it.
// CHECK-LABEL: func.func @stages
func.func @stages(%branch: !tcp.stream<main vector_branch i32, #in, "1", "A % 8">,
                  %fxp: !tcp.stream<main vector_fxp i32, #in, "1", "A % 8">,
                  %float: !tcp.stream<main vector_fxp_to_fp f32, #in, "1", "A % 8">,
                  %wide: !tcp.stream<main vector_widen f32, #in, "1", "A % 8">,
                  %fixed: !tcp.stream<main vector_fp_to_fxp i32, #in, "1", "A % 8">,
                  %clip: !tcp.stream<main vector_clip f32, #in, "1", "A % 8">,
                  %logic: !tcp.stream<main vector_logic i32, #in, "1", "A % 8">) {
  // CHECK-COUNT-7: tcp.vector_inter_slice_reduce
  %1 = tcp.vector_inter_slice_reduce %branch Max "A / 8, 1 # 4", "1" : <main vector_branch i32, #in, "1", "A % 8">
  %2 = tcp.vector_inter_slice_reduce %fxp Min "A / 8, 1 # 4", "1" : <main vector_fxp i32, #in, "1", "A % 8">
  %3 = tcp.vector_inter_slice_reduce %float Mul "A / 8, 1 # 4", "1" : <main vector_fxp_to_fp f32, #in, "1", "A % 8">
  %4 = tcp.vector_inter_slice_reduce %wide Add "A / 8, 1 # 4", "1" : <main vector_widen f32, #in, "1", "A % 8">
  %5 = tcp.vector_inter_slice_reduce %fixed Add "A / 8, 1 # 4", "1" : <main vector_fp_to_fxp i32, #in, "1", "A % 8">
  %6 = tcp.vector_inter_slice_reduce %clip Max "A / 8, 1 # 4", "1" : <main vector_clip f32, #in, "1", "A % 8">
  %7 = tcp.vector_inter_slice_reduce %logic Max "A / 8, 1 # 4", "1" : <main vector_logic i32, #in, "1", "A % 8">
  return
}

// -----

// A new axis in the freed slices: broadcast.
#axes = #stream.axes<W = 64, R = 4, X = 4, P = 8>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "W, R">
#out = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "W, X">
// CHECK-LABEL: func.func @broadcast
func.func @broadcast(%0: !tcp.stream<main vector_init f32, #in, "1", "P">) -> !tcp.stream<main vector_inter_first f32, #out, "1", "P"> {
  // CHECK: tcp.vector_inter_slice_reduce %{{.*}} Add "W, X", "1"
  %1 = tcp.vector_inter_slice_reduce %0 Add "W, X", "1" : <main vector_init f32, #in, "1", "P">
  return %1 : !tcp.stream<main vector_inter_first f32, #out, "1", "P">
}

// -----

// A part of time moves to the freed slices: promotion. W is 64 in a whole cluster (ERR-77).
#axes = #stream.axes<W = 64, R = 4, T0 = 2, T2 = 4, T1 = 2, P = 8>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "W, R">
#out = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "W, T2">
// CHECK-LABEL: func.func @promotion
func.func @promotion(%0: !tcp.stream<main vector_init f32, #in, "T0, T2, T1", "P">) -> !tcp.stream<main vector_inter_first f32, #out, "T0, T1", "P"> {
  // CHECK: tcp.vector_inter_slice_reduce %{{.*}} Add "W, T2", "T0, T1"
  %1 = tcp.vector_inter_slice_reduce %0 Add "W, T2", "T0, T1" : <main vector_init f32, #in, "T0, T2, T1", "P">
  return %1 : !tcp.stream<main vector_inter_first f32, #out, "T0, T1", "P">
}

// -----

// The reduced factor may be a part of an axis.
#axes = #stream.axes<A = 256, X = 16, Y = 2, P = 8>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A">
// CHECK-LABEL: func.func @part_of_an_axis
func.func @part_of_an_axis(%0: !tcp.stream<main vector_init i32, #in, "1", "P">,
                           %1: !tcp.stream<main vector_init i32, #in, "1", "P">) {
  // CHECK-COUNT-2: tcp.vector_inter_slice_reduce
  %2 = tcp.vector_inter_slice_reduce %0 Add "A / 16, X", "1" : <main vector_init i32, #in, "1", "P">
  %3 = tcp.vector_inter_slice_reduce %1 Add "A / 2, Y", "1" : <main vector_init i32, #in, "1", "P">
  return
}

// -----

// The rules may be mixed, as the vendor's later text does. Axes that leave time do so in any order.
#axes = #stream.axes<W = 16, R = 16, T0 = 2, T2 = 4, T1 = 2, X = 2, P = 8>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "W, R">
// CHECK-LABEL: func.func @mixed
func.func @mixed(%0: !tcp.stream<main vector_init f32, #in, "T0, T2, T1", "P">,
                 %1: !tcp.stream<main vector_init f32, #in, "T0, T2, T1", "P">) {
  // CHECK: tcp.vector_inter_slice_reduce %{{.*}} Add "W, T2, X, 1 # 2", "T0, T1"
  %2 = tcp.vector_inter_slice_reduce %0 Add "W, T2, X, 1 # 2", "T0, T1" : <main vector_init f32, #in, "T0, T2, T1", "P">
  // CHECK: tcp.vector_inter_slice_reduce %{{.*}} Add "W, T1, T2, T0", "1"
  %3 = tcp.vector_inter_slice_reduce %1 Add "W, T1, T2, T0", "1" : <main vector_init f32, #in, "T0, T2, T1", "P">
  return
}

// -----

// Padding of a reduced factor takes no part.
#axes = #stream.axes<A = 64, R = 3, X = 4, P = 8>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A, R # 4">
// CHECK-LABEL: func.func @padded
func.func @padded(%0: !tcp.stream<main vector_init i32, #in, "1", "P">) {
  // CHECK: tcp.vector_inter_slice_reduce
  %1 = tcp.vector_inter_slice_reduce %0 Add "A, X", "1" : <main vector_init i32, #in, "1", "P">
  return
}
