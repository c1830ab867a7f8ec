// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pins that cannot be kept.
// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --split-input-file --verify-diagnostics

func.func @parts(%a: tensor<512x256xbf16>, %b: tensor<256x128xbf16>, %z: tensor<512x128xf32>) -> tensor<512x128xf32> {
  // expected-error @below {{pins tiles of 128 for loop 0 of 512 iterations, which is cut into parts of whole multiples of 1 on 512 slices: 133 iterations in 7 parts would fit}}
  %c = linalg.matmul {sequin.pin = {tiles = array<i64: 128, 64, 128>, parts = array<i64: 7, 2, 0>}}
      ins(%a, %b : tensor<512x256xbf16>, tensor<256x128xbf16>) outs(%z : tensor<512x128xf32>) -> tensor<512x128xf32>
  return %c : tensor<512x128xf32>
}

// -----

func.func @slices(%a: tensor<512x256xbf16>, %b: tensor<256x128xbf16>, %z: tensor<512x128xf32>) -> tensor<512x128xf32> {
  // expected-error @below {{pins parts on 1024 slices, machine "rngd" has 2 x 256, and one loop in as many parts as clusters}}
  %c = linalg.matmul {sequin.pin = {tiles = array<i64: 512, 128, 0>, parts = array<i64: 64, 16, 0>}}
      ins(%a, %b : tensor<512x256xbf16>, tensor<256x128xbf16>) outs(%z : tensor<512x128xf32>) -> tensor<512x128xf32>
  return %c : tensor<512x128xf32>
}

// -----

func.func @count(%a: tensor<512x256xbf16>, %b: tensor<256x128xbf16>, %z: tensor<512x128xf32>) -> tensor<512x128xf32> {
  // expected-error @below {{'sequin.pin' must be {tiles = array<i64: ...>, parts = array<i64: ...>, chips = array<i64: ...>} with a number for each of 3 loops, 0 where it is free}}
  %c = linalg.matmul {sequin.pin = {tiles = array<i64: 512, 128>}}
      ins(%a, %b : tensor<512x256xbf16>, tensor<256x128xbf16>) outs(%z : tensor<512x128xf32>) -> tensor<512x128xf32>
  return %c : tensor<512x128xf32>
}

// -----

// All of the sum in one slice is more than its register file holds.
func.func @memory(%a: tensor<512x8192xbf16>, %b: tensor<8192x127xbf16>, %z: tensor<512x127xf32>) -> tensor<512x127xf32> {
  // expected-error @below {{does not fit into the tensor register file of machine "rngd" in any tiling that its pin allows}}
  %c = linalg.matmul {sequin.pin = {tiles = array<i64: 0, 0, 8192>, parts = array<i64: 0, 0, 1>}}
      ins(%a, %b : tensor<512x8192xbf16>, tensor<8192x127xbf16>) outs(%z : tensor<512x127xf32>) -> tensor<512x127xf32>
  return %c : tensor<512x127xf32>
}

// -----

module attributes {tcp.target = #tcp.target<"rngd">} {
  func.func @sum_in_seven(%a: tensor<31x4096xbf16>, %b: tensor<4096x64xbf16>, %c: tensor<31x64xf32>) -> tensor<31x64xf32> {
    // expected-error@+1 {{pins 7 parts for loop 2 of 4096 iterations, which is summed, and slices share no sums but on rings, by powers of two: 4096 iterations in 1 parts would fit}}
    %0 = linalg.matmul {sequin.pin = {parts = array<i64: 0, 0, 7>}} ins(%a, %b : tensor<31x4096xbf16>, tensor<4096x64xbf16>)
        outs(%c : tensor<31x64xf32>) -> tensor<31x64xf32>
    return %0 : tensor<31x64xf32>
  }
}
