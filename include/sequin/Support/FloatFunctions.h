//===- FloatFunctions.h - Functions of the float cluster --------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The unary operations of the vector engine's float cluster and its fused
// multiply-add. Each is computed in double with additions, multiplications and
// divisions in a stated order and rounded once to f32, so a result has the same
// bits with every C library, processor and vector width. Against the exact
// value every result is within 0.51 ulp (ruling SIL-5 asks for 4): the errors
// in double are below 2^-40 relative, and the rounding to f32 adds half an ulp.
//
// No function branches on its argument (only sine and cosine of 2^20 and more
// do), so loops over them become vector code. NaN in gives NaN out; which NaN
// is the caller's business.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_FLOATFUNCTIONS_H
#define SEQUIN_SUPPORT_FLOATFUNCTIONS_H

#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstdint>
#include <limits>

namespace sequin {

namespace float_detail {

/// Adding it to a double below 2^51 leaves the nearest integer (ties to even)
/// in the low bits of the sum.
inline constexpr double kRound = 0x1.8p52;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// c0 + x * (c1 + x * (c2 + ...)).
template <int N> inline double polynomial(const double (&c)[N], double x) {
  double sum = c[N - 1];
  for (int i = N - 2; i >= 0; --i)
    sum = sum * x + c[i];
  return sum;
}

/// e^x for |x| up to 700; beyond that the value at 700, which no f32 can hold.
inline double exponential(double x) {
  x = x < -700.0 ? -700.0 : x;
  x = x > 700.0 ? 700.0 : x;
  // x = k ln 2 + r with |r| <= ln 2 / 2.
  double shifted = x * 0x1.71547652b82fep+0 + kRound;
  double k = shifted - kRound;
  double r = (x - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
  constexpr double c[] = {1.0,          1.0,           1.0 / 2,
                          1.0 / 6,      1.0 / 24,      1.0 / 120,
                          1.0 / 720,    1.0 / 5040,    1.0 / 40320,
                          1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800};
  double power = llvm::bit_cast<double>(
      (llvm::bit_cast<uint64_t>(shifted) << 52) + 0x3ff0000000000000u);
  return polynomial(c, r) * power;
}

inline double logarithm(double x) {
  uint64_t bits = llvm::bit_cast<uint64_t>(x);
  // The exponent as a double, by way of the low bits of 2^52.
  double exponent = llvm::bit_cast<double>((bits >> 52) | 0x4330000000000000u) -
                    (0x1p52 + 1023);
  double m = llvm::bit_cast<double>((bits & 0x000fffffffffffffu) |
                                    0x3ff0000000000000u);
  bool high = m > 1.4142135623730951;
  m = high ? m * 0.5 : m;
  exponent = high ? exponent + 1 : exponent;
  // log m = 2 atanh s.
  double s = (m - 1) / (m + 1);
  constexpr double c[] = {2.0,      2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,
                          2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19};
  double result = exponent * 0x1.62e42feep-1 +
                  (s * polynomial(c, s * s) + exponent * 0x1.a39ef35793c76p-33);
  // The pattern of zero and of everything not positive and finite.
  result = x == kInfinity ? kInfinity : result;
  result = x == 0 ? -kInfinity : result;
  return x >= 0 ? result : std::numeric_limits<double>::quiet_NaN();
}

inline double hyperbolicTangent(double x) {
  double magnitude = x < 0 ? -x : x;
  double capped = magnitude > 20.0 ? 20.0 : magnitude;
  double e = exponential(2 * capped);
  double large = (e - 1) / (e + 1);
  // e - 1 cancels near zero.
  constexpr double c[] = {1.0, -1.0 / 3, 2.0 / 15, -17.0 / 315};
  double small = capped * polynomial(c, capped * capped);
  double result = capped < 0x1p-7 ? small : large;
  return x < 0 ? -result : x == 0 ? std::copysign(0.0, x) : result;
}

inline double errorFunction(double x) {
  double magnitude = x < 0 ? -x : x;
  double capped = magnitude > 4.0 ? 4.0 : magnitude;
  // erf(x) / x in x^2 on [0, 1].
  constexpr double small[] = {
      1.128379167095523,       -0.3761263890317173,     0.11283791670403345,
      -0.026866170548586192,   0.005223976776136503,    -0.0008548283963940421,
      0.00012053982330282204,  -1.4898568798071882e-05, 1.611396543864117e-06,
      -1.3580705493899415e-07, 2.0579515874459994e-09,  1.4487979175619813e-09};
  // erfc(x) e^(x^2) in (x - 2) / (x + 2) on [1, 4]; from 4 on erf is 1 in f32.
  constexpr double large[] = {
      0.25539567631051974,    -0.4271858474139723,    0.24165819423498675,
      -0.0789785810124952,    0.0037328931945969372,  0.0069974615171350075,
      -0.0008471738316524962, -0.0009819704577282802, 4.4092588428040225e-05,
      0.00017426771583076817, 2.3136740255454987e-05, -2.6960525549874174e-05};
  double square = capped * capped;
  double inner = capped * polynomial(small, square);
  double outer =
      1 - exponential(-square) * polynomial(large, (capped - 2) / (capped + 2));
  double result = capped < 1.0 ? inner : outer;
  return x < 0 ? -result : x == 0 ? std::copysign(0.0, x) : result;
}

/// x = quadrant * pi / 2 + rest, the quadrant modulo 4 in its low bits.
struct Reduced {
  double rest;
  uint64_t quadrant;
};

/// Magnitudes from here on take reduceLarge().
inline constexpr float kLargeAngle = 0x1p20f;

/// For |x| < 2^20: multiples of pi / 2 in pieces of 27 bits are exact.
inline Reduced reduce(double x) {
  double shifted = x * 0x1.45f306dc9c883p-1 + kRound;
  double k = shifted - kRound;
  double rest = ((x - k * 0x1.921fb54p+0) - k * 0x1.10b461p-30) -
                k * 0x1.a62633145c06ep-58;
  return {rest, llvm::bit_cast<uint64_t>(shifted)};
}

/// For 2^20 <= |x| < infinity, from the bits of 2 / pi that matter.
Reduced reduceLarge(float x);

inline double sineOf(Reduced angle) {
  constexpr double s[] = {
      1.0,          -1.0 / 6,        1.0 / 120,        -1.0 / 5040,
      1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000};
  constexpr double c[] = {
      1.0,         -1.0 / 2,       1.0 / 24,        -1.0 / 720,
      1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200};
  double square = angle.rest * angle.rest;
  double sine = angle.rest * polynomial(s, square);
  double cosine = polynomial(c, square);
  double result = (angle.quadrant & 1) ? cosine : sine;
  return (angle.quadrant & 2) ? -result : result;
}

inline double cosineOf(Reduced angle) {
  return sineOf({angle.rest, angle.quadrant + 1});
}

} // namespace float_detail

inline float expF(float x) {
  return static_cast<float>(float_detail::exponential(x));
}
/// e^-x (SIL-6).
inline float negExpF(float x) {
  return static_cast<float>(float_detail::exponential(-static_cast<double>(x)));
}
inline float sqrtF(float x) { return std::sqrt(x); }
inline float tanhF(float x) {
  return static_cast<float>(float_detail::hyperbolicTangent(x));
}
inline float sigmoidF(float x) {
  double e = float_detail::exponential(-static_cast<double>(x));
  return static_cast<float>(1.0 / (1.0 + e));
}
inline float erfF(float x) {
  return static_cast<float>(float_detail::errorFunction(x));
}
inline float logF(float x) {
  return static_cast<float>(float_detail::logarithm(x));
}

/// Sine and cosine of |x| < 2^20, for loops.
inline float sinSmallF(float x) {
  double angle = x;
  double sine = float_detail::sineOf(float_detail::reduce(angle));
  // Not the angle itself: a compiler makes x of it, whose bits may be those of
  // a subnormal that is being flushed.
  return angle == 0 ? std::copysign(0.0f, x) : static_cast<float>(sine);
}
inline float cosSmallF(float x) {
  return static_cast<float>(float_detail::cosineOf(float_detail::reduce(x)));
}
/// Whether sinSmallF and cosSmallF do not apply; NaN and infinity are large.
inline bool isLargeAngle(float x) {
  return !(std::fabs(x) < float_detail::kLargeAngle);
}
float sinF(float x);
float cosF(float x);

/// a * b + c, rounded once.
inline float fmaF(float a, float b, float c) {
  // The product is exact in double. The sum is rounded to odd, so that the
  // second rounding, to f32, is the only one that counts.
  double product = static_cast<double>(a) * b;
  double addend = c;
  double sum = product + addend;
  double part = sum - product;
  double error = (product - (sum - part)) + (addend - part);
  uint64_t bits = llvm::bit_cast<uint64_t>(sum);
  bool finite = (bits & 0x7ff0000000000000u) != 0x7ff0000000000000u;
  bool inexact = finite & (error != 0) & ((bits & 1) == 0);
  // Away from zero if the error has the sign of the sum, towards it if not.
  bool away = (error > 0) == (sum > 0);
  uint64_t odd = away ? bits + 1 : bits - 1;
  return static_cast<float>(llvm::bit_cast<double>(inexact ? odd : bits));
}

} // namespace sequin

#endif // SEQUIN_SUPPORT_FLOATFUNCTIONS_H
