// RUN: sequin-opt %s --split-input-file --tcp-to-config --verify-diagnostics
// ROWS: DMA-02, DMA-03, ERR-2

// The manual's layout transformation by DMA: bytes that are consecutive on both sides
// come one at a time.
#axes = #stream.axes<N = 4, C = 3, H = 8, W = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
module attributes {tcp.target = #tcp.target<"rngd", mode = unit>} {
  func.func @main(%0: !tcp.host<i8, #axes, "N, C, H, W">) {
    %1 = tcp.to_hbm %0 at 0 : !tcp.host<i8, #axes, "N, C, H, W"> -> !tcp.hbm<i8, #axes, "1", "N, C, H, W">
    tcp.launch @kernel(%1) : (!tcp.hbm<i8, #axes, "1", "N, C, H, W">) -> ()
    return
  }
  func.func @kernel(%0: !tcp.hbm<i8, #axes, "1", "N, C, H, W">) {
    // expected-error@+1 {{has runs of 1 bytes that are consecutive on both sides, a DMA packet from HBM to DM is a multiple of 8 bytes}}
    %1 = tcp.to_dm %0 at 0 : !tcp.hbm<i8, #axes, "1", "N, C, H, W"> -> !tcp.dm<i8, #grid, "N, H, W, C">
    return
  }
}

// -----

#axes = #stream.axes<A = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
module attributes {tcp.target = #tcp.target<"rngd", mode = unit>} {
  func.func @main(%0: !tcp.host<i8, #axes, "A">) {
    %1 = tcp.to_hbm %0 at 4 : !tcp.host<i8, #axes, "A"> -> !tcp.hbm<i8, #axes, "1", "A">
    tcp.launch @kernel(%1) : (!tcp.hbm<i8, #axes, "1", "A">) -> ()
    return
  }
  func.func @kernel(%0: !tcp.hbm<i8, #axes, "1", "A">) {
    // expected-error@+1 {{moves from address 4 to 8, HBM to DM addresses are multiples of 8 bytes}}
    %1 = tcp.to_dm %0 at 8 : !tcp.hbm<i8, #axes, "1", "A"> -> !tcp.dm<i8, #grid, "A">
    return
  }
}

// -----

// From SPM only the destination is held to it.
#axes = #stream.axes<A = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
module attributes {tcp.target = #tcp.target<"rngd", mode = unit>} {
  func.func @main(%0: !tcp.host<i8, #axes, "A">) {
    %1 = tcp.to_hbm %0 at 4 : !tcp.host<i8, #axes, "A"> -> !tcp.hbm<i8, #axes, "1", "A">
    tcp.launch @kernel(%1) : (!tcp.hbm<i8, #axes, "1", "A">) -> ()
    return
  }
  func.func @kernel(%0: !tcp.hbm<i8, #axes, "1", "A">) {
    %1 = tcp.to_spm %0 at 3 : !tcp.hbm<i8, #axes, "1", "A"> -> !tcp.spm<i8, #axes, "1", "A">
    %2 = tcp.to_dm %1 at 8 : !tcp.spm<i8, #axes, "1", "A"> -> !tcp.dm<i8, #grid, "A">
    // expected-error@+1 {{moves from address 3 to 12, DM destination addresses are multiples of 8 bytes}}
    %3 = tcp.to_dm %1 at 12 : !tcp.spm<i8, #axes, "1", "A"> -> !tcp.dm<i8, #grid, "A">
    return
  }
}

// -----

#axes = #stream.axes<A = 64, B = 8>
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @main(%0: !tcp.host<i8, #axes, "A, B">) {
    %1 = tcp.to_hbm %0 at 0 : !tcp.host<i8, #axes, "A, B"> -> !tcp.hbm<i8, #axes, "1", "A, B">
    tcp.launch @kernel(%1) : (!tcp.hbm<i8, #axes, "1", "A, B">) -> ()
    return
  }
  func.func @kernel(%0: !tcp.hbm<i8, #axes, "1", "A, B">) {
    // expected-error@+1 {{has streams of 256 elements, the tensor has 512}}
    %1 = tcp.to_hbm %0 at 4096 stream [#tcp.dma_stream<chip "1", cluster "1", slice "1", time "A % 32", packet "B">]
        : !tcp.hbm<i8, #axes, "1", "A, B"> -> !tcp.hbm<i8, #axes, "1", "A, B">
    return
  }
}

// -----

// The axis of a gather has to be one digit of the table.
#axes = #stream.axes<V = 64, S = 4, D = 8>
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @main(%0: !tcp.host<i8, #axes, "V, D">, %1: !tcp.host<i32, #axes, "S">) {
    %2 = tcp.to_hbm %0 at 0 : !tcp.host<i8, #axes, "V, D"> -> !tcp.hbm<i8, #axes, "1", "V % 8, V / 8, D">
    %3 = tcp.to_hbm %1 at 4096 : !tcp.host<i32, #axes, "S"> -> !tcp.hbm<i32, #axes, "1", "S">
    tcp.launch @kernel(%2, %3) : (!tcp.hbm<i8, #axes, "1", "V % 8, V / 8, D">, !tcp.hbm<i32, #axes, "1", "S">) -> ()
    return
  }
  func.func @kernel(%0: !tcp.hbm<i8, #axes, "1", "V % 8, V / 8, D">, %1: !tcp.hbm<i32, #axes, "1", "S">) {
    // expected-error@+1 {{axis V is not one term of the indexed tensor}}
    %2 = tcp.gather %0 [%1] "V" at 8192 : !tcp.hbm<i8, #axes, "1", "V % 8, V / 8, D">, !tcp.hbm<i32, #axes, "1", "S"> -> !tcp.hbm<i8, #axes, "1", "S, D">
    return
  }
}

// -----

// Parts of 3 and of 4 meet at no boundary, however the transfer is cut: A = 3
// ends a part of the one and is inside a part of the other.
#axes = #stream.axes<A = 6, B = 3, X = 16>
module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @main(%0: !tcp.host<i8, #axes, "A, B, X">) {
    %1 = tcp.to_hbm %0 at 0 : !tcp.host<i8, #axes, "A, B, X"> -> !tcp.hbm<i8, #axes, "1", "A, B, X">
    tcp.launch @kernel(%1) : (!tcp.hbm<i8, #axes, "1", "A, B, X">) -> ()
    return
  }
  func.func @kernel(%0: !tcp.hbm<i8, #axes, "1", "A, B, X">) {
    %1 = tcp.to_hbm %0 at 4096 : !tcp.hbm<i8, #axes, "1", "A, B, X"> -> !tcp.hbm<i8, #axes, "1", "A # 8 / 4, B, A # 8 % 4, X">
    // expected-error@+1 {{DMA: incompatible shapes: the buffer holds A as 'A # 8 / 4, A = 4' and the stream walks it as 'A / 3, A % 3', which have no common refinement}}
    %2 = tcp.to_hbm %1 at 8192 : !tcp.hbm<i8, #axes, "1", "A # 8 / 4, B, A # 8 % 4, X"> -> !tcp.hbm<i8, #axes, "1", "A / 3, B, A % 3, X">
    return
  }
}

// -----

// Slices without end have descriptors without end, which are not all made.
#axes = #stream.axes<A = 524288>
#grid = #tcp.grid<#axes, chip "65536", cluster "65536", slice "65536">
module attributes {tcp.target = #tcp.target<"rngd", mode = unit>} {
  func.func @kernel(%hbm: !tcp.hbm<i8, #axes, "65536", "A">) {
    // expected-error@+1 {{needs more than 65536 DMA descriptors}}
    %0 = tcp.to_dm %hbm at 0 : !tcp.hbm<i8, #axes, "65536", "A"> -> !tcp.dm<i8, #grid, "A">
    return
  }
  func.func @main() {
    return
  }
}
