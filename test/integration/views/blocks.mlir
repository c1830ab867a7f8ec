// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A 10 x 21 matrix goes through data memory in tiles of 4 x 8, each a view of the
// source and of the destination; two rows and five columns are left over and
// have types of their own.
// RUN: rm -rf %t && %python %S/Inputs/views.py make blocks %t
// RUN: sequin-run %s --input %t/in0.npy --output %t/out.npy --verify
// RUN: %python %S/Inputs/views.py check blocks %t out.npy | FileCheck %s
// RUN: sequin-opt %s --tcp-to-config | sequin-translate --tcp-to-json > %t/config.json
// RUN: FileCheck %s --check-prefix=CONFIG < %t/config.json
// RUN: sequin-run %t/config.json --input %t/in0.npy --output %t/rolled.npy
// RUN: %python %S/Inputs/views.py check blocks %t rolled.npy | FileCheck %s
// RUN: sequin-opt %s --tcp-to-config=unroll-loops | sequin-translate --tcp-to-json > %t/flat.json
// RUN: not grep '"kind": "loop"' %t/flat.json
// RUN: sequin-run %t/flat.json --input %t/in0.npy --output %t/flat.npy
// RUN: cmp %t/out.npy %t/flat.npy
// CHECK: blocks: 210 results equal NumPy's

// Offsets that are sums of two indices times a step advance evenly, so both loops
// stay loops: 4 rows of 24 elements of 4 bytes, 8 elements of 4 bytes.
// CONFIG-DAG: "bytes": 384
// CONFIG-DAG: "bytes": 32
// CONFIG: "kind": "loop"

#matrix = #stream.axes<A = 10, B = 21>
#tile = #stream.axes<M = 4, N = 8>
#right = #stream.axes<M = 4, N = 5>
#below = #stream.axes<M = 2, N = 8>
#corner = #stream.axes<M = 2, N = 5>
!Host = !tcp.host<f32, #matrix, "A, B">
!Hbm = !tcp.hbm<f32, #matrix, "1", "A, B # 24">
!Tile = !tcp.hbm<f32, #tile, "1", "M, N # 24">
!Right = !tcp.hbm<f32, #right, "1", "M, N # 24">
!Below = !tcp.hbm<f32, #below, "1", "M, N # 24">
!Corner = !tcp.hbm<f32, #corner, "1", "M, N # 24">
#tileGrid = #tcp.grid<#tile, chip "1", cluster "1 # 2", slice "M # 256">
#rightGrid = #tcp.grid<#right, chip "1", cluster "1 # 2", slice "M # 256">
#belowGrid = #tcp.grid<#below, chip "1", cluster "1 # 2", slice "M # 256">
#cornerGrid = #tcp.grid<#corner, chip "1", cluster "1 # 2", slice "M # 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !Host) -> !Host {
    %h = tcp.to_hbm %a at 0 : !Host -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !Hbm
    %o = tcp.to_host %r : !Hbm -> !Host
    return %o : !Host
  }
  func.func @kernel(%in: !Hbm) -> !Hbm {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %out = tcp.from_address 65536 : !Hbm
    %whole = scf.for %i = %c0 to %c2 step %c1 iter_args(%rows = %out) -> (!Hbm) {
      %row = scf.for %j = %c0 to %c2 step %c1 iter_args(%acc = %rows) -> (!Hbm) {
        %v = tcp.view %in at %i * 96 + %j * 8 : !Hbm -> !Tile
        %d = tcp.to_dm %v at 0 : !Tile -> !tcp.dm<f32, #tileGrid, "N">
        %new = tcp.to_hbm_view %d into %acc at %i * 96 + %j * 8 as !Tile : !tcp.dm<f32, #tileGrid, "N">, !Hbm
        scf.yield %new : !Hbm
      }
      %v = tcp.view %in at %i * 96 + 16 : !Hbm -> !Right
      %d = tcp.to_dm %v at 0 : !Right -> !tcp.dm<f32, #rightGrid, "N # 8">
      %new = tcp.to_hbm_view %d into %row at %i * 96 + 16 as !Right : !tcp.dm<f32, #rightGrid, "N # 8">, !Hbm
      scf.yield %new : !Hbm
    }
    %below = scf.for %j = %c0 to %c2 step %c1 iter_args(%acc = %whole) -> (!Hbm) {
      %v = tcp.view %in at 192 + %j * 8 : !Hbm -> !Below
      %d = tcp.to_dm %v at 0 : !Below -> !tcp.dm<f32, #belowGrid, "N">
      %new = tcp.to_hbm_view %d into %acc at %j * 8 + 192 as !Below : !tcp.dm<f32, #belowGrid, "N">, !Hbm
      scf.yield %new : !Hbm
    }
    // The padding of its last row lies outside of the matrix.
    %v = tcp.view %in at 208 : !Hbm -> !Corner
    %d = tcp.to_dm %v at 0 : !Corner -> !tcp.dm<f32, #cornerGrid, "N # 6">
    %r = tcp.to_hbm_view %d into %below at 208 as !Corner : !tcp.dm<f32, #cornerGrid, "N # 6">, !Hbm
    return %r : !Hbm
  }
}
