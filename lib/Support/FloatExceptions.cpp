//===- FloatExceptions.cpp - What float operations raise ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/FloatExceptions.h"
#include "sequin/Support/DsdArithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace sequin;
using namespace sequin::dsd;
using namespace sequin::dsd::float_exception;

std::string dsd::describeExceptions(uint8_t raised) {
  static constexpr llvm::StringLiteral kNames[] = {
      "FP_UNDERFLOW", "FP_OVERFLOW", "FP_INEXACT", "FP_INVALID", "FP_DIV_BY_0"};
  llvm::SmallVector<llvm::StringRef, 5> names;
  for (auto [bit, name] : llvm::enumerate(kNames))
    if (raised >> bit & 1)
      names.push_back(name);
  std::string text = names.size() == 1 ? "exception " : "exceptions ";
  llvm::raw_string_ostream os(text);
  llvm::interleave(names, os, " and ");
  return text;
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

/// Infinity's bits, without a sign.
static uint32_t infinityOf(FloatFormat format) {
  if (format.isF32)
    return 0x7f800000;
  Fp16Layout layout = getLayout(format.half);
  return ((1u << layout.exponentBits) - 1) << layout.mantissaBits;
}
static uint32_t magnitudeOf(FloatFormat format, uint32_t bits) {
  return bits & (format.isF32 ? 0x7fffffff : 0x7fff);
}
static bool isNan(FloatFormat format, uint32_t bits) {
  return magnitudeOf(format, bits) > infinityOf(format);
}
/// A NaN without the first bit of its mantissa.
static bool isSignaling(FloatFormat format, uint32_t bits) {
  uint32_t quiet =
      1u << ((format.isF32 ? 23 : getLayout(format.half).mantissaBits) - 1);
  return isNan(format, bits) && !(bits & quiet);
}
static double valueOf(FloatFormat format, uint32_t bits) {
  return format.isF32 ? decodeF32(bits)
                      : decodeFp16(format.half, bits & 0xffff);
}

/// The smallest normal number.
static double leastOf(FloatFormat format) {
  return std::ldexp(1.0, format.isF32 ? -126 : 1 - getLayout(format.half).bias);
}
/// Numbers below are tiny: the middle between the smallest normal number and
/// the one before it of the same precision, a tie that goes up.
static double tinyBelow(FloatFormat format) {
  int precision = format.isF32 ? 24 : getLayout(format.half).mantissaBits + 1;
  return leastOf(format) * (1 - std::ldexp(1.0, -precision - 1));
}

/// What rounding `exact`, a number or one rounded to odd, to `value` raises.
static uint8_t exceptionsOfRounding(FloatFormat format, double exact,
                                    double value) {
  if (value == exact)
    return 0;
  if (std::isinf(value))
    return Overflow | Inexact;
  return std::fabs(exact) < tinyBelow(format) ? Underflow | Inexact : Inexact;
}

//===----------------------------------------------------------------------===//
// DSD operations
//===----------------------------------------------------------------------===//

uint8_t dsd::exceptionsOf(DsdOpcode opcode, Fp16Format half, uint32_t source0,
                          uint32_t source1, uint32_t scalar, uint32_t value) {
  const DsdOpInfo &info = getInfo(opcode);
  auto isFloat = [](DsdElement element) {
    return element == DsdElement::F16 || element == DsdElement::F32;
  };
  auto formatOf = [half](DsdElement element) {
    return FloatFormat{element == DsdElement::F32, half};
  };
  switch (opcode) {
  case DsdOpcode::Fmovh:
  case DsdOpcode::Fmovs:
  case DsdOpcode::Fabsh:
  case DsdOpcode::Fabss:
  case DsdOpcode::Fnegh:
  case DsdOpcode::Fnegs:
    return 0;
  case DsdOpcode::Fh2xp16:
  case DsdOpcode::Fs2xp16:
    return exceptionsToInteger(formatOf(info.source0), source0, 16, true);
  case DsdOpcode::Xp162fh:
  case DsdOpcode::Xp162fs:
    return exceptionsFromInteger(
        formatOf(info.dest),
        static_cast<uint64_t>(static_cast<int16_t>(source0)), true, value);
  default:
    break;
  }
  if (!isFloat(info.dest))
    return 0;

  bool anyNan = false;
  const std::pair<DsdElement, uint32_t> operands[] = {
      {info.source0, source0}, {info.source1, source1}, {info.scalar, scalar}};
  for (auto [element, bits] : operands) {
    if (!isFloat(element))
      continue;
    if (isSignaling(formatOf(element), bits))
      return Invalid;
    anyNan |= isNan(formatOf(element), bits);
  }
  if (anyNan)
    return 0;
  FloatFormat format = formatOf(info.dest);
  if (isNan(format, value))
    return Invalid;

  double a = valueOf(formatOf(info.source0), source0);
  double b =
      isFloat(info.source1) ? valueOf(formatOf(info.source1), source1) : 0.0;
  double exact;
  switch (opcode) {
  case DsdOpcode::Faddh:
  case DsdOpcode::Fadds:
  case DsdOpcode::Faddhs:
    exact = addToOdd(a, b);
    break;
  case DsdOpcode::Fsubh:
  case DsdOpcode::Fsubs:
    exact = addToOdd(a, -b);
    break;
  case DsdOpcode::Fmulh:
  case DsdOpcode::Fmuls:
    exact = a * b;
    break;
  case DsdOpcode::Fmach:
  case DsdOpcode::Fmachs:
  case DsdOpcode::Fmacs:
    exact = addToOdd(a, b * valueOf(formatOf(info.scalar), scalar));
    break;
  case DsdOpcode::Fscaleh:
  case DsdOpcode::Fscales:
    exact = scale(a, static_cast<int16_t>(scalar));
    break;
  case DsdOpcode::Fs2h:
    exact = a;
    break;
  default:
    // Maxima, mantissas, and what the wider format holds.
    return 0;
  }
  return exceptionsOfRounding(format, exact, valueOf(format, value));
}

//===----------------------------------------------------------------------===//
// Scalar operations
//===----------------------------------------------------------------------===//

uint8_t dsd::exceptionsOfExact(FloatFormat format, uint32_t x, uint32_t y,
                               uint32_t value) {
  if (isSignaling(format, x) || isSignaling(format, y))
    return Invalid;
  bool anyNan = isNan(format, x) || isNan(format, y);
  return !anyNan && isNan(format, value) ? Invalid : 0;
}

uint8_t dsd::exceptionsOfQuotient(FloatFormat format, uint32_t x, uint32_t y,
                                  uint32_t value) {
  if (isNan(format, x) || isNan(format, y) || isNan(format, value))
    return exceptionsOfExact(format, x, y, value);
  double a = valueOf(format, x), b = valueOf(format, y),
         quotient = valueOf(format, value);
  if (std::isinf(a) || std::isinf(b))
    return 0;
  if (b == 0)
    return DivideByZero;
  // Products of two floats are exact in double, and so is the bound's.
  if (quotient * b == a)
    return 0;
  if (std::isinf(quotient))
    return Overflow | Inexact;
  return std::fabs(a) < tinyBelow(format) * std::fabs(b) ? Underflow | Inexact
                                                         : Inexact;
}

uint8_t dsd::exceptionsOfComparison(FloatFormat format, uint32_t x, uint32_t y,
                                    bool orders) {
  auto raises = [&](uint32_t bits) {
    return orders ? isNan(format, bits) : isSignaling(format, bits);
  };
  return raises(x) || raises(y) ? Invalid : 0;
}

uint8_t dsd::exceptionsFromInteger(FloatFormat format, uint64_t number,
                                   bool isSigned, uint32_t bits) {
  double value = valueOf(format, bits);
  if (std::isinf(value))
    return Overflow | Inexact;
  __int128 exact = isSigned
                       ? static_cast<__int128>(static_cast<int64_t>(number))
                       : static_cast<__int128>(number);
  return static_cast<__int128>(value) == exact ? 0 : Inexact;
}

uint8_t dsd::exceptionsToInteger(FloatFormat format, uint32_t x, unsigned bits,
                                 bool isSigned) {
  double value = valueOf(format, x), whole = std::trunc(value);
  double end = std::ldexp(1.0, static_cast<int>(bits) - (isSigned ? 1 : 0));
  if (!(whole >= (isSigned ? -end : 0.0) && whole < end))
    return Invalid;
  return whole == value ? 0 : Inexact;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// x^y as a double if it has no more than `precision` bits, of numbers that are
/// finite and not zero.
static std::optional<double> exactPower(double x, double y, int precision) {
  // |x| = odd * 2^exponent.
  int exponent;
  double odd = std::frexp(std::fabs(x), &exponent);
  for (; odd != std::floor(odd); odd *= 2)
    --exponent;
  if (odd == 1 && exponent == 0)
    return x < 0 && std::fmod(y, 2) != 0 ? -1.0 : 1.0;
  double power = y;
  for (; power != std::floor(power); power *= 2) {
    double root = std::sqrt(odd);
    if (exponent % 2 || root != std::floor(root))
      return std::nullopt;
    odd = root;
    exponent /= 2;
  }
  double product = 1;
  if (odd != 1) {
    if (power < 0)
      return std::nullopt;
    for (double left = power; left >= 1; --left) {
      product *= odd;
      if (product >= std::ldexp(1.0, precision))
        return std::nullopt;
    }
  }
  double shift = std::fmax(std::fmin(exponent * power, 1000.0), -1000.0);
  double result = std::ldexp(product, static_cast<int>(shift));
  return x < 0 && std::fmod(y, 2) != 0 ? -result : result;
}

/// What f(x) or f(x, y) is as a double, if that is known to be exact. No
/// operand is NaN, nor is the result; at poles and infinities the result is.
static std::optional<double> exactFunction(llvm::StringRef name, double x,
                                           double y, double value,
                                           int precision) {
  if (name == "pow") {
    if (x == 1 || y == 0 || x == 0 || std::isinf(x) || std::isinf(y))
      return value;
    return exactPower(x, y, precision);
  }
  if (name == "atan2") {
    bool isZero = x == 0 ? !std::signbit(y) : std::isfinite(x) && y == HUGE_VAL;
    return isZero ? std::optional(value) : std::nullopt;
  }
  if (name == "atan")
    return x == 0 ? std::optional(value) : std::nullopt;
  if (std::isinf(x))
    return value;
  if (name == "sqrt")
    return value * value == x ? std::optional(value) : std::nullopt;
  int exponent;
  bool isPowerOf2 = std::frexp(x, &exponent) == 0.5;
  --exponent;
  if (name == "rsqrt")
    return isPowerOf2 && exponent % 2 == 0
               ? std::optional(std::ldexp(1.0, -exponent / 2))
               : std::nullopt;
  if (name == "log2")
    return isPowerOf2 ? std::optional(double(exponent)) : std::nullopt;
  if (name == "exp2")
    return x == std::floor(x) ? std::optional(std::ldexp(
                                    1.0, static_cast<int>(std::fmax(
                                             std::fmin(x, 1000.0), -1000.0))))
                              : std::nullopt;
  if (name == "log")
    return x == 1 ? std::optional(value) : std::nullopt;
  if (name == "log10") {
    double power = 1;
    for (int i = 0; i <= 10; ++i, power *= 10)
      if (x == power)
        return double(i);
    return std::nullopt;
  }
  // exp, expm1, log1p, sin, cos, tan, tanh, erf.
  return x == 0 ? std::optional(value) : std::nullopt;
}

uint8_t dsd::exceptionsOfFunction(llvm::StringRef name, FloatFormat format,
                                  uint32_t x, uint32_t y, uint32_t bits) {
  if (isNan(format, x) || isNan(format, y) || isNan(format, bits))
    return exceptionsOfExact(format, x, y, bits);
  if (llvm::is_contained({"floor", "ceil", "trunc", "round", "roundeven"},
                         name))
    return 0;
  double a = valueOf(format, x), b = valueOf(format, y),
         value = valueOf(format, bits);
  bool isLogarithm = llvm::is_contained({"log", "log2", "log10"}, name);
  if ((a == 0 && (isLogarithm || name == "rsqrt" ||
                  (name == "pow" && b < 0 && std::isfinite(b)))) ||
      (a == -1 && name == "log1p"))
    return DivideByZero;
  int precision = format.isF32 ? 24 : getLayout(format.half).mantissaBits + 1;
  if (std::optional<double> exact = exactFunction(name, a, b, value, precision))
    return exceptionsOfRounding(format, *exact, value);
  if (std::isinf(value))
    return Overflow | Inexact;
  return std::fabs(value) < leastOf(format) ? Underflow | Inexact : Inexact;
}
