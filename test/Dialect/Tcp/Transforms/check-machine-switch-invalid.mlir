// RUN: sequin-opt %s --split-input-file --tcp-check-machine --verify-diagnostics
// ROWS: SWI-17

// A regular topology works on a whole cluster.
#axes = #stream.axes<A = 64, B = 32, X = 4>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A">
#out = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 4, X">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @part_of_a_cluster(%0: !tcp.hbm<i8, #axes, "1", "A, B">) -> !tcp.dm<i8, #out, "A % 4, B"> {
    // expected-error@+1 {{slice mapping "A" has size 64, machine "rngd" has 256; pad it with # 256}}
    %dm = tcp.to_dm %0 at 0 : !tcp.hbm<i8, #axes, "1", "A, B"> -> !tcp.dm<i8, #in, "B">
    %1 = tcp.begin main %dm : !tcp.dm<i8, #in, "B">
    %2 = tcp.fetch %1 i8 "1", "B" : <main begin i8, #in, "1", "B">
    %3 = tcp.switch %2 Broadcast01 slice1 = 4 slice0 = 1 time0 = 1 "A / 4, X", "A % 4" : <main fetch i8, #in, "1", "B">
    %4 = tcp.collect %3 "A % 4", "B" : <main switch i8, #out, "A % 4", "B">
    %5 = tcp.commit %4 at 4096 "A % 4, B" : <main collect i8, #out, "A % 4", "B">
    return %5 : !tcp.dm<i8, #out, "A % 4, B">
  }
}

// -----

// The manual's snippets do it in unit mode.
#axes = #stream.axes<A = 64, B = 32, X = 4>
#in = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A">
#out = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 4, X">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1, mode = unit>} {
  func.func @unit(%0: !tcp.hbm<i8, #axes, "1", "A, B">) -> !tcp.dm<i8, #out, "A % 4, B"> {
    %dm = tcp.to_dm %0 at 0 : !tcp.hbm<i8, #axes, "1", "A, B"> -> !tcp.dm<i8, #in, "B">
    %1 = tcp.begin main %dm : !tcp.dm<i8, #in, "B">
    %2 = tcp.fetch %1 i8 "1", "B" : <main begin i8, #in, "1", "B">
    %3 = tcp.switch %2 Broadcast01 slice1 = 4 slice0 = 1 time0 = 1 "A / 4, X", "A % 4" : <main fetch i8, #in, "1", "B">
    %4 = tcp.collect %3 "A % 4", "B" : <main switch i8, #out, "A % 4", "B">
    %5 = tcp.commit %4 at 4096 "A % 4, B" : <main collect i8, #out, "A % 4", "B">
    return %5 : !tcp.dm<i8, #out, "A % 4, B">
  }
}
