// RUN: sequin-opt %s --split-input-file --verify-diagnostics
// ROWS: VEC-04, VEC-06, VEC-07, VEC-10, VEC-15, VEC-26, VEC-30, VEC-32, VEC-36, ERR-65, ERR-72, SIL-4, SIL-31

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @tanh_of_sqrt(%0: !tcp.stream<main vector_narrow f32, #grid, "1", "A % 2 # 4">) {
  // expected-note@+1 {{already in use here}}
  %1 = tcp.vector_fp_unary %0 Sqrt : <main vector_narrow f32, #grid, "1", "A % 2 # 4">
  // expected-error@+1 {{needs ALU FpFpu, which can be used once per pass}}
  %2 = tcp.vector_fp_unary %1 Tanh : <main vector_fp f32, #grid, "1", "A % 2 # 4">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @both_right_shifts(%0: !tcp.stream<main vector_branch i32, #grid, "1", "A % 2 # 8">) {
  // expected-note@+1 {{already in use here}}
  %1 = tcp.vector_logic %0 LogicRightShift (1 : i32) : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  // expected-error@+1 {{needs ALU LogicRshift, which can be used once per pass}}
  %2 = tcp.vector_logic %1 ArithRightShift (1 : i32) : <main vector_logic i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @mask_and_plain_multiply(%0: !tcp.stream<main vector_narrow f32, #grid, "1", "A % 2 # 4">) {
  // expected-note@+1 {{already in use here}}
  %1 = tcp.vector_fp_binary %0 MulF0 (2.0 : f32) : <main vector_narrow f32, #grid, "1", "A % 2 # 4">
  // expected-error@+1 {{needs ALU FpMul0, which can be used once per pass}}
  %2 = tcp.vector_fp_binary %1 MaskMulF0 (2.0 : f32) : <main vector_fp f32, #grid, "1", "A % 2 # 4">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @fma_and_add(%0: !tcp.stream<main vector_narrow f32, #grid, "1", "A % 2 # 4">) {
  // expected-note@+1 {{already in use here}}
  %1 = tcp.vector_fp_ternary %0 FmaF (2.0 : f32, 1.0 : f32) : <main vector_narrow f32, #grid, "1", "A % 2 # 4">
  // expected-error@+1 {{needs ALU FpFma, which can be used once per pass}}
  %2 = tcp.vector_fp_binary %1 AddF (2.0 : f32) : <main vector_fp f32, #grid, "1", "A % 2 # 4">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @abs_max_and_max(%0: !tcp.stream<main vector_branch f32, #grid, "1", "A % 2 # 8">) {
  // expected-note@+1 {{already in use here}}
  %1 = tcp.vector_clip %0 AbsMax (2.0 : f32) : <main vector_branch f32, #grid, "1", "A % 2 # 8">
  // expected-error@+1 {{needs ALU ClipMax, which can be used once per pass}}
  %2 = tcp.vector_clip %1 Max (2.0 : f32) : <main vector_clip f32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @shift_of_floats(%0: !tcp.stream<main vector_branch f32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{LeftShift works on i32, found a stream of f32}}
  %1 = tcp.vector_logic %0 LeftShift (1.0 : f32) : <main vector_branch f32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @negative_logic_shift(%0: !tcp.stream<main vector_branch i32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{shift count is -1, must not be negative}}
  %1 = tcp.vector_logic %0 LeftShift (-1 : i32) : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @float_needs_narrow(%0: !tcp.stream<main vector_branch f32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{operand #0 must be stream after vector_split, vector_trim_way4 or a float operation}}
  %1 = tcp.vector_fp_unary %0 Exp : <main vector_branch f32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @logic_behind_fxp(%0: !tcp.stream<main vector_fxp i32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{operand #0 must be stream after vector_intra_slice_branch or vector_logic}}
  %1 = tcp.vector_logic %0 BitAnd (1 : i32) : <main vector_fxp i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @clip_behind_filter(%0: !tcp.stream<main vector_filter i32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{operand #0 must be 8-lane stream inside the intra-slice block}}
  %1 = tcp.vector_clip %0 Max (1 : i32) : <main vector_filter i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @second_narrow(%0: !tcp.stream<main vector_narrow f32, #grid, "1", "A % 2 # 4">) {
  // expected-error@+1 {{operand #0 must be 8-lane stream before the narrow stage}}
  %1 = tcp.vector_trim_way4 %0 "A % 2 # 4" : <main vector_narrow f32, #grid, "1", "A % 2 # 4">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @trim_of_data(%0: !tcp.stream<main vector_branch f32, #grid, "1", "K % 8">) {
  // expected-error-re@+1 {{is not {{.*}} and padding: lane 4 holds data}}
  %1 = tcp.vector_trim_way4 %0 "K % 4" : <main vector_branch f32, #grid, "1", "K % 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @trim_to_three(%0: !tcp.stream<main vector_branch f32, #grid, "1", "R # 8">) {
  // expected-error-re@+1 {{packet {{.*}} has 3 elements, expected 4}}
  %1 = tcp.vector_trim_way4 %0 "R" : <main vector_branch f32, #grid, "1", "R # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @pad_to_other_axes(%0: !tcp.stream<main vector_narrow f32, #grid, "1", "A % 2 # 4">) {
  // expected-error@+1 {{and padding: lane 1 differs}}
  %1 = tcp.vector_pad_way8 %0 "I # 8" : <main vector_narrow f32, #grid, "1", "A % 2 # 4">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @second_stash(%0: !tcp.stream<main vector_branch f32, #grid, "1", "A % 2 # 8">) {
  // expected-note@+1 {{first stash here}}
  %1 = tcp.vector_stash %0 : <main vector_branch f32, #grid, "1", "A % 2 # 8">
  // expected-error@+1 {{is the second stash of the pass, there is one slot}}
  %2 = tcp.vector_stash %1 : <main vector_branch f32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @stash_behind_widen(%0: !tcp.stream<main vector_widen f32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{operand #0 must be stream after vector_intra_slice_branch, vector_logic, vector_fxp}}
  %1 = tcp.vector_stash %0 : <main vector_widen f32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @empty_stash(%0: !tcp.stream<main vector_branch f32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{reads the stash, but nothing is stashed}}
  %1 = tcp.vector_clip %0 Max (stash) : <main vector_branch f32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @stash_of_another_type(%0: !tcp.stream<main vector_branch i32, #grid, "1", "A % 2 # 8">) {
  // expected-note@+1 {{stashed here}}
  %1 = tcp.vector_stash %0 : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  %2 = tcp.vector_fxp_to_fp %1 31 : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  // expected-error@+1 {{reads a stash of 'i32', the stream carries 'f32'}}
  %3 = tcp.vector_clip %2 Max (stash) : <main vector_fxp_to_fp f32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @stash_consumed(%0: !tcp.stream<main vector_branch f32, #grid, "1", "A % 2 # 8">) {
  %1 = tcp.vector_stash %0 : <main vector_branch f32, #grid, "1", "A % 2 # 8">
  // expected-note@+1 {{consumed here}}
  %2 = tcp.vector_clip %1 Max (stash) : <main vector_branch f32, #grid, "1", "A % 2 # 8">
  // expected-error@+1 {{reads the stash, which an operation before it has consumed}}
  %3 = tcp.vector_clip %2 Min (stash) : <main vector_clip f32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @mode_of_another_arity(%0: !tcp.stream<main vector_branch i32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{has 2 arguments, Mode012 is for 3}}
  %1 = tcp.vector_fxp %0 AddFxp mode Mode012 (1 : i32) : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @ternary_with_one_operand(%0: !tcp.stream<main vector_narrow f32, #grid, "1", "A % 2 # 4">) {
  // expected-error-re@+1 {{takes 2 operands, {{.*}} found 1}}
  %1 = tcp.vector_fp_ternary %0 FmaF (2.0 : f32) : <main vector_narrow f32, #grid, "1", "A % 2 # 4">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @vrf_without_tensor(%0: !tcp.stream<main vector_branch i32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{has 0 VRF tensors, its operands name 1}}
  %1 = tcp.vector_fxp %0 AddFxp (vrf) : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @skip_without_pair(%0: !tcp.stream<main vector_branch i32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{skips a group, its stream is no pair}}
  %1 = tcp.vector_fxp %0 AddFxp (skip) : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @id_past_limit(%0: !tcp.stream<main vector_branch i32, #grid, "1", "A % 2 # 8">) {
  %1 = tcp.vector_fxp %0 AddFxp (1 : i32) branch [15] : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  // expected-error@+1 {{branch names ExecutionId 16, allowed are 0 to 15}}
  %2 = tcp.vector_fxp %1 MulInt (1 : i32) branch [16] : <main vector_fxp i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @group_and_branch(%0: !tcp.stream<main vector_branch i32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{is conditioned on a group and on branches}}
  %1 = tcp.vector_fxp %0 AddFxp (1 : i32) group Zero branch [1] : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @toggle_without_axis(%0: !tcp.stream<main vector_init i32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{branch mode AxisToggle needs axis}}
  %1 = tcp.vector_intra_slice_branch %0 AxisToggle : <main vector_init i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @toggle_of_unknown_axis(%0: !tcp.stream<main vector_init i32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{toggles axis "Z", the stream has axes A=512}}
  %1 = tcp.vector_intra_slice_branch %0 AxisToggle axis "Z" : <main vector_init i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @unconditional_with_comparisons(%0: !tcp.stream<main vector_init i32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{branch mode Unconditional takes no comparisons}}
  %1 = tcp.vector_intra_slice_branch %0 Unconditional [#tcp.cmp<Never>] : <main vector_init i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @five_comparisons(%0: !tcp.stream<main vector_init i32, #grid, "1", "A % 2 # 8">, %1: !tcp.stream<main vector_init i32, #grid, "1", "A % 2 # 8">) {
  %2 = tcp.vector_intra_slice_branch %0 Comparison [#tcp.cmp<Never>, #tcp.cmp<Never>, #tcp.cmp<Never>, #tcp.cmp<Never>] : <main vector_init i32, #grid, "1", "A % 2 # 8">
  // expected-error@+1 {{has 5 comparisons, an ExecutionId has 4 bits}}
  %3 = tcp.vector_intra_slice_branch %1 Comparison [#tcp.cmp<Never>, #tcp.cmp<Never>, #tcp.cmp<Never>, #tcp.cmp<Never>, #tcp.cmp<Never>] : <main vector_init i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @comparison_of_another_type(%0: !tcp.stream<main vector_init i32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{comparison has type 'f32', the stream 'i32'}}
  %1 = tcp.vector_intra_slice_branch %0 Comparison [#tcp.cmp<Less, 0.0 : f32>] : <main vector_init i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @comparison_without_constant(%0: !tcp.stream<main vector_init i32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{comparison Less needs a constant}}
  %1 = tcp.vector_intra_slice_branch %0 Comparison [#tcp.cmp<Less>] : <main vector_init i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @ids_of_another_type(%0: !tcp.stream<main vector_init i32, #grid, "1", "A % 2 # 8">, %ids: !tcp.vrf<i32, #grid, "A % 2">) {
  // expected-error@+1 {{ExecutionIds have element type 'i32', expected i4}}
  %1 = tcp.vector_intra_slice_branch %0 Vrf, %ids : <main vector_init i32, #grid, "1", "A % 2 # 8">, !tcp.vrf<i32, #grid, "A % 2">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @filter_of_padding(%0: !tcp.stream<main vector_branch i32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{has padding, which only branch mode ValidCount tells from data}}
  %1 = tcp.vector_filter %0 group Zero "1", "K % 8" : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @filter_growing(%0: !tcp.stream<main vector_branch i32, #grid, "1", "T, I">) {
  // expected-error@+1 {{keeps 16 elements of a stream of 8}}
  %1 = tcp.vector_filter %0 group Zero "K / 8 % 2", "K % 8" : <main vector_branch i32, #grid, "1", "T, I">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @filter_without_condition(%0: !tcp.stream<main vector_branch i32, #grid, "1", "T, I">) {
  // expected-error@+1 {{needs a group or branches to keep}}
  %1 = tcp.vector_filter %0 "1", "K % 8" : <main vector_branch i32, #grid, "1", "T, I">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @unzip_of_outer_axis(%0: !tcp.stream<main vector_init i32, #grid, "I, T", "A % 2 # 8">) {
  // expected-error@+1 {{time is "I, T", expected "T, I"}}
  %1 = tcp.vector_intra_slice_unzip %0 "I", "T, 1 # 2", "T" : <main vector_init i32, #grid, "I, T", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @unzip_of_four(%0: !tcp.stream<main vector_init i32, #grid, "T", "A % 2 # 8">) {
  // expected-error@+1 {{axis "T" has size 4, groups are two}}
  %1 = tcp.vector_intra_slice_unzip %0 "T", "1 # 2", "1" : <main vector_init i32, #grid, "T", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @wrong_tile_time(%0: !tcp.stream<main vector_init i32, #grid, "I", "A % 2 # 8">) {
  // expected-error@+1 {{tile time is}}
  %1 = tcp.vector_intra_slice_unzip %0 "I", "1", "1" : <main vector_init i32, #grid, "I", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @tile_time_of_no_axis(%0: !tcp.stream<main vector_init i32, #grid, "I", "A % 2 # 8">) {
  // expected-error@+1 {{tile time is no mapping: }}
  %1 = tcp.vector_intra_slice_unzip %0 "I", "T, Nowhere # 2", "1" : <main vector_init i32, #grid, "I", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @tile_time_cut_short(%0: !tcp.stream<main vector_init i32, #grid, "I", "A % 2 # 8">) {
  // expected-error@+1 {{tile time is no mapping: }}
  %1 = tcp.vector_intra_slice_unzip %0 "I", "T # 2", "1" : <main vector_init i32, #grid, "I", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @pair_at_the_end(%0: !tcp.stream<main vector_init i32, #grid, "I", "A % 2 # 8">) {
  %1 = tcp.vector_intra_slice_unzip %0 "I", "1 # 2", "1" : <main vector_init i32, #grid, "I", "A % 2 # 8">
  // expected-error@+1 {{has a pair of groups, a zip operation must join them before}}
  %2 = tcp.vector_final %1 : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @stash_of_a_pair(%0: !tcp.stream<main vector_init i32, #grid, "I", "A % 2 # 8">) {
  // expected-note@+1 {{two-group mode begins here}}
  %1 = tcp.vector_intra_slice_unzip %0 "I", "1 # 2", "1" : <main vector_init i32, #grid, "I", "A % 2 # 8">
  // expected-error@+1 {{is not available in two-group mode, also not behind the zip}}
  %2 = tcp.vector_stash %1 : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @stash_behind_a_zip(%0: !tcp.stream<main vector_init i32, #grid, "I", "A % 2 # 8">) {
  // expected-note@+1 {{two-group mode begins here}}
  %1 = tcp.vector_intra_slice_unzip %0 "I", "1 # 2", "1" : <main vector_init i32, #grid, "I", "A % 2 # 8">
  %2 = tcp.vector_fxp_zip %1 AddFxp : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  // expected-error@+1 {{is not available in two-group mode, also not behind the zip}}
  %3 = tcp.vector_stash %2 : <main vector_fxp i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @filter_behind_a_zip(%0: !tcp.stream<main vector_init i32, #grid, "I", "A % 2 # 8">) {
  // expected-note@+1 {{two-group mode begins here}}
  %1 = tcp.vector_intra_slice_unzip %0 "I", "1 # 2", "1" : <main vector_init i32, #grid, "I", "A % 2 # 8">
  %2 = tcp.vector_fxp_zip %1 AddFxp : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  // expected-error@+1 {{is not available in two-group mode, also not behind the zip}}
  %3 = tcp.vector_filter %2 group Zero "1", "K % 8" : <main vector_fxp i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @alu_of_the_other_group(%0: !tcp.stream<main vector_init i32, #grid, "I", "A % 2 # 8">) {
  %1 = tcp.vector_intra_slice_unzip %0 "I", "1 # 2", "1" : <main vector_init i32, #grid, "I", "A % 2 # 8">
  // expected-note@+1 {{already in use here}}
  %2 = tcp.vector_fxp %1 AddFxp (1 : i32 | skip) : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  // expected-error@+1 {{needs ALU FxpAdd, which can be used once per pass}}
  %3 = tcp.vector_fxp %2 SubFxp (skip | 1 : i32) : <main vector_fxp i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @one_operand_for_a_pair(%0: !tcp.stream<main vector_init i32, #grid, "I", "A % 2 # 8">) {
  %1 = tcp.vector_intra_slice_unzip %0 "I", "1 # 2", "1" : <main vector_init i32, #grid, "I", "A % 2 # 8">
  // expected-error-re@+1 {{takes 2 operands, {{.*}} found 1}}
  %2 = tcp.vector_fxp %1 AddFxp (1 : i32) : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @pair_with_condition(%0: !tcp.stream<main vector_init i32, #grid, "I", "A % 2 # 8">) {
  %1 = tcp.vector_intra_slice_unzip %0 "I", "1 # 2", "1" : <main vector_init i32, #grid, "I", "A % 2 # 8">
  // expected-error@+1 {{is conditioned on ExecutionIds, a pair has none}}
  %2 = tcp.vector_fxp %1 AddFxp (1 : i32 | 1 : i32) group Zero : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @register_of_a_pair(%0: !tcp.stream<main vector_init i32, #grid, "I", "A % 2 # 8">) {
  %1 = tcp.vector_intra_slice_unzip %0 "I", "1 # 2", "1" : <main vector_init i32, #grid, "I", "A % 2 # 8">
  // expected-error@+1 {{uses the operand register on a pair}}
  %2 = tcp.vector_fxp %1 AddFxp (operand_read | skip) : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @register_over_padding(%0: !tcp.stream<main vector_branch i32, #grid, "R # 4", "A % 2 # 8">) {
  // expected-error@+1 {{uses the operand register over time "R # 4", which has padding}}
  %1 = tcp.vector_fxp %0 AddFxp (operand_read) branch [1] write_operand [0] : <main vector_branch i32, #grid, "R # 4", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @zip_without_pair(%0: !tcp.stream<main vector_branch i32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{joins a pair, its stream is none}}
  %1 = tcp.vector_clip_zip %0 AddFxp : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @groups_without_pair(%0: !tcp.stream<main vector_narrow f32, #grid, "1", "A % 2 # 4">) {
  // expected-error@+1 {{chooses groups, its stream is no pair}}
  %1 = tcp.vector_fp_unary %0 Exp groups [true, false] : <main vector_narrow f32, #grid, "1", "A % 2 # 4">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @branch_behind_branch(%0: !tcp.stream<main vector_branch i32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{operand #0 must be stream after vector_init or an inter-slice reduce}}
  %1 = tcp.vector_intra_slice_branch %0 Unconditional : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @branch_behind_both_blocks(%0: !tcp.stream<main vector_intra_first i32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{operand #0 must be stream after vector_init or an inter-slice reduce}}
  %1 = tcp.vector_intra_slice_branch %0 Unconditional : <main vector_intra_first i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @inter_slice_twice(%0: !tcp.stream<main vector_inter_first i32, #grid, "1", "A % 2 # 8">) {
  // expected-error@+1 {{operand #0 must be stream after vector_init or an 8-lane stage of the intra-slice block}}
  %1 = tcp.vector_inter_slice_reduce %0 AddSat "1", "1" : <main vector_inter_first i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512, R = 3, I = 2, T = 4, K = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @unzip_behind_inter_slice(%0: !tcp.stream<main vector_inter_first i32, #grid, "I", "A % 2 # 8">) {
  // expected-error@+1 {{operand #0 must be stream after vector_init}}
  %1 = tcp.vector_intra_slice_unzip %0 "I", "1 # 2", "1" : <main vector_inter_first i32, #grid, "I", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @operands_for_overlapping_ids(%0: !tcp.stream<main vector_branch i32, #grid, "1", "A % 2 # 8">) {
  %1 = tcp.vector_fxp %0 AddFxp (1 : i32) branch [0, 1] : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  // One use of the adder, an operand for each set of ids.
  %2 = tcp.vector_fxp %1 AddFxp (2 : i32) branch [2, 4] : <main vector_fxp i32, #grid, "1", "A % 2 # 8">
  // expected-note@-3 {{already in use here}}
  // expected-error@+1 {{needs ALU FxpAdd, which can be used once per pass}}
  %3 = tcp.vector_fxp %2 AddFxp (3 : i32) branch [1, 3] : <main vector_fxp i32, #grid, "1", "A % 2 # 8">
  return
}

// -----

#axes = #stream.axes<A = 512>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 2">
func.func @another_operation_for_other_ids(%0: !tcp.stream<main vector_branch i32, #grid, "1", "A % 2 # 8">) {
  // expected-note@+1 {{already in use here}}
  %1 = tcp.vector_fxp %0 AddFxp (1 : i32) branch [0] : <main vector_branch i32, #grid, "1", "A % 2 # 8">
  // expected-error@+1 {{needs ALU FxpAdd, which can be used once per pass}}
  %2 = tcp.vector_fxp %1 SubFxp (2 : i32) branch [1] : <main vector_fxp i32, #grid, "1", "A % 2 # 8">
  return
}
