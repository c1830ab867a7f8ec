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
  // Of a whole number every rounding is the same.
  return cast<arith::FPToSIOp>(i32(), make<math::RoundOp>(whole));
}

Value ScalarBuilder::toUnsigned(Value x, bool isWhole) {
  // The vector engine converts to signed integers and saturates.
  constexpr float kHalf = 0x1p31f;
  Value isHigh = negateMask(lessF(x, constant(kHalf)));
  Value rest = subF(x, number(bitAnd(isHigh, bits(constant(kHalf)))));
  return bitXor(toInt(rest, isWhole), bitAnd(isHigh, constant(INT32_MIN)));
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

/// |x| to the power of y.
Value ScalarBuilder::powerOfMagnitude(Value x, Value y) {
  return make<math::ExpOp>(mulF(make<math::LogOp>(absF(x)), y));
}

Value ScalarBuilder::power(Value x, Value y) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  // To powers that are not whole an infinity has no sign.
  auto unsignedInfinity = [&] {
    return select(equalF(x, constant(-kInfinity)), constant(kInfinity), x);
  };
  if (std::optional<float> c = constantF(y)) {
    // Beyond this, products lose more than logarithms do.
    constexpr float kMaxProduct = 16;
    bool isWhole = *c == std::floor(*c);
    if (std::fabs(*c) <= kMaxProduct && isWhole)
      return power(x, static_cast<int64_t>(*c));
    if (*c == 0.5f)
      return make<math::SqrtOp>(unsignedInfinity());
    if (*c == -0.5f)
      return divF(constant(1.0f), make<math::SqrtOp>(unsignedInfinity()));
    if (isWhole && std::fabs(*c) < kInfinity) {
      Value power = powerOfMagnitude(x, y);
      bool isOdd = std::fmod(*c, 2.0f) != 0;
      return isOdd ? number(bitOr(bits(power), signOf(*this, x))) : power;
    }
    if (!isWhole)
      return make<math::ExpOp>(mulF(make<math::LogOp>(unsignedInfinity()), y));
  }
  // A base known to be positive has a finite logarithm.
  if (std::optional<float> base = constantF(x);
      base && *base > 0 && *base != 1 && *base < kInfinity)
    return make<math::ExpOp>(mulF(make<math::LogOp>(x), y));
  // Whole powers of negative numbers are numbers, those of odd exponents
  // negative ones; 1 and an exponent of 0 give 1, where the product of an
  // infinity and 0 is not a number.
  Value half = mulF(y, constant(0.5f));
  Value isWhole = equalF(truncate(y), y);
  Value isOdd = bitAnd(isWhole, negateMask(equalF(truncate(half), half)));
  Value isOne = equalF(absF(x), constant(1.0f));
  Value magnitude = select(isOne, constant(1.0f), powerOfMagnitude(x, y));
  Value power =
      number(bitXor(bits(magnitude), bitAnd(isOdd, signOf(*this, x))));
  Value isNan =
      bitAnd(lessF(unsignedInfinity(), constant(0.0f)), negateMask(isWhole));
  Value nan = constant(std::numeric_limits<float>::quiet_NaN());
  return select(equalF(y, constant(0.0f)), constant(1.0f),
                select(isNan, nan, power));
}

Value ScalarBuilder::powerOfInt(Value x, Value exponent) {
  if (std::optional<int32_t> c = constantI(exponent);
      c && std::abs(int64_t(*c)) <= 16)
    return power(x, int64_t(*c));
  Value y = cast<arith::SIToFPOp>(f32(), exponent);
  if (constantF(y))
    return power(x, y);
  Value sign = bitAnd(signOf(*this, x), shiftLeft(exponent, 31));
  Value power = number(bitXor(bits(powerOfMagnitude(x, y)), sign));
  return select(equal(exponent, none()), constant(1.0f), power);
}

/// `magnitude` (>= 0) with the sign of x.
static Value withSignOf(ScalarBuilder &s, Value x, Value magnitude) {
  return s.number(s.bitOr(s.bits(magnitude), signOf(s, x)));
}

/// Beyond this e^a may be infinite, and e^a / 2 is not yet. It is e^(a - c)
/// times e^c / 2 for a short number c, near log 2, so that a - c is exact.
static constexpr float kLargestExponent = 88.0f;
static constexpr float kShift = 0.693359375f;
static constexpr float kHalfOfShift = 0x1.000de8p+0f; ///< e^c / 2

Value ScalarBuilder::sinh(Value x) {
  // (e^a - e^-a) / 2 for a = |x| is (p + p / (p + 1)) / 2 with p = e^a - 1:
  // nothing cancels.
  Value one = constant(1.0f), a = absF(x);
  Value far = lessF(constant(kLargestExponent), a);
  Value p = expm1(subF(a, number(bitAnd(far, bits(constant(kShift))))));
  Value rest = divF(one, addF(divF(one, p), one));
  Value near = mulF(addF(p, rest), constant(0.5f));
  return withSignOf(*this, x,
                    select(far, mulF(p, constant(kHalfOfShift)), near));
}

Value ScalarBuilder::cosh(Value x) {
  // (e^a + e^-a) / 2 for a = |x| is q + 1 / 4q with q = e^a / 2.
  Value a = absF(x);
  Value far = lessF(constant(kLargestExponent), a);
  Value power =
      make<math::ExpOp>(subF(a, number(bitAnd(far, bits(constant(kShift))))));
  Value q = mulF(power, select(far, constant(kHalfOfShift), constant(0.5f)));
  return addF(q, divF(constant(0.25f), q));
}

/// Beyond this 2a may be infinite: the logarithm is that of 2(a / 2) plus
/// log 2.
static constexpr float kLargestDoubled = 0x1p126f;
static constexpr float kLogOfTwo = 0x1.62e43p-1f;

Value ScalarBuilder::asinh(Value x) {
  // log(a + sqrt(a^2 + 1)) for a = |x|, as log(1 + a + (sqrt(a^2 + 1) - 1)):
  // nothing cancels, and no square is infinite before the result would be.
  Value whole = absF(x), one = constant(1.0f);
  Value large = lessF(constant(kLargestDoubled), whole);
  Value a = select(large, mulF(whole, constant(0.5f)), whole);
  Value inverse = divF(one, a);
  Value root = make<math::SqrtOp>(addF(mulF(inverse, inverse), one));
  Value rest = divF(a, addF(inverse, root));
  Value more = number(bitAnd(large, bits(constant(kLogOfTwo))));
  return withSignOf(*this, x, addF(log1p(addF(a, rest)), more));
}

Value ScalarBuilder::acosh(Value x) {
  // log(x + sqrt(x^2 - 1)) as log(1 + t + sqrt(t) sqrt(t + 2)) for t = x - 1.
  Value large = lessF(constant(kLargestDoubled), x);
  Value a = select(large, mulF(x, constant(0.5f)), x);
  Value t = subF(a, constant(1.0f));
  Value root =
      mulF(make<math::SqrtOp>(t), make<math::SqrtOp>(addF(t, constant(2.0f))));
  Value more = number(bitAnd(large, bits(constant(kLogOfTwo))));
  return addF(log1p(addF(t, root)), more);
}

Value ScalarBuilder::atanh(Value x) {
  // log((1 + a) / (1 - a)) / 2 for a = |x|: the quotient is 1 + 2a / (1 - a).
  Value a = absF(x);
  Value rest = divF(addF(a, a), subF(constant(1.0f), a));
  return withSignOf(*this, x, mulF(log1p(rest), constant(0.5f)));
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
