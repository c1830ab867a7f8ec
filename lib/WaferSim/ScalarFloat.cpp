//===- ScalarFloat.cpp - Float instructions of the bytecode ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarFloat.h"
#include "sequin/Support/DsdArithmetic.h"
#include "sequin/Support/FloatExceptions.h"
#include "sequin/Support/FloatFunctions.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

using namespace sequin;
using namespace sequin::wafer;

static double function(wafer::FloatFunction kind, float x, float y) {
  double a = x;
  switch (kind) {
  case FloatFunction::Sqrt:
    return sqrtF(x);
  case FloatFunction::Rsqrt:
    return 1.0 / std::sqrt(a);
  case FloatFunction::Exp:
    return expF(x);
  case FloatFunction::Exp2:
    return std::exp2(a);
  case FloatFunction::ExpM1:
    return std::expm1(a);
  case FloatFunction::Log:
    return logF(x);
  case FloatFunction::Log2:
    return std::log2(a);
  case FloatFunction::Log10:
    return std::log10(a);
  case FloatFunction::Log1P:
    return std::log1p(a);
  case FloatFunction::Sin:
    return sinF(x);
  case FloatFunction::Cos:
    return cosF(x);
  case FloatFunction::Tan:
    return std::tan(a);
  case FloatFunction::Tanh:
    return tanhF(x);
  case FloatFunction::Erf:
    return erfF(x);
  case FloatFunction::Atan:
    return std::atan(a);
  case FloatFunction::Atan2:
    return std::atan2(a, static_cast<double>(y));
  case FloatFunction::Pow:
    return std::pow(a, static_cast<double>(y));
  case FloatFunction::Floor:
    return std::floor(a);
  case FloatFunction::Ceil:
    return std::ceil(a);
  case FloatFunction::Trunc:
    return std::trunc(a);
  case FloatFunction::Round:
    return std::round(a);
  case FloatFunction::RoundEven:
    return std::nearbyint(a);
  }
  return 0;
}

static uint64_t saturate(double value, unsigned bits, bool isSigned) {
  uint64_t mask = bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  if (value != value)
    return 0;
  double low = isSigned ? -std::ldexp(1.0, static_cast<int>(bits) - 1) : 0.0;
  double end = std::ldexp(1.0, static_cast<int>(bits) - (isSigned ? 1 : 0));
  if (value <= low)
    return isSigned ? uint64_t(1) << (bits - 1) : 0;
  if (value >= end)
    return isSigned ? mask >> 1 : mask;
  return (isSigned ? static_cast<uint64_t>(static_cast<int64_t>(value))
                   : static_cast<uint64_t>(value)) &
         mask;
}

/// The operation on elements that an instruction's value, or what it raises, is
/// that of.
static DsdOpcode elementOpcode(Opcode opcode, bool isF32) {
  switch (opcode) {
  case Opcode::FloatAdd:
    return isF32 ? DsdOpcode::Fadds : DsdOpcode::Faddh;
  case Opcode::FloatSub:
    return isF32 ? DsdOpcode::Fsubs : DsdOpcode::Fsubh;
  case Opcode::FloatMul:
    return isF32 ? DsdOpcode::Fmuls : DsdOpcode::Fmulh;
  case Opcode::FloatFma:
    return isF32 ? DsdOpcode::Fmacs : DsdOpcode::Fmach;
  case Opcode::FloatMaxNum:
    return isF32 ? DsdOpcode::Fmaxs : DsdOpcode::Fmaxh;
  default:
    llvm_unreachable("no operation on elements");
  }
}

uint64_t wafer::evaluateFloat(const Instruction &i, Fp16Format format,
                              uint64_t left, uint64_t right, uint64_t third) {
  bool wide = i.width == 32;
  auto decode = [&](uint64_t bits) {
    return wide ? dsd::decodeF32(static_cast<uint32_t>(bits))
                : dsd::decodeFp16(format, static_cast<uint32_t>(bits & 0xffff));
  };
  auto encode = [&](double value) -> uint64_t {
    return wide ? dsd::encodeF32(static_cast<float>(value))
                : dsd::encodeFp16(format, value);
  };
  float x = decode(left), y = decode(right);
  bool carry = false;
  auto element = [&](Opcode opcode) -> uint64_t {
    return dsd::evaluate(elementOpcode(opcode, wide), format,
                         static_cast<uint32_t>(left),
                         static_cast<uint32_t>(right), 0, carry);
  };
  uint64_t sign = wide ? 0x80000000u : 0x8000u;
  switch (i.opcode) {
  case Opcode::FloatAdd:
  case Opcode::FloatSub:
  case Opcode::FloatMul:
    return element(i.opcode);
  case Opcode::FloatDiv:
    return wide ? dsd::encodeF32(x / y)
                : encode(static_cast<double>(x) / static_cast<double>(y));
  case Opcode::FloatRem:
    return encode(std::fmod(x, y));
  case Opcode::FloatFma:
    return wide ? dsd::encodeF32(dsd::fmaF32(decode(third), x, y))
                : encode(
                      dsd::addToOdd(decode(third), static_cast<double>(x) * y));
  case Opcode::FloatNeg:
    return left ^ sign;
  case Opcode::FloatAbs:
    return left & ~sign;
  case Opcode::FloatCopySign:
    return (left & ~sign) | (right & sign);
  // Of two equal operands the bits of a NaN stay: x is max(x, x) whatever x is.
  case Opcode::FloatMinNum:
    if (left == right)
      return left;
    return element(Opcode::FloatMaxNum) == left && x == x && y == y
               ? (x == y ? left | (right & sign) : right)
               : (x != x   ? encode(y)
                  : y != y ? encode(x)
                           : left);
  case Opcode::FloatMaxNum:
    if (left == right)
      return left;
    return element(Opcode::FloatMaxNum);
  case Opcode::FloatMinimum:
    if (left == right)
      return left;
    if (x != x || y != y)
      return encode(std::numeric_limits<double>::quiet_NaN());
    return x == y ? left | (right & sign) : x < y ? left : right;
  case Opcode::FloatMaximum:
    if (left == right)
      return left;
    if (x != x || y != y)
      return encode(std::numeric_limits<double>::quiet_NaN());
    return element(Opcode::FloatMaxNum);
  case Opcode::FloatCompare: {
    unsigned relation = x < y ? 1 : x == y ? 2 : x > y ? 4 : 8;
    return (i.immediate & relation) != 0;
  }
  case Opcode::FloatExtend:
    return dsd::encodeF32(
        dsd::decodeFp16(format, static_cast<uint32_t>(left & 0xffff)));
  case Opcode::FloatTruncate:
    return dsd::encodeFp16(format, dsd::decodeF32(static_cast<uint32_t>(left)));
  case Opcode::FloatFromS: {
    int64_t value = llvm::SignExtend64(left, i.immediate);
    return wide ? dsd::encodeF32(static_cast<float>(value))
                : encode(static_cast<double>(value));
  }
  case Opcode::FloatFromU:
    return wide ? dsd::encodeF32(static_cast<float>(left))
                : encode(static_cast<double>(left));
  case Opcode::FloatToS:
  case Opcode::FloatToU:
    return saturate(x, i.immediate, i.opcode == Opcode::FloatToS);
  case Opcode::FloatFunction:
    return encode(static_cast<float>(
        function(static_cast<wafer::FloatFunction>(i.immediate), x, y)));
  default:
    return 0;
  }
}

uint8_t wafer::exceptionsOfFloat(const Instruction &i, Fp16Format half,
                                 uint64_t left, uint64_t right, uint64_t third,
                                 uint64_t result) {
  dsd::FloatFormat format = {i.width == 32, half};
  uint32_t x = static_cast<uint32_t>(left), y = static_cast<uint32_t>(right),
           value = static_cast<uint32_t>(result);
  switch (i.opcode) {
  case Opcode::FloatAdd:
  case Opcode::FloatSub:
  case Opcode::FloatMul:
    return dsd::exceptionsOf(elementOpcode(i.opcode, format.isF32), half, x, y,
                             0, value);
  case Opcode::FloatFma:
    return dsd::exceptionsOf(elementOpcode(i.opcode, format.isF32), half,
                             static_cast<uint32_t>(third), x, y, value);
  case Opcode::FloatDiv:
    return dsd::exceptionsOfQuotient(format, x, y, value);
  case Opcode::FloatRem:
  case Opcode::FloatMinNum:
  case Opcode::FloatMaxNum:
  case Opcode::FloatMinimum:
  case Opcode::FloatMaximum:
    return dsd::exceptionsOfExact(format, x, y, value);
  case Opcode::FloatCompare:
    // One of less and greater, so that the relation is an order.
    return dsd::exceptionsOfComparison(
        format, x, y, (i.immediate & 1) != (i.immediate >> 2 & 1));
  case Opcode::FloatExtend:
    return dsd::exceptionsOf(DsdOpcode::Fh2s, half, x, 0, 0, value);
  case Opcode::FloatTruncate:
    return dsd::exceptionsOf(DsdOpcode::Fs2h, half, x, 0, 0, value);
  case Opcode::FloatFromS:
    return dsd::exceptionsFromInteger(
        format, static_cast<uint64_t>(llvm::SignExtend64(left, i.immediate)),
        true, value);
  case Opcode::FloatFromU:
    return dsd::exceptionsFromInteger(format, left, false, value);
  case Opcode::FloatToS:
  case Opcode::FloatToU:
    return dsd::exceptionsToInteger(format, x, i.immediate,
                                    i.opcode == Opcode::FloatToS);
  case Opcode::FloatFunction:
    return dsd::exceptionsOfFunction(
        getName(static_cast<FloatFunction>(i.immediate)), format, x,
        i.right == kNoRegister ? 0 : y, value);
  default:
    return 0;
  }
}
