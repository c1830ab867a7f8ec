// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is wrong in one round of a loop, or cannot be known when the program is
// configured.
// RUN: sequin-opt %s --split-input-file --tcp-derive-sequencers --stream-merge-entries --convert-tcp-to-config --verify-diagnostics

#axes = #stream.axes<A = 8, B = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "B / 8 # 256">
!Host = !tcp.host<i32, #axes, "A, B">
!Hbm = !tcp.hbm<i32, #axes, "1", "A, B">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !Hbm) -> !Hbm {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      // expected-error@+1 {{tile of 2 from 7 of "A", which has 8}}
      %t = tcp.tile %in "A" at %i size 2 "A = 2 # 8, B" : !Hbm
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

#axes = #stream.axes<A = 8, B = 2048>
!Host = !tcp.host<i32, #axes, "A, B">
!Hbm = !tcp.hbm<i32, #axes, "1", "A, B">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !Hbm) -> !Hbm {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %j = arith.subi %i, %c1 : index
      // expected-error@+1 {{tile of 1 from -1 of "A", which has 8}}
      %t = tcp.tile %in "A" at %j size 1 "A = 1 # 8, B" : !Hbm
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

#axes = #stream.axes<A = 8, B = 2048>
!Host = !tcp.host<i32, #axes, "A, B">
!Hbm = !tcp.hbm<i32, #axes, "1", "A, B">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !Hbm) -> !Hbm {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    // expected-error@+1 {{has step 0, it must be positive}}
    scf.for %i = %c0 to %c8 step %c0 {
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

#axes = #stream.axes<A = 8, B = 2048>
!Host = !tcp.host<i32, #axes, "A, B">
!Hbm = !tcp.hbm<i32, #axes, "1", "A, B">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !Hbm) -> !Hbm {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %many = arith.constant 2000000000000 : index
    // expected-error@+1 {{runs 2000000000000 rounds, at most 1099511627776 are supported}}
    scf.for %i = %c0 to %many step %c1 {
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

#axes = #stream.axes<A = 8, B = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "B / 8 # 256">
!Host = !tcp.host<i32, #axes, "A, B">
!Hbm = !tcp.hbm<i32, #axes, "1", "A, B">
!Dm = !tcp.dm<i32, #grid, "A, B % 8">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !Hbm) -> !Hbm {
    %dm = tcp.to_dm %in at 0 : !Hbm -> !Dm
    // expected-error@+1 {{has 4 starts, the program runs on 1 chips}}
    %t = tcp.tile %dm "A" at [0, 1, 2, 3] size 1 "A = 1 # 8, B % 8" : !Dm
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

#axes = #stream.axes<A = 8, B = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
!Host = !tcp.host<i4, #axes, "A, B">
!Hbm = !tcp.hbm<i4, #axes, "1", "A, B">
!Dm = !tcp.dm<i4, #grid, "A, B">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !Hbm) -> !Hbm {
    %dm = tcp.to_dm %in at 0 : !Hbm -> !Dm
    // expected-error@+1 {{starts at element 3 of the buffer, which is no whole byte}}
    %t = tcp.tile %dm "B" at 3 size 2 "A, B = 2 # 2048" : !Dm
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

// A write that would go on into the tensor around the view.
#axes = #stream.axes<A = 8, B = 12>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
!Host = !tcp.host<i32, #axes, "A, B">
!Hbm = !tcp.hbm<i32, #axes, "1", "A, B">
!Dm = !tcp.dm<i32, #grid, "A, B">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !Hbm) -> !Hbm {
    %dm = tcp.to_dm %in at 0 : !Hbm -> !Dm
    %out = tcp.from_address 4096 : !Dm
    %t = tcp.tile %dm "B" at 0 size 5 "A, B = 5 # 12" : !Dm
    %0 = tcp.begin main %t : !tcp.dm<i32, #grid, "A, B = 5 # 12">
    %1 = tcp.fetch %0 i32 "A", "B = 5 # 8" : <main begin i32, #grid, "1", "A, B = 5 # 12">
    %2 = tcp.collect %1 "A", "B = 5 # 8" : <main fetch i32, #grid, "A", "B = 5 # 8">
    // expected-error@+1 {{keeps 20 bytes of packet "B = 5 # 8", a commit keeps a multiple of 8 leading bytes}}
    %3 = tcp.commit_view %2 into %out "B" at 0 size 5 "A, B = 5 # 12" : <main collect i32, #grid, "A", "B = 5 # 8">, !Dm
    return %in : !Hbm
  }
  func.func @main(%a: !Host) -> !Host {
    %h = tcp.to_hbm %a at 0 : !Host -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !Hbm
    %o = tcp.to_host %r : !Hbm -> !Host
    return %o : !Host
  }
}
