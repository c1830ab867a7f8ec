// RUN: sequin-opt %s --split-input-file --verify-diagnostics --tcp-to-config
// ROWS: COM-14, COM-15, DMA-03, SIL-14, SIL-44

#axes = #stream.axes<A = 4, B = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !tcp.hbm<i8, #axes, "1", "A, B">) -> !tcp.hbm<i8, #axes, "1", "A, B"> {
    %dm = tcp.to_dm %in at 0 : !tcp.hbm<i8, #axes, "1", "A, B"> -> !tcp.dm<i8, #grid, "A, B">
    %0 = tcp.begin main %dm : !tcp.dm<i8, #grid, "A, B">
    %1 = tcp.fetch %0 i8 "A", "B" : <main begin i8, #grid, "1", "A, B">
    %2 = tcp.collect %1 "A", "B # 32" : <main fetch i8, #grid, "A", "B">
    // expected-error@+1 {{writes to address 4100, commit addresses are multiples of 8 bytes}}
    %3 = tcp.commit %2 at 4100 "A, B" : <main collect i8, #grid, "A", "B # 32">
    %out = tcp.to_hbm %3 at 65536 : !tcp.dm<i8, #grid, "A, B"> -> !tcp.hbm<i8, #axes, "1", "A, B">
    return %out : !tcp.hbm<i8, #axes, "1", "A, B">
  }
  func.func @main(%a: !tcp.host<i8, #axes, "A, B">) -> !tcp.host<i8, #axes, "A, B"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<i8, #axes, "A, B"> -> !tcp.hbm<i8, #axes, "1", "A, B">
    %r = tcp.launch @kernel(%h) : (!tcp.hbm<i8, #axes, "1", "A, B">) -> !tcp.hbm<i8, #axes, "1", "A, B">
    %o = tcp.to_host %r : !tcp.hbm<i8, #axes, "1", "A, B"> -> !tcp.host<i8, #axes, "A, B">
    return %o : !tcp.host<i8, #axes, "A, B">
  }
}

// -----

// Thirty bytes and no padding that could be moved with them.
#axes = #stream.axes<A = 3, B = 10>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !tcp.hbm<i8, #axes, "1", "[A, B] # 32">) -> !tcp.hbm<i8, #axes, "1", "A, B"> {
    // expected-error@+1 {{has runs of 30 bytes that are consecutive on both sides, a DMA packet from HBM to DM is a multiple of 8 bytes}}
    %dm = tcp.to_dm %in at 0 : !tcp.hbm<i8, #axes, "1", "[A, B] # 32"> -> !tcp.dm<i8, #grid, "A, B">
    %out = tcp.to_hbm %dm at 65536 : !tcp.dm<i8, #grid, "A, B"> -> !tcp.hbm<i8, #axes, "1", "A, B">
    return %out : !tcp.hbm<i8, #axes, "1", "A, B">
  }
  func.func @main(%a: !tcp.host<i8, #axes, "A, B">) -> !tcp.host<i8, #axes, "A, B"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<i8, #axes, "A, B"> -> !tcp.hbm<i8, #axes, "1", "[A, B] # 32">
    %r = tcp.launch @kernel(%h) : (!tcp.hbm<i8, #axes, "1", "[A, B] # 32">) -> !tcp.hbm<i8, #axes, "1", "A, B">
    %o = tcp.to_host %r : !tcp.hbm<i8, #axes, "1", "A, B"> -> !tcp.host<i8, #axes, "A, B">
    return %o : !tcp.host<i8, #axes, "A, B">
  }
}

// -----

// The other way round: room in DM, none in HBM to read it from.
#axes = #stream.axes<A = 3, B = 10>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !tcp.hbm<i8, #axes, "1", "A, B">) -> !tcp.hbm<i8, #axes, "1", "A, B"> {
    // expected-error@+1 {{has runs of 30 bytes that are consecutive on both sides}}
    %dm = tcp.to_dm %in at 0 : !tcp.hbm<i8, #axes, "1", "A, B"> -> !tcp.dm<i8, #grid, "[A, B] # 32">
    %out = tcp.to_hbm %dm at 65536 : !tcp.dm<i8, #grid, "[A, B] # 32"> -> !tcp.hbm<i8, #axes, "1", "A, B">
    return %out : !tcp.hbm<i8, #axes, "1", "A, B">
  }
  func.func @main(%a: !tcp.host<i8, #axes, "A, B">) -> !tcp.host<i8, #axes, "A, B"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<i8, #axes, "A, B"> -> !tcp.hbm<i8, #axes, "1", "A, B">
    %r = tcp.launch @kernel(%h) : (!tcp.hbm<i8, #axes, "1", "A, B">) -> !tcp.hbm<i8, #axes, "1", "A, B">
    %o = tcp.to_host %r : !tcp.hbm<i8, #axes, "1", "A, B"> -> !tcp.host<i8, #axes, "A, B">
    return %o : !tcp.host<i8, #axes, "A, B">
  }
}

// -----

// The sub context commits eight bytes at a time, and the packed tensor ends
// there too.
#axes = #stream.axes<A = 4, B = 8, K = 31>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !tcp.hbm<i32, #axes, "1", "A, B">) -> !tcp.hbm<i32, #axes, "1", "A, B"> {
    %dm = tcp.to_dm %in at 0 : !tcp.hbm<i32, #axes, "1", "A, B"> -> !tcp.dm<i32, #grid, "A, B">
    %n = tcp.itos 2 : i32 at 8192 : !tcp.dm<i32, #grid, "1">
    %dst = tcp.from_address 4096 : !tcp.dm<i32, #grid, "K">
    %0 = tcp.begin sub %dm : !tcp.dm<i32, #grid, "A, B">
    %1 = tcp.fetch %0 i32 "A", "B" : <sub begin i32, #grid, "1", "A, B">
    %2 = tcp.collect %1 "A", "B" : <sub fetch i32, #grid, "A", "B">
    // expected-error@+1 {{packs into a tensor of 124 bytes, the sub context commits multiples of 8 bytes}}
    %3 = tcp.commit_packed %2 count %n into %dst : <sub collect i32, #grid, "A", "B">, !tcp.dm<i32, #grid, "1">, !tcp.dm<i32, #grid, "K">
    return %in : !tcp.hbm<i32, #axes, "1", "A, B">
  }
  func.func @main(%a: !tcp.host<i32, #axes, "A, B">) -> !tcp.host<i32, #axes, "A, B"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<i32, #axes, "A, B"> -> !tcp.hbm<i32, #axes, "1", "A, B">
    %r = tcp.launch @kernel(%h) : (!tcp.hbm<i32, #axes, "1", "A, B">) -> !tcp.hbm<i32, #axes, "1", "A, B">
    %o = tcp.to_host %r : !tcp.hbm<i32, #axes, "1", "A, B"> -> !tcp.host<i32, #axes, "A, B">
    return %o : !tcp.host<i32, #axes, "A, B">
  }
}
