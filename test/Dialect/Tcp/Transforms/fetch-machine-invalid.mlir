// A kernel's fetch fills the machine: 2 clusters of 256 slices. Pieces of kernels need not.
//
// RUN: sequin-opt %s --split-input-file --tcp-check-machine --verify-diagnostics
// ROWS: FET-01, ERR-15

#axes = #stream.axes<A = 512, B = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%0: !tcp.stream<main begin i8, #grid, "1", "A, B">) -> !tcp.stream<main fetch i32, #grid, "A", "B"> {
    %1 = tcp.fetch %0 i32 "A", "B" : <main begin i8, #grid, "1", "A, B">
    return %1 : !tcp.stream<main fetch i32, #grid, "A", "B">
  }
}

// -----

#axes = #stream.axes<A = 512, B = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1 # 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @one_cluster(%0: !tcp.stream<main begin i8, #grid, "1", "A, B">) -> !tcp.stream<main fetch i32, #grid, "A", "B"> {
    // expected-error@+1 {{cluster mapping "1" has size 1, machine "rngd" has 2; pad it with # 2}}
    %1 = tcp.fetch %0 i32 "A", "B" : <main begin i8, #grid, "1", "A, B">
    return %1 : !tcp.stream<main fetch i32, #grid, "A", "B">
  }
}

// -----

#axes = #stream.axes<A = 512, B = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 255">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @few_slices(%0: !tcp.stream<main begin i8, #grid, "1", "A, B">) -> !tcp.stream<main fetch i32, #grid, "A", "B"> {
    // expected-error@+1 {{slice mapping "1 # 255" has size 255, machine "rngd" has 256; pad it with # 256}}
    %1 = tcp.fetch %0 i32 "A", "B" : <main begin i8, #grid, "1", "A, B">
    return %1 : !tcp.stream<main fetch i32, #grid, "A", "B">
  }
}

// -----

#axes = #stream.axes<A = 512, B = 32>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1, mode = unit>} {
  func.func @fetch_matrix_example(%0: !tcp.stream<main begin i8, #grid, "1", "A, B">) -> !tcp.stream<main fetch i32, #grid, "A", "B"> {
    %1 = tcp.fetch %0 i32 "A", "B" : <main begin i8, #grid, "1", "A, B">
    return %1 : !tcp.stream<main fetch i32, #grid, "A", "B">
  }
}
