// RUN: sequin-opt %s --split-input-file --verify-diagnostics
// ROWS: SWI-07, SWI-09, SWI-10, SWI-15, SWI-16, SWI-17, SWI-18, ERR-54

// The order of what moves to time must be that of the slices (ERR-54).
#axes = #stream.axes<A = 16, B = 16, C = 8, D = 8, E = 8, Z = 4>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A, B">
func.func @custom_order(%0: !tcp.stream<main fetch i8, #grid, "C", "D, E">) {
  // expected-error@+1 {{time axes "B % 2, B / 2 % 2" that come from slices must keep their order: slice 0 of the result takes slice 1 after slice 2}}
  %1 = tcp.switch %0 CustomBroadcast ring_size = 4 "A, B / 4, Z", "C, B % 2, B / 2 % 2" : <main fetch i8, #grid, "C", "D, E">
  return
}

// -----

// As the manual prints it: B / 2 is not what the slices have given up, they
// have B / 4 themselves.
#axes = #stream.axes<A = 16, B = 16, C = 8, D = 8, E = 8, Z = 4>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A, B">
func.func @custom_order_as_printed(%0: !tcp.stream<main fetch i8, #grid, "C", "D, E">) {
  // expected-error@+1 {{axis 'B' is walked twice: 'B / 2' of time 'C, B % 2, B / 2' and 'B / 4' of slice 'A, B / 4, Z' hold the same indices of it}}
  %1 = tcp.switch %0 CustomBroadcast ring_size = 16 "A, B / 4, Z", "C, B % 2, B / 2" : <main fetch i8, #grid, "C", "D, E">
  return
}

// -----

#axes = #stream.axes<A = 16, B = 16, C = 8, D = 8, E = 8, X = 2, Y = 2>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A, B">
func.func @custom_not_innermost(%0: !tcp.stream<main fetch i8, #grid, "C", "D, E">) {
  // expected-error@+1 {{switched time outside the axes that come from slices, which must be innermost, is [A % 2, C, B % 2] / 4, expected C: position 1 holds {C: 2} instead of {C: 1}}}
  %1 = tcp.switch %0 CustomBroadcast ring_size = 32 "A / 2, X, B / 2, Y", "A % 2, C, B % 2" : <main fetch i8, #grid, "C", "D, E">
  return
}

// -----

#axes = #stream.axes<A = 16, B = 16, C = 8, D = 8, E = 8, X = 2, Y = 2>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A, B">
func.func @custom_ring_too_small(%0: !tcp.stream<main fetch i8, #grid, "C", "D, E">) {
  // expected-error@+1 {{ring_size is 16, rings of 32 slices are needed to connect every slice with those it takes packets of}}
  %1 = tcp.switch %0 CustomBroadcast ring_size = 16 "A / 2, X, B / 2, Y", "C, A % 2, B % 2" : <main fetch i8, #grid, "C", "D, E">
  return
}

// -----

#axes = #stream.axes<A = 16, B = 16, C = 8, D = 8, E = 8, X = 2, Y = 2>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A, B">
func.func @custom_ring_not_a_power_of_two(%0: !tcp.stream<main fetch i8, #grid, "C", "D, E">) {
  // expected-error@+1 {{ring_size is 48, it must be a power of two up to the 256 slices}}
  %1 = tcp.switch %0 CustomBroadcast ring_size = 48 "A / 2, X, B / 2, Y", "C, A % 2, B % 2" : <main fetch i8, #grid, "C", "D, E">
  return
}

// -----

#axes = #stream.axes<A = 16, B = 16, C = 8, D = 8, E = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A, B">
func.func @custom_ring_too_large(%0: !tcp.stream<main fetch i8, #grid, "C", "D, E">) {
  // expected-error@+1 {{ring_size is 512, it must be a power of two up to the 256 slices}}
  %1 = tcp.switch %0 CustomBroadcast ring_size = 512 "B, A", "C" : <main fetch i8, #grid, "C", "D, E">
  return
}

// -----

// Only what slices hold is in slices under a custom topology.
#axes = #stream.axes<A = 16, B = 16, C = 8, D = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A, B = 8">
func.func @custom_time_to_slices(%0: !tcp.stream<main fetch i8, #grid, "C", "D">) {
  // expected-error@+1 {{slice 4 of the result needs {B: 8}, which no slice of "A, B = 8" holds}}
  %1 = tcp.switch %0 CustomBroadcast ring_size = 128 "A, B / 2", "C" : <main fetch i8, #grid, "C", "D">
  return
}

// -----

#axes = #stream.axes<A = 16, B = 12, C = 8, D = 8, Z = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A, B # 16">
func.func @custom_padding_moves(%0: !tcp.stream<main fetch i8, #grid, "C", "D">) {
  // expected-error@+1 {{time axes "B # 16" that come from slices have padding at position 12, which no slice sends}}
  %1 = tcp.switch %0 CustomBroadcast ring_size = 16 "A, Z", "C, B # 16" : <main fetch i8, #grid, "C", "D">
  return
}

// -----

#axes = #stream.axes<A = 256, C = 8, D = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A">
func.func @custom_time_shorter(%0: !tcp.stream<main fetch i8, #grid, "C", "D">) {
  // expected-error@+1 {{switched time "C / 2" has 4 steps, expected a multiple of the 8 steps of "C"}}
  %1 = tcp.switch %0 CustomBroadcast ring_size = 2 "A", "C / 2" : <main fetch i8, #grid, "C", "D">
  return
}

// -----

// Regular topologies connect as many slices as there are.
#axes = #stream.axes<A = 256, B = 64, X = 4>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A">
func.func @fewer_slices(%0: !tcp.stream<main fetch i8, #grid, "1", "B">) {
  // expected-error@+1 {{slice mapping "A / 4" has size 64, the switch connects the 256 slices of "A"}}
  %1 = tcp.switch %0 Broadcast01 slice1 = 2 slice0 = 2 time0 = 1 "A / 4", "A % 4" : <main fetch i8, #grid, "1", "B">
  return
}

// -----

// Repeated data needs an axis of its own.
#axes = #stream.axes<A = 256, B = 64, X = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A">
func.func @repeats_over_an_old_axis(%0: !tcp.stream<main fetch i8, #grid, "1", "X % 2, B / 2">) {
  // expected-error@+1 {{repeat data, so their axis must be new; the stream already has X}}
  %1 = tcp.switch %0 Broadcast01 slice1 = 2 slice0 = 2 time0 = 1 "A / 4, X / 2", "A % 4" : <main fetch i8, #grid, "1", "X % 2, B / 2">
  return
}

// -----

#axes = #stream.axes<A = 256, B = 64, C = 8, X = 4>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A">
func.func @broadcast1_keeps_slice0(%0: !tcp.stream<main fetch i8, #grid, "B", "C">) {
  // expected-error@+1 {{inner part of the switched slices is}}
  %1 = tcp.switch %0 Broadcast1 slice1 = 4 slice0 = 8 "A / 32, X, A % 4, A / 4 % 2", "B, A / 8 % 4" : <main fetch i8, #grid, "B", "C">
  return
}

// -----

#axes = #stream.axes<A = 256, B = 64, C = 8, X = 4>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A">
func.func @broadcast1_time(%0: !tcp.stream<main fetch i8, #grid, "B", "C">) {
  // expected-error@+1 {{switched time is A / 8 % 4, B, expected B, A % 32 / 8: position 1 holds {B: 1} instead of {A: 8}}}
  %1 = tcp.switch %0 Broadcast1 slice1 = 4 slice0 = 8 "A / 32, X, A % 8", "A / 8 % 4, B" : <main fetch i8, #grid, "B", "C">
  return
}

// -----

#axes = #stream.axes<A = 256, B = 64, C = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A">
func.func @transpose_wrong_sizes(%0: !tcp.stream<main fetch i8, #grid, "B", "C">) {
  // expected-error@+1 {{switched slice is A / 64, A % 4, A / 4 % 16, expected}}
  %1 = tcp.switch %0 Transpose slice1 = 32 slice0 = 2 "A / 64, A % 4, A / 4 % 16", "B" : <main fetch i8, #grid, "B", "C">
  return
}

// -----

#axes = #stream.axes<A = 8, B = 32, C = 256>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "C">
func.func @transpose_changes_time(%0: !tcp.stream<main fetch i8, #grid, "A", "B">) {
  // expected-error@+1 {{switched time is A % 2, A / 2, expected A}}
  %1 = tcp.switch %0 Transpose slice1 = 32 slice0 = 2 "C / 64, C % 2, C / 2 % 32", "A % 2, A / 2" : <main fetch i8, #grid, "A", "B">
  return
}

// -----

// time1 takes the place of slice1, so it has its size.
#axes = #stream.axes<A = 8, B = 32, C = 256>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "C">
func.func @inter_transpose_size(%0: !tcp.stream<main fetch i8, #grid, "A", "B">) {
  // expected-error@+1 {{switched slice is C / 32, A / 2, C % 8, expected}}
  %1 = tcp.switch %0 InterTranspose slice1 = 2 slice0 = 16 time0 = 2 "C / 32, A / 2, C % 8", "A % 2, C / 8 % 4" : <main fetch i8, #grid, "A", "B">
  return
}

// -----

#axes = #stream.axes<A = 8, B = 32, C = 256>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "C">
func.func @inter_transpose_time_too_short(%0: !tcp.stream<main fetch i8, #grid, "A", "B">) {
  // expected-error@+1 {{time: }}
  %1 = tcp.switch %0 InterTranspose slice1 = 4 slice0 = 16 time0 = 4 "C / 64, A / 2, C % 16", "A % 2, C / 16 % 4" : <main fetch i8, #grid, "A", "B">
  return
}

// -----

#axes = #stream.axes<A = 256, B = 64, C = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A">
func.func @parameter_missing(%0: !tcp.stream<main fetch i8, #grid, "B", "C">) {
  // expected-error@+1 {{Broadcast01 needs time0}}
  %1 = tcp.switch %0 Broadcast01 slice1 = 2 slice0 = 2 "A", "B" : <main fetch i8, #grid, "B", "C">
  return
}

// -----

#axes = #stream.axes<A = 256, B = 64, C = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A">
func.func @parameter_unknown(%0: !tcp.stream<main fetch i8, #grid, "B", "C">) {
  // expected-error@+1 {{Transpose has no parameter ring_size}}
  %1 = tcp.switch %0 Transpose slice1 = 2 slice0 = 2 ring_size = 4 "A", "B" : <main fetch i8, #grid, "B", "C">
  return
}

// -----

#axes = #stream.axes<A = 256, B = 64, C = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A">
func.func @custom_needs_its_ring(%0: !tcp.stream<main fetch i8, #grid, "B", "C">) {
  // expected-error@+1 {{CustomBroadcast needs ring_size}}
  %1 = tcp.switch %0 CustomBroadcast "A", "B" : <main fetch i8, #grid, "B", "C">
  return
}

// -----

// What has been switched is collected, not switched again.
#axes = #stream.axes<A = 256, B = 64, C = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A">
func.func @switch_twice(%0: !tcp.stream<main switch i8, #grid, "B", "C">) {
  // expected-error@+1 {{operand #0 must be stream after fetch}}
  %1 = tcp.switch %0 Transpose slice1 = 2 slice0 = 2 "A", "B" : <main switch i8, #grid, "B", "C">
  return
}
