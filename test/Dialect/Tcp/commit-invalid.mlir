// RUN: sequin-opt %s --split-input-file --verify-diagnostics
// ROWS: COM-01, COM-03, COM-13, COM-15, ERR-5, ERR-18, ERR-30, KER-16, KER-21, SIL-44

// A row of 88 bytes has no room for three writes of 32: the third would reach
// bytes 88 to 95 of the next row, that of the last row bytes behind the tensor.
#axes = #stream.axes<A = 65, B = 2>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @commit_leaves_the_tensor(%0: !tcp.stream<main collect f8E4M3FN, #grid, "B, A # 96 / 32", "A # 96 % 32">) {
  // expected-error@+1 {{write leaves the tensor: the stream walks 96 positions of A, the buffer 'B, A # 88' has room for 88}}
  %1 = tcp.commit %0 at 1024 "B, A # 88" : <main collect f8E4M3FN, #grid, "B, A # 96 / 32", "A # 96 % 32">
  return
}

// -----

// At the limit: rows of 96 bytes.
#axes = #stream.axes<A = 65, B = 2>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @commit_fits(%0: !tcp.stream<main collect f8E4M3FN, #grid, "B, A # 96 / 32", "A # 96 % 32">) {
  %1 = tcp.commit %0 at 1024 "B, A # 96" : <main collect f8E4M3FN, #grid, "B, A # 96 / 32", "A # 96 % 32">
  return
}

// -----

// Every time step would write the same place.
#axes = #stream.axes<A = 8, B = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @commit_broadcasts(%0: !tcp.stream<main collect i8, #grid, "A", "B">) {
  // expected-error@+1 {{commit: }}
  %1 = tcp.commit %0 at 0 "B" : <main collect i8, #grid, "A", "B">
  return
}

// -----

#axes = #stream.axes<A = 8, B = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @commit_keeps_two_bytes(%0: !tcp.stream<main cast bf16, #grid, "A", "1 # 16">) {
  // expected-error@+1 {{keeps 2 bytes of packet "1 # 16", a commit keeps a multiple of 8 leading bytes}}
  %1 = tcp.commit %0 at 0 "A, 1" : <main cast bf16, #grid, "A", "1 # 16">
  return
}

// -----

#axes = #stream.axes<A = 8, B = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @commit_of_half_a_flit(%0: !tcp.stream<main collect i8, #grid, "A", "B">) {
  // expected-error@+1 {{commit packet "B" has 16 elements of 'i8', one flit of 32 bytes holds 32}}
  %1 = tcp.commit %0 at 0 "A, B" : <main collect i8, #grid, "A", "B">
  return
}

// -----

// The commit engine follows the others, not the fetch engine.
#axes = #stream.axes<A = 8, B = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @commit_of_a_fetch(%0: !tcp.stream<sub fetch i8, #grid, "A", "B">) {
  // expected-error@+1 {{operand #0 must be stream after collect, accumulate, vector_final, cast or transpose}}
  %1 = tcp.commit %0 at 0 "A, B" : <sub fetch i8, #grid, "A", "B">
  return
}

// -----

#axes = #stream.axes<A = 8, I = 256>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "I">
func.func @commit_to_other_slices(%0: !tcp.stream<main collect i32, #grid, "1", "A">) {
  // expected-error@+1 {{commits to slices "I / 2 # 256", the stream has "I": they differ in slice 1}}
  %1 = tcp.commit %0 at 0 "A" slices "I / 2 # 256" : <main collect i32, #grid, "1", "A">
  return
}

// -----

#axes = #stream.axes<A = 8, I = 256>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "I">
func.func @commit_to_fewer_slices(%0: !tcp.stream<main collect i32, #grid, "1", "A">) {
  // expected-error@+1 {{commits to slices "I = 64", which are 64, the stream has 256}}
  %1 = tcp.commit %0 at 0 "A" slices "I = 64" : <main collect i32, #grid, "1", "A">
  return
}

// -----

#axes = #stream.axes<A = 8, K = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @packing_in_main(%0: !tcp.stream<main collect i32, #grid, "K / 8", "K % 8">,
                           %n: !tcp.dm<i32, #grid, "1">, %d: !tcp.dm<i32, #grid, "K">) {
  // expected-error@+1 {{is in the main context, valid count packing exists in the sub context}}
  %1 = tcp.commit_packed %0 count %n into %d
      : <main collect i32, #grid, "K / 8", "K % 8">, !tcp.dm<i32, #grid, "1">, !tcp.dm<i32, #grid, "K">
  return
}

// -----

#axes = #stream.axes<A = 8, K = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @packing_with_float_counts(%0: !tcp.stream<sub collect i32, #grid, "K / 8", "K % 8">,
                                     %n: !tcp.dm<f32, #grid, "1">, %d: !tcp.dm<i32, #grid, "K">) {
  // expected-error@+1 {{counts are 'f32', they are read as i32}}
  %1 = tcp.commit_packed %0 count %n into %d
      : <sub collect i32, #grid, "K / 8", "K % 8">, !tcp.dm<f32, #grid, "1">, !tcp.dm<i32, #grid, "K">
  return
}

// -----

#axes = #stream.axes<A = 8, K = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @packing_into_gaps(%0: !tcp.stream<sub collect i32, #grid, "K / 8", "K % 8">,
                             %n: !tcp.dm<i32, #grid, "1">, %d: !tcp.dm<i32, #grid, "K # 72">) {
  // expected-error@+1 {{packs into "K # 72", which has padding between its elements}}
  %1 = tcp.commit_packed %0 count %n into %d
      : <sub collect i32, #grid, "K / 8", "K % 8">, !tcp.dm<i32, #grid, "1">, !tcp.dm<i32, #grid, "K # 72">
  return
}

// -----

#axes = #stream.axes<A = 8, K = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @packing_other_type(%0: !tcp.stream<sub collect i32, #grid, "K / 8", "K % 8">,
                              %n: !tcp.dm<i32, #grid, "1">, %d: !tcp.dm<i8, #grid, "K">) {
  // expected-error@+1 {{stream has element type 'i32', the destination 'i8'}}
  %1 = tcp.commit_packed %0 count %n into %d
      : <sub collect i32, #grid, "K / 8", "K % 8">, !tcp.dm<i32, #grid, "1">, !tcp.dm<i8, #grid, "K">
  return
}

// -----

#axes = #stream.axes<A = 8, K = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @packing_nibbles(%0: !tcp.stream<sub collect i4, #grid, "1", "K">,
                           %n: !tcp.dm<i32, #grid, "1">, %d: !tcp.dm<i4, #grid, "K">) {
  // expected-error@+1 {{packs 'i4', elements of whole bytes can be packed}}
  %1 = tcp.commit_packed %0 count %n into %d
      : <sub collect i4, #grid, "1", "K">, !tcp.dm<i32, #grid, "1">, !tcp.dm<i4, #grid, "K">
  return
}

// -----

#axes = #stream.axes<A = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @immediate_of_16_bits() {
  // expected-error@+1 {{writes 'i16', the immediate has 32 bits}}
  %1 = tcp.itos 5 : i16 at 64 : !tcp.dm<i16, #grid, "1">
  return
}

// -----

#axes = #stream.axes<A = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @immediate_of_another_type() {
  // expected-error@+1 {{value is 5 : i32, the tensor holds 'f32'}}
  %1 = tcp.itos 5 : i32 at 64 : !tcp.dm<f32, #grid, "1">
  return
}

// -----

#axes = #stream.axes<A = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @immediate_for_eight() {
  // expected-error@+1 {{writes one element, the tensor is "A"}}
  %1 = tcp.itos 5 : i32 at 64 : !tcp.dm<i32, #grid, "A">
  return
}

// -----

#axes = #stream.axes<A = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @immediate_not_aligned() {
  // expected-error@+1 {{writes to address 66, allowed are multiples of 4}}
  %1 = tcp.itos 5 : i32 at 66 : !tcp.dm<i32, #grid, "1">
  return
}

// -----

// The sub context goes from fetch through collect to commit.
#axes = #stream.axes<A = 8, B = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @cast_in_sub(%0: !tcp.stream<sub collect i32, #grid, "A", "B">) {
  // expected-error@+1 {{is in the sub context}}
  %1 = tcp.cast %0 i8 "B # 32" : <sub collect i32, #grid, "A", "B">
  return
}
