// RUN: sequin-opt %s --split-input-file --verify-diagnostics
// ROWS: VEC-01, VEC-06, VEC-07, VEC-41

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 16 # 256">
func.func @init_of_bf16(%0: !tcp.stream<main collect bf16, #grid, "1", "A % 16">) {
  // expected-error@+1 {{stream has element type 'bf16', the vector engine works on i32 and f32}}
  %1 = tcp.vector_init %0 : <main collect bf16, #grid, "1", "A % 16">
  return
}

// -----

// The manual's ALU conflict: AddFxp, MulInt, SubFxp.
#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">
func.func @alu_twice(%0: !tcp.stream<main vector_branch i32, #grid, "1", "A % 8">) {
  // expected-note@+1 {{already in use here}}
  %1 = tcp.vector_fxp %0 AddFxp(1 : i32) : <main vector_branch i32, #grid, "1", "A % 8">
  %2 = tcp.vector_fxp %1 MulInt(3 : i32) : <main vector_fxp i32, #grid, "1", "A % 8">
  // expected-error@+1 {{needs ALU FxpAdd, which can be used once per pass}}
  %3 = tcp.vector_fxp %2 SubFxp(2 : i32) : <main vector_fxp i32, #grid, "1", "A % 8">
  return
}

// -----

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">
func.func @backwards(%0: !tcp.stream<main vector_clip i32, #grid, "1", "A % 8">) {
  // expected-error@+1 {{operand #0 must be stream after vector_intra_slice_branch, vector_logic or vector_fxp, but got}}
  %1 = tcp.vector_fxp %0 AddFxp(1 : i32) : <main vector_clip i32, #grid, "1", "A % 8">
  return
}

// -----

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">
func.func @no_operand(%0: !tcp.stream<main vector_branch i32, #grid, "1", "A % 8">) {
  // expected-error@+1 {{takes 1 operand, a constant, a VRF tensor, stash or operand_read each, found 0}}
  %1 = tcp.vector_fxp %0 AddFxp : <main vector_branch i32, #grid, "1", "A % 8">
  return
}

// -----

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">
func.func @constant_type(%0: !tcp.stream<main vector_branch i32, #grid, "1", "A % 8">) {
  // expected-error@+1 {{constant has type 'f32', the stream 'i32'}}
  %1 = tcp.vector_fxp %0 AddFxp(1.0 : f32) : <main vector_branch i32, #grid, "1", "A % 8">
  return
}

// -----

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">
func.func @negative_shift(%0: !tcp.stream<main vector_branch i32, #grid, "1", "A % 8">) {
  // expected-error@+1 {{shift count is -1, must not be negative}}
  %1 = tcp.vector_fxp %0 LeftShift(-1 : i32) : <main vector_branch i32, #grid, "1", "A % 8">
  return
}

// -----

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">
func.func @fxp_on_float(%0: !tcp.stream<main vector_branch f32, #grid, "1", "A % 8">) {
  // expected-error@+1 {{works on i32, found a stream of 'f32'}}
  %1 = tcp.vector_fxp %0 AddFxp(1 : i32) : <main vector_branch f32, #grid, "1", "A % 8">
  return
}

// -----

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">
func.func @clip_add_on_integers(%0: !tcp.stream<main vector_branch i32, #grid, "1", "A % 8">) {
  // expected-error@+1 {{Add works on f32, found a stream of i32; use AddFxp or AddFxpSat}}
  %1 = tcp.vector_clip %0 Add(1 : i32) : <main vector_branch i32, #grid, "1", "A % 8">
  return
}

// -----

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">
func.func @split_to_eight(%0: !tcp.stream<main vector_branch f32, #grid, "1", "A % 8">) {
  // expected-error@+1 {{packet "A % 8" has 8 elements, expected 4}}
  %1 = tcp.vector_split %0 "1", "A % 8" : <main vector_branch f32, #grid, "1", "A % 8">
  return
}

// -----

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">
func.func @float_needs_narrow(%0: !tcp.stream<main vector_branch f32, #grid, "1", "A % 8">) {
  // expected-error@+1 {{operand #0 must be stream after vector_split, vector_trim_way4 or a float operation, but got}}
  %1 = tcp.vector_fp_binary %0 AddF(1.0 : f32) : <main vector_branch f32, #grid, "1", "A % 8">
  return
}
