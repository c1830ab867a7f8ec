// RUN: sequin-opt %s --split-input-file --verify-diagnostics
// ROWS: ALN-02, CON-06, CON-07, CON-10, CON-11, CON-12, RED-06, RED-16, SIL-28, SIL-30, TRF-06

// Fw = 4 needs 33 elements.
#axes = #stream.axes<W = 30, Fw = 4, C = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @shift_past_the_flits(%0: !tcp.stream<main collect bf16, #grid, "[$(W:1, Fw:1) = 32] / 16", "[$(W:1, Fw:1) = 32] % 16">,
                                %w: !tcp.trf<bf16, #grid, "C", "Fw">) {
  // expected-error@+1 {{align to time "Fw", packet "W # 32" is not a collection of 1 or 2 flits}}
  %1 = tcp.align %0, %w "Fw", "W # 32" : <main collect bf16, #grid, "[$(W:1, Fw:1) = 32] / 16", "[$(W:1, Fw:1) = 32] % 16">, !tcp.trf<bf16, #grid, "C", "Fw">
  return
}

// -----

// Shifts by 1 and 2 would be needed in turn.
#axes = #stream.axes<W = 16, Fw = 3, Fh = 2, C = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @shift_not_even(%0: !tcp.stream<main collect bf16, #grid, "$(W:1, Fw:1, Fh:4) # 32 / 16", "$(W:1, Fw:1, Fh:4) # 32 % 16">,
                          %w: !tcp.trf<bf16, #grid, "C", "Fh, Fw">) {
  // expected-error@+1 {{nor shifted windows of up to 3}}
  %1 = tcp.align %0, %w "Fh, Fw", "W # 32" : <main collect bf16, #grid, "$(W:1, Fw:1, Fh:4) # 32 / 16", "$(W:1, Fw:1, Fh:4) # 32 % 16">, !tcp.trf<bf16, #grid, "C", "Fh, Fw">
  return
}

// -----

// The windows stand next to the packet, repetitions further in.
#axes = #stream.axes<W = 30, Fw = 3, K = 2, T = 5, C = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @shift_not_innermost(%0: !tcp.stream<main collect bf16, #grid, "K, $(W:1, Fw:1) / 16", "$(W:1, Fw:1) % 16">,
                               %w: !tcp.trf<bf16, #grid, "C", "K, Fw">) {
  // expected-error@+1 {{align to time "Fw, K", packet "W # 32" is not}}
  %1 = tcp.align %0, %w "Fw, K", "W # 32" : <main collect bf16, #grid, "K, $(W:1, Fw:1) / 16", "$(W:1, Fw:1) % 16">, !tcp.trf<bf16, #grid, "C", "K, Fw">
  return
}

// -----

#axes = #stream.axes<M = 4, K = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @max_of_two_rows(%0: !tcp.stream<main align i8, #grid, row "M / 2", "M % 2", "K">) {
  // expected-error@+1 {{has 2 rows ("M / 2"), reduce-max uses 1}}
  %1 = tcp.contract %0 max "1" : <main align i8, #grid, row "M / 2", "M % 2", "K">
  return
}

// -----

#axes = #stream.axes<M = 4, K = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @no_tree(%0: !tcp.stream<main align i8, #grid, row "1", "M", "K">) {
  // expected-error@+1 {{contract keeps 64 columns, the accumulator takes at most 32}}
  %1 = tcp.contract %0 "K" : <main align i8, #grid, row "1", "M", "K">
  return
}

// -----

#axes = #stream.axes<K = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @f32_operand(%0: !tcp.stream<sub collect f32, #grid, "K / 8", "K % 8">) {
  // expected-error@+1 {{TRF tensor has element type 'f32', the contraction engine takes i4, i8, f8E4M3FN, f8E5M2 and bf16, and the i5 and i9 of streams}}
  %1 = tcp.to_trf %0 Full "1", "K" : <sub collect f32, #grid, "K / 8", "K % 8">
  return
}

// -----

#axes = #stream.axes<K = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @i32_operand(%0: !tcp.stream<sub collect i32, #grid, "K / 8", "K % 8">) {
  // expected-error@+1 {{TRF tensor has element type 'i32'}}
  %1 = tcp.to_trf %0 Full "1", "K" : <sub collect i32, #grid, "K / 8", "K % 8">
  return
}

// -----

#axes = #stream.axes<M = 4, K = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @f32_stream(%0: !tcp.stream<main align f32, #grid, row "1", "M", "K">) {
  // expected-error@+1 {{element type 'f32' cannot be contracted, allowed are i4, i5, i8, i9, f8E4M3FN, f8E5M2 and bf16}}
  %1 = tcp.contract %0 "1" : <main align f32, #grid, row "1", "M", "K">
  return
}

// -----

// i8 and i9 are not the same.
#axes = #stream.axes<M = 4, K = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @mixed_operands(%0: !tcp.stream<main collect i9, #grid, "M, K / 32", "K % 32">,
                          %w: !tcp.trf<i8, #grid, "1", "K">) {
  // expected-error@+1 {{stream has element type 'i9', the TRF tensor 'i8'}}
  %1 = tcp.align %0, %w "M", "K" : <main collect i9, #grid, "M, K / 32", "K % 32">, !tcp.trf<i8, #grid, "1", "K">
  return
}

// -----

// Padding of a stream may be anything.
#axes = #stream.axes<K = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @zeros_from_nowhere(%0: !tcp.stream<sub collect bf16, #grid, "1", "K, 1 # 2">) {
  // expected-error@+1 {{element mapping "K, 1 #z 2" has zero padding, the padding of the stream "1", "K, 1 # 2" may be anything}}
  %1 = tcp.to_trf %0 Full "1", "K, 1 #z 2" : <sub collect bf16, #grid, "1", "K, 1 # 2">
  return
}

// -----

// Columns that are left out have to be padding (SIL-30).
#axes = #stream.axes<M = 4, V = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @drops_data(%0: !tcp.stream<main align i8, #grid, row "1", "M", "V">) {
  // expected-error@+1 {{contract packet "V = 4" is not "V" divided by a power of two}}
  %1 = tcp.contract %0 "V = 4" : <main align i8, #grid, row "1", "M", "V">
  return
}

// -----

#axes = #stream.axes<M = 4, V = 4>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @accumulates_fewer(%0: !tcp.stream<main contract i32, #grid, row "1", "M", "V">) {
  // expected-error@+1 {{accumulated packet}}
  %1 = tcp.accumulate %0 Interleaved "M, V = 2", "1 # 8" : <main contract i32, #grid, row "1", "M", "V">
  return
}

// -----

// Steps that neither operand knows of would only copy packets.
#axes = #stream.axes<M = 8, K = 32, N = 8, S = 3>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @repeated_for_nobody(%0: !tcp.stream<main collect i8, #grid, "M", "K">, %w: !tcp.trf<i8, #grid, "N", "K">) {
  // expected-error@+1 {{align to time "M, S" repeats packets over axis S, which neither the stream nor the stationary operand has}}
  %1 = tcp.align %0, %w "M, S", "K # 64" : <main collect i8, #grid, "M", "K">, !tcp.trf<i8, #grid, "N", "K">
  return
}
