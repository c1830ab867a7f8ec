//===- DsdArithmetic.cpp - One element of a DSD operation -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/DsdArithmetic.h"
#include <algorithm>

using namespace sequin;
using namespace sequin::dsd;

float dsd::decodeFp16(Fp16Format format, uint32_t bits) {
  Fp16Layout layout = getLayout(format);
  uint32_t sign = (bits & 0x8000) << 16;
  uint32_t exponent = (bits & 0x7fff) >> layout.mantissaBits;
  uint32_t mantissa = bits & ((1u << layout.mantissaBits) - 1);
  uint32_t last = (1u << layout.exponentBits) - 1;
  if (exponent == last)
    return llvm::bit_cast<float>(
        mantissa ? sign | kNanF32 : sign | llvm::bit_cast<uint32_t>(HUGE_VALF));
  // A subnormal counts in units of the smallest normal's last place. All units
  // are normal or (bf16) subnormal floats, and the product is exact.
  uint32_t implicit = exponent ? 1u << layout.mantissaBits : 0;
  int unit = static_cast<int>(exponent ? exponent : 1) - layout.bias -
             layout.mantissaBits;
  float value = static_cast<float>(
      std::ldexp(static_cast<double>(mantissa | implicit), unit));
  return llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(value) | sign);
}

uint32_t dsd::encodeFp16(Fp16Format format, double value) {
  Fp16Layout layout = getLayout(format);
  uint32_t last = (1u << layout.exponentBits) - 1;
  uint32_t infinity = last << layout.mantissaBits;
  if (value != value)
    return infinity | (1u << (layout.mantissaBits - 1));
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  uint32_t sign = static_cast<uint32_t>(bits >> 48) & 0x8000;
  double magnitude = std::fabs(value);
  int lowest = 1 - layout.bias; // exponent of the smallest normal
  int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
  if (exponent > static_cast<int>(last) - layout.bias)
    return sign | infinity;
  // In units of the last place, rounded by adding and subtracting 2^52.
  int unit = std::max(exponent, lowest) - layout.mantissaBits;
  double scaled = std::ldexp(magnitude, -unit);
  double rounded = (scaled + 0x1p52) - 0x1p52;
  uint32_t count = static_cast<uint32_t>(rounded);
  // Counting up from the smallest subnormal: carries run into the exponent.
  uint32_t base = exponent < lowest ? 0
                                    : static_cast<uint32_t>(exponent - lowest)
                                          << layout.mantissaBits;
  return sign | std::min(base + count, infinity);
}

double dsd::scale(double x, int32_t exponent) {
  // Beyond this every result is zero or infinity in f32 and fp16 alike, and a
  // double still holds what it has to for one rounding.
  double result = std::ldexp(x, std::clamp(exponent, -700, 700));
  return result;
}

double dsd::normalize(double x) {
  if (x == 0 || !(x - x == 0))
    return x;
  int exponent;
  return 2 * std::frexp(x, &exponent);
}
