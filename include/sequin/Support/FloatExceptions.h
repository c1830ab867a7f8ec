//===- FloatExceptions.h - What float operations raise ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exceptions of IEEE 754, clause 7, that an operation of DsdArithmetic.h or
// of scalar code raises, from its operands and its result. Instruction traces
// print them, and an exception that a PE has unmasked stops it. The rulings are
// in docs/Decisions/2026-11-23-floating-point-exceptions.md:
//
// * Underflow: the result is not exact, and tiny: rounded to the precision of
//   its format with exponents of any size, it is below the smallest normal
//   number (tininess after rounding). Results are subnormal then, or zero:
//   nothing is flushed. An exact subnormal number raises nothing.
// * Overflow and underflow come with inexact.
// * Invalid: the result is NaN and no operand is; an operand is a signaling
//   NaN; <, <=, >, >= of a NaN; an integer type does not hold the truncated
//   value. Moves, absolute values and negations work on bits and raise nothing.
// * Truncating to an integer is inexact where it cuts something off. Rounding
//   to an integral float raises nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_FLOATEXCEPTIONS_H
#define SEQUIN_SUPPORT_FLOATEXCEPTIONS_H

#include "sequin/Support/DsdOps.h"
#include <string>

namespace sequin::dsd {

/// Sets of exceptions, in the order of the exception mask's bits and of the
/// letters in instruction traces ("uoxiz", SIM-020).
namespace float_exception {
enum : uint8_t {
  Underflow = 1 << 0,
  Overflow = 1 << 1,
  Inexact = 1 << 2,
  Invalid = 1 << 3,
  DivideByZero = 1 << 4,
};
} // namespace float_exception

/// "exception FP_OVERFLOW" or "exceptions FP_OVERFLOW and FP_INEXACT": the
/// names of CSL's library. `raised` is not empty.
std::string describeExceptions(uint8_t raised);

/// f32 or a 16-bit format. Values of it are its bits.
struct FloatFormat {
  bool isF32 = true;
  Fp16Format half = Fp16Format::F16;
};

/// Of one element of a DSD operation; `value` is what evaluate() makes of the
/// others. Sums, differences, products, maxima and multiply-adds of scalar code
/// are these, and conversions between f32 and 16 bits.
uint8_t exceptionsOf(DsdOpcode opcode, Fp16Format format, uint32_t source0,
                     uint32_t source1, uint32_t scalar, uint32_t value);

/// Of an operation that rounds nothing: minima and maxima, remainders.
uint8_t exceptionsOfExact(FloatFormat format, uint32_t x, uint32_t y,
                          uint32_t value);
uint8_t exceptionsOfQuotient(FloatFormat format, uint32_t x, uint32_t y,
                             uint32_t value);
/// `orders`: <, <=, > or >=, or the opposite of one, but not (in)equality.
uint8_t exceptionsOfComparison(FloatFormat format, uint32_t x, uint32_t y,
                               bool orders);
/// `number` is zero- or sign-extended to 64 bits.
uint8_t exceptionsFromInteger(FloatFormat format, uint64_t number,
                              bool isSigned, uint32_t value);
uint8_t exceptionsToInteger(FloatFormat format, uint32_t x, unsigned bits,
                            bool isSigned);
/// Of a function by the name that wafer programs give it ("sqrt", "atan2", ...;
/// wafer::FloatFunction). Which arguments have exact results is known; whether
/// another result is tiny is seen from the result.
uint8_t exceptionsOfFunction(llvm::StringRef name, FloatFormat format,
                             uint32_t x, uint32_t y, uint32_t value);

} // namespace sequin::dsd

#endif // SEQUIN_SUPPORT_FLOATEXCEPTIONS_H
