//===- Rounding.cpp - Functions made of others ---------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"
#include <cmath>

using namespace mlir;
using namespace sequin::normalize_linalg;

/// From here on every f32 is a whole number.
static constexpr float kWhole = 0x1p23f;

/// -1 where |x| has a fraction, given |x| >= 0.
static Value hasFraction(ScalarBuilder &s, Value magnitude) {
  // Bit patterns of positive floats are in the order of the numbers.
  return s.shiftRight(
      s.sub(s.bits(magnitude),
            s.constant(static_cast<int32_t>(llvm::bit_cast<int32_t>(kWhole)))),
      31);
}

static Value signOf(ScalarBuilder &s, Value x) {
  return s.bitAnd(s.bits(x), s.constant(INT32_MIN));
}

/// `rounded` (>= 0) with the sign of x; x itself where it has no fraction.
static Value finish(ScalarBuilder &s, Value x, Value rounded) {
  Value mask = hasFraction(s, s.absF(x));
  Value word = s.bitOr(s.bits(rounded), signOf(s, x));
  return s.number(
      s.bitXor(s.bitAnd(s.bitXor(word, s.bits(x)), mask), s.bits(x)));
}

/// Of |x| < 2^23; the sum has no room for a fraction.
static Value nearest(ScalarBuilder &s, Value magnitude) {
  return s.subF(s.addF(magnitude, s.constant(kWhole)), s.constant(kWhole));
}

/// 1.0 where x < y, else 0.0.
static Value oneIfLess(ScalarBuilder &s, Value x, Value y) {
  Value sign = s.shiftRight(s.bits(s.subF(x, y)), 31);
  return s.number(s.bitAnd(sign, s.bits(s.constant(1.0f))));
}

Value ScalarBuilder::roundEven(Value x) {
  return finish(*this, x, nearest(*this, absF(x)));
}

Value ScalarBuilder::truncate(Value x) {
  Value magnitude = absF(x), rounded = nearest(*this, magnitude);
  return finish(*this, x, subF(rounded, oneIfLess(*this, magnitude, rounded)));
}

Value ScalarBuilder::floor(Value x) {
  Value rounded = roundEven(x);
  return subF(rounded, oneIfLess(*this, x, rounded));
}

Value ScalarBuilder::ceil(Value x) {
  Value rounded = roundEven(x);
  Value up = addF(rounded, oneIfLess(*this, rounded, x));
  // -0.3 becomes -0.
  return number(bitOr(bits(up), signOf(*this, x)));
}

Value ScalarBuilder::roundAway(Value x) {
  Value magnitude = absF(x), rounded = nearest(*this, magnitude);
  // Only a tie that went down is wrong: |x| - rounded is 0.5 then.
  Value rest = subF(subF(magnitude, rounded), constant(0.5f));
  Value up =
      bitAnd(negateMask(shiftRight(bits(rest), 31)), bits(constant(1.0f)));
  return finish(*this, x, addF(rounded, number(up)));
}

Value ScalarBuilder::toInt(Value x, bool isWhole) {
  Value whole = isWhole ? x : truncate(x);
  return cast<arith::FPToSIOp>(i32(), make<math::RoundEvenOp>(whole));
}

Value ScalarBuilder::fromUnsigned(Value x) {
  if (range(x).low >= 0)
    return cast<arith::SIToFPOp>(f32(), x);
  // Both halves are exact, so only the sum is rounded.
  Value high = cast<arith::SIToFPOp>(
      f32(), make<arith::ShRUIOp>(x, constant(int32_t(16))));
  Value low =
      cast<arith::SIToFPOp>(f32(), bitAnd(x, constant(int32_t(0xffff))));
  return addF(mulF(high, constant(65536.0f)), low);
}

Value ScalarBuilder::power(Value x, int64_t exponent) {
  if (exponent == 0)
    return constant(1.0f);
  if (exponent < 0)
    return divF(constant(1.0f), power(x, -exponent));
  if (exponent == 1)
    return x;
  Value half = power(x, exponent / 2);
  Value square = mulF(half, half);
  return exponent % 2 ? mulF(square, x) : square;
}

Value ScalarBuilder::power(Value x, Value y) {
  if (std::optional<float> c = constantF(y)) {
    // Beyond this, products lose more than logarithms do.
    constexpr float kMaxProduct = 16;
    if (std::fabs(*c) <= kMaxProduct && *c == std::floor(*c))
      return power(x, static_cast<int64_t>(*c));
    if (*c == 0.5f)
      return make<math::SqrtOp>(x);
    if (*c == -0.5f)
      return divF(constant(1.0f), make<math::SqrtOp>(x));
  }
  return make<math::ExpOp>(mulF(make<math::LogOp>(x), y));
}

Value ScalarBuilder::log1p(Value x) {
  // The error of 1 + x cancels in the quotient.
  Value sum = addF(x, constant(1.0f));
  Value part = subF(sum, constant(1.0f));
  Value quotient = mulF(divF(make<math::LogOp>(sum), part), x);
  Value small = equalF(part, constant(0.0f));
  Value result = select(small, x, quotient);
  float infinity = std::numeric_limits<float>::infinity();
  return select(equalF(x, constant(infinity)), x, result);
}

Value ScalarBuilder::expm1(Value x) {
  Value power = make<math::ExpOp>(x);
  Value part = subF(power, constant(1.0f));
  Value quotient = mulF(divF(part, make<math::LogOp>(power)), x);
  // exp x is 1 for small x; for very small ones it is 0, for large ones too
  // large for the logarithm to give x back.
  Value small = equalF(part, constant(0.0f));
  Value far = lessF(constant(16.0f), absF(x));
  return select(far, part, select(small, x, quotient));
}
