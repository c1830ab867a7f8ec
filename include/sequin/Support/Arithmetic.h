//===- Arithmetic.h - Arithmetic on single elements -------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic of one element: decoding, encoding, rounding, saturation. This
// is the only code that the simulators and the reference interpreters share.
//
// Rounding is to nearest, ties to even. Overflow of a float narrowing goes to
// infinity, except f8e4m3, which saturates to its largest finite value; NaN
// becomes the canonical quiet NaN. What a machine may do in one way or another
// is in ArithmeticRules. (The manual is silent: docs/Decisions.)
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_ARITHMETIC_H
#define SEQUIN_SUPPORT_ARITHMETIC_H

#include "sequin/Support/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/bit.h"
#include <cstdint>
#include <limits>

namespace sequin {

/// What the vector and the cast engine do where the manual is silent (SIL-1,
/// SIL-2, SIL-8): switches of a machine's row.
struct ArithmeticRules {
  bool castWraps;      ///< integers that are narrowed wrap, or saturate
  bool fixedTiesAway;  ///< float to fixed: halves away from zero, or to even
  bool fixedNanBySign; ///< NaN: the largest or smallest number, or 0
  bool absKeepsSign;   ///< AbsMin, AbsMax: an operand, or its magnitude
};

/// While alive, subnormal f32 operands and results of this thread are flushed
/// to signed zero if `flush` is set (the machine parameter flushSubnormals).
class FloatEnvironment {
public:
  explicit FloatEnvironment(bool flush);
  ~FloatEnvironment();
  FloatEnvironment(const FloatEnvironment &) = delete;
  FloatEnvironment &operator=(const FloatEnvironment &) = delete;

private:
  unsigned saved;
};

/// Signed zero for a subnormal while a flushing FloatEnvironment is alive; for
/// values that are passed on without arithmetic. Encoding to f32 and bf16,
/// minNum and maxNum do this themselves.
float flushSubnormal(float value);

/// The value of a stored element, exact. `bits` holds the element in its low
/// bits.
float decodeFloat(ElementType type, uint32_t bits);
int32_t decodeInt(ElementType type, uint32_t bits);

/// Rounds to the format and returns its bits in the low bits.
uint32_t encodeFloat(ElementType type, float value);
/// Saturates to the format.
uint32_t encodeInt(ElementType type, int32_t value);
/// Keeps the low bits.
uint32_t wrapInt(ElementType type, int32_t value);
/// What the cast engine makes of an integer.
inline uint32_t narrowInt(ElementType type, int32_t value,
                          const ArithmeticRules &rules) {
  return rules.castWraps ? wrapInt(type, value) : encodeInt(type, value);
}

/// Reads and writes element `index` of a packed array (i4: even index in the
/// low nibble, SIL-26; i5 and i9 are held as i8 and i16 by the simulators).
uint32_t loadElement(ElementType type, const uint8_t *data, int64_t index);
void storeElement(ElementType type, uint8_t *data, int64_t index,
                  uint32_t bits);

/// bf16 is the upper half of an f32.
inline float bf16ToFloat(uint16_t bits) {
  uint32_t word = static_cast<uint32_t>(bits) << 16;
  float value;
  __builtin_memcpy(&value, &word, sizeof(value));
  return value;
}
uint16_t floatToBf16(float value);

/// Whether subnormals are being flushed on this thread.
bool isFlushingSubnormals();

/// Vector-engine arithmetic (rulings SIL-2 to SIL-8). Shift counts are
/// unsigned: a negative one counts as 32 or more.
inline int32_t saturateToInt32(int64_t value) {
  constexpr int64_t low = std::numeric_limits<int32_t>::min();
  constexpr int64_t high = std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>(value < low ? low : value > high ? high : value);
}
inline int32_t addSat(int32_t a, int32_t b) {
  return saturateToInt32(static_cast<int64_t>(a) + b);
}
inline int32_t subSat(int32_t a, int32_t b) {
  return saturateToInt32(static_cast<int64_t>(a) - b);
}
/// Q31: rounded half up, saturated.
inline int32_t mulFxp(int32_t a, int32_t b) {
  return saturateToInt32((static_cast<int64_t>(a) * b + (int64_t(1) << 30)) >>
                         31);
}
inline bool isLargeShift(int32_t count) {
  return static_cast<uint32_t>(count) >= 32;
}
inline int32_t leftShift(int32_t a, int32_t count) {
  uint32_t shifted = static_cast<uint32_t>(a) << (count & 31);
  return static_cast<int32_t>(isLargeShift(count) ? 0 : shifted);
}
inline int32_t leftShiftSat(int32_t a, int32_t count) {
  // A count of 32 saturates every value but zero, as any larger one does.
  int shift = isLargeShift(count) ? 32 : count;
  return saturateToInt32(static_cast<int64_t>(a) * (int64_t(1) << shift));
}
inline int32_t logicRightShift(int32_t a, int32_t count) {
  uint32_t shifted = static_cast<uint32_t>(a) >> (count & 31);
  return static_cast<int32_t>(isLargeShift(count) ? 0 : shifted);
}
inline int32_t arithRightShift(int32_t a, int32_t count) {
  return a >> (isLargeShift(count) ? 31 : count);
}
/// Adds half of the last place that stays before it shifts; large counts give
/// 0, because half is at least as large as any negative value.
inline int32_t arithRightShiftRound(int32_t a, int32_t count) {
  int shift = count & 31;
  int64_t half = (int64_t(1) << shift) >> 1;
  int64_t shifted = (static_cast<int64_t>(a) + half) >> shift;
  return static_cast<int32_t>(isLargeShift(count) ? 0 : shifted);
}
/// |a|, the most negative value saturated.
inline int32_t absSat(int32_t a) {
  return saturateToInt32(a < 0 ? -static_cast<int64_t>(a) : a);
}
/// The operand of the smaller or larger magnitude, the first of equal ones;
/// the most negative value has the largest of all.
inline uint32_t magnitudeOf(int32_t a) {
  uint32_t bits = static_cast<uint32_t>(a);
  return a < 0 ? 0 - bits : bits;
}
inline int32_t ofSmallerMagnitude(int32_t a, int32_t b) {
  return magnitudeOf(a) <= magnitudeOf(b) ? a : b;
}
inline int32_t ofLargerMagnitude(int32_t a, int32_t b) {
  return magnitudeOf(a) >= magnitudeOf(b) ? a : b;
}
/// The smaller or larger magnitude itself.
inline int32_t absMin(int32_t a, int32_t b) {
  return absSat(a) < absSat(b) ? absSat(a) : absSat(b);
}
inline int32_t absMax(int32_t a, int32_t b) {
  return absSat(a) > absSat(b) ? absSat(a) : absSat(b);
}
/// a * 2^(intWidth - 31), rounded once: the scaling is exact. intWidth is 0 to
/// 31.
inline float fxpToFp(int32_t a, int64_t intWidth) {
  uint32_t scale = static_cast<uint32_t>(127 + intWidth - 31) << 23;
  return static_cast<float>(a) * llvm::bit_cast<float>(scale);
}
/// a * 2^(31 - intWidth), rounded to nearest and saturated; NaN and halves by
/// the rules.
inline int32_t fpToFxp(float a, int64_t intWidth,
                       const ArithmeticRules &rules) {
  constexpr double kLow = -2147483648.0, kHigh = 2147483647.0;
  uint64_t scale = static_cast<uint64_t>(1023 + 31 - intWidth) << 52;
  double scaled = static_cast<double>(a) * llvm::bit_cast<double>(scale);
  bool isNegative = llvm::bit_cast<uint32_t>(a) >> 31;
  double ofNan = !rules.fixedNanBySign ? 0 : isNegative ? kLow : kHigh;
  scaled = scaled < kHigh ? scaled : scaled == scaled ? kHigh : ofNan;
  scaled = scaled < kLow ? kLow : scaled;
  // The sum is exact wherever it could reach the next integer: an f32 has 24
  // bits.
  if (rules.fixedTiesAway)
    return static_cast<int32_t>(scaled + (isNegative ? -0.5 : 0.5));
  // Rounds at the unit; the integer is in the low bits.
  return static_cast<int32_t>(llvm::bit_cast<uint64_t>(scaled + 0x1.8p52));
}
/// The operand that is not NaN, if one is; -0 is less than +0.
float minNum(float a, float b);
float maxNum(float a, float b);
/// Of the magnitudes.
float absMinNum(float a, float b);
float absMaxNum(float a, float b);
/// The operand of the smaller or larger magnitude, the first of equal ones; the
/// operand that is not NaN, if one is.
float ofSmallerMagnitude(float a, float b);
float ofLargerMagnitude(float a, float b);

inline int32_t addWrap(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) +
                              static_cast<uint32_t>(b));
}
inline int32_t subWrap(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) -
                              static_cast<uint32_t>(b));
}
inline int32_t mulWrap(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) *
                              static_cast<uint32_t>(b));
}

} // namespace sequin

#endif // SEQUIN_SUPPORT_ARITHMETIC_H
