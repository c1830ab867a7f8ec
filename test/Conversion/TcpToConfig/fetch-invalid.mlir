// What no machine, or not this one, can fetch.
//
// RUN: sequin-opt %s --split-input-file --verify-diagnostics --tcp-to-config
// ROWS: FET-11, FET-13, FET-18, FET-29, ERR-22, ERR-23, ERR-26, SIL-13, SIL-23

#axes = #stream.axes<A = 512>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
!HostIn = !tcp.host<i8, #axes, "A">
!HbmIn = !tcp.hbm<i8, #axes, "1", "A">
!Dm = !tcp.dm<i8, #grid, "A">
!Result = !tcp.dm<i16, #grid, "A">
!HbmOut = !tcp.hbm<i16, #axes, "1", "A">
!HostOut = !tcp.host<i16, #axes, "A">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1, mode = unit>} {
  func.func @main(%in0: !HostIn) -> !HostOut {
    %hbm0 = tcp.to_hbm %in0 at 0 : !HostIn -> !HbmIn
    %out = tcp.launch @kernel(%hbm0) : (!HbmIn) -> !HbmOut
    %result = tcp.to_host %out : !HbmOut -> !HostOut
    return %result : !HostOut
  }
  func.func @kernel(%hbm0: !HbmIn) -> !HbmOut {
    %dm0 = tcp.to_dm %hbm0 at 64 : !HbmIn -> !Dm
    %0 = tcp.begin main %dm0 : !Dm
    // expected-error@+1 {{casts 'i8' to 'i16', which machine "rngd" cannot do while fetching}}
    %1 = tcp.fetch %0 i16 "A / 16", "A % 16" : <main begin i8, #grid, "1", "A">
    %2 = tcp.collect %1 "A / 16", "A % 16" : <main fetch i16, #grid, "A / 16", "A % 16">
    %3 = tcp.commit %2 at 262144 "A" : <main collect i16, #grid, "A / 16", "A % 16">
    %4 = tcp.to_hbm %3 at 16777216 : !Result -> !HbmOut
    return %4 : !HbmOut
  }
}

// -----

#axes = #stream.axes<A = 512>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
!HostIn = !tcp.host<i16, #axes, "A">
!HbmIn = !tcp.hbm<i16, #axes, "1", "A">
!Dm = !tcp.dm<i16, #grid, "A">
!Result = !tcp.dm<i8, #grid, "A">
!HbmOut = !tcp.hbm<i8, #axes, "1", "A">
!HostOut = !tcp.host<i8, #axes, "A">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1, mode = unit>} {
  func.func @main(%in0: !HostIn) -> !HostOut {
    %hbm0 = tcp.to_hbm %in0 at 0 : !HostIn -> !HbmIn
    %out = tcp.launch @kernel(%hbm0) : (!HbmIn) -> !HbmOut
    %result = tcp.to_host %out : !HbmOut -> !HostOut
    return %result : !HostOut
  }
  func.func @kernel(%hbm0: !HbmIn) -> !HbmOut {
    %dm0 = tcp.to_dm %hbm0 at 64 : !HbmIn -> !Dm
    %0 = tcp.begin main %dm0 : !Dm
    // expected-error@+1 {{casts 'i16' to 'i8', which machine "rngd" cannot do while fetching}}
    %1 = tcp.fetch %0 i8 "A / 32", "A % 32" : <main begin i16, #grid, "1", "A">
    %2 = tcp.collect %1 "A / 32", "A % 32" : <main fetch i8, #grid, "A / 32", "A % 32">
    %3 = tcp.commit %2 at 262144 "A" : <main collect i8, #grid, "A / 32", "A % 32">
    %4 = tcp.to_hbm %3 at 16777216 : !Result -> !HbmOut
    return %4 : !HbmOut
  }
}

// -----

#axes = #stream.axes<A = 512>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
!HostIn = !tcp.host<i32, #axes, "A">
!HbmIn = !tcp.hbm<i32, #axes, "1", "A">
!Dm = !tcp.dm<i32, #grid, "A">
!Result = !tcp.dm<f32, #grid, "A">
!HbmOut = !tcp.hbm<f32, #axes, "1", "A">
!HostOut = !tcp.host<f32, #axes, "A">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1, mode = unit>} {
  func.func @main(%in0: !HostIn) -> !HostOut {
    %hbm0 = tcp.to_hbm %in0 at 0 : !HostIn -> !HbmIn
    %out = tcp.launch @kernel(%hbm0) : (!HbmIn) -> !HbmOut
    %result = tcp.to_host %out : !HbmOut -> !HostOut
    return %result : !HostOut
  }
  func.func @kernel(%hbm0: !HbmIn) -> !HbmOut {
    %dm0 = tcp.to_dm %hbm0 at 64 : !HbmIn -> !Dm
    %0 = tcp.begin main %dm0 : !Dm
    // expected-error@+1 {{casts 'i32' to 'f32', which machine "rngd" cannot do while fetching}}
    %1 = tcp.fetch %0 f32 "A / 8", "A % 8" : <main begin i32, #grid, "1", "A">
    %2 = tcp.collect %1 "A / 8", "A % 8" : <main fetch f32, #grid, "A / 8", "A % 8">
    %3 = tcp.commit %2 at 262144 "A" : <main collect f32, #grid, "A / 8", "A % 8">
    %4 = tcp.to_hbm %3 at 16777216 : !Result -> !HbmOut
    return %4 : !HbmOut
  }
}

// -----

#axes = #stream.axes<A = 512>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
!HostIn = !tcp.host<f8E4M3FN, #axes, "A">
!HbmIn = !tcp.hbm<f8E4M3FN, #axes, "1", "A">
!Dm = !tcp.dm<f8E4M3FN, #grid, "A">
!Result = !tcp.dm<bf16, #grid, "A">
!HbmOut = !tcp.hbm<bf16, #axes, "1", "A">
!HostOut = !tcp.host<bf16, #axes, "A">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1, mode = unit>} {
  func.func @main(%in0: !HostIn) -> !HostOut {
    %hbm0 = tcp.to_hbm %in0 at 0 : !HostIn -> !HbmIn
    %out = tcp.launch @kernel(%hbm0) : (!HbmIn) -> !HbmOut
    %result = tcp.to_host %out : !HbmOut -> !HostOut
    return %result : !HostOut
  }
  func.func @kernel(%hbm0: !HbmIn) -> !HbmOut {
    %dm0 = tcp.to_dm %hbm0 at 64 : !HbmIn -> !Dm
    %0 = tcp.begin main %dm0 : !Dm
    // expected-error@+1 {{casts 'f8E4M3FN' to 'bf16', which machine "rngd" cannot do while fetching}}
    %1 = tcp.fetch %0 bf16 "A / 16", "A % 16" : <main begin f8E4M3FN, #grid, "1", "A">
    %2 = tcp.collect %1 "A / 16", "A % 16" : <main fetch bf16, #grid, "A / 16", "A % 16">
    %3 = tcp.commit %2 at 262144 "A" : <main collect bf16, #grid, "A / 16", "A % 16">
    %4 = tcp.to_hbm %3 at 16777216 : !Result -> !HbmOut
    return %4 : !HbmOut
  }
}

// -----

#axes = #stream.axes<A = 512>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
!HostIn = !tcp.host<f16, #axes, "A">
!HbmIn = !tcp.hbm<f16, #axes, "1", "A">
!Dm = !tcp.dm<f16, #grid, "A">
!Result = !tcp.dm<bf16, #grid, "A">
!HbmOut = !tcp.hbm<bf16, #axes, "1", "A">
!HostOut = !tcp.host<bf16, #axes, "A">
module attributes {tcp.target = #tcp.target<"rngd-s", chips = 1, mode = unit>} {
  func.func @main(%in0: !HostIn) -> !HostOut {
    %hbm0 = tcp.to_hbm %in0 at 0 : !HostIn -> !HbmIn
    %out = tcp.launch @kernel(%hbm0) : (!HbmIn) -> !HbmOut
    %result = tcp.to_host %out : !HbmOut -> !HostOut
    return %result : !HostOut
  }
  func.func @kernel(%hbm0: !HbmIn) -> !HbmOut {
    %dm0 = tcp.to_dm %hbm0 at 64 : !HbmIn -> !Dm
    %0 = tcp.begin main %dm0 : !Dm
    // expected-error@+1 {{casts 'f16' to 'bf16', which machine "rngd-s" cannot do while fetching}}
    %1 = tcp.fetch %0 bf16 "A / 16", "A % 16" : <main begin f16, #grid, "1", "A">
    %2 = tcp.collect %1 "A / 16", "A % 16" : <main fetch bf16, #grid, "A / 16", "A % 16">
    %3 = tcp.commit %2 at 262144 "A" : <main collect bf16, #grid, "A / 16", "A % 16">
    %4 = tcp.to_hbm %3 at 16777216 : !Result -> !HbmOut
    return %4 : !HbmOut
  }
}

// -----

#axes = #stream.axes<A = 512>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
!HostIn = !tcp.host<f32, #axes, "A">
!HbmIn = !tcp.hbm<f32, #axes, "1", "A">
!Dm = !tcp.dm<f32, #grid, "A">
!Result = !tcp.dm<f16, #grid, "A">
!HbmOut = !tcp.hbm<f16, #axes, "1", "A">
!HostOut = !tcp.host<f16, #axes, "A">
module attributes {tcp.target = #tcp.target<"rngd-s", chips = 1, mode = unit>} {
  func.func @main(%in0: !HostIn) -> !HostOut {
    %hbm0 = tcp.to_hbm %in0 at 0 : !HostIn -> !HbmIn
    %out = tcp.launch @kernel(%hbm0) : (!HbmIn) -> !HbmOut
    %result = tcp.to_host %out : !HbmOut -> !HostOut
    return %result : !HostOut
  }
  func.func @kernel(%hbm0: !HbmIn) -> !HbmOut {
    %dm0 = tcp.to_dm %hbm0 at 64 : !HbmIn -> !Dm
    %0 = tcp.begin main %dm0 : !Dm
    // expected-error@+1 {{casts 'f32' to 'f16', which machine "rngd-s" cannot do while fetching}}
    %1 = tcp.fetch %0 f16 "A / 16", "A % 16" : <main begin f32, #grid, "1", "A">
    %2 = tcp.collect %1 "A / 16", "A % 16" : <main fetch f16, #grid, "A / 16", "A % 16">
    %3 = tcp.commit %2 at 262144 "A" : <main collect f16, #grid, "A / 16", "A % 16">
    %4 = tcp.to_hbm %3 at 16777216 : !Result -> !HbmOut
    return %4 : !HbmOut
  }
}

// -----

#axes = #stream.axes<A = 512>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
!HostIn = !tcp.host<i8, #axes, "A">
!HbmIn = !tcp.hbm<i8, #axes, "1", "A">
!Dm = !tcp.dm<i8, #grid, "A">
!Result = !tcp.dm<i4, #grid, "A">
!HbmOut = !tcp.hbm<i4, #axes, "1", "A">
!HostOut = !tcp.host<i4, #axes, "A">
module attributes {tcp.target = #tcp.target<"rngd-s", chips = 1, mode = unit>} {
  func.func @main(%in0: !HostIn) -> !HostOut {
    %hbm0 = tcp.to_hbm %in0 at 0 : !HostIn -> !HbmIn
    %out = tcp.launch @kernel(%hbm0) : (!HbmIn) -> !HbmOut
    %result = tcp.to_host %out : !HbmOut -> !HostOut
    return %result : !HostOut
  }
  func.func @kernel(%hbm0: !HbmIn) -> !HbmOut {
    %dm0 = tcp.to_dm %hbm0 at 64 : !HbmIn -> !Dm
    %0 = tcp.begin main %dm0 : !Dm
    // expected-error@+1 {{casts 'i8' to 'i4', which machine "rngd-s" cannot do while fetching}}
    %1 = tcp.fetch %0 i4 "A / 64", "A % 64" : <main begin i8, #grid, "1", "A">
    %2 = tcp.collect %1 "A / 64", "A % 64" : <main fetch i4, #grid, "A / 64", "A % 64">
    %3 = tcp.commit %2 at 262144 "A" : <main collect i4, #grid, "A / 64", "A % 64">
    %4 = tcp.to_hbm %3 at 16777216 : !Result -> !HbmOut
    return %4 : !HbmOut
  }
}

// -----

// Nine counts are one more than there are.
#axes = #stream.axes<A = 96>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
!HostIn = !tcp.host<i8, #axes, "A">
!HbmIn = !tcp.hbm<i8, #axes, "1", "A # 288">
!Dm = !tcp.dm<i8, #grid, "A # 288">
!Result = !tcp.dm<i8, #grid, "A # 288">
!HbmOut = !tcp.hbm<i8, #axes, "1", "A">
!HostOut = !tcp.host<i8, #axes, "A">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1, mode = unit>} {
  func.func @main(%in0: !HostIn) -> !HostOut {
    %hbm0 = tcp.to_hbm %in0 at 0 : !HostIn -> !HbmIn
    %out = tcp.launch @kernel(%hbm0) : (!HbmIn) -> !HbmOut
    %result = tcp.to_host %out : !HbmOut -> !HostOut
    return %result : !HostOut
  }
  func.func @kernel(%hbm0: !HbmIn) -> !HbmOut {
    %dm0 = tcp.to_dm %hbm0 at 64 : !HbmIn -> !Dm
    %0 = tcp.begin main %dm0 : !Dm
    // expected-error@+1 {{is given a pad_value and cannot be masked: it is not at the start of the first and the end of the last packet of one loop, nor given by one count for each of up to 8 iterations}}
    %1 = tcp.fetch %0 i8 "A # 288 / 32", "A # 288 % 32" pad_value 1 : i8 : <main begin i8, #grid, "1", "A # 288">
    %2 = tcp.collect %1 "A # 288 / 32", "A # 288 % 32" : <main fetch i8, #grid, "A # 288 / 32", "A # 288 % 32">
    %3 = tcp.commit %2 at 262144 "A # 288" : <main collect i8, #grid, "A # 288 / 32", "A # 288 % 32">
    %4 = tcp.to_hbm %3 at 16777216 : !Result -> !HbmOut
    return %4 : !HbmOut
  }
}

// -----

// Eight are what there are.
#axes = #stream.axes<A = 96>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
!HostIn = !tcp.host<i8, #axes, "A">
!HbmIn = !tcp.hbm<i8, #axes, "1", "A # 256">
!Dm = !tcp.dm<i8, #grid, "A # 256">
!Result = !tcp.dm<i8, #grid, "A # 256">
!HbmOut = !tcp.hbm<i8, #axes, "1", "A">
!HostOut = !tcp.host<i8, #axes, "A">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1, mode = unit>} {
  func.func @main(%in0: !HostIn) -> !HostOut {
    %hbm0 = tcp.to_hbm %in0 at 0 : !HostIn -> !HbmIn
    %out = tcp.launch @kernel(%hbm0) : (!HbmIn) -> !HbmOut
    %result = tcp.to_host %out : !HbmOut -> !HostOut
    return %result : !HostOut
  }
  func.func @kernel(%hbm0: !HbmIn) -> !HbmOut {
    %dm0 = tcp.to_dm %hbm0 at 64 : !HbmIn -> !Dm
    %0 = tcp.begin main %dm0 : !Dm
    %1 = tcp.fetch %0 i8 "A # 256 / 32", "A # 256 % 32" pad_value 1 : i8 : <main begin i8, #grid, "1", "A # 256">
    %2 = tcp.collect %1 "A # 256 / 32", "A # 256 % 32" : <main fetch i8, #grid, "A # 256 / 32", "A # 256 % 32">
    %3 = tcp.commit %2 at 262144 "A # 256" : <main collect i8, #grid, "A # 256 / 32", "A # 256 % 32">
    %4 = tcp.to_hbm %3 at 16777216 : !Result -> !HbmOut
    return %4 : !HbmOut
  }
}

// -----

// A packet of 128 bytes.
#axes = #stream.axes<A = 120>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
!HostIn = !tcp.host<i8, #axes, "A">
!HbmIn = !tcp.hbm<i8, #axes, "1", "A">
!Dm = !tcp.dm<i8, #grid, "A">
!Result = !tcp.dm<i8, #grid, "A # 128">
!HbmOut = !tcp.hbm<i8, #axes, "1", "A">
!HostOut = !tcp.host<i8, #axes, "A">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1, mode = unit>} {
  func.func @main(%in0: !HostIn) -> !HostOut {
    %hbm0 = tcp.to_hbm %in0 at 0 : !HostIn -> !HbmIn
    %out = tcp.launch @kernel(%hbm0) : (!HbmIn) -> !HbmOut
    %result = tcp.to_host %out : !HbmOut -> !HostOut
    return %result : !HostOut
  }
  func.func @kernel(%hbm0: !HbmIn) -> !HbmOut {
    %dm0 = tcp.to_dm %hbm0 at 64 : !HbmIn -> !Dm
    %0 = tcp.begin main %dm0 : !Dm
    %1 = tcp.fetch %0 i8 "1", "A # 128" pad_value 1 : i8 : <main begin i8, #grid, "1", "A">
    %2 = tcp.collect %1 "A # 128 / 32", "A # 128 % 32" : <main fetch i8, #grid, "1", "A # 128">
    %3 = tcp.commit %2 at 262144 "A # 128" : <main collect i8, #grid, "A # 128 / 32", "A # 128 % 32">
    %4 = tcp.to_hbm %3 at 16777216 : !Result -> !HbmOut
    return %4 : !HbmOut
  }
}

// -----

// One past the largest that is masked.
#axes = #stream.axes<A = 128>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
!HostIn = !tcp.host<i8, #axes, "A">
!HbmIn = !tcp.hbm<i8, #axes, "1", "A">
!Dm = !tcp.dm<i8, #grid, "A">
!Result = !tcp.dm<i8, #grid, "A # 160">
!HbmOut = !tcp.hbm<i8, #axes, "1", "A">
!HostOut = !tcp.host<i8, #axes, "A">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1, mode = unit>} {
  func.func @main(%in0: !HostIn) -> !HostOut {
    %hbm0 = tcp.to_hbm %in0 at 0 : !HostIn -> !HbmIn
    %out = tcp.launch @kernel(%hbm0) : (!HbmIn) -> !HbmOut
    %result = tcp.to_host %out : !HbmOut -> !HostOut
    return %result : !HostOut
  }
  func.func @kernel(%hbm0: !HbmIn) -> !HbmOut {
    %dm0 = tcp.to_dm %hbm0 at 64 : !HbmIn -> !Dm
    %0 = tcp.begin main %dm0 : !Dm
    // expected-error@+1 {{is given a pad_value and cannot be masked: a packet of 136 bytes, at most 128 can be masked}}
    %1 = tcp.fetch %0 i8 "1", "A # 136" pad_value 1 : i8 : <main begin i8, #grid, "1", "A">
    %2 = tcp.collect %1 "[A # 160] / 32", "[A # 160] % 32" : <main fetch i8, #grid, "1", "A # 136">
    %3 = tcp.commit %2 at 262144 "A # 160" : <main collect i8, #grid, "[A # 160] / 32", "[A # 160] % 32">
    %4 = tcp.to_hbm %3 at 16777216 : !Result -> !HbmOut
    return %4 : !HbmOut
  }
}

// -----

// A count of 31 f32 has five bits; 32 would need six.
#axes = #stream.axes<A = 63>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
!HostIn = !tcp.host<f32, #axes, "A">
!HbmIn = !tcp.hbm<f32, #axes, "1", "A # 64 / 8, A # 64 % 8">
!Dm = !tcp.dm<f32, #grid, "A # 64 / 8, A # 64 % 8">
!Result = !tcp.dm<f32, #grid, "A # 64">
!HbmOut = !tcp.hbm<f32, #axes, "1", "A">
!HostOut = !tcp.host<f32, #axes, "A">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1, mode = unit>} {
  func.func @main(%in0: !HostIn) -> !HostOut {
    %hbm0 = tcp.to_hbm %in0 at 0 : !HostIn -> !HbmIn
    %out = tcp.launch @kernel(%hbm0) : (!HbmIn) -> !HbmOut
    %result = tcp.to_host %out : !HbmOut -> !HostOut
    return %result : !HostOut
  }
  func.func @kernel(%hbm0: !HbmIn) -> !HbmOut {
    %dm0 = tcp.to_dm %hbm0 at 64 : !HbmIn -> !Dm
    %0 = tcp.begin main %dm0 : !Dm
    %1 = tcp.fetch %0 f32 "A # 64 / 32", "A # 64 % 32" pad_value 1.0 : f32 : <main begin f32, #grid, "1", "A # 64 / 8, A # 64 % 8">
    %2 = tcp.collect %1 "A # 64 / 8", "A # 64 % 8" : <main fetch f32, #grid, "A # 64 / 32", "A # 64 % 32">
    %3 = tcp.commit %2 at 262144 "A # 64" : <main collect f32, #grid, "A # 64 / 8", "A # 64 % 8">
    %4 = tcp.to_hbm %3 at 16777216 : !Result -> !HbmOut
    return %4 : !HbmOut
  }
}

// -----

// Here the first of four counts would be 32.
#axes = #stream.axes<A = 48>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
!HostIn = !tcp.host<f32, #axes, "A">
!HbmIn = !tcp.hbm<f32, #axes, "1", "A">
!Dm = !tcp.dm<f32, #grid, "A">
!Result = !tcp.dm<f32, #grid, "A # 128">
!HbmOut = !tcp.hbm<f32, #axes, "1", "A">
!HostOut = !tcp.host<f32, #axes, "A">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1, mode = unit>} {
  func.func @main(%in0: !HostIn) -> !HostOut {
    %hbm0 = tcp.to_hbm %in0 at 0 : !HostIn -> !HbmIn
    %out = tcp.launch @kernel(%hbm0) : (!HbmIn) -> !HbmOut
    %result = tcp.to_host %out : !HbmOut -> !HostOut
    return %result : !HostOut
  }
  func.func @kernel(%hbm0: !HbmIn) -> !HbmOut {
    %dm0 = tcp.to_dm %hbm0 at 64 : !HbmIn -> !Dm
    %0 = tcp.begin main %dm0 : !Dm
    // expected-error@+1 {{is given a pad_value and cannot be masked: it is not at the start}}
    %1 = tcp.fetch %0 f32 "A # 128 / 32", "A # 128 % 32" pad_value 1.0 : f32 : <main begin f32, #grid, "1", "A">
    %2 = tcp.collect %1 "A # 128 / 8", "A # 128 % 8" : <main fetch f32, #grid, "A # 128 / 32", "A # 128 % 32">
    %3 = tcp.commit %2 at 262144 "A # 128" : <main collect f32, #grid, "A # 128 / 8", "A # 128 % 8">
    %4 = tcp.to_hbm %3 at 16777216 : !Result -> !HbmOut
    return %4 : !HbmOut
  }
}

// -----

// The sub context has no masks: zeros cannot be promised ...
#axes = #stream.axes<A = 24>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
!HostIn = !tcp.host<i8, #axes, "A">
!HbmIn = !tcp.hbm<i8, #axes, "1", "A">
!Dm = !tcp.dm<i8, #grid, "A">
!Result = !tcp.dm<i8, #grid, "A #z 32">
!HbmOut = !tcp.hbm<i8, #axes, "1", "A">
!HostOut = !tcp.host<i8, #axes, "A">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1, mode = unit>} {
  func.func @main(%in0: !HostIn) -> !HostOut {
    %hbm0 = tcp.to_hbm %in0 at 0 : !HostIn -> !HbmIn
    %out = tcp.launch @kernel(%hbm0) : (!HbmIn) -> !HbmOut
    %result = tcp.to_host %out : !HbmOut -> !HostOut
    return %result : !HostOut
  }
  func.func @kernel(%hbm0: !HbmIn) -> !HbmOut {
    %dm0 = tcp.to_dm %hbm0 at 64 : !HbmIn -> !Dm
    %0 = tcp.begin sub %dm0 : !Dm
    // expected-error@+1 {{is declared zero and cannot be masked: the sub context has no masking}}
    %1 = tcp.fetch %0 i8 "1", "A #z 32" : <sub begin i8, #grid, "1", "A">
    %2 = tcp.collect %1 "1", "A #z 32" : <sub fetch i8, #grid, "1", "A #z 32">
    %3 = tcp.commit %2 at 262144 "A #z 32" : <sub collect i8, #grid, "1", "A #z 32">
    %4 = tcp.to_hbm %3 at 16777216 : !Result -> !HbmOut
    return %4 : !HbmOut
  }
}

// -----

// ... and nobody misses them in memory.
#axes = #stream.axes<A = 24>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
!HostIn = !tcp.host<i8, #axes, "A">
!HbmIn = !tcp.hbm<i8, #axes, "1", "A">
!Dm = !tcp.dm<i8, #grid, "A">
!Result = !tcp.dm<i8, #grid, "A # 32">
!HbmOut = !tcp.hbm<i8, #axes, "1", "A">
!HostOut = !tcp.host<i8, #axes, "A">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1, mode = unit>} {
  func.func @main(%in0: !HostIn) -> !HostOut {
    %hbm0 = tcp.to_hbm %in0 at 0 : !HostIn -> !HbmIn
    %out = tcp.launch @kernel(%hbm0) : (!HbmIn) -> !HbmOut
    %result = tcp.to_host %out : !HbmOut -> !HostOut
    return %result : !HostOut
  }
  func.func @kernel(%hbm0: !HbmIn) -> !HbmOut {
    %dm0 = tcp.to_dm %hbm0 at 64 : !HbmIn -> !Dm
    %0 = tcp.begin sub %dm0 : !Dm
    %1 = tcp.fetch %0 i8 "1", "A # 32" : <sub begin i8, #grid, "1", "A">
    %2 = tcp.collect %1 "1", "A # 32" : <sub fetch i8, #grid, "1", "A # 32">
    %3 = tcp.commit %2 at 262144 "A # 32" : <sub collect i8, #grid, "1", "A # 32">
    %4 = tcp.to_hbm %3 at 16777216 : !Result -> !HbmOut
    return %4 : !HbmOut
  }
}

// -----

// A register file keeps what is loaded, and sums it.
#axes = #stream.axes<A = 24>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
!HostIn = !tcp.host<i8, #axes, "A">
!HbmIn = !tcp.hbm<i8, #axes, "1", "A">
!Dm = !tcp.dm<i8, #grid, "A">
!Result = !tcp.dm<i8, #grid, "A">
!HbmOut = !tcp.hbm<i8, #axes, "1", "A">
!HostOut = !tcp.host<i8, #axes, "A">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1, mode = unit>} {
  func.func @main(%in0: !HostIn) -> !HostOut {
    %hbm0 = tcp.to_hbm %in0 at 0 : !HostIn -> !HbmIn
    %out = tcp.launch @kernel(%hbm0) : (!HbmIn) -> !HbmOut
    %result = tcp.to_host %out : !HbmOut -> !HostOut
    return %result : !HostOut
  }
  func.func @kernel(%hbm0: !HbmIn) -> !HbmOut {
    %dm0 = tcp.to_dm %hbm0 at 64 : !HbmIn -> !Dm
    %0 = tcp.begin sub %dm0 : !Dm
    // expected-error@+1 {{padding of packet "A # 64" over time "1" is added up by the contraction engine and cannot be masked: the sub context has no masking}}
    %1 = tcp.fetch %0 i8 "1", "A # 64" : <sub begin i8, #grid, "1", "A">
    %2 = tcp.collect %1 "A # 64 / 32", "A # 64 % 32" : <sub fetch i8, #grid, "1", "A # 64">
    %trf = tcp.to_trf %2 Full "1", "A # 64" : <sub collect i8, #grid, "A # 64 / 32", "A # 64 % 32">
    %4 = tcp.to_hbm %dm0 at 16777216 : !Dm -> !HbmOut
    return %4 : !HbmOut
  }
}
