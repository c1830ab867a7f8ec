// RUN: sequin-opt %s --split-input-file --tcp-check-machine --verify-diagnostics
// ROWS: HEL-05, HEL-12, MAP-25, MAP-26, MAP-27, SCH-06
// ROWS: ERR-1, ERR-8, ERR-9, ERR-14

// The manual's first program as printed: one chip, but a chip mapping of 8.
#axes = #stream.axes<A = 8, B = 512>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "A">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%hbm: !tcp.hbm<i8, #axes, "1", "A, B">) {
    // expected-error@+1 {{cluster mapping "1" has size 1, machine "rngd" has 2; pad it with # 2}}
    %dm = tcp.to_dm %hbm at 0 : !tcp.hbm<i8, #axes, "1", "A, B"> -> !tcp.dm<i8, #grid, "B">
    return
  }
}

// -----

#axes = #stream.axes<A = 8, B = 512>
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%host: !tcp.host<i8, #axes, "A, B">) {
    // expected-error@+1 {{chip mapping "A" has size 8, the program runs on 1 chips}}
    %hbm = tcp.to_hbm %host at 4096 : !tcp.host<i8, #axes, "A, B"> -> !tcp.hbm<i8, #axes, "A", "B">
    return
  }
}

// -----

#axes = #stream.axes<A = 8, B = 512>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%hbm: !tcp.hbm<i8, #axes, "1", "A, B">) {
    // expected-error@+1 {{slice mapping "A" has size 8, machine "rngd" has 256; pad it with # 256}}
    %dm = tcp.to_dm %hbm at 0 : !tcp.hbm<i8, #axes, "1", "A, B"> -> !tcp.dm<i8, #grid, "B">
    return
  }
}

// -----

// 512 KB of data memory per slice: one byte past the end.
#axes = #stream.axes<A = 524288>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%hbm: !tcp.hbm<i8, #axes, "1", "A">) {
    // expected-error@+1 {{DM tensor occupies bytes [8, 524296), machine "rngd" has 524288 bytes per slice}}
    %dm = tcp.to_dm %hbm at 8 : !tcp.hbm<i8, #axes, "1", "A"> -> !tcp.dm<i8, #grid, "A">
    return
  }
}

// -----

// The printed GEMM: a row of the TRF would hold 4 x 2048 bf16.
#axes = #stream.axes<J = 512, K = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%0: !tcp.stream<sub collect bf16, #grid, "J % 8, J / 8 % 4, K / 16", "K % 16">) {
    // expected-error@+1 {{element mapping "J / 8 % 4, K" has 16384 bytes, a row of the Full TRF of machine "rngd" holds 8192}}
    %trf = tcp.to_trf %0 Full "J % 8", "J / 8 % 4, K" : <sub collect bf16, #grid, "J % 8, J / 8 % 4, K / 16", "K % 16">
    return
  }
}

// -----

// A half of the TRF holds half of it.
#axes = #stream.axes<K = 4096>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%0: !tcp.stream<sub collect bf16, #grid, "K / 16", "K % 16">) {
    // expected-error@+1 {{element mapping "K" has 8192 bytes, a row of the FirstHalf TRF of machine "rngd" holds 4096}}
    %trf = tcp.to_trf %0 FirstHalf "1", "K" : <sub collect bf16, #grid, "K / 16", "K % 16">
    return
  }
}

// -----

#axes = #stream.axes<J = 3, K = 1024>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%0: !tcp.stream<sub collect bf16, #grid, "J, K / 16", "K % 16">) {
    // expected-error@+1 {{row mapping "J" has size 3, the contraction engine uses 1, 2, 4, 8 rows}}
    %trf = tcp.to_trf %0 Full "J", "K" : <sub collect bf16, #grid, "J, K / 16", "K % 16">
    return
  }
}

// -----

// The printed GEMM's addresses: a at 0 has 131072 bytes, b starts at 4096.
#axes = #stream.axes<I = 512, J = 512, K = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "I / 32, J / 32">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%a: !tcp.hbm<bf16, #axes, "1", "I, K">, %b: !tcp.hbm<bf16, #axes, "1", "J, K">) {
    // expected-note@+1 {{other tensor placed here}}
    %a_dm = tcp.to_dm %a at 0 : !tcp.hbm<bf16, #axes, "1", "I, K"> -> !tcp.dm<bf16, #grid, "I % 32, K">
    // expected-error@+1 {{DM tensor at bytes [4096, 135168) overlaps one at [0, 131072) that is still needed}}
    %b_dm = tcp.to_dm %b at 4096 : !tcp.hbm<bf16, #axes, "1", "J, K"> -> !tcp.dm<bf16, #grid, "J % 32, K">
    %0 = tcp.begin sub %b_dm : !tcp.dm<bf16, #grid, "J % 32, K">
    %1 = tcp.fetch %0 bf16 "J % 32", "K" : <sub begin bf16, #grid, "1", "J % 32, K">
    %2 = tcp.collect %1 "J % 32, K / 16", "K % 16" : <sub fetch bf16, #grid, "J % 32", "K">
    %3 = tcp.commit %2 at 262144 "J % 32, K" : <sub collect bf16, #grid, "J % 32, K / 16", "K % 16">
    %4 = tcp.begin main %a_dm : !tcp.dm<bf16, #grid, "I % 32, K">
    %5 = tcp.fetch %4 bf16 "I % 32", "K" : <main begin bf16, #grid, "1", "I % 32, K">
    %6 = tcp.collect %5 "I % 32, K / 16", "K % 16" : <main fetch bf16, #grid, "I % 32", "K">
    %7 = tcp.commit %6 at 0 "I % 32, K" : <main collect bf16, #grid, "I % 32, K / 16", "K % 16">
    return
  }
}

// -----

#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%dm: !tcp.dm<i32, #grid, "A % 8">) {
    %0 = tcp.begin main %dm : !tcp.dm<i32, #grid, "A % 8">
    // expected-error@+1 {{stream has 2 consumers, an engine has exactly one successor}}
    %1 = tcp.fetch %0 i32 "1", "A % 8" : <main begin i32, #grid, "1", "A % 8">
    %2 = tcp.collect %1 "1", "A % 8" : <main fetch i32, #grid, "1", "A % 8">
    %3 = tcp.collect %1 "1", "A % 8" : <main fetch i32, #grid, "1", "A % 8">
    return
  }
}

// -----

// The largest tensor that a type can be of.
#axes = #stream.axes<A = 1099511627776>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%hbm: !tcp.hbm<i32, #axes, "1", "A">) {
    // expected-error@+1 {{DM tensor has 4398046511104 bytes, machine "rngd" has 524288 bytes per slice}}
    %dm = tcp.to_dm %hbm at 0 : !tcp.hbm<i32, #axes, "1", "A"> -> !tcp.dm<i32, #grid, "A">
    return
  }
}

// -----

// expected-error@+1 {{no machine: the module needs 'tcp.target}}
module {
}
