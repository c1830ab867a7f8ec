// RUN: sequin-opt %s --split-input-file --verify-roundtrip | FileCheck %s
// ROWS: HEL-10, SWI-01, SWI-05, SWI-06, SWI-07, SWI-08, SWI-09, SWI-10, SWI-12, SWI-13, SWI-14, ERR-49, ERR-51

// The manual's GEMV: one slice's vector goes to all 256.
#gemv = #stream.axes<I = 256, J = 2048>
#one = #tcp.grid<#gemv, chip "1", cluster "1 # 2", slice "1 # 256">
// CHECK-LABEL: func.func @gemv
func.func @gemv(%0: !tcp.stream<sub fetch bf16, #one, "1", "J">) {
  // CHECK: tcp.switch %{{.*}} Broadcast01 slice1 = 256 slice0 = 1 time0 = 1 "I", "1 # 256" : <sub fetch
  %1 = tcp.switch %0 Broadcast01 slice1 = 256 slice0 = 1 time0 = 1 "I", "1 # 256" : <sub fetch bf16, #one, "1", "J">
  return
}

// -----

// Chip, cluster and packet stay as they are: the collect behind the switch spells them.
#a = #stream.axes<A = 256, B = 64, C = 63, D = 8, X = 4>
#in = #tcp.grid<#a, chip "D / 2", cluster "D % 2", slice "A">
#out = #tcp.grid<#a, chip "D / 2", cluster "D % 2", slice "A / 4, X">
// CHECK-LABEL: func.func @rings_of_four
func.func @rings_of_four(%0: !tcp.stream<main fetch i8, #in, "B", "C # 64">) {
  // CHECK: tcp.switch %{{.*}} Broadcast01 slice1 = 2 slice0 = 2 time0 = 4 "A / 4, X", "B / 4, A / 2 % 2, B % 4, A % 2"
  %1 = tcp.switch %0 Broadcast01 slice1 = 2 slice0 = 2 time0 = 4 "A / 4, X", "B / 4, A / 2 % 2, B % 4, A % 2" : <main fetch i8, #in, "B", "C # 64">
  %2 = tcp.collect %1 "B / 4, A / 2 % 2, B % 4, A % 2, C # 64 / 32", "C # 64 % 32" : <main switch i8, #out, "B / 4, A / 2 % 2, B % 4, A % 2", "C # 64">
  return
}

// -----

// A slice mapping may name the repetition by its size alone.
#a = #stream.axes<A = 256, B = 64, C = 63>
#in = #tcp.grid<#a, chip "1", cluster "1 # 2", slice "A">
// CHECK-LABEL: func.func @anonymous_repetition
func.func @anonymous_repetition(%0: !tcp.stream<main fetch i8, #in, "B", "C # 64">) {
  // CHECK: tcp.switch
  %1 = tcp.switch %0 Broadcast01 slice1 = 2 slice0 = 2 time0 = 4 "A / 4, 4", "B / 4, A / 2 % 2, B % 4, A % 2" : <main fetch i8, #in, "B", "C # 64">
  return
}

// -----

#b = #stream.axes<A = 64, B = 64, X = 64>
#unit = #tcp.grid<#b, chip "1", cluster "1", slice "A">
// CHECK-LABEL: func.func @one_ring
func.func @one_ring(%0: !tcp.stream<main fetch i8, #unit, "B / 2", "B % 2 # 8">) {
  // CHECK: tcp.switch
  %1 = tcp.switch %0 Broadcast01 slice1 = 8 slice0 = 8 time0 = 2 "A / 64, X", "B / 4, A / 8 % 8, B / 2 % 2, A % 8" : <main fetch i8, #unit, "B / 2", "B % 2 # 8">
  return
}

// -----

#a = #stream.axes<A = 256, B = 64, C = 63, X = 4>
#in = #tcp.grid<#a, chip "1", cluster "1", slice "A">
// CHECK-LABEL: func.func @broadcast1
func.func @broadcast1(%0: !tcp.stream<main fetch i8, #in, "B", "C # 64">) {
  // CHECK: tcp.switch %{{.*}} Broadcast1 slice1 = 4 slice0 = 8 "A / 32, X, A % 8", "B, A / 8 % 4"
  %1 = tcp.switch %0 Broadcast1 slice1 = 4 slice0 = 8 "A / 32, X, A % 8", "B, A / 8 % 4" : <main fetch i8, #in, "B", "C # 64">
  return
}

// -----

#a = #stream.axes<A = 256, B = 64, C = 63>
#in = #tcp.grid<#a, chip "1", cluster "1", slice "A">
// CHECK-LABEL: func.func @transpose
func.func @transpose(%0: !tcp.stream<main fetch i8, #in, "B", "C # 64">) {
  // CHECK: tcp.switch %{{.*}} Transpose slice1 = 32 slice0 = 2 "A / 64, A % 2, A / 2 % 32", "B"
  %1 = tcp.switch %0 Transpose slice1 = 32 slice0 = 2 "A / 64, A % 2, A / 2 % 32", "B" : <main fetch i8, #in, "B", "C # 64">
  return
}

// -----

#a = #stream.axes<A = 8, B = 32, C = 256>
#in = #tcp.grid<#a, chip "1", cluster "1", slice "C">
// CHECK-LABEL: func.func @inter_transpose
func.func @inter_transpose(%0: !tcp.stream<main fetch i8, #in, "A", "B # 32">) {
  // CHECK: tcp.switch %{{.*}} InterTranspose slice1 = 2 slice0 = 16 time0 = 2 "C / 32, A / 2 % 2, C % 16", "A / 4, A % 2, C / 16 % 2"
  %1 = tcp.switch %0 InterTranspose slice1 = 2 slice0 = 16 time0 = 2 "C / 32, A / 2 % 2, C % 16", "A / 4, A % 2, C / 16 % 2" : <main fetch i8, #in, "A", "B # 32">
  return
}

// -----

#a = #stream.axes<A = 16, B = 16, C = 8, D = 8, E = 8, X = 2, Y = 2, Z = 4>
#in = #tcp.grid<#a, chip "1", cluster "1", slice "A, B">
// CHECK-LABEL: func.func @custom
func.func @custom(%0: !tcp.stream<main fetch i8, #in, "C", "D, E">,
                  %1: !tcp.stream<main fetch i8, #in, "C", "D, E">,
                  %2: !tcp.stream<main fetch i8, #in, "C", "D, E">,
                  %3: !tcp.stream<main fetch i8, #in, "C", "D, E">) {
  // CHECK: tcp.switch %{{.*}} CustomBroadcast ring_size = 256 "B % 4, B / 4, A % 4, A / 4", "C"
  %4 = tcp.switch %0 CustomBroadcast ring_size = 256 "B % 4, B / 4, A % 4, A / 4", "C" : <main fetch i8, #in, "C", "D, E">
  // CHECK: tcp.switch %{{.*}} CustomBroadcast ring_size = 32
  %5 = tcp.switch %1 CustomBroadcast ring_size = 32 "A / 2, X, B / 2, Y", "C, A % 2, B % 2" : <main fetch i8, #in, "C", "D, E">
  // CHECK: tcp.switch %{{.*}} CustomBroadcast ring_size = 4 "A, B / 4, Z", "C, B % 4 = 3"
  %6 = tcp.switch %2 CustomBroadcast ring_size = 4 "A, B / 4, Z", "C, B % 4 = 3" : <main fetch i8, #in, "C", "D, E">
  // A larger ring than needed is legal.
  // CHECK: tcp.switch %{{.*}} CustomBroadcast ring_size = 64
  %7 = tcp.switch %3 CustomBroadcast ring_size = 64 "A, B / 4, Z", "C, B / 2 % 2, B % 2" : <main fetch i8, #in, "C", "D, E">
  return
}
