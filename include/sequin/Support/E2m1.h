//===- E2m1.h - Codes of f4E2M1FN -------------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f4E2M1FN is no type of a machine: memories hold its codes as i4, and a table
// of the fetch engine makes numbers of them (TCP, Fetch Engine, Table
// Indexing). A code is a sign, two bits of exponent and one of significand;
// there are neither infinities nor NaN.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_E2M1_H
#define SEQUIN_SUPPORT_E2M1_H

#include <cmath>
#include <cstdint>

namespace sequin {

inline constexpr unsigned kE2m1SignBit = 8;
/// By code, without sign.
inline constexpr float kE2m1Magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

/// The value of the low four bits.
inline float decodeE2m1(uint32_t code) {
  float magnitude = kE2m1Magnitudes[code % kE2m1SignBit];
  return code & kE2m1SignBit ? -magnitude : magnitude;
}

/// The nearest value, ties to even; what is too large becomes the largest.
inline uint32_t encodeE2m1(double value) {
  double magnitude = std::fabs(value);
  uint32_t code = 0;
  while (code + 1 < kE2m1SignBit) {
    double middle = (kE2m1Magnitudes[code] + kE2m1Magnitudes[code + 1]) / 2.0;
    if (magnitude < middle || (magnitude == middle && code % 2 == 0))
      break;
    ++code;
  }
  return std::signbit(value) ? code | kE2m1SignBit : code;
}

} // namespace sequin

#endif // SEQUIN_SUPPORT_E2M1_H
