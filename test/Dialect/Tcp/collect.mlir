// RUN: sequin-opt %s --split-input-file --verify-roundtrip --verify-diagnostics | FileCheck %s
// ROWS: COL-01, COL-02, COL-03, COL-04, COL-05, COL-06, SWI-03, ERR-47, SIL-36

#axes = #stream.axes<A = 8, B = 32, S = 16, L = 64, P = 40>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
// CHECK-LABEL: func.func @whole_flit
func.func @whole_flit(%0: !tcp.stream<main switch i8, #grid, "A", "B # 32">) -> !tcp.stream<main collect i8, #grid, "A", "B # 32"> {
  // CHECK: tcp.collect %{{.*}} "A", "B # 32"
  %1 = tcp.collect %0 "A", "B # 32" : <main switch i8, #grid, "A", "B # 32">
  return %1 : !tcp.stream<main collect i8, #grid, "A", "B # 32">
}

// CHECK-LABEL: func.func @part_of_a_flit
func.func @part_of_a_flit(%0: !tcp.stream<main switch i8, #grid, "A", "S">) {
  // CHECK: tcp.collect %{{.*}} "A", "S # 32"
  %1 = tcp.collect %0 "A", "S # 32" : <main switch i8, #grid, "A", "S">
  return
}

// CHECK-LABEL: func.func @two_flits
func.func @two_flits(%0: !tcp.stream<main switch bf16, #grid, "A", "B">) {
  // CHECK: tcp.collect %{{.*}} "A, B / 16", "B % 16"
  %1 = tcp.collect %0 "A, B / 16", "B % 16" : <main switch bf16, #grid, "A", "B">
  return
}

// Forwarding: collect follows fetch.
// CHECK-LABEL: func.func @forwarded
func.func @forwarded(%0: !tcp.stream<main fetch i8, #grid, "A", "L">) {
  // CHECK: tcp.collect %{{.*}} "A, L / 32", "L % 32" : <main fetch
  %1 = tcp.collect %0 "A, L / 32", "L % 32" : <main fetch i8, #grid, "A", "L">
  return
}

// 40 bytes: padded to two flits first, then cut.
// CHECK-LABEL: func.func @padded_then_cut
func.func @padded_then_cut(%0: !tcp.stream<main fetch i8, #grid, "A", "P">) {
  // CHECK: tcp.collect %{{.*}} "A, P # 64 / 32", "P # 64 % 32"
  %1 = tcp.collect %0 "A, P # 64 / 32", "P # 64 % 32" : <main fetch i8, #grid, "A", "P">
  return
}

// -----

#axes = #stream.axes<A = 256, B = 64, C = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A">
// CHECK-LABEL: func.func @forwarding_f32
func.func @forwarding_f32(%0: !tcp.stream<main fetch f32, #grid, "B", "C">) {
  // CHECK: tcp.collect %{{.*}} "B, C / 8", "C % 8"
  %1 = tcp.collect %0 "B, C / 8", "C % 8" : <main fetch f32, #grid, "B", "C">
  return
}

// -----

// The manual's forwarding example as printed (ERR-47).
#axes = #stream.axes<A = 256, B = 64, C = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A">
func.func @forwarding_as_printed(%0: !tcp.stream<main fetch f32, #grid, "B", "C">) {
  // expected-error@+1 {{collect packet "C" has 32 elements of 'f32', one flit of 32 bytes holds 8}}
  %1 = tcp.collect %0 "B", "C" : <main fetch f32, #grid, "B", "C">
  return
}

// -----

#axes = #stream.axes<A = 8, S = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
func.func @less_than_a_flit(%0: !tcp.stream<main switch i8, #grid, "A", "S">) {
  // expected-error@+1 {{collect packet "S" has 16 elements of 'i8', one flit of 32 bytes holds 32}}
  %1 = tcp.collect %0 "A", "S" : <main switch i8, #grid, "A", "S">
  return
}

// -----

// The flits of a packet are innermost in time.
#axes = #stream.axes<A = 8, B = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
func.func @flits_not_innermost(%0: !tcp.stream<main switch bf16, #grid, "A", "B">) {
  // expected-error@+1 {{collected stream is B / 16, A, B % 16, expected A, B # 32: position 16 holds {A: 1} instead of {B: 16}}}
  %1 = tcp.collect %0 "B / 16, A", "B % 16" : <main switch bf16, #grid, "A", "B">
  return
}

// -----

// Nothing but collect takes a stream from fetch.
#axes = #stream.axes<A = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
func.func @collect_is_mandatory(%0: !tcp.stream<main fetch i32, #grid, "1", "A">) {
  // expected-error@+1 {{operand #0 must be stream after collect or accumulate}}
  %1 = tcp.vector_init %0 : <main fetch i32, #grid, "1", "A">
  return
}
