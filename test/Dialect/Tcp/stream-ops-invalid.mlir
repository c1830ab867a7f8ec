// RUN: sequin-opt %s --split-input-file --verify-diagnostics
// ROWS: HEL-11, ALN-02, COL-06, RED-05, CAS-02, COM-03, FET-01, ERR-4

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @fetch_packet_not_aligned(%0: !tcp.stream<main begin i8, #grid, "1", "A">) {
  // expected-error@+1 {{packet "A % 4" has 4 bytes, a fetch packet is a multiple of 8 bytes}}
  %1 = tcp.fetch %0 i8 "A / 4", "A % 4" : <main begin i8, #grid, "1", "A">
  return
}

// -----

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @fetch_axis_without_size(%0: !tcp.stream<main begin i8, #grid, "1", "A">) {
  // expected-error@+1 {{time mapping "B": }}
  %1 = tcp.fetch %0 i8 "B", "A % 8" : <main begin i8, #grid, "1", "A">
  return
}

// -----

// The printed GEMV collects 64-byte packets.
#axes = #stream.axes<I = 256, J = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "I">
func.func @collect_more_than_a_flit(%0: !tcp.stream<main fetch bf16, #grid, "J / 32", "J % 32">) {
  // expected-error@+1 {{collect packet "J % 32" has 32 elements of 'bf16', one flit of 32 bytes holds 16}}
  %1 = tcp.collect %0 "J / 32", "J % 32" : <main fetch bf16, #grid, "J / 32", "J % 32">
  return
}

// -----

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @collect_reorders(%0: !tcp.stream<main fetch bf16, #grid, "1", "A">) {
  // expected-error@+1 {{collected stream is}}
  %1 = tcp.collect %0 "A % 128", "A / 128" : <main fetch bf16, #grid, "1", "A">
  return
}

// -----

#axes = #stream.axes<J = 8, K = 1024>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @to_trf_rows_not_outermost(%0: !tcp.stream<sub collect bf16, #grid, "K / 16, J", "K % 16">) {
  // expected-error@+1 {{stores "J, K", but the stream holds "K / 16, J, K % 16"}}
  %1 = tcp.to_trf %0 Full "J", "K" : <sub collect bf16, #grid, "K / 16, J", "K % 16">
  return
}

// -----

#axes = #stream.axes<K = 1024>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @align_types_differ(%0: !tcp.stream<main collect i8, #grid, "K / 32", "K % 32">,
                              %trf: !tcp.trf<bf16, #grid, "1", "K">) {
  // expected-error@+1 {{stream has element type 'i8', the TRF tensor 'bf16'}}
  %1 = tcp.align %0, %trf "K / 64", "K % 64" : <main collect i8, #grid, "K / 32", "K % 32">, !tcp.trf<bf16, #grid, "1", "K">
  return
}

// -----

#axes = #stream.axes<K = 1024>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @align_packet_not_64_bytes(%0: !tcp.stream<main collect bf16, #grid, "K / 16", "K % 16">,
                                     %trf: !tcp.trf<bf16, #grid, "1", "K">) {
  // expected-error@+1 {{align packet "K % 16" has 16 elements of 'bf16', a computation packet of 64 bytes holds 32}}
  %1 = tcp.align %0, %trf "K / 16", "K % 16" : <main collect bf16, #grid, "K / 16", "K % 16">, !tcp.trf<bf16, #grid, "1", "K">
  return
}

// -----

// The repeated axis T must be innermost in time.
#axes = #stream.axes<T = 5, M = 32, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @align_broadcast_not_innermost(%0: !tcp.stream<main collect bf16, #grid, "M, K / 16", "K % 16">,
                                         %trf: !tcp.trf<bf16, #grid, "1", "T, K">) {
  // expected-error@+1 {{align to time "T, M", packet "K" is not a collection of 1 or 2 flits}}
  %1 = tcp.align %0, %trf "T, M", "K" : <main collect bf16, #grid, "M, K / 16", "K % 16">, !tcp.trf<bf16, #grid, "1", "T, K">
  return
}

// -----

#axes = #stream.axes<K = 1024>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @contract_not_outer_part(%0: !tcp.stream<main align bf16, #grid, row "1", "K / 32", "K % 32">) {
  // expected-error@+1 {{contract packet "K % 8" is not "K % 32" divided by a power of two}}
  %1 = tcp.contract %0 "K % 8" : <main align bf16, #grid, row "1", "K / 32", "K % 32">
  return
}

// -----

#axes = #stream.axes<M = 4, K = 1024>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @accumulate_reorders(%0: !tcp.stream<main contract f32, #grid, row "1", "M / 2, K / 32, M % 2", "1">) {
  // expected-error@+1 {{accumulate: }}
  %1 = tcp.accumulate %0 Interleaved "M % 2, M / 2", "1 # 8" : <main contract f32, #grid, row "1", "M / 2, K / 32, M % 2", "1">
  return
}

// -----

#axes = #stream.axes<M = 4, J = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @accumulate_packet_is_not_the_rows(%0: !tcp.stream<main contract f32, #grid, row "J", "M", "1">) {
  // expected-error@+1 {{accumulated packet is}}
  %1 = tcp.accumulate %0 Interleaved "M", "1 # 8" : <main contract f32, #grid, row "J", "M", "1">
  return
}

// -----

#axes = #stream.axes<J = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @cast_packet_not_padded(%0: !tcp.stream<main accumulate f32, #grid, "1", "J">) {
  // expected-error@+1 {{packet is "J", expected "J # 16": the input packet padded to one flit of 16 'bf16' elements}}
  %1 = tcp.cast %0 bf16 "J" : <main accumulate f32, #grid, "1", "J">
  return
}

// -----

// The printed GEMV commits one bf16.
#axes = #stream.axes<I = 256, J = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "I">
func.func @commit_two_bytes(%0: !tcp.stream<main cast bf16, #grid, "1", "1 # 16">) {
  // expected-error@+1 {{commit to element "1" keeps 2 bytes of packet "1 # 16", a commit keeps a multiple of 8 leading bytes}}
  %1 = tcp.commit %0 at 0 "1" : <main cast bf16, #grid, "1", "1 # 16">
  return
}

// -----

#axes = #stream.axes<T = 4, A = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @commit_broadcast(%0: !tcp.stream<main collect i32, #grid, "T", "A">) {
  // expected-error@+1 {{commit: }}
  %1 = tcp.commit %0 at 0 "A" : <main collect i32, #grid, "T", "A">
  return
}

// -----

#axes = #stream.axes<A = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @stage_out_of_order(%0: !tcp.stream<main fetch i32, #grid, "1", "A">) {
  // expected-error@+1 {{operand #0 must be stream after collect or accumulate}}
  %1 = tcp.vector_init %0 : <main fetch i32, #grid, "1", "A">
  return
}

// -----

// slice0 is innermost in time, not slice1.
#axes = #stream.axes<A = 256, B = 64, C = 64, X = 4>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A">
func.func @switch_order(%0: !tcp.stream<main fetch i8, #grid, "B", "C">) {
  // expected-error@+1 {{switched time is B / 4, A % 2, B % 4, A / 2 % 2, expected}}
  %1 = tcp.switch %0 Broadcast01 slice1 = 2 slice0 = 2 time0 = 4 "A / 4, X", "B / 4, A % 2, B % 4, A / 2 % 2" : <main fetch i8, #grid, "B", "C">
  return
}

// -----

#axes = #stream.axes<A = 256, B = 64, C = 64, X = 4>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A">
func.func @switch_ring_does_not_divide(%0: !tcp.stream<main fetch i8, #grid, "B", "C">) {
  // expected-error@+1 {{slice: }}
  %1 = tcp.switch %0 Broadcast01 slice1 = 3 slice0 = 1 time0 = 1 "A", "B" : <main fetch i8, #grid, "B", "C">
  return
}

// -----

#axes = #stream.axes<A = 256>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @cast_in_sub_context(%0: !tcp.stream<sub collect i32, #grid, "A / 8", "A % 8">) {
  // expected-error@+1 {{is in the sub context, which has no contraction, vector or cast engine}}
  %1 = tcp.cast %0 i8 "A % 8 # 32" : <sub collect i32, #grid, "A / 8", "A % 8">
  return
}

// -----

#axes = #stream.axes<A = 65535, B = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 65535">
func.func @switch_routes(%0: !tcp.stream<main fetch i8, #grid, "1", "B">) {
  // expected-error@+1 {{routes 65535 slices from 65535 each, together more than 4194304}}
  %1 = tcp.switch %0 Broadcast01 slice1 = 65535 slice0 = 1 time0 = 1 "A", "1 # 65535" : <main fetch i8, #grid, "1", "B">
  return
}

// -----

#axes = #stream.axes<A = 256, B = 64, C = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A">
func.func @switch_ring_too_large(%0: !tcp.stream<main fetch i8, #grid, "B", "C">) {
  // expected-error@+1 {{slice1 = 4294967296 and slice0 = 4294967296 make rings larger than the 256 slices}}
  %1 = tcp.switch %0 Broadcast01 slice1 = 4294967296 slice0 = 4294967296 time0 = 1 "A", "B" : <main fetch i8, #grid, "B", "C">
  return
}

// -----

// 15 i4 are 60 bits.
#axes = #stream.axes<A = 15>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @fetch_packet_of_half_bytes(%0: !tcp.stream<main begin i4, #grid, "1", "A">) {
  // expected-error@+1 {{packet "A" has 60 bits, a fetch packet is a multiple of 8 bytes}}
  %1 = tcp.fetch %0 i4 "1", "A" : <main begin i4, #grid, "1", "A">
  return
}
