// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Views that are wrong in one round of a loop, and moves that the DMA engines cannot
// do from where a view starts.
// RUN: sequin-opt %s --split-input-file --tcp-derive-sequencers --stream-merge-entries --convert-tcp-to-config --verify-diagnostics

#axes = #stream.axes<A = 8, B = 16>
#part = #stream.axes<M = 2, N = 16>
!Host = !tcp.host<i32, #axes, "A, B">
!Hbm = !tcp.hbm<i32, #axes, "1", "A, B">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !Hbm) -> !Hbm {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      // expected-error@+1 {{views positions [112, 144) of "A, B", which has 128}}
      %t = tcp.view %in at %i * 16 : !Hbm -> !tcp.hbm<i32, #part, "1", "M, N">
    }
    return %in : !Hbm
  }
  func.func @main(%a: !Host) -> !Host {
    %h = tcp.to_hbm %a at 0 : !Host -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !Hbm
    %o = tcp.to_host %r : !Hbm -> !Host
    return %o : !Host
  }
}

// -----

#axes = #stream.axes<A = 8, B = 16>
#part = #stream.axes<M = 2, N = 16>
!Host = !tcp.host<i4, #axes, "A, B">
!Hbm = !tcp.hbm<i4, #axes, "1", "A, B">
!Part = !tcp.hbm<i4, #part, "1", "M, N">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !Hbm) -> !Hbm {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %out = tcp.from_address 4096 : !Hbm
    %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %out) -> (!Hbm) {
      %v = tcp.view %in at 0 : !Hbm -> !Part
      // expected-error@+1 {{starts at element 21 of the buffer, which is no whole byte}}
      %new = tcp.to_hbm_view %v into %acc at %i * 3 as !Part : !Part, !Hbm
      scf.yield %new : !Hbm
    }
    return %r : !Hbm
  }
  func.func @main(%a: !Host) -> !Host {
    %h = tcp.to_hbm %a at 0 : !Host -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !Hbm
    %o = tcp.to_host %r : !Hbm -> !Host
    return %o : !Host
  }
}

// -----

#axes = #stream.axes<A = 8, B = 16>
!Host = !tcp.host<i32, #axes, "A, B">
!Hbm = !tcp.hbm<i32, #axes, "1", "A, B">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !Hbm) -> !Hbm {
    %huge = arith.constant 4611686018427387904 : index
    // expected-error@+1 {{has an offset that 64 bits cannot count}}
    %t = tcp.view %in at %huge * 4 : !Hbm -> !Hbm
    return %in : !Hbm
  }
  func.func @main(%a: !Host) -> !Host {
    %h = tcp.to_hbm %a at 0 : !Host -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !Hbm
    %o = tcp.to_host %r : !Hbm -> !Host
    return %o : !Host
  }
}

// -----

// A view may start at any element; data memory is loaded in whole words.
#axes = #stream.axes<A = 8, B = 16>
#part = #stream.axes<M = 2, N = 4>
#grid = #tcp.grid<#part, chip "1", cluster "1 # 2", slice "M # 256">
!Host = !tcp.host<i32, #axes, "A, B">
!Hbm = !tcp.hbm<i32, #axes, "1", "A, B">
!Part = !tcp.hbm<i32, #part, "1", "M, N # 16">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !Hbm) -> !Hbm {
    %even = tcp.view %in at 2 : !Hbm -> !Part
    %0 = tcp.to_dm %even at 0 : !Part -> !tcp.dm<i32, #grid, "N">
    %odd = tcp.view %in at 3 : !Hbm -> !Part
    // expected-error@+1 {{moves from address 12 to 64, HBM to DM addresses are multiples of 8 bytes}}
    %1 = tcp.to_dm %odd at 64 : !Part -> !tcp.dm<i32, #grid, "N">
    return %in : !Hbm
  }
  func.func @main(%a: !Host) -> !Host {
    %h = tcp.to_hbm %a at 0 : !Host -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !Hbm
    %o = tcp.to_host %r : !Hbm -> !Host
    return %o : !Host
  }
}

// -----

// A constant moves like an argument: by the host function.
#axes = #stream.axes<A = 8>
!Host = !tcp.host<i32, #axes, "A">
!Hbm = !tcp.hbm<i32, #axes, "1", "A">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !Hbm) -> !Hbm {
    // expected-error@+1 {{cannot be configured: a kernel holds tcp moves and passes of the tensor unit}}
    %c = tcp.constant dense<1> : tensor<8xi32> : !Host
    return %in : !Hbm
  }
  func.func @main(%a: !Host) -> !Host {
    %h = tcp.to_hbm %a at 0 : !Host -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !Hbm
    %o = tcp.to_host %r : !Hbm -> !Host
    return %o : !Host
  }
}
