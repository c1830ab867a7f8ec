// RUN: sequin-opt %s --split-input-file --verify-diagnostics
// ROWS: FET-01, FET-10, FET-11, FET-17, FET-29, ERR-29, ERR-79, ERR-83, KER-02, KER-08, SIL-24, SIL-25, SIL-31

// At most two tensors: larger reductions are trees of pairs.
#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @four_tensors(%0: !tcp.dm<i8, #grid, "A, B">, %1: !tcp.dm<i8, #grid, "A, B">, %2: !tcp.dm<i8, #grid, "A, B">, %3: !tcp.dm<i8, #grid, "A, B">) {
  // expected-error@+1 {{interleaves 4 tensors, one fetch takes 2}}
  %s = tcp.begin_interleaved main "J" %0, %1, %2, %3 : !tcp.dm<i8, #grid, "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @one_tensor(%0: !tcp.dm<i8, #grid, "A, B">) {
  // expected-error@+1 {{interleaves 1 tensors, one fetch takes 2}}
  %s = tcp.begin_interleaved main "I" %0 : !tcp.dm<i8, #grid, "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @axis_of_size_four(%0: !tcp.dm<i8, #grid, "A, B">, %1: !tcp.dm<i8, #grid, "A, B">) {
  // expected-error@+1 {{interleaves along axis J of size 4, one fetch takes 2 tensors}}
  %s = tcp.begin_interleaved main "J" %0, %1 : !tcp.dm<i8, #grid, "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @unknown_axis(%0: !tcp.dm<i8, #grid, "A, B">, %1: !tcp.dm<i8, #grid, "A, B">) {
  // expected-error@+1 {{time mapping "K"}}
  %s = tcp.begin_interleaved main "K" %0, %1 : !tcp.dm<i8, #grid, "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @axis_of_the_tensors(%0: !tcp.dm<i8, #grid, "A, I @ 1 = 1">, %1: !tcp.dm<i8, #grid, "A, I @ 1 = 1">) {
  // expected-error@+1 {{interleaves along axis I, which the tensors have already: "A, I @ 1 = 1"}}
  %s = tcp.begin_interleaved main "I" %0, %1 : !tcp.dm<i8, #grid, "A, I @ 1 = 1">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @types_differ(%0: !tcp.dm<i8, #grid, "A, B">, %1: !tcp.dm<i8, #grid, "B, A">) {
  // expected-error@+1 {{the types must be equal}}
  %s = "tcp.begin_interleaved"(%0, %1) <{execution_context = 0 : i32, axis = "I"}> : (!tcp.dm<i8, #grid, "A, B">, !tcp.dm<i8, #grid, "B, A">) -> !tcp.stream<main begin i8, #grid, "I", "A, B">
  return
}

// -----

// The printed split reduce has the axis outermost.
#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @interleaved_outermost(%0: !tcp.stream<main begin i8, #grid, "I", "A, B">) {
  // expected-error@+1 {{time "I, A" does not have the interleaved axis "I" innermost}}
  %1 = tcp.fetch %0 i8 "I, A", "B" : <main begin i8, #grid, "I", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @interleaved_missing(%0: !tcp.stream<main begin i8, #grid, "I", "A, B">) {
  // expected-error@+1 {{time "A" does not have the interleaved axis "I" innermost}}
  %1 = tcp.fetch %0 i8 "A", "B" : <main begin i8, #grid, "I", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @packet_of_four_bytes(%0: !tcp.stream<main begin i8, #grid, "1", "A, B">) {
  // expected-error@+1 {{packet "B % 4" has 4 bytes, a fetch packet is a multiple of 8 bytes}}
  %1 = tcp.fetch %0 i8 "A, B / 4", "B % 4" : <main begin i8, #grid, "1", "A, B">
  return
}

// -----

// The printed example of an unaligned packet.
#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @packet_of_20_bytes(%0: !tcp.stream<main begin i8, #grid, "1", "A, P">) {
  // expected-error@+1 {{packet "P" has 20 bytes, a fetch packet is a multiple of 8 bytes}}
  %1 = tcp.fetch %0 i8 "A", "P" : <main begin i8, #grid, "1", "A, P">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @sub_masking(%0: !tcp.stream<sub begin i8, #grid, "1", "A, B">) {
  // expected-error@+1 {{is in the sub context, which has no masking}}
  %1 = tcp.fetch %0 i8 "A", "B" pad_value 0 : i8 : <sub begin i8, #grid, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @sub_indexing(%0: !tcp.stream<sub begin i8, #grid, "1", "A, B">) {
  // expected-error@+1 {{is in the sub context, which has no table indexing}}
  %1 = tcp.fetch %0 i8 "A", "B" table dense<0> : tensor<256xi8> : <sub begin i8, #grid, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @sub_mode(%0: !tcp.stream<sub begin i8, #grid, "1", "A, B">) {
  // expected-error@+1 {{is in the sub context, which has no dual-channel mode}}
  %1 = tcp.fetch %0 i8 "A", "B" dual_channel : <sub begin i8, #grid, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @pad_value_of_another_type(%0: !tcp.stream<main begin i8, #grid, "1", "A, B">) {
  // expected-error@+1 {{pad_value is 0 : i32, the tensor's elements are 'i8'}}
  %1 = tcp.fetch %0 i32 "A", "B" pad_value 0 : i32 : <main begin i8, #grid, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @table_too_short(%0: !tcp.stream<main begin i8, #grid, "1", "A, B">) {
  // expected-error@+1 {{table is 'tensor<255xi8>', the elements 'i8' index 256 entries}}
  %1 = tcp.fetch %0 i8 "A", "B" table dense<0> : tensor<255xi8> : <main begin i8, #grid, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @table_too_long(%0: !tcp.stream<main begin i8, #grid, "1", "A, B">) {
  // expected-error@+1 {{table is 'tensor<257xi8>', the elements 'i8' index 256 entries}}
  %1 = tcp.fetch %0 i8 "A", "B" table dense<0> : tensor<257xi8> : <main begin i8, #grid, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @table_of_two_dimensions(%0: !tcp.stream<main begin i8, #grid, "1", "A, B">) {
  // expected-error@+1 {{index 256 entries}}
  %1 = tcp.fetch %0 i8 "A", "B" table dense<0> : tensor<16x16xi8> : <main begin i8, #grid, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @table_of_wide_elements(%0: !tcp.stream<main begin i32, #grid, "1", "A, B">) {
  // expected-error@+1 {{table is indexed by 'i32', elements of at most 16 bits can be}}
  %1 = tcp.fetch %0 i32 "A", "B" table dense<0> : tensor<16xi32> : <main begin i32, #grid, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @table_of_i9(%0: !tcp.stream<main begin i8, #grid, "1", "A, B">) {
  // expected-error@+1 {{table has elements of 'i9', which no memory holds}}
  %1 = tcp.fetch %0 i9 "A", "B" table dense<0> : tensor<256xi9> : <main begin i8, #grid, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @zero_point_without_cast(%0: !tcp.stream<main begin i8, #grid, "1", "A, B">) {
  // expected-error@+1 {{subtracts zero points while casting 'i8' to 'i8', it needs a cast to a wider integer type}}
  %1 = tcp.fetch %0 i8 "A", "B" zero_points [1] : <main begin i8, #grid, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @zero_point_of_floats(%0: !tcp.stream<main begin bf16, #grid, "1", "A, B">) {
  // expected-error@+1 {{subtracts zero points while casting 'bf16' to 'f32'}}
  %1 = tcp.fetch %0 f32 "A", "B" zero_points [1] : <main begin bf16, #grid, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @zero_point_of_a_table(%0: !tcp.stream<main begin i8, #grid, "1", "A, B">) {
  // expected-error@+1 {{subtracts zero points while casting 'i32' to 'i32'}}
  %1 = tcp.fetch %0 i32 "A", "B" table dense<0> : tensor<256xi32> zero_points [1] : <main begin i8, #grid, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @zero_point_too_large(%0: !tcp.stream<main begin i8, #grid, "1", "A, B">) {
  // expected-error@+1 {{zero point 256 is not a value of 'i9', allowed are -256 to 255}}
  %1 = tcp.fetch %0 i9 "A", "B" zero_points [256] : <main begin i8, #grid, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @zero_point_too_small(%0: !tcp.stream<main begin i8, #grid, "1", "A, B">) {
  // expected-error@+1 {{zero point -257 is not a value of 'i9', allowed are -256 to 255}}
  %1 = tcp.fetch %0 i9 "A", "B" zero_points [-257] : <main begin i8, #grid, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @two_zero_points(%0: !tcp.stream<main begin i8, #grid, "1", "A, B">) {
  // expected-error@+1 {{has 2 zero points for 1 tensor}}
  %1 = tcp.fetch %0 i32 "A", "B" zero_points [1, 2] : <main begin i8, #grid, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @three_zero_points(%0: !tcp.stream<main begin i8, #grid, "I", "A, B">) {
  // expected-error@+1 {{has 3 zero points for 2 tensors}}
  %1 = tcp.fetch %0 i32 "A, I", "B" zero_points [1, 2, 3] : <main begin i8, #grid, "I", "A, B">
  return
}

// -----

// At the limits.
#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @zero_points_at_limits(%0: !tcp.stream<main begin i8, #grid, "1", "A, B">) {
  %1 = tcp.fetch %0 i9 "A", "B" zero_points [255] : <main begin i8, #grid, "1", "A, B">
  return
}

// -----

#axes = #stream.axes<A = 512, B = 32, I = 2, J = 4, N = 8, C = 63, P = 20>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
func.func @zero_points_at_lower_limit(%0: !tcp.stream<main begin i8, #grid, "1", "A, B">) {
  %1 = tcp.fetch %0 i9 "A", "B" zero_points [-256] : <main begin i8, #grid, "1", "A, B">
  return
}
