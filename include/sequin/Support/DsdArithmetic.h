//===- DsdArithmetic.h - One element of a DSD operation ---------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a DSD operation does to one element. Simulator and reference share this,
// FloatFunctions, PrintedValue and the machine rows, each with its own tests.
// Elements are bits in a word's low end: those of 16 bits have zeros above.
//
// Floats are IEEE with subnormals, rounded once to nearest even, a fused
// multiply-add too (DOP-011). A result that is NaN is the canonical quiet NaN;
// moves, absolute value and negation work on the bits. Where the manual is
// silent: fmax takes the operand that is not NaN, and +0 over -0; conversions
// to integers truncate and saturate, NaN gives 0 (AMB-012); fscale is x * 2^s,
// fnorm leaves the mantissa in [1, 2) with its sign (AMB-013); shift counts are
// unsigned, 16 and more shift everything out.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_DSDARITHMETIC_H
#define SEQUIN_SUPPORT_DSDARITHMETIC_H

#include "sequin/Support/DsdOps.h"
#include "llvm/ADT/bit.h"
#include <cmath>

namespace sequin::dsd {

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

/// Exponent and mantissa bits and the bias of a 16-bit format. All have
/// subnormals, infinity and NaN at the ends of the exponent range.
struct Fp16Layout {
  int exponentBits, mantissaBits, bias;
};
constexpr Fp16Layout getLayout(Fp16Format format) {
  return format == Fp16Format::F16    ? Fp16Layout{5, 10, 15}
         : format == Fp16Format::CB16 ? Fp16Layout{6, 9, 42}
                                      : Fp16Layout{8, 7, 127};
}

/// The value of a 16-bit float; exact.
float decodeFp16(Fp16Format format, uint32_t bits);
/// Rounds to the format, ties to even; overflow is infinity, NaN canonical.
uint32_t encodeFp16(Fp16Format format, double value);

inline constexpr uint32_t kNanF32 = 0x7fc00000;

inline float decodeF32(uint32_t bits) { return llvm::bit_cast<float>(bits); }
inline uint32_t encodeF32(float value) {
  return value == value ? llvm::bit_cast<uint32_t>(value) : kNanF32;
}

//===----------------------------------------------------------------------===//
// Exact steps
//===----------------------------------------------------------------------===//

/// The sum as a double whose last bit is set if the sum is not exact (round to
/// odd). Rounding it to a format of at most 50 bits gives the sum rounded once.
inline double addToOdd(double a, double b) {
  double sum = a + b;
  // Knuth's two-sum: the error is exact while nothing overflows.
  double bPart = sum - a;
  double error = (a - (sum - bPart)) + (b - bPart);
  uint64_t bits = llvm::bit_cast<uint64_t>(sum);
  if (error == 0 || !(sum - sum == 0) || (bits & 1))
    return sum;
  // The neighbour towards the error is odd. Away from zero if both agree.
  bool away = (error > 0) == (sum > 0);
  return llvm::bit_cast<double>(away ? bits + 1 : bits - 1);
}

/// addend + a * b rounded once. The product of two floats of 24 bits is exact
/// in double.
inline float fmaF32(float addend, float a, float b) {
  return static_cast<float>(
      addToOdd(addend, static_cast<double>(a) * static_cast<double>(b)));
}

inline float maxF32(float a, float b) {
  if (!(a == a) || !(b == b))
    return a == a ? a : b;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

/// Truncated and saturated to a signed 16-bit integer; 0 for NaN.
inline uint32_t toI16(float value) {
  float low = value < -32768.0f ? -32768.0f : value;
  float both = low > 32767.0f ? 32767.0f : low;
  return both == both ? static_cast<uint16_t>(static_cast<int32_t>(both)) : 0;
}

/// x * 2^exponent in double, where every result of an f32 or fp16 is exact or
/// beyond what those hold.
double scale(double x, int32_t exponent);
/// The mantissa in [1, 2) with the sign of x; zero, infinity and NaN stay.
double normalize(double x);

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

inline uint32_t shiftLeft(uint32_t a, uint32_t count) {
  return count >= 16 ? 0 : (a << count) & 0xffff;
}
inline uint32_t shiftRight(uint32_t a, uint32_t count) {
  return count >= 16 ? 0 : (a & 0xffff) >> count;
}
inline uint32_t shiftRightSigned(uint32_t a, uint32_t count) {
  return static_cast<uint16_t>(static_cast<int16_t>(a) >>
                               (count >= 16 ? 15 : count));
}

/// One element of `opcode`: sources and scalar as DsdOps.def types them, of
/// faddhs the f32 side first. `carry` is the carry flag of addc16 (AMB-014), in
/// and out; it is 0 when an operation starts. Not for dfilt.
///
/// The opcode and format are usually constants of a loop; inline, so that they
/// fold.
uint32_t evaluate(DsdOpcode opcode, Fp16Format format, uint32_t source0,
                  uint32_t source1, uint32_t scalar, bool &carry);

inline uint32_t evaluateF32(DsdOpcode opcode, float a, float b) {
  switch (opcode) {
  case DsdOpcode::Fadds:
    return encodeF32(a + b);
  case DsdOpcode::Fsubs:
    return encodeF32(a - b);
  case DsdOpcode::Fmuls:
    return encodeF32(a * b);
  default:
    return encodeF32(maxF32(a, b));
  }
}

inline uint32_t evaluateFp16(DsdOpcode opcode, Fp16Format format, float a,
                             float b) {
  // Sums and products of two values of up to 11 bits: the double is exact or
  // has more than twice the bits, so that it rounds as if it were.
  double x = a, y = b;
  switch (opcode) {
  case DsdOpcode::Faddh:
    return encodeFp16(format, addToOdd(x, y));
  case DsdOpcode::Fsubh:
    return encodeFp16(format, addToOdd(x, -y));
  case DsdOpcode::Fmulh:
    return encodeFp16(format, x * y);
  default:
    return encodeFp16(format, maxF32(a, b));
  }
}

inline uint32_t evaluate(DsdOpcode opcode, Fp16Format format, uint32_t source0,
                         uint32_t source1, uint32_t scalar, bool &carry) {
  auto half = [format](uint32_t bits) { return decodeFp16(format, bits); };
  uint32_t a = source0 & 0xffff, b = source1 & 0xffff;
  switch (opcode) {
  case DsdOpcode::Add16:
    return (a + b) & 0xffff;
  case DsdOpcode::Addc16: {
    uint32_t sum = a + b + carry;
    carry = sum >> 16;
    return sum & 0xffff;
  }
  case DsdOpcode::Sub16:
    return (a - b) & 0xffff;
  case DsdOpcode::And16:
    return a & b;
  case DsdOpcode::Or16:
    return a | b;
  case DsdOpcode::Xor16:
    return a ^ b;
  case DsdOpcode::Sar16:
    return shiftRightSigned(a, b);
  case DsdOpcode::Sll16:
    return shiftLeft(a, b);
  case DsdOpcode::Slr16:
    return shiftRight(a, b);
  case DsdOpcode::Clz:
    return llvm::countl_zero(static_cast<uint16_t>(a));
  case DsdOpcode::Ctz:
    return llvm::countr_zero(static_cast<uint16_t>(a));
  case DsdOpcode::Popcnt:
    return llvm::popcount(a);
  case DsdOpcode::Mov16:
  case DsdOpcode::Fmovh:
    return a;
  case DsdOpcode::Mov32:
  case DsdOpcode::Fmovs:
    return source0;
  case DsdOpcode::Fabsh:
    return a & 0x7fff;
  case DsdOpcode::Fabss:
    return source0 & 0x7fffffff;
  case DsdOpcode::Fnegh:
    return a ^ 0x8000;
  case DsdOpcode::Fnegs:
    return source0 ^ 0x80000000;
  case DsdOpcode::Faddh:
  case DsdOpcode::Fsubh:
  case DsdOpcode::Fmulh:
  case DsdOpcode::Fmaxh:
    return evaluateFp16(opcode, format, half(a), half(b));
  case DsdOpcode::Fadds:
  case DsdOpcode::Fsubs:
  case DsdOpcode::Fmuls:
  case DsdOpcode::Fmaxs:
    return evaluateF32(opcode, decodeF32(source0), decodeF32(source1));
  case DsdOpcode::Faddhs:
    return encodeF32(decodeF32(source0) + half(b));
  case DsdOpcode::Fmach:
    return encodeFp16(format, addToOdd(half(a), static_cast<double>(half(b)) *
                                                    half(scalar & 0xffff)));
  case DsdOpcode::Fmachs:
    return encodeF32(
        fmaF32(decodeF32(source0), half(b), half(scalar & 0xffff)));
  case DsdOpcode::Fmacs:
    return encodeF32(
        fmaF32(decodeF32(source0), decodeF32(source1), decodeF32(scalar)));
  case DsdOpcode::Fnormh:
    return encodeFp16(format, normalize(half(a)));
  case DsdOpcode::Fnorms:
    return encodeF32(static_cast<float>(normalize(decodeF32(source0))));
  case DsdOpcode::Fscaleh:
    return encodeFp16(format, scale(half(a), static_cast<int16_t>(scalar)));
  case DsdOpcode::Fscales:
    return encodeF32(static_cast<float>(
        scale(decodeF32(source0), static_cast<int16_t>(scalar))));
  case DsdOpcode::Fh2s:
    return encodeF32(half(a));
  case DsdOpcode::Fs2h:
    return encodeFp16(format, decodeF32(source0));
  case DsdOpcode::Fh2xp16:
    return toI16(half(a));
  case DsdOpcode::Fs2xp16:
    return toI16(decodeF32(source0));
  case DsdOpcode::Xp162fh:
    return encodeFp16(format, static_cast<int16_t>(a));
  case DsdOpcode::Xp162fs:
    return encodeF32(static_cast<int16_t>(a));
  case DsdOpcode::Dfilt:
    break;
  }
  return 0;
}

} // namespace sequin::dsd

#endif // SEQUIN_SUPPORT_DSDARITHMETIC_H
