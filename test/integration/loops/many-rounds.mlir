// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The simulator walks rounds without writing them out: 300,000 commands of four that
// are written. Each that a loop makes beyond those counts as 1,024 steps.
// RUN: sequin-run %s --timing-only --report %t.json
// RUN: %python -c "import json, sys; r = json.load(open(sys.argv[1])); c = r['commands']; print(r['cycles'], len(c), c[-2]['name'], c[-3]['name'])" %t.json | FileCheck %s
// RUN: not sequin-run %s --timing-only --max-steps=100000000 2>&1 | FileCheck %s --check-prefix=LIMIT
// 86267564 = 150,000 loads of 575 and the last pass and store.
// CHECK: 86267564 300003 to_hbm.1 commit_view.1[74999]
// LIMIT: the program takes more than 100000000 steps, the limit of this run, which --max-steps raises

#axes = #stream.axes<A = 8, B = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "B / 8 # 256">
!Hbm = !tcp.hbm<i32, #axes, "1", "A, B">
!Row = !tcp.hbm<i32, #axes, "1", "A = 1 # 8, B">
!Dm = !tcp.dm<i32, #grid, "A = 1, B % 8">
!Out = !tcp.dm<i32, #grid, "A, B % 8">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !Hbm) -> !Hbm {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 150000 : index
    %out = tcp.from_address 4096 : !Out
    %all = scf.for %i = %c0 to %c8 step %c2 iter_args(%acc = %out) -> (!Out) {
      %r0 = tcp.tile %in "A" at 0 size 1 "A = 1 # 8, B" : !Hbm
      %ping = tcp.to_dm %r0 at 0 : !Row -> !Dm
      %pa = tcp.begin main %ping : !Dm
      %pb = tcp.fetch %pa i32 "A = 1", "B % 8" : <main begin i32, #grid, "1", "A = 1, B % 8">
      %pc = tcp.collect %pb "A = 1", "B % 8" : <main fetch i32, #grid, "A = 1", "B % 8">
      %pd = tcp.vector_init %pc : <main collect i32, #grid, "A = 1", "B % 8">
      %pe = tcp.vector_intra_slice_branch %pd Unconditional : <main vector_init i32, #grid, "A = 1", "B % 8">
      %pf = tcp.vector_fxp %pe AddFxp (3 : i32) : <main vector_branch i32, #grid, "A = 1", "B % 8">
      %pg = tcp.vector_final %pf : <main vector_fxp i32, #grid, "A = 1", "B % 8">
      %half = tcp.commit_view %pg into %acc "A" at 0 size 1 "A = 1 # 8, B % 8"
          : <main vector_final i32, #grid, "A = 1", "B % 8">, !Out
      %r1 = tcp.tile %in "A" at 1 size 1 "A = 1 # 8, B" : !Hbm
      %pong = tcp.to_dm %r1 at 1024 : !Row -> !Dm
      %qa = tcp.begin main %pong : !Dm
      %qb = tcp.fetch %qa i32 "A = 1", "B % 8" : <main begin i32, #grid, "1", "A = 1, B % 8">
      %qc = tcp.collect %qb "A = 1", "B % 8" : <main fetch i32, #grid, "A = 1", "B % 8">
      %qd = tcp.vector_init %qc : <main collect i32, #grid, "A = 1", "B % 8">
      %qe = tcp.vector_intra_slice_branch %qd Unconditional : <main vector_init i32, #grid, "A = 1", "B % 8">
      %qf = tcp.vector_fxp %qe AddFxp (3 : i32) : <main vector_branch i32, #grid, "A = 1", "B % 8">
      %qg = tcp.vector_final %qf : <main vector_fxp i32, #grid, "A = 1", "B % 8">
      %full = tcp.commit_view %qg into %half "A" at 1 size 1 "A = 1 # 8, B % 8"
          : <main vector_final i32, #grid, "A = 1", "B % 8">, !Out
      scf.yield %full : !Out
    }
    %r = tcp.to_hbm %all at 268435456 : !Out -> !Hbm
    return %r : !Hbm
  }
  func.func @main(%a: !tcp.host<i32, #axes, "A, B">) -> !tcp.host<i32, #axes, "A, B"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<i32, #axes, "A, B"> -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !Hbm
    %o = tcp.to_host %r : !Hbm -> !tcp.host<i32, #axes, "A, B">
    return %o : !tcp.host<i32, #axes, "A, B">
  }
}
