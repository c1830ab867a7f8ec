// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tensors that live through loops and views. What is written inside a loop must
// not fall onto what a later round or the code behind needs.
// RUN: sequin-opt %s --split-input-file --tcp-check-machine --verify-diagnostics
// ROWS: SCH-06

#axes = #stream.axes<A = 8, B = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "B / 8 # 256">
!Hbm = !tcp.hbm<i32, #axes, "1", "A, B">
!Dm = !tcp.dm<i32, #grid, "A, B % 8">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @before_the_loop(%in: !Hbm) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-note@+1 {{other tensor placed here}}
    %whole = tcp.to_dm %in at 0 : !Hbm -> !Dm
    scf.for %i = %c0 to %c1 step %c1 {
      %t = tcp.tile %whole "A" at %i size 1 "A = 1 # 8, B % 8" : !Dm
      %0 = tcp.begin main %t : !tcp.dm<i32, #grid, "A = 1 # 8, B % 8">
      %1 = tcp.fetch %0 i32 "A = 1", "B % 8" : <main begin i32, #grid, "1", "A = 1 # 8, B % 8">
      %2 = tcp.collect %1 "A = 1", "B % 8" : <main fetch i32, #grid, "A = 1", "B % 8">
      // The next round reads %whole again.
      // expected-error@+1 {{DM tensor at bytes [128, 160) overlaps one at [0, 256) that is still needed}}
      %3 = tcp.commit %2 at 128 "A = 1, B % 8" : <main collect i32, #grid, "A = 1", "B % 8">
    }
    return
  }
}

// -----

#axes = #stream.axes<A = 8, B = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "B / 8 # 256">
!Hbm = !tcp.hbm<i32, #axes, "1", "A, B">
!Dm = !tcp.dm<i32, #grid, "A, B % 8">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @behind_the_loop(%in: !Hbm) -> !Hbm {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-note@+1 {{other tensor placed here}}
    %out = tcp.from_address 0 : !Dm
    %all = scf.for %i = %c0 to %c1 step %c1 iter_args(%acc = %out) -> (!Dm) {
      %t = tcp.tile %in "A" at %i size 1 "A = 1 # 8, B" : !Hbm
      // expected-error@+1 {{DM tensor at bytes [224, 256) overlaps one at [0, 256) that is still needed}}
      %row = tcp.to_dm %t at 224 : !tcp.hbm<i32, #axes, "1", "A = 1 # 8, B"> -> !tcp.dm<i32, #grid, "A = 1, B % 8">
      %0 = tcp.begin main %row : !tcp.dm<i32, #grid, "A = 1, B % 8">
      %1 = tcp.fetch %0 i32 "A = 1", "B % 8" : <main begin i32, #grid, "1", "A = 1, B % 8">
      %2 = tcp.collect %1 "A = 1", "B % 8" : <main fetch i32, #grid, "A = 1", "B % 8">
      %3 = tcp.commit_view %2 into %acc "A" at %i size 1 "A = 1 # 8, B % 8" : <main collect i32, #grid, "A = 1", "B % 8">, !Dm
      scf.yield %3 : !Dm
    }
    %r = tcp.to_hbm %all at 268435456 : !Dm -> !Hbm
    return %r : !Hbm
  }
}

// -----

#axes = #stream.axes<A = 8, B = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "B / 8 # 256">
!Hbm = !tcp.hbm<i32, #axes, "1", "A, B">
!Dm = !tcp.dm<i32, #grid, "A, B % 8">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @old_value(%in: !Hbm) -> !Hbm {
    %dm = tcp.to_dm %in at 0 : !Hbm -> !Dm
    %t = tcp.tile %dm "A" at 0 size 1 "A = 1 # 8, B % 8" : !Dm
    %0 = tcp.begin main %t : !tcp.dm<i32, #grid, "A = 1 # 8, B % 8">
    %1 = tcp.fetch %0 i32 "A = 1", "B % 8" : <main begin i32, #grid, "1", "A = 1 # 8, B % 8">
    %2 = tcp.collect %1 "A = 1", "B % 8" : <main fetch i32, #grid, "A = 1", "B % 8">
    // A pass may replace what it reads itself, but nobody reads the old tensor later.
    // expected-error@+1 {{replaces a part of a tensor whose old value is still needed}}
    %3 = tcp.commit_view %2 into %dm "A" at 1 size 1 "A = 1 # 8, B % 8" : <main collect i32, #grid, "A = 1", "B % 8">, !Dm
    // expected-note@+1 {{used here}}
    %r = tcp.to_hbm %dm at 268435456 : !Dm -> !Hbm
    return %r : !Hbm
  }
}

// -----

#axes = #stream.axes<A = 8, B = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "B / 8 # 256">
!Dm = !tcp.dm<i32, #grid, "A, B % 8">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @capacity() {
    %last = tcp.from_address 524032 : !Dm
    // expected-error@+1 {{DM tensor occupies bytes [524036, 524292), machine "rngd" has 524288 bytes per slice}}
    %over = tcp.from_address 524036 : !Dm
    return
  }
}

// -----

// What a loop carries from round to round in one place is needed until its last use in the body, and
// what takes its place from its definition on.

#axes = #stream.axes<A = 8, B = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "B / 8 # 256">
!Hbm = !tcp.hbm<i32, #axes, "1", "A, B">
!Dm = !tcp.dm<i32, #grid, "A, B % 8">
!Stream = !tcp.stream<main collect i32, #grid, "A", "B % 8">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @carried_in_place(%in: !Hbm) -> !Hbm {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %first = tcp.to_dm %in at 0 : !Hbm -> !Dm
    %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%now = %first) -> (!Dm) {
      %0 = tcp.begin main %now : !Dm
      %1 = tcp.fetch %0 i32 "A", "B % 8" : <main begin i32, #grid, "1", "A, B % 8">
      %2 = tcp.collect %1 "A", "B % 8" : <main fetch i32, #grid, "A", "B % 8">
      %other = tcp.commit %2 at 256 "A, B % 8" : !Stream
      %3 = tcp.begin main %other : !Dm
      %4 = tcp.fetch %3 i32 "A", "B % 8" : <main begin i32, #grid, "1", "A, B % 8">
      %5 = tcp.collect %4 "A", "B % 8" : <main fetch i32, #grid, "A", "B % 8">
      %next = tcp.commit %5 at 0 "A, B % 8" : !Stream
      scf.yield %next : !Dm
    }
    // The next loop goes on in that place.
    %end = scf.for %i = %c0 to %c4 step %c1 iter_args(%now = %last) -> (!Dm) {
      %0 = tcp.begin main %now : !Dm
      %1 = tcp.fetch %0 i32 "A", "B % 8" : <main begin i32, #grid, "1", "A, B % 8">
      %2 = tcp.collect %1 "A", "B % 8" : <main fetch i32, #grid, "A", "B % 8">
      %other = tcp.commit %2 at 256 "A, B % 8" : !Stream
      %3 = tcp.begin main %other : !Dm
      %4 = tcp.fetch %3 i32 "A", "B % 8" : <main begin i32, #grid, "1", "A, B % 8">
      %5 = tcp.collect %4 "A", "B % 8" : <main fetch i32, #grid, "A", "B % 8">
      %next = tcp.commit %5 at 0 "A, B % 8" : !Stream
      scf.yield %next : !Dm
    }
    %r = tcp.to_hbm %end at 268435456 : !Dm -> !Hbm
    return %r : !Hbm
  }
  func.func @read_too_late(%in: !Hbm) -> !Hbm {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    // expected-note@+1 {{other tensor placed here}}
    %first = tcp.to_dm %in at 0 : !Hbm -> !Dm
    %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%now = %first) -> (!Dm) {
      %0 = tcp.begin main %now : !Dm
      %1 = tcp.fetch %0 i32 "A", "B % 8" : <main begin i32, #grid, "1", "A, B % 8">
      %2 = tcp.collect %1 "A", "B % 8" : <main fetch i32, #grid, "A", "B % 8">
      // expected-error@+1 {{DM tensor at bytes [0, 256) overlaps one at [0, 256) that is still needed}}
      %next = tcp.commit %2 at 0 "A, B % 8" : !Stream
      %3 = tcp.begin main %now : !Dm
      %4 = tcp.fetch %3 i32 "A", "B % 8" : <main begin i32, #grid, "1", "A, B % 8">
      %5 = tcp.collect %4 "A", "B % 8" : <main fetch i32, #grid, "A", "B % 8">
      %other = tcp.commit %5 at 256 "A, B % 8" : !Stream
      scf.yield %next : !Dm
    }
    %r = tcp.to_hbm %last at 268435456 : !Dm -> !Hbm
    return %r : !Hbm
  }
}
