// RUN: sequin-opt %s --split-input-file --verify-diagnostics
// ROWS: ISR-01, ISR-03, ISR-07, ISR-09, ISR-10, VCG-08, VCG-10, VCG-11, VCG-15, VCG-17, VCG-19, ERR-71

// R over slices, time and packet: needed are counts [[4,4],[4,1],[0,0],[0,0]].
#axes = #stream.axes<R = 13>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "R # 32 / 8">
func.func @slice_time_packet(%0: !tcp.stream<main vector_init i32, #grid, "R # 32 / 4 % 2", "R # 32 % 4 # 8">) {
  %1 = tcp.vector_intra_slice_branch %0 Unconditional : <main vector_init i32, #grid, "R # 32 / 4 % 2", "R # 32 % 4 # 8">
  %2 = tcp.vector_trim_way4 %1 "R # 32 % 4" : <main vector_branch i32, #grid, "R # 32 / 4 % 2", "R # 32 % 4 # 8">
  // expected-error@+1 {{padding of axis 'R' (size 13) in Slice 'R # 32 / 8' + Time 'R # 32 / 4 % 2' + Packet 'R # 32 % 4 # 8' cannot be told from data: slices would need packets of 4 and of 1 elements at the same time step}}
  %3 = tcp.vector_intra_slice_reduce %2 Min "R" "1", "1 # 4" : <main vector_narrow i32, #grid, "R # 32 / 4 % 2", "R # 32 % 4">
  return
}

// -----

// Twelve slots.
#axes = #stream.axes<A = 6, B = 8, R = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A / 3">
func.func @too_many_slots(%0: !tcp.stream<main vector_narrow i32, #grid, "R, A % 3, B % 4", "B / 4 # 4">) {
  // expected-error@+1 {{time "R, A % 3, B % 4" needs 12 accumulator slots inside the outermost part of axis "R", 8 are available}}
  %1 = tcp.vector_intra_slice_reduce %0 AddSat "R" "A % 3, B % 4", "B / 4 # 4" : <main vector_narrow i32, #grid, "R, A % 3, B % 4", "B / 4 # 4">
  return
}

// -----

// One past the limit.
#axes = #stream.axes<A = 9, R = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
func.func @nine_slots(%0: !tcp.stream<main vector_narrow i32, #grid, "R / 4, A, R % 4", "1 # 4">) {
  // expected-error@+1 {{needs 9 accumulator slots}}
  %1 = tcp.vector_intra_slice_reduce %0 AddSat "R" "A", "1 # 4" : <main vector_narrow i32, #grid, "R / 4, A, R % 4", "1 # 4">
  return
}

// -----

#axes = #stream.axes<A = 4, R = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
func.func @time_kept(%0: !tcp.stream<main vector_narrow i32, #grid, "R / 4, A, R % 4", "1 # 4">) {
  // expected-error@+1 {{time of the result is "A, R % 4", the stream without axis "R" has "A"}}
  %1 = tcp.vector_intra_slice_reduce %0 AddSat "R" "A, R % 4", "1 # 4" : <main vector_narrow i32, #grid, "R / 4, A, R % 4", "1 # 4">
  return
}

// -----

#axes = #stream.axes<A = 4, R = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
func.func @time_lost(%0: !tcp.stream<main vector_narrow i32, #grid, "R, A", "1 # 4">) {
  // expected-error@+1 {{time of the result is "1", the stream without axis "R" has "A"}}
  %1 = tcp.vector_intra_slice_reduce %0 AddSat "R" "1", "1 # 4" : <main vector_narrow i32, #grid, "R, A", "1 # 4">
  return
}

// -----

#axes = #stream.axes<A = 4, R = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
func.func @packet_changed(%0: !tcp.stream<main vector_narrow i32, #grid, "R", "A">) {
  // expected-error@+1 {{packet of the result is "1 # 4", the stream without axis "R" has "A"}}
  %1 = tcp.vector_intra_slice_reduce %0 AddSat "R" "1", "1 # 4" : <main vector_narrow i32, #grid, "R", "A">
  return
}

// -----

#axes = #stream.axes<A = 2, R = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
func.func @lanes_shared(%0: !tcp.stream<main vector_narrow i32, #grid, "R / 2", "R % 2, A">) {
  // expected-error@+1 {{packet "R % 2, A" holds "A" beside axis "R", the tree reduces all lanes to one}}
  %1 = tcp.vector_intra_slice_reduce %0 AddSat "R" "1", "A # 4" : <main vector_narrow i32, #grid, "R / 2", "R % 2, A">
  return
}

// -----

#axes = #stream.axes<A = 4, R = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "R">
func.func @nothing_to_reduce(%0: !tcp.stream<main vector_narrow i32, #grid, "1", "A">) {
  // expected-error@+1 {{axis "R" is neither in time nor in the packet, there is nothing to reduce}}
  %1 = tcp.vector_intra_slice_reduce %0 AddSat "R" "1", "A" : <main vector_narrow i32, #grid, "1", "A">
  return
}

// -----

#axes = #stream.axes<A = 4, R = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
func.func @unknown_axis(%0: !tcp.stream<main vector_narrow i32, #grid, "R", "A">) {
  // expected-error@+1 {{reduces axis "S", which is not declared}}
  %1 = tcp.vector_intra_slice_reduce %0 AddSat "S" "R", "A" : <main vector_narrow i32, #grid, "R", "A">
  return
}

// -----

#axes = #stream.axes<A = 3, R = 7>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
func.func @joined_term(%0: !tcp.stream<main vector_narrow i32, #grid, "[R, A] # 24 / 4", "[R, A] # 24 % 4">) {
  // expected-error@+1 {{term "[R, A] # 24 / 4" joins axis "R" with others, its parts have to be terms of their own to be reduced}}
  %1 = tcp.vector_intra_slice_reduce %0 AddSat "R" "A", "1 # 4" : <main vector_narrow i32, #grid, "[R, A] # 24 / 4", "[R, A] # 24 % 4">
  return
}

// -----

#axes = #stream.axes<A = 4, R = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
func.func @float_operation(%0: !tcp.stream<main vector_narrow i32, #grid, "R", "A">) {
  // expected-error@+1 {{Add works on f32, found a stream of i32; use AddSat}}
  %1 = tcp.vector_intra_slice_reduce %0 Add "R" "1", "A" : <main vector_narrow i32, #grid, "R", "A">
  return
}

// -----

#axes = #stream.axes<A = 4, R = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
func.func @integer_operation(%0: !tcp.stream<main vector_narrow f32, #grid, "R", "A">) {
  // expected-error@+1 {{AddSat works on i32, found a stream of f32; use Add}}
  %1 = tcp.vector_intra_slice_reduce %0 AddSat "R" "1", "A" : <main vector_narrow f32, #grid, "R", "A">
  return
}

// -----

#axes = #stream.axes<A = 8, R = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
func.func @eight_lanes(%0: !tcp.stream<main vector_branch f32, #grid, "R", "A">) {
  // expected-error@+1 {{operand #0 must be 4-lane stream after vector_split, vector_trim_way4 or a float operation}}
  %1 = tcp.vector_intra_slice_reduce %0 Add "R" "1", "A" : <main vector_branch f32, #grid, "R", "A">
  return
}

// -----

// Once per pass, and before the division stage.
#axes = #stream.axes<A = 4, R = 16, S = 2>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
func.func @twice(%0: !tcp.stream<main vector_narrow f32, #grid, "S, R", "A">) {
  %1 = tcp.vector_intra_slice_reduce %0 Add "R" "S", "A" : <main vector_narrow f32, #grid, "S, R", "A">
  // expected-error@+1 {{operand #0 must be 4-lane stream after vector_split, vector_trim_way4 or a float operation}}
  %2 = tcp.vector_intra_slice_reduce %1 Add "S" "1", "A" : <main vector_intra_slice_reduce f32, #grid, "S", "A">
  return
}

// -----

// Transposed, with a time step to spare.
#axes = #stream.axes<R = 14, X = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "X, R # 20 % 4">
func.func @transposed(%0: !tcp.stream<main vector_narrow i32, #grid, "R # 20 / 4", "1 # 4">) {
  // expected-error@+1 {{transposed, it has 5 time steps where its size needs 4}}
  %1 = tcp.vector_intra_slice_reduce %0 AddSat "R" "1", "1 # 4" : <main vector_narrow i32, #grid, "R # 20 / 4", "1 # 4">
  return
}

// -----

#axes = #stream.axes<R = 13, X = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "X, R # 16 / 2 % 4, R # 16 / 8">
func.func @wrong_ordering(%0: !tcp.stream<main vector_narrow i32, #grid, "R # 16 % 2", "1 # 4">) {
  // expected-error@+1 {{its parts in Slice do not ascend from the inside out, so that the slices with data do not come first}}
  %1 = tcp.vector_intra_slice_reduce %0 Min "R" "1", "1 # 4" : <main vector_narrow i32, #grid, "R # 16 % 2", "1 # 4">
  return
}

// -----

#axes = #stream.axes<R = 13, X = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "X, R # 16 / 2 % 4">
func.func @wrong_interleave(%0: !tcp.stream<main vector_narrow i32, #grid, "R # 16 / 8, R # 16 % 2", "1 # 4">) {
  // expected-error@+1 {{its parts in Time are neither all inside nor all outside of those in Slice, so that slices need more than one threshold}}
  %1 = tcp.vector_intra_slice_reduce %0 Min "R" "1", "1 # 4" : <main vector_narrow i32, #grid, "R # 16 / 8, R # 16 % 2", "1 # 4">
  return
}

// -----

#axes = #stream.axes<R = 19, A = 8, X = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "X, A / 2">
func.func @packet_outer(%0: !tcp.stream<main vector_narrow f32, #grid, "R # 24 % 8", "R # 24 / 8 # 4">) {
  // expected-error@+1 {{its part in Packet is not its innermost part at the beginning of the packet}}
  %1 = tcp.vector_intra_slice_reduce %0 Add "R" "1", "1 # 4" : <main vector_narrow f32, #grid, "R # 24 % 8", "R # 24 / 8 # 4">
  return
}

// -----

// The packet that enters the block is looked at, not what is left of it.
#axes = #stream.axes<R = 19, A = 2, X = 256>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "X">
func.func @mixed_packet(%0: !tcp.stream<main vector_init f32, #grid, "R # 24 / 4", "A, R # 24 % 4">) {
  %1 = tcp.vector_intra_slice_branch %0 Unconditional : <main vector_init f32, #grid, "R # 24 / 4", "A, R # 24 % 4">
  %2 = tcp.vector_split %1 "R # 24 / 4, A", "R # 24 % 4" : <main vector_branch f32, #grid, "R # 24 / 4", "A, R # 24 % 4">
  // expected-error@+1 {{Packet holds 'A' too, which a prefix of the packet would cut}}
  %3 = tcp.vector_intra_slice_reduce %2 Add "R" "A", "1 # 4" : <main vector_narrow f32, #grid, "R # 24 / 4, A", "R # 24 % 4">
  return
}

// -----

#axes = #stream.axes<R = 2045>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "R # 2048 / 8">
func.func @slice_packet(%0: !tcp.stream<main vector_init i32, #grid, "1", "R # 2048 % 8">) {
  %1 = tcp.vector_intra_slice_branch %0 Unconditional : <main vector_init i32, #grid, "1", "R # 2048 % 8">
  %2 = tcp.vector_split %1 "R # 2048 / 4 % 2", "R # 2048 % 4" : <main vector_branch i32, #grid, "1", "R # 2048 % 8">
  // expected-error@+1 {{slices would need packets of 8 and of 5 elements at the same time step}}
  %3 = tcp.vector_intra_slice_reduce %2 AddSat "R" "1", "1 # 4" : <main vector_narrow i32, #grid, "R # 2048 / 4 % 2", "R # 2048 % 4">
  return
}

// -----

// Whole packets of eight would do, of four would not: n = 12 splits a flit of 8.
#axes = #stream.axes<R = 12>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "R # 16 / 8">
func.func @counted_by_flits(%0: !tcp.stream<main vector_init i32, #grid, "1", "R # 16 % 8">) {
  %1 = tcp.vector_intra_slice_branch %0 Unconditional : <main vector_init i32, #grid, "1", "R # 16 % 8">
  %2 = tcp.vector_split %1 "R # 16 / 4 % 2", "R # 16 % 4" : <main vector_branch i32, #grid, "1", "R # 16 % 8">
  // expected-error@+1 {{slices would need packets of 8 and of 4 elements}}
  %3 = tcp.vector_intra_slice_reduce %2 AddSat "R" "1", "1 # 4" : <main vector_narrow i32, #grid, "R # 16 / 4 % 2", "R # 16 % 4">
  return
}

// -----

// Behind a zip half as many flits are left as the generator has counted.
#axes = #stream.axes<R = 13, I = 2, X = 256>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "X">
func.func @counted_pairs(%0: !tcp.stream<main vector_init f32, #grid, "R # 16 / 8, I", "R # 16 % 8">) {
  %1 = tcp.vector_intra_slice_unzip %0 "I", "R # 16 / 8, 1 # 2", "R # 16 / 8" : <main vector_init f32, #grid, "R # 16 / 8, I", "R # 16 % 8">
  %2 = tcp.vector_split %1 "R # 16 / 4", "R # 16 % 4" : <main vector_branch f32, #grid, "R # 16 / 8", "R # 16 % 8">
  %3 = tcp.vector_fp_zip %2 MulF0 : <main vector_narrow f32, #grid, "R # 16 / 4", "R # 16 % 4">
  // expected-error@+1 {{reduces axis "R", whose padding needs a valid count, which the two-group mode does not have; allowed is padding that the fetch's pad_value has filled, with prefilled}}
  %4 = tcp.vector_intra_slice_reduce %3 Add "R" "1", "1 # 4" : <main vector_fp f32, #grid, "R # 16 / 4", "R # 16 % 4">
  return
}

// -----

// With prefilled, or without padding, the pair is reduced.
#axes = #stream.axes<R = 13, S = 16, I = 2, X = 256>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "X">
func.func @prefilled_pairs(%0: !tcp.stream<main vector_init f32, #grid, "R # 16 / 8, I", "R # 16 % 8">,
                           %5: !tcp.stream<main vector_init f32, #grid, "S / 8, I", "S % 8">) {
  %1 = tcp.vector_intra_slice_unzip %0 "I", "R # 16 / 8, 1 # 2", "R # 16 / 8" : <main vector_init f32, #grid, "R # 16 / 8, I", "R # 16 % 8">
  %2 = tcp.vector_split %1 "R # 16 / 4", "R # 16 % 4" : <main vector_branch f32, #grid, "R # 16 / 8", "R # 16 % 8">
  %3 = tcp.vector_fp_zip %2 MulF0 : <main vector_narrow f32, #grid, "R # 16 / 4", "R # 16 % 4">
  %4 = tcp.vector_intra_slice_reduce %3 Add "R" "1", "1 # 4" prefilled : <main vector_fp f32, #grid, "R # 16 / 4", "R # 16 % 4">
  %6 = tcp.vector_intra_slice_unzip %5 "I", "S / 8, 1 # 2", "S / 8" : <main vector_init f32, #grid, "S / 8, I", "S % 8">
  %7 = tcp.vector_split %6 "S / 4", "S % 4" : <main vector_branch f32, #grid, "S / 8", "S % 8">
  %8 = tcp.vector_fp_zip %7 MulF0 : <main vector_narrow f32, #grid, "S / 4", "S % 4">
  %9 = tcp.vector_intra_slice_reduce %8 Add "S" "1", "1 # 4" : <main vector_fp f32, #grid, "S / 4", "S % 4">
  return
}

// -----

// Packets as printed: 3 and 2 lanes; "R # 4" and "B / 4 # 4" have the four.
#axes = #stream.axes<R = 3, B = 8, A = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
func.func @trim_to_fewer_lanes(%0: !tcp.stream<main vector_branch i32, #grid, "A", "R # 8">) {
  // expected-error@+1 {{packet "R" has 3 elements, expected 4}}
  %1 = tcp.vector_trim_way4 %0 "R" : <main vector_branch i32, #grid, "A", "R # 8">
  return
}

// -----

#axes = #stream.axes<R = 3, B = 8, A = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
func.func @trim_to_two_lanes(%0: !tcp.stream<main vector_branch i32, #grid, "A", "B / 4 # 8">) {
  // expected-error@+1 {{packet "B / 4" has 2 elements, expected 4}}
  %1 = tcp.vector_trim_way4 %0 "B / 4" : <main vector_branch i32, #grid, "A", "B / 4 # 8">
  return
}

// -----

#axes = #stream.axes<R = 3, B = 8, A = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
func.func @trim_to_four_lanes(%0: !tcp.stream<main vector_branch i32, #grid, "A", "R # 8">,
                              %1: !tcp.stream<main vector_branch i32, #grid, "A", "B / 4 # 8">) {
  %2 = tcp.vector_trim_way4 %0 "R # 4" : <main vector_branch i32, #grid, "A", "R # 8">
  %3 = tcp.vector_trim_way4 %1 "B / 4 # 4" : <main vector_branch i32, #grid, "A", "B / 4 # 8">
  return
}
