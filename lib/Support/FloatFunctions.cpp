//===- FloatFunctions.cpp - Functions of the float cluster ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/FloatFunctions.h"

using namespace sequin;
using namespace sequin::float_detail;

/// The first 256 bits of 2 / pi behind the binary point.
static constexpr uint64_t kTwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561};

/// Bits [first, first + 64) of 2 / pi; bit 1 is the first behind the point.
static uint64_t bitsOfTwoOverPi(int first) {
  int word = (first - 1) / 64, shift = (first - 1) % 64;
  uint64_t bits = kTwoOverPi[word] << shift;
  return shift == 0 ? bits : bits | kTwoOverPi[word + 1] >> (64 - shift);
}

Reduced float_detail::reduceLarge(float x) {
  uint32_t bits = llvm::bit_cast<uint32_t>(x);
  // |x| = significand * 2^exponent with the exponent in [-3, 104].
  uint64_t significand = (bits & 0x7fffffu) | 0x800000u;
  int exponent = static_cast<int>(bits >> 23 & 0xff) - 150;
  // Make it [2, 104]: the bits of 2 / pi of weight 2^(2 - exponent) and more
  // then only add whole turns.
  if (exponent < 2) {
    significand <<= 5;
    exponent -= 5;
  }
  unsigned __int128 product;
  if (exponent >= 2) {
    int first = exponent - 1;
    unsigned __int128 window =
        static_cast<unsigned __int128>(bitsOfTwoOverPi(first)) << 64 |
        bitsOfTwoOverPi(first + 64);
    // In units of 2^-126 modulo 4.
    product = significand * window;
  } else {
    // significand < 2^29 times 2 / pi with 96 bits, in units of
    // 2^(exponent - 96); 2^-126 is 2^-(30 + exponent) of them.
    unsigned __int128 window =
        static_cast<unsigned __int128>(bitsOfTwoOverPi(1)) << 32 |
        bitsOfTwoOverPi(65) >> 32;
    product = significand * window << (30 + exponent);
  }
  uint64_t quadrant = static_cast<uint64_t>(product >> 126);
  __int128 fraction = static_cast<__int128>(product << 2 >> 2);
  __int128 one = static_cast<__int128>(1) << 126;
  if (fraction >= one / 2) {
    fraction -= one;
    ++quadrant;
  }
  double rest = static_cast<double>(fraction) * 0x1p-126 * 1.5707963267948966;
  if (bits >> 31)
    return {-rest, ~quadrant + 1};
  return {rest, quadrant};
}

float sequin::sinF(float x) {
  if (!isLargeAngle(x))
    return sinSmallF(x);
  if (!std::isfinite(x))
    return std::numeric_limits<float>::quiet_NaN();
  return static_cast<float>(sineOf(reduceLarge(x)));
}

float sequin::cosF(float x) {
  if (!isLargeAngle(x))
    return cosSmallF(x);
  if (!std::isfinite(x))
    return std::numeric_limits<float>::quiet_NaN();
  return static_cast<float>(cosineOf(reduceLarge(x)));
}
