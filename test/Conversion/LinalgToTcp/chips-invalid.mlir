// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pins of chips that cannot be kept, and chips that nothing divides over.
// RUN: sequin-opt %s '--linalg-to-tcp=target=rngd chips=8' --split-input-file --verify-diagnostics

func.func @divide(%a: tensor<64x128xbf16>, %b: tensor<128x64xbf16>, %z: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{pins 3 chips for loop 0 of 64 iterations, which they do not divide}}
  %c = linalg.matmul {sequin.pin = {chips = array<i64: 3, 0, 0>}}
      ins(%a, %b : tensor<64x128xbf16>, tensor<128x64xbf16>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}

// -----

func.func @many(%a: tensor<64x128xbf16>, %b: tensor<128x64xbf16>, %z: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{pins 16 chips for loop 0 of 64 iterations, the program has 8}}
  %c = linalg.matmul {sequin.pin = {chips = array<i64: 16, 0, 0>}}
      ins(%a, %b : tensor<64x128xbf16>, tensor<128x64xbf16>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}

// -----

func.func @two(%a: tensor<64x128xbf16>, %b: tensor<128x64xbf16>, %z: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{pins 4 chips for loop 0 of 64 iterations, of which chips cannot have blocks: other loops that are pinned, or a tensor in which their elements are no block of one dimension}}
  %c = linalg.matmul {sequin.pin = {chips = array<i64: 4, 2, 0>}}
      ins(%a, %b : tensor<64x128xbf16>, tensor<128x64xbf16>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}

// -----

func.func @differ(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %z: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %c = linalg.matmul {sequin.pin = {chips = array<i64: 4, 0, 0>}}
      ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%z : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  // expected-error @below {{pins 2 chips for loop 0 of 64 iterations, another operation pins 4; a program uses one number of chips}}
  %d = linalg.matmul {sequin.pin = {chips = array<i64: 2, 0, 0>}}
      ins(%c, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%z : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %d : tensor<64x64xbf16>
}

// -----

// expected-warning @below {{no operation has a loop that divides over 8 chips or fewer; the program runs on the first one}}
func.func @none(%a: tensor<11x13xbf16>, %b: tensor<13x17xbf16>, %z: tensor<11x17xf32>) -> tensor<11x17xf32> {
  %c = linalg.matmul ins(%a, %b : tensor<11x13xbf16>, tensor<13x17xbf16>) outs(%z : tensor<11x17xf32>) -> tensor<11x17xf32>
  return %c : tensor<11x17xf32>
}

// -----

// expected-warning @below {{the program runs on 6 of 8 chips, over which its loops divide best}}
func.func @some(%a: tensor<1020x2048xbf16>, %b: tensor<2048x2047xbf16>, %z: tensor<1020x2047xf32>) -> tensor<1020x2047xf32> {
  %c = linalg.matmul ins(%a, %b : tensor<1020x2048xbf16>, tensor<2048x2047xbf16>) outs(%z : tensor<1020x2047xf32>) -> tensor<1020x2047xf32>
  return %c : tensor<1020x2047xf32>
}
