// RUN: sequin-opt %s --split-input-file --tcp-check-machine --verify-diagnostics
// ROWS: MEM-10

// 16 scratchpads of 64 KB: at the end, and one byte past it.
#axes = #stream.axes<A = 1048576>
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%hbm: !tcp.hbm<i8, #axes, "1", "A">) {
    %0 = tcp.to_spm %hbm at 0 : !tcp.hbm<i8, #axes, "1", "A"> -> !tcp.spm<i8, #axes, "1", "A">
    // expected-error@+1 {{SPM tensor occupies bytes [1, 1048577), machine "rngd" has 1048576 bytes per chip}}
    %1 = tcp.to_spm %hbm at 1 : !tcp.hbm<i8, #axes, "1", "A"> -> !tcp.spm<i8, #axes, "1", "A">
    return
  }
}

// -----

// Several tensors in scratchpads must not overlap either.
#axes = #stream.axes<A = 1024>
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%hbm: !tcp.hbm<i8, #axes, "1", "A">) {
    // expected-note@+1 {{other tensor placed here}}
    %0 = tcp.to_spm %hbm at 0 : !tcp.hbm<i8, #axes, "1", "A"> -> !tcp.spm<i8, #axes, "1", "A">
    // expected-error@+1 {{SPM tensor at bytes [1000, 2024) overlaps one at [0, 1024) that is still needed}}
    %1 = tcp.to_spm %hbm at 1000 : !tcp.hbm<i8, #axes, "1", "A"> -> !tcp.spm<i8, #axes, "1", "A">
    %2 = tcp.to_hbm %0 at 4096 : !tcp.spm<i8, #axes, "1", "A"> -> !tcp.hbm<i8, #axes, "1", "A">
    return
  }
}

// -----

#axes = #stream.axes<A = 1024, B = 4>
module attributes {tcp.target = #tcp.target<"rngd", chips = 2>} {
  func.func @kernel(%hbm: !tcp.hbm<i8, #axes, "B / 2", "B % 2, A">) {
    // expected-error@+1 {{chip mapping "B" has size 4, the program runs on 2 chips}}
    %0 = tcp.to_hbm %hbm at 4096 : !tcp.hbm<i8, #axes, "B / 2", "B % 2, A"> -> !tcp.hbm<i8, #axes, "B", "A">
    return
  }
}

// -----

// A scatter replaces the tensor it writes into.
#axes = #stream.axes<P = 16, S = 4, D = 8>
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%x: !tcp.hbm<i8, #axes, "1", "S, D">, %i: !tcp.hbm<i32, #axes, "1", "S">, %old: !tcp.hbm<i8, #axes, "1", "P, D">) {
    // expected-error@+1 {{replaces a part of a tensor whose old value is still needed}}
    %new = tcp.scatter %x [%i] "P" into %old
        : !tcp.hbm<i8, #axes, "1", "S, D">, !tcp.hbm<i32, #axes, "1", "S">, !tcp.hbm<i8, #axes, "1", "P, D">
    // expected-note@+1 {{used here}}
    %2 = tcp.to_hbm %old at 4096 : !tcp.hbm<i8, #axes, "1", "P, D"> -> !tcp.hbm<i8, #axes, "1", "P, D">
    return
  }
}
