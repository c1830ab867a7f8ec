// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A view has no memory of its own: it keeps the tensor it is of alive, and is used
// up with it.
// RUN: sequin-opt %s --split-input-file --tcp-check-machine --verify-diagnostics
// ROWS: SCH-06

#axes = #stream.axes<A = 8, B = 16>
#flat = #stream.axes<X = 128>
#grid = #tcp.grid<#flat, chip "1", cluster "1 # 2", slice "X / 2 # 256">
!Hbm = !tcp.hbm<i32, #axes, "1", "A, B">
!Flat = !tcp.hbm<i32, #flat, "1", "X">
!Dm = !tcp.dm<i32, #grid, "X % 2">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  // The view and what is written through it share memory; nothing collides.
  func.func @shared(%in: !Hbm) -> !Hbm {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %out = tcp.from_address 4096 : !Hbm
    %all = scf.for %i = %c0 to %c1 step %c1 iter_args(%acc = %out) -> (!Hbm) {
      %v = tcp.view %in at 0 : !Hbm -> !Flat
      %dm = tcp.to_dm %v at 0 : !Flat -> !Dm
      %new = tcp.to_hbm_view %dm into %acc at 0 as !Flat : !Dm, !Hbm
      scf.yield %new : !Hbm
    }
    return %all : !Hbm
  }
  // The view is the last user of the tensor, and of its memory.
  func.func @alive(%in: !Hbm) -> !tcp.hbm<i32, #flat, "1", "X"> {
    // expected-note@+1 {{other tensor placed here}}
    %out = tcp.from_address 4096 : !Hbm
    %new = tcp.to_hbm_view %in into %out at 0 as !Hbm : !Hbm, !Hbm
    %v = tcp.view %new at 0 : !Hbm -> !Flat
    // expected-error@+1 {{HBM tensor at bytes [4600, 5112) overlaps one at [4096, 4608) that is still needed}}
    %other = tcp.to_hbm %in at 4600 : !Hbm -> !Hbm
    %r = tcp.to_hbm %v at 8192 : !Flat -> !Flat
    return %r : !Flat
  }
}

// -----

#axes = #stream.axes<A = 8, B = 16>
#flat = #stream.axes<X = 16>
!Hbm = !tcp.hbm<i32, #axes, "1", "A, B">
!Part = !tcp.hbm<i32, #flat, "1", "X">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @old_value(%in: !Hbm, %part: !Part) -> !Part {
    %v = tcp.view %in at 16 : !Hbm -> !Part
    // The move may read what it replaces.
    %0 = tcp.to_hbm_view %v into %in at 32 as !Part : !Part, !Hbm
    // expected-error@+1 {{replaces a part of a tensor whose old value is still needed}}
    %1 = tcp.to_hbm_view %part into %0 at 0 as !Part : !Part, !Hbm
    %w = tcp.view %0 at 0 : !Hbm -> !Part
    // expected-note@+1 {{used here}}
    %r = tcp.to_hbm %w at 8192 : !Part -> !Part
    return %r : !Part
  }
}
