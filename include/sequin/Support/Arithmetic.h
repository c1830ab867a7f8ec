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
// becomes the canonical quiet NaN. Narrowing an integer saturates. (The manual
// is silent: docs/Decisions.)
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_ARITHMETIC_H
#define SEQUIN_SUPPORT_ARITHMETIC_H

#include "sequin/Support/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace sequin {

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

/// Vector-engine arithmetic (rulings SIL-2 to SIL-8). Shift counts are
/// unsigned: a negative one counts as 32 or more.
int32_t addSat(int32_t a, int32_t b);
int32_t subSat(int32_t a, int32_t b);
int32_t mulFxp(int32_t a, int32_t b);
int32_t leftShift(int32_t a, int32_t count);
int32_t leftShiftSat(int32_t a, int32_t count);
int32_t logicRightShift(int32_t a, int32_t count);
int32_t arithRightShift(int32_t a, int32_t count);
int32_t arithRightShiftRound(int32_t a, int32_t count);
float fxpToFp(int32_t a, int64_t intWidth);
int32_t fpToFxp(float a, int64_t intWidth);
/// The operand that is not NaN, if one is; -0 is less than +0.
float minNum(float a, float b);
float maxNum(float a, float b);

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
