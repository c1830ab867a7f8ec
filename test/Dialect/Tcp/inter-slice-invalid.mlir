// RUN: sequin-opt %s --split-input-file --verify-diagnostics
// ROWS: INT-01, INT-02, INT-03, INT-09, VEC-04

#axes = #stream.axes<R = 4, A = 512>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8, R">
func.func @from_narrow(%0: !tcp.stream<main vector_narrow f32, #in, "A / 4 % 2", "A % 4">) {
  // expected-error@+1 {{operand #0 must be stream after vector_init or an 8-lane stage of the intra-slice block before filter}}
  %1 = tcp.vector_inter_slice_reduce %0 Add "A / 8, 1 # 4", "A / 4 % 2" : <main vector_narrow f32, #in, "A / 4 % 2", "A % 4">
  return
}

// -----

#axes = #stream.axes<R = 4, A = 512>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8, R">
func.func @from_fp(%0: !tcp.stream<main vector_fp f32, #in, "A / 4 % 2", "A % 4">) {
  // expected-error@+1 {{operand #0 must be stream after vector_init or an 8-lane stage}}
  %1 = tcp.vector_inter_slice_reduce %0 Add "A / 8, 1 # 4", "A / 4 % 2" : <main vector_fp f32, #in, "A / 4 % 2", "A % 4">
  return
}

// -----

#axes = #stream.axes<R = 4, A = 512>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8, R">
func.func @from_fp_div(%0: !tcp.stream<main vector_fp_div f32, #in, "A / 4 % 2", "A % 4">) {
  // expected-error@+1 {{operand #0 must be stream after vector_init or an 8-lane stage}}
  %1 = tcp.vector_inter_slice_reduce %0 Add "A / 8, 1 # 4", "A / 4 % 2" : <main vector_fp_div f32, #in, "A / 4 % 2", "A % 4">
  return
}

// -----

#axes = #stream.axes<R = 4, A = 512>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8, R">
func.func @from_intra_slice_reduce(%0: !tcp.stream<main vector_intra_slice_reduce f32, #in, "1", "A % 4">) {
  // expected-error@+1 {{operand #0 must be stream after vector_init or an 8-lane stage}}
  %1 = tcp.vector_inter_slice_reduce %0 Add "A / 8, 1 # 4", "1" : <main vector_intra_slice_reduce f32, #in, "1", "A % 4">
  return
}

// -----

#axes = #stream.axes<R = 4, A = 512>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8, R">
func.func @from_collect(%0: !tcp.stream<main collect i32, #in, "1", "A % 8">) {
  // expected-error@+1 {{operand #0 must be stream after vector_init or an 8-lane stage}}
  %1 = tcp.vector_inter_slice_reduce %0 Add "A / 8, 1 # 4", "1" : <main collect i32, #in, "1", "A % 8">
  return
}

// -----

#axes = #stream.axes<R = 4, A = 512>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8, R">
func.func @saturating_floats(%0: !tcp.stream<main vector_init f32, #in, "1", "A % 8">) {
  // expected-error@+1 {{AddSat works on i32, found a stream of 'f32', which has Add, Max, Min and Mul}}
  %1 = tcp.vector_inter_slice_reduce %0 AddSat "A / 8, 1 # 4", "1" : <main vector_init f32, #in, "1", "A % 8">
  return
}

// -----

#axes = #stream.axes<R = 4, A = 512>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8, R">
func.func @product_of_integers(%0: !tcp.stream<main vector_init i32, #in, "1", "A % 8">) {
  // expected-error@+1 {{Mul works on f32, found a stream of 'i32', which has Add, AddSat, Max and Min}}
  %1 = tcp.vector_inter_slice_reduce %0 Mul "A / 8, 1 # 4", "1" : <main vector_init i32, #in, "1", "A % 8">
  return
}

// -----

// Inter, then intra, and then inter again.
#axes = #stream.axes<R = 4, S = 4, A = 128>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8, S, R">
#mid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8, S, 1 # 4">
func.func @twice(%0: !tcp.stream<main collect i32, #in, "1", "A % 8">) {
  %1 = tcp.vector_init %0 : <main collect i32, #in, "1", "A % 8">
  // expected-note@+1 {{first one here}}
  %2 = tcp.vector_inter_slice_reduce %1 Add "A / 8, S, 1 # 4", "1" : <main vector_init i32, #in, "1", "A % 8">
  %3 = tcp.vector_intra_slice_branch %2 Unconditional : <main vector_inter_first i32, #mid, "1", "A % 8">
  // expected-error@+1 {{is the second reduction over slices in a pass, the inter-slice block comes once}}
  %4 = tcp.vector_inter_slice_reduce %3 Add "A / 8, 1 # 4, 1 # 4", "1" : <main vector_branch i32, #mid, "1", "A % 8">
  return
}

// -----

// The intra-slice block comes once, too.
#axes = #stream.axes<R = 4, A = 512>
#out = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8, 1 # 4">
func.func @intra_twice(%0: !tcp.stream<main vector_intra_first i32, #out, "1", "A % 8">) {
  // expected-error@+1 {{operand #0 must be stream after vector_init}}
  %1 = tcp.vector_intra_slice_branch %0 Unconditional : <main vector_intra_first i32, #out, "1", "A % 8">
  return
}

// -----

#axes = #stream.axes<R = 4, A = 512, X = 4>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8, R">
func.func @nothing_reduced(%0: !tcp.stream<main vector_init i32, #in, "1", "A % 8">) {
  // expected-error@+1 {{slices "R, A / 8" keep all of "A / 8, R", nothing is reduced}}
  %1 = tcp.vector_inter_slice_reduce %0 Add "R, A / 8", "1" : <main vector_init i32, #in, "1", "A % 8">
  return
}

// -----

#axes = #stream.axes<R = 4, A = 512>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8, R">
func.func @fewer_slices(%0: !tcp.stream<main vector_init i32, #in, "1", "A % 8">) {
  // expected-error@+1 {{slice mapping "A / 8" has size 64, the stream is in the 256 slices of "A / 8, R"}}
  %1 = tcp.vector_inter_slice_reduce %0 Add "A / 8", "1" : <main vector_init i32, #in, "1", "A % 8">
  return
}

// -----

// What leaves time has to be in the slices.
#axes = #stream.axes<W = 64, R = 4, T = 4, P = 8>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "W, R">
func.func @time_lost(%0: !tcp.stream<main vector_init f32, #in, "T", "P">) {
  // expected-error@+1 {{time "1" leaves out packets of "T", of which only 1 of 4 parts are in slices of the result}}
  %1 = tcp.vector_inter_slice_reduce %0 Add "W, 1 # 4", "1" : <main vector_init f32, #in, "T", "P">
  return
}

// -----

// What is in the slices was there or has left time.
#axes = #stream.axes<W = 64, R = 4, T = 4, P = 8>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "W, R">
func.func @from_nowhere(%0: !tcp.stream<main vector_init f32, #in, "T / 2", "P">) {
  // expected-error@+1 {{slice 2 of the result holds {T: 1}, of which {T: 1} is neither in the slices of the input nor taken out of its time}}
  %1 = tcp.vector_inter_slice_reduce %0 Add "W, T % 2, 1 # 2", "T / 2" : <main vector_init f32, #in, "T / 2", "P">
  return
}

// -----

// The packet does not change.
#axes = #stream.axes<W = 64, R = 4, T = 4, P = 8>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "W, R">
func.func @packet_to_slices(%0: !tcp.stream<main vector_init f32, #in, "T", "P">) {
  // expected-error@+1 {{axis 'P' is walked twice: 'P' of packet 'P' and 'P / 2' of slice 'W, P / 2'}}
  %1 = tcp.vector_inter_slice_reduce %0 Add "W, P / 2", "T" : <main vector_init f32, #in, "T", "P">
  return
}

// -----

#axes = #stream.axes<W = 64, R = 4, T = 4, S = 2, P = 8>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "W, R">
func.func @time_reordered(%0: !tcp.stream<main vector_init f32, #in, "T, S", "P">) {
  // expected-error@+1 {{inter-slice time: 'S, T' is not 'T, S' with whole terms reduced}}
  %1 = tcp.vector_inter_slice_reduce %0 Add "W, 1 # 4", "S, T" : <main vector_init f32, #in, "T, S", "P">
  return
}

// -----

// 3 of 4 slices of the last group are padding.
#axes = #stream.axes<A = 253, X = 4, P = 8>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A # 256">
func.func @uneven_groups(%0: !tcp.stream<main vector_init f32, #in, "1", "P">) {
  // expected-error@+1 {{slice 252 of the result reduces 1 slices, others 4}}
  %1 = tcp.vector_inter_slice_reduce %0 Add "A # 256 / 4, X", "1" : <main vector_init f32, #in, "1", "P">
  return
}

// -----

// The reduced factor is the outermost one: stride 64.
#axes = #stream.axes<W = 64, R = 4, X = 4, P = 8>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "R, W">
func.func @outermost(%0: !tcp.stream<main vector_init f32, #in, "1", "P">) {
  // expected-error@+1 {{slice 0 reduces slice 0 and then slice 64; the reduced factors of Slice are the innermost ones, contiguous, with stride 1 (INT-03)}}
  %1 = tcp.vector_inter_slice_reduce %0 Add "X, W", "1" : <main vector_init f32, #in, "1", "P">
  return
}

// -----

// In the middle: stride 2, just outside.
#axes = #stream.axes<W = 32, R = 4, V = 2, X = 4, P = 8>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "W, R, V">
func.func @in_the_middle(%0: !tcp.stream<main vector_init f32, #in, "1", "P">) {
  // expected-error@+1 {{slice 0 reduces slice 0 and then slice 2; the reduced factors}}
  %1 = tcp.vector_inter_slice_reduce %0 Add "W, X, V", "1" : <main vector_init f32, #in, "1", "P">
  return
}

// -----

// Two factors with one that is kept between them.
#axes = #stream.axes<W = 32, R = 2, V = 2, S = 2, X = 2, Y = 2, P = 8>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "W, R, V, S">
func.func @apart(%0: !tcp.stream<main vector_init f32, #in, "1", "P">) {
  // expected-error@+1 {{slice 0 reduces slice 1 and then slice 4; the reduced factors}}
  %1 = tcp.vector_inter_slice_reduce %0 Add "W, X, V, Y", "1" : <main vector_init f32, #in, "1", "P">
  return
}

// -----

// The place of the reduced factor is the result's; what is kept does not move.
#axes = #stream.axes<W = 64, R = 4, X = 4, P = 8>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "W, R">
func.func @moved(%0: !tcp.stream<main vector_init f32, #in, "1", "P">) {
  // expected-error@+1 {{slice 1 reduces slices 4 to 7 and is not in their block; the reduced factors}}
  %1 = tcp.vector_inter_slice_reduce %0 Add "X, W", "1" : <main vector_init f32, #in, "1", "P">
  return
}
