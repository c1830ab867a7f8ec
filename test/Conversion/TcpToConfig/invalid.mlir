// RUN: sequin-opt %s --split-input-file --tcp-derive-sequencers --stream-merge-entries --convert-tcp-to-config --verify-diagnostics
// ROWS: HEL-12, DMA-03, RED-14, RED-15, TRF-02, FET-18, CAS-01, COM-14, SIL-20

// The printed GEMM takes b as [K, J]: runs of one bf16.
#axes = #stream.axes<J = 512, K = 1024>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "J / 32 # 256">
!HbmB = !tcp.hbm<bf16, #axes, "1", "K, J">
!HostB = !tcp.host<bf16, #axes, "K, J">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%b: !HostB) {
    %0 = tcp.to_hbm %b at 0 : !HostB -> !HbmB
    tcp.launch @kernel(%0) : (!HbmB) -> ()
    return
  }
  func.func @kernel(%b: !HbmB) {
    // expected-error@+1 {{has runs of 2 bytes that are consecutive on both sides, a DMA packet from HBM to DM is a multiple of 8 bytes}}
    %b_dm = tcp.to_dm %b at 0 : !HbmB -> !tcp.dm<bf16, #grid, "J % 32, K">
    return
  }
}

// -----

// 129 sums would be open at the same time.
#axes = #stream.axes<M = 129, K = 64>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
!Host = !tcp.host<bf16, #axes, "M, K">
!Hbm = !tcp.hbm<bf16, #axes, "1", "M, K">
!Dm = !tcp.dm<bf16, #grid, "M, K">
!HostW = !tcp.host<bf16, #axes, "K">
!HbmW = !tcp.hbm<bf16, #axes, "1", "K">
!DmW = !tcp.dm<bf16, #grid, "K">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !Host, %w: !HostW) {
    %0 = tcp.to_hbm %a at 0 : !Host -> !Hbm
    %1 = tcp.to_hbm %w at 65536 : !HostW -> !HbmW
    tcp.launch @kernel(%0, %1) : (!Hbm, !HbmW) -> ()
    return
  }
  func.func @kernel(%a: !Hbm, %w: !HbmW) {
    %a_dm = tcp.to_dm %a at 0 : !Hbm -> !Dm
    %w_dm = tcp.to_dm %w at 65536 : !HbmW -> !DmW
    %s0 = tcp.begin sub %w_dm : !DmW
    %s1 = tcp.fetch %s0 bf16 "1", "K" : <sub begin bf16, #grid, "1", "K">
    %s2 = tcp.collect %s1 "K / 16", "K % 16" : <sub fetch bf16, #grid, "1", "K">
    %trf = tcp.to_trf %s2 Full "1", "K" : <sub collect bf16, #grid, "K / 16", "K % 16">
    %0 = tcp.begin main %a_dm : !Dm
    %1 = tcp.fetch %0 bf16 "K / 32, M", "K % 32" : <main begin bf16, #grid, "1", "M, K">
    %2 = tcp.collect %1 "K / 32, M, K / 16 % 2", "K % 16" : <main fetch bf16, #grid, "K / 32, M", "K % 32">
    %3 = tcp.align %2, %trf "K / 32, M", "K % 32" : <main collect bf16, #grid, "K / 32, M, K / 16 % 2", "K % 16">, !tcp.trf<bf16, #grid, "1", "K">
    %4 = tcp.contract %3 "1" : <main align bf16, #grid, row "1", "K / 32, M", "K % 32">
    // expected-error@+1 {{keeps 129 sums open inside the outermost reduced time axis, the Interleaved accumulator of machine "rngd" holds 128}}
    %5 = tcp.accumulate %4 Interleaved "M", "1 # 8" : <main contract f32, #grid, row "1", "K / 32, M", "1">
    %6 = tcp.commit %5 at 131072 "M, 1 # 8" : <main accumulate f32, #grid, "M", "1 # 8">
    return
  }
}

// -----

// RNGD does not widen f8 to bf16 while fetching; RNGD-S does.
#axes = #stream.axes<A = 8192>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 32 # 256">
!Host = !tcp.host<f8E4M3FN, #axes, "A">
!Hbm = !tcp.hbm<f8E4M3FN, #axes, "1", "A">
!Dm = !tcp.dm<f8E4M3FN, #grid, "A % 32">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !Host) {
    %0 = tcp.to_hbm %a at 0 : !Host -> !Hbm
    tcp.launch @kernel(%0) : (!Hbm) -> ()
    return
  }
  func.func @kernel(%a: !Hbm) {
    %dm = tcp.to_dm %a at 0 : !Hbm -> !Dm
    %0 = tcp.begin main %dm : !Dm
    // expected-error@+1 {{casts 'f8E4M3FN' to 'bf16', which machine "rngd" cannot do while fetching}}
    %1 = tcp.fetch %0 bf16 "1", "A % 32" : <main begin f8E4M3FN, #grid, "1", "A % 32">
    %2 = tcp.collect %1 "A / 16 % 2", "A % 16" : <main fetch bf16, #grid, "1", "A % 32">
    %3 = tcp.commit %2 at 4096 "A % 32" : <main collect bf16, #grid, "A / 16 % 2", "A % 16">
    return
  }
}

// -----

// The destination address of a commit is a whole bank word.
#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">
!Host = !tcp.host<i32, #axes, "A">
!Hbm = !tcp.hbm<i32, #axes, "1", "A">
!Dm = !tcp.dm<i32, #grid, "A % 8">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !Host) {
    %0 = tcp.to_hbm %a at 0 : !Host -> !Hbm
    tcp.launch @kernel(%0) : (!Hbm) -> ()
    return
  }
  func.func @kernel(%a: !Hbm) {
    %dm = tcp.to_dm %a at 0 : !Hbm -> !Dm
    %0 = tcp.begin main %dm : !Dm
    %1 = tcp.fetch %0 i32 "1", "A % 8" : <main begin i32, #grid, "1", "A % 8">
    %2 = tcp.collect %1 "1", "A % 8" : <main fetch i32, #grid, "1", "A % 8">
    // expected-error@+1 {{writes to address 4100, commit addresses are multiples of 8 bytes}}
    %3 = tcp.commit %2 at 4100 "A % 8" : <main collect i32, #grid, "1", "A % 8">
    return
  }
}

// -----

// The stream needs the half of N that the buffer does not hold.
#axes = #stream.axes<N = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
!Host = !tcp.host<i8, #axes, "N">
!Hbm = !tcp.hbm<i8, #axes, "1", "N">
!Dm = !tcp.dm<i8, #grid, "N % 512">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !Host) {
    %0 = tcp.to_hbm %a at 0 : !Host -> !Hbm
    tcp.launch @kernel(%0) : (!Hbm) -> ()
    return
  }
  func.func @kernel(%a: !Hbm) {
    %dm = tcp.to_dm %a at 0 : !Hbm -> !Dm
    %0 = tcp.begin main %dm : !Dm
    // expected-error@+1 {{fetch sequencer: insufficient input}}
    %1 = tcp.fetch %0 i8 "N / 512", "N % 512" : <main begin i8, #grid, "1", "N % 512">
    %2 = tcp.collect %1 "N / 32", "N % 32" : <main fetch i8, #grid, "N / 512", "N % 512">
    %3 = tcp.commit %2 at 4096 "N" : <main collect i8, #grid, "N / 32", "N % 32">
    return
  }
}

// -----

// Single i4 elements have no byte address of their own.
#axes = #stream.axes<A = 512, B = 16>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
!Host = !tcp.host<i4, #axes, "A">
!Hbm = !tcp.hbm<i4, #axes, "1", "A">
!Dm = !tcp.dm<i4, #grid, "A">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !Host) {
    %0 = tcp.to_hbm %a at 0 : !Host -> !Hbm
    tcp.launch @kernel(%0) : (!Hbm) -> ()
    return
  }
  func.func @kernel(%a: !Hbm) {
    %dm = tcp.to_dm %a at 0 : !Hbm -> !Dm
    %0 = tcp.begin main %dm : !Dm
    // expected-error@+1 {{fetch}}
    %1 = tcp.fetch %0 i4 "A", "B" : <main begin i4, #grid, "1", "A">
    %2 = tcp.collect %1 "A", "B # 64" : <main fetch i4, #grid, "A", "B">
    %3 = tcp.commit %2 at 4096 "A, B" : <main collect i4, #grid, "A", "B # 64">
    return
  }
}

// -----

// The first launch writes over an argument that the second one reads.
#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">
!Host = !tcp.host<i32, #axes, "A">
!Hbm = !tcp.hbm<i32, #axes, "1", "A">
!Dm = !tcp.dm<i32, #grid, "A % 8">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !Host) -> !Host {
    // expected-note@+1 {{other tensor placed here}}
    %0 = tcp.to_hbm %a at 8192 : !Host -> !Hbm
    %1 = tcp.launch @kernel(%0) : (!Hbm) -> !Hbm
    %2 = tcp.launch @kernel(%0) : (!Hbm) -> !Hbm
    %3 = tcp.to_host %2 : !Hbm -> !Host
    return %3 : !Host
  }
  func.func @kernel(%a: !Hbm) -> !Hbm {
    %dm = tcp.to_dm %a at 0 : !Hbm -> !Dm
    // expected-error@+1 {{HBM tensor at bytes [8192, 16384) overlaps one at [8192, 16384) that is still needed}}
    %out = tcp.to_hbm %dm at 8192 : !Dm -> !Hbm
    return %out : !Hbm
  }
}

// -----

// The second launch writes over the first one's result before the host reads it.
#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">
!Host = !tcp.host<i32, #axes, "A">
!Hbm = !tcp.hbm<i32, #axes, "1", "A">
!Dm = !tcp.dm<i32, #grid, "A % 8">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !Host, %b: !Host) -> (!Host, !Host) {
    %0 = tcp.to_hbm %a at 0 : !Host -> !Hbm
    %1 = tcp.to_hbm %b at 8192 : !Host -> !Hbm
    %2 = tcp.launch @kernel(%0) : (!Hbm) -> !Hbm
    %3 = tcp.launch @kernel(%1) : (!Hbm) -> !Hbm
    %4 = tcp.to_host %2 : !Hbm -> !Host
    %5 = tcp.to_host %3 : !Hbm -> !Host
    return %4, %5 : !Host, !Host
  }
  func.func @kernel(%a: !Hbm) -> !Hbm {
    %dm = tcp.to_dm %a at 0 : !Hbm -> !Dm
    // expected-error@+2 {{HBM tensor at bytes [16384, 24576) overlaps one at [16384, 24576) that is still needed}}
    // expected-note@+1 {{other tensor placed here}}
    %out = tcp.to_hbm %dm at 16384 : !Dm -> !Hbm
    return %out : !Hbm
  }
}

// -----

module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: tensor<4xf32>) {
    return
  }
}
// expected-error@-4 {{argument 0 is 'tensor<4xf32>', a host function takes !tcp.host tensors}}
