// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s
// ROWS: HEL-04, MAP-23, SIL-51

#axes = #stream.axes<A = 2048, B = 8>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">

// The manual's example: 256 slices with 8 bf16 each.
// CHECK-LABEL: func.func private @dm
// CHECK-SAME: !tcp.dm<bf16, #grid, "A % 8">
func.func private @dm(!tcp.dm<bf16, #grid, "A % 8">)

// CHECK-LABEL: func.func private @host_and_hbm
// CHECK-SAME: !tcp.host<f8E4M3FN, #axes, "B, A">
// CHECK-SAME: !tcp.hbm<bf16, #axes, "B", "A">
func.func private @host_and_hbm(!tcp.host<f8E4M3FN, #axes, "B, A">, !tcp.hbm<bf16, #axes, "B", "A">)

// CHECK-LABEL: func.func private @register_files
// CHECK-SAME: !tcp.trf<i8, #grid, "B", "A % 8">
// CHECK-SAME: !tcp.vrf<f32, #grid, "A % 8">
func.func private @register_files(!tcp.trf<i8, #grid, "B", "A % 8">, !tcp.vrf<f32, #grid, "A % 8">)

// CHECK-LABEL: func.func private @streams
// CHECK-SAME: !tcp.stream<main fetch i5, #grid, "1", "A % 8">
// CHECK-SAME: !tcp.stream<sub align bf16, #grid, row "B", "A / 4 % 2", "A % 4">
func.func private @streams(!tcp.stream<main fetch i5, #grid, "1", "A % 8">,
                           !tcp.stream<sub align bf16, #grid, row "B", "A / 4 % 2", "A % 4">)

#rest = #stream.axes<A = 2048, C = 5, D = 3, B = 8>
#parts = #tcp.grid<#rest, chip "1", cluster "A / 1024", slice "[C, D] # 16 / 4, A / 64 % 16, A % 4">

// One axis in every dimension, in any order; a group; a part of one position.
// CHECK-LABEL: func.func private @parts
// CHECK-SAME: !tcp.dm<i8, #grid1, "[C, D] # 16 % 4, A / 4 % 16, A = 1">
func.func private @parts(!tcp.dm<i8, #parts, "[C, D] # 16 % 4, A / 4 % 16, A = 1">)

// A group that starts inside of an axis, all of it in one dimension.
#single = #tcp.grid<#rest, chip "1", cluster "1 # 2", slice "A @ 1 = 4 # 8 / 4 # 256">
// CHECK-LABEL: func.func private @whole_group
// CHECK-SAME: !tcp.dm<i8, #grid2, "A @ 1 = 4 # 8 % 4">
func.func private @whole_group(!tcp.dm<i8, #single, "A @ 1 = 4 # 8 % 4">)
