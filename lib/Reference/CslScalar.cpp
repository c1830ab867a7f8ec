//===- CslScalar.cpp - arith and math in csl programs ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers wrap; a division by zero gives all ones and the dividend as rest,
// the most negative number by -1 itself and 0; shifts of the width and more
// shift everything out. Floats are IEEE, rounded once; sums, differences,
// products and maxima of numbers are those of DSD operations. Functions are
// computed in double and rounded to f32, in 16 bits once more.
//
//===----------------------------------------------------------------------===//

#include "CslState.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "sequin/Support/DsdArithmetic.h"
#include "sequin/Support/FloatFunctions.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

using Handler = Step::Handler;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

template <uint64_t (*F)(uint64_t, uint64_t, unsigned)>
static void binary(CslMachineState &, Pe &, Activation &frame,
                   const Step &step) {
  result(frame, step) = {F(operand(frame, step, 0).bits,
                           operand(frame, step, 1).bits, step.width) &
                         maskOf(step.resultWidth)};
}
template <uint64_t (*F)(uint64_t, unsigned)>
static void unary(CslMachineState &, Pe &, Activation &frame,
                  const Step &step) {
  result(frame, step) = {F(operand(frame, step, 0).bits, step.width) &
                         maskOf(step.resultWidth)};
}

static uint64_t add(uint64_t a, uint64_t b, unsigned) { return a + b; }
static uint64_t sub(uint64_t a, uint64_t b, unsigned) { return a - b; }
static uint64_t mul(uint64_t a, uint64_t b, unsigned) { return a * b; }
static uint64_t andOf(uint64_t a, uint64_t b, unsigned) { return a & b; }
static uint64_t orOf(uint64_t a, uint64_t b, unsigned) { return a | b; }
static uint64_t xorOf(uint64_t a, uint64_t b, unsigned) { return a ^ b; }
static uint64_t divU(uint64_t a, uint64_t b, unsigned) {
  return b ? a / b : ~uint64_t(0);
}
static uint64_t remU(uint64_t a, uint64_t b, unsigned) { return b ? a % b : a; }
static uint64_t divS(uint64_t a, uint64_t b, unsigned bits) {
  int64_t x = signedOf(a, bits), y = signedOf(b, bits);
  if (y == 0)
    return ~uint64_t(0);
  // The most negative number has no opposite; wrapping around, it is its own.
  return y == -1 ? 0 - static_cast<uint64_t>(x) : static_cast<uint64_t>(x / y);
}
static uint64_t remS(uint64_t a, uint64_t b, unsigned bits) {
  int64_t x = signedOf(a, bits), y = signedOf(b, bits);
  return y == 0 ? a : y == -1 ? 0 : static_cast<uint64_t>(x % y);
}
static uint64_t shl(uint64_t a, uint64_t b, unsigned bits) {
  return b >= bits ? 0 : a << b;
}
static uint64_t shrU(uint64_t a, uint64_t b, unsigned bits) {
  return b >= bits ? 0 : a >> b;
}
static uint64_t shrS(uint64_t a, uint64_t b, unsigned bits) {
  int64_t x = signedOf(a, bits);
  return b >= bits ? (x < 0 ? ~uint64_t(0) : 0) : static_cast<uint64_t>(x >> b);
}
static uint64_t minS(uint64_t a, uint64_t b, unsigned bits) {
  return signedOf(a, bits) <= signedOf(b, bits) ? a : b;
}
static uint64_t maxS(uint64_t a, uint64_t b, unsigned bits) {
  return signedOf(a, bits) >= signedOf(b, bits) ? a : b;
}
static uint64_t minU(uint64_t a, uint64_t b, unsigned) {
  return std::min(a, b);
}
static uint64_t maxU(uint64_t a, uint64_t b, unsigned) {
  return std::max(a, b);
}
static uint64_t ceilDivU(uint64_t a, uint64_t b, unsigned bits) {
  return b ? a / b + (a % b != 0) : divU(a, b, bits);
}
static uint64_t ceilDivS(uint64_t a, uint64_t b, unsigned bits) {
  int64_t x = signedOf(a, bits), y = signedOf(b, bits);
  if (y == 0 || y == -1)
    return divS(a, b, bits);
  return static_cast<uint64_t>(x / y + (x % y != 0 && (x < 0) == (y < 0)));
}
static uint64_t floorDivS(uint64_t a, uint64_t b, unsigned bits) {
  int64_t x = signedOf(a, bits), y = signedOf(b, bits);
  if (y == 0 || y == -1)
    return divS(a, b, bits);
  return static_cast<uint64_t>(x / y - (x % y != 0 && (x < 0) != (y < 0)));
}

static uint64_t countLeading(uint64_t a, unsigned bits) {
  return llvm::countl_zero(a) - (64 - bits);
}
static uint64_t countTrailing(uint64_t a, unsigned bits) {
  return a ? llvm::countr_zero(a) : bits;
}
static uint64_t countOnes(uint64_t a, unsigned) { return llvm::popcount(a); }
static uint64_t magnitude(uint64_t a, unsigned bits) {
  return signedOf(a, bits) < 0 ? 0 - a : a;
}
static uint64_t same(uint64_t a, unsigned) { return a; }
static uint64_t extendSign(uint64_t a, unsigned bits) {
  return static_cast<uint64_t>(signedOf(a, bits));
}

static void compareIntegers(CslMachineState &, Pe &, Activation &frame,
                            const Step &step) {
  uint64_t a = operand(frame, step, 0).bits, b = operand(frame, step, 1).bits;
  int64_t x = signedOf(a, step.width), y = signedOf(b, step.width);
  bool holds = false;
  switch (cast<arith::CmpIOp>(step.op).getPredicate()) {
  case arith::CmpIPredicate::eq:
    holds = a == b;
    break;
  case arith::CmpIPredicate::ne:
    holds = a != b;
    break;
  case arith::CmpIPredicate::slt:
    holds = x < y;
    break;
  case arith::CmpIPredicate::sle:
    holds = x <= y;
    break;
  case arith::CmpIPredicate::sgt:
    holds = x > y;
    break;
  case arith::CmpIPredicate::sge:
    holds = x >= y;
    break;
  case arith::CmpIPredicate::ult:
    holds = a < b;
    break;
  case arith::CmpIPredicate::ule:
    holds = a <= b;
    break;
  case arith::CmpIPredicate::ugt:
    holds = a > b;
    break;
  case arith::CmpIPredicate::uge:
    holds = a >= b;
    break;
  }
  result(frame, step) = {holds};
}

static void selectValue(CslMachineState &, Pe &, Activation &frame,
                        const Step &step) {
  Val chosen = operand(frame, step, operand(frame, step, 0).bits ? 1 : 2);
  result(frame, step) = std::move(chosen);
}

static void addExtended(CslMachineState &, Pe &, Activation &frame,
                        const Step &step) {
  uint64_t a = operand(frame, step, 0).bits, b = operand(frame, step, 1).bits;
  uint64_t sum = (a + b) & maskOf(step.width);
  result(frame, step, 0) = {sum};
  result(frame, step, 1) = {sum < a};
}

template <bool Signed>
static void mulExtended(CslMachineState &, Pe &, Activation &frame,
                        const Step &step) {
  uint64_t a = operand(frame, step, 0).bits, b = operand(frame, step, 1).bits;
  __int128 product =
      Signed ? static_cast<__int128>(signedOf(a, step.width)) *
                   signedOf(b, step.width)
             : static_cast<__int128>(static_cast<unsigned __int128>(a) * b);
  uint64_t mask = maskOf(step.width);
  result(frame, step, 0) = {static_cast<uint64_t>(product) & mask};
  result(frame, step,
         1) = {static_cast<uint64_t>(product >> step.width) & mask};
}

static void constant(CslMachineState &machine, Pe &pe, Activation &frame,
                     const Step &step) {
  auto literal = cast<arith::ConstantOp>(step.op);
  std::optional<uint64_t> bits = bitsOf(literal.getValue(), literal.getType());
  if (!bits)
    return machine.trap(pe, "a constant that is no number", step.op);
  result(frame, step) = {*bits};
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

std::optional<Fp16Format> reference::formatOf(Type type) {
  if (type.isF16())
    return Fp16Format::F16;
  if (type.isBF16())
    return Fp16Format::BF16;
  if (isa<csl::CB16Type>(type))
    return Fp16Format::CB16;
  return std::nullopt;
}

static float decode(Type type, uint64_t bits) {
  std::optional<Fp16Format> format = formatOf(type);
  return format ? dsd::decodeFp16(*format, static_cast<uint32_t>(bits))
                : dsd::decodeF32(static_cast<uint32_t>(bits));
}
static uint64_t encode(Type type, double value) {
  std::optional<Fp16Format> format = formatOf(type);
  return format ? dsd::encodeFp16(*format, value)
                : dsd::encodeF32(static_cast<float>(value));
}

/// The DSD operation on one element.
template <DsdOpcode Wide, DsdOpcode Half>
static void element(CslMachineState &, Pe &, Activation &frame,
                    const Step &step) {
  std::optional<Fp16Format> format = formatOf(step.op->getResult(0).getType());
  bool carry = false;
  result(frame, step) = {dsd::evaluate(
      format ? Half : Wide, format.value_or(Fp16Format::F16),
      static_cast<uint32_t>(operand(frame, step, 0).bits),
      static_cast<uint32_t>(operand(frame, step, 1).bits), 0, carry)};
}

template <double (*F)(float, float)>
static void floats(CslMachineState &, Pe &, Activation &frame,
                   const Step &step) {
  Type type = step.op->getResult(0).getType();
  float x = decode(type, operand(frame, step, 0).bits);
  float y = step.operands.size() > 1
                ? decode(type, operand(frame, step, 1).bits)
                : 0.0f;
  result(frame, step) = {encode(type, F(x, y))};
}

/// f32 quotients are rounded once from the exact one; the double of two 16-bit
/// floats has enough bits for that.
static double divide(float x, float y) { return double(x) / double(y); }
static void divideFloats(CslMachineState &machine, Pe &pe, Activation &frame,
                         const Step &step) {
  if (!step.op->getResult(0).getType().isF32())
    return floats<divide>(machine, pe, frame, step);
  float x = decode(step.op->getResult(0).getType(),
                   operand(frame, step, 0).bits),
        y = decode(step.op->getResult(0).getType(),
                   operand(frame, step, 1).bits);
  result(frame, step) = {dsd::encodeF32(x / y)};
}
static double remainderOf(float x, float y) { return std::fmod(x, y); }

static double minNum(float x, float y) {
  if (x != x || y != y)
    return x == x ? x : y;
  if (x == y)
    return std::signbit(x) ? x : y;
  return x < y ? x : y;
}
/// Of two equal operands the bits of a NaN stay: x is max(x, x) whatever x is.
template <Step::Handler F>
static void unlessSame(CslMachineState &machine, Pe &pe, Activation &frame,
                       const Step &step) {
  uint64_t x = operand(frame, step, 0).bits;
  if (x != operand(frame, step, 1).bits)
    return F(machine, pe, frame, step);
  result(frame, step) = {x};
}
static double minimum(float x, float y) {
  return x != x || y != y ? std::numeric_limits<double>::quiet_NaN()
                          : minNum(x, y);
}
static double maximum(float x, float y) {
  return x != x || y != y ? std::numeric_limits<double>::quiet_NaN()
                          : double(dsd::maxF32(x, y));
}

static uint64_t signBit(unsigned bits) { return uint64_t(1) << (bits - 1); }
static uint64_t negate(uint64_t a, unsigned bits) { return a ^ signBit(bits); }
static uint64_t absolute(uint64_t a, unsigned bits) {
  return a & ~signBit(bits);
}
static uint64_t copySign(uint64_t a, uint64_t b, unsigned bits) {
  return absolute(a, bits) | (b & signBit(bits));
}

static void fusedMultiplyAdd(CslMachineState &, Pe &, Activation &frame,
                             const Step &step) {
  Type type = step.op->getResult(0).getType();
  float a = decode(type, operand(frame, step, 0).bits),
        b = decode(type, operand(frame, step, 1).bits),
        c = decode(type, operand(frame, step, 2).bits);
  // The product of two floats is exact in double, and the sum is rounded to
  // odd: one rounding in the end.
  result(frame, step) = {
      encode(type, type.isF32() ? double(dsd::fmaF32(c, a, b))
                                : dsd::addToOdd(c, double(a) * double(b)))};
}

static void compareFloats(CslMachineState &, Pe &, Activation &frame,
                          const Step &step) {
  Type type = step.op->getOperand(0).getType();
  float x = decode(type, operand(frame, step, 0).bits),
        y = decode(type, operand(frame, step, 1).bits);
  bool unordered = x != x || y != y, less = x<y, equal = x == y, greater = x> y,
       holds = false;
  switch (cast<arith::CmpFOp>(step.op).getPredicate()) {
  case arith::CmpFPredicate::AlwaysFalse:
    break;
  case arith::CmpFPredicate::AlwaysTrue:
    holds = true;
    break;
  case arith::CmpFPredicate::OEQ:
    holds = equal;
    break;
  case arith::CmpFPredicate::OGT:
    holds = greater;
    break;
  case arith::CmpFPredicate::OGE:
    holds = greater || equal;
    break;
  case arith::CmpFPredicate::OLT:
    holds = less;
    break;
  case arith::CmpFPredicate::OLE:
    holds = less || equal;
    break;
  case arith::CmpFPredicate::ONE:
    holds = less || greater;
    break;
  case arith::CmpFPredicate::ORD:
    holds = !unordered;
    break;
  case arith::CmpFPredicate::UEQ:
    holds = unordered || equal;
    break;
  case arith::CmpFPredicate::UGT:
    holds = unordered || greater;
    break;
  case arith::CmpFPredicate::UGE:
    holds = unordered || greater || equal;
    break;
  case arith::CmpFPredicate::ULT:
    holds = unordered || less;
    break;
  case arith::CmpFPredicate::ULE:
    holds = unordered || less || equal;
    break;
  case arith::CmpFPredicate::UNE:
    holds = unordered || !equal;
    break;
  case arith::CmpFPredicate::UNO:
    holds = unordered;
    break;
  }
  result(frame, step) = {holds};
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static void convertFloat(CslMachineState &, Pe &, Activation &frame,
                         const Step &step) {
  result(frame, step) = {encode(
      step.op->getResult(0).getType(),
      decode(step.op->getOperand(0).getType(), operand(frame, step, 0).bits))};
}

template <bool Signed>
static void fromInteger(CslMachineState &, Pe &, Activation &frame,
                        const Step &step) {
  Type type = step.op->getResult(0).getType();
  uint64_t bits = operand(frame, step, 0).bits;
  int64_t number = signedOf(bits, step.width);
  // Straight to f32, which rounds once; 16-bit formats take the double, exact
  // up to 53 bits.
  if (type.isF32())
    result(frame, step) = {dsd::encodeF32(Signed ? static_cast<float>(number)
                                                 : static_cast<float>(bits))};
  else
    result(frame, step) = {encode(type, Signed ? static_cast<double>(number)
                                               : static_cast<double>(bits))};
}

template <bool Signed>
static void toInteger(CslMachineState &, Pe &, Activation &frame,
                      const Step &step) {
  double value = std::trunc(double(
      decode(step.op->getOperand(0).getType(), operand(frame, step, 0).bits)));
  unsigned bits = step.resultWidth;
  uint64_t mask = maskOf(bits);
  double end = std::ldexp(1.0, static_cast<int>(bits) - (Signed ? 1 : 0));
  uint64_t number = 0;
  if (value >= end)
    number = Signed ? mask >> 1 : mask;
  else if (Signed && value < -end)
    number = signBit(bits);
  else if (value < 0)
    number = Signed ? static_cast<uint64_t>(static_cast<int64_t>(value)) : 0;
  else if (value == value)
    number = static_cast<uint64_t>(value);
  result(frame, step) = {number & mask};
}

static void convertCb16(CslMachineState &machine, Pe &pe, Activation &frame,
                        const Step &step) {
  if (step.op->getResult(0).getType().isF32() ||
      step.op->getOperand(0).getType().isF32())
    return convertFloat(machine, pe, frame, step);
  result(frame, step) = operand(frame, step, 0);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

template <double (*F)(double, double)>
static void function(CslMachineState &, Pe &, Activation &frame,
                     const Step &step) {
  Type type = step.op->getResult(0).getType();
  double x = decode(type, operand(frame, step, 0).bits);
  double y = step.operands.size() > 1
                 ? decode(type, operand(frame, step, 1).bits)
                 : 0.0f;
  result(frame, step) = {encode(type, static_cast<float>(F(x, y)))};
}

/// Of a function on f32 (Support/FloatFunctions.h).
template <float (*F)(float)> static double single(double x, double) {
  return F(static_cast<float>(x));
}
template <double (*F)(double)> static double plain(double x, double) {
  return F(x);
}
static double rsqrtOf(double x, double) { return 1.0 / std::sqrt(x); }
static double atan2Of(double x, double y) { return std::atan2(x, y); }
static double powOf(double x, double y) { return std::pow(x, y); }

static Handler findFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, Handler>(op)
      .Case<math::SqrtOp>([](auto) { return function<single<sqrtF>>; })
      .Case<math::RsqrtOp>([](auto) { return function<rsqrtOf>; })
      .Case<math::ExpOp>([](auto) { return function<single<expF>>; })
      .Case<math::Exp2Op>([](auto) { return function<plain<std::exp2>>; })
      .Case<math::ExpM1Op>([](auto) { return function<plain<std::expm1>>; })
      .Case<math::LogOp>([](auto) { return function<single<logF>>; })
      .Case<math::Log2Op>([](auto) { return function<plain<std::log2>>; })
      .Case<math::Log10Op>([](auto) { return function<plain<std::log10>>; })
      .Case<math::Log1pOp>([](auto) { return function<plain<std::log1p>>; })
      .Case<math::SinOp>([](auto) { return function<single<sinF>>; })
      .Case<math::CosOp>([](auto) { return function<single<cosF>>; })
      .Case<math::TanOp>([](auto) { return function<plain<std::tan>>; })
      .Case<math::TanhOp>([](auto) { return function<single<tanhF>>; })
      .Case<math::ErfOp>([](auto) { return function<single<erfF>>; })
      .Case<math::AtanOp>([](auto) { return function<plain<std::atan>>; })
      .Case<math::Atan2Op>([](auto) { return function<atan2Of>; })
      .Case<math::PowFOp>([](auto) { return function<powOf>; })
      .Case<math::FloorOp>([](auto) { return function<plain<std::floor>>; })
      .Case<math::CeilOp>([](auto) { return function<plain<std::ceil>>; })
      .Case<math::TruncOp>([](auto) { return function<plain<std::trunc>>; })
      .Case<math::RoundOp>([](auto) { return function<plain<std::round>>; })
      .Case<math::RoundEvenOp>(
          [](auto) { return function<plain<std::nearbyint>>; })
      .Default([](Operation *) { return Handler(nullptr); });
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

Handler reference::findScalarHandler(Operation *op) {
  if (Handler found = findFunction(op))
    return found;
  return llvm::TypeSwitch<Operation *, Handler>(op)
      .Case<arith::ConstantOp>([](auto) { return constant; })
      .Case<arith::AddIOp>([](auto) { return binary<add>; })
      .Case<arith::SubIOp>([](auto) { return binary<sub>; })
      .Case<arith::MulIOp>([](auto) { return binary<mul>; })
      .Case<arith::DivSIOp>([](auto) { return binary<divS>; })
      .Case<arith::DivUIOp>([](auto) { return binary<divU>; })
      .Case<arith::RemSIOp>([](auto) { return binary<remS>; })
      .Case<arith::RemUIOp>([](auto) { return binary<remU>; })
      .Case<arith::CeilDivSIOp>([](auto) { return binary<ceilDivS>; })
      .Case<arith::CeilDivUIOp>([](auto) { return binary<ceilDivU>; })
      .Case<arith::FloorDivSIOp>([](auto) { return binary<floorDivS>; })
      .Case<arith::AndIOp>([](auto) { return binary<andOf>; })
      .Case<arith::OrIOp>([](auto) { return binary<orOf>; })
      .Case<arith::XOrIOp>([](auto) { return binary<xorOf>; })
      .Case<arith::ShLIOp>([](auto) { return binary<shl>; })
      .Case<arith::ShRSIOp>([](auto) { return binary<shrS>; })
      .Case<arith::ShRUIOp>([](auto) { return binary<shrU>; })
      .Case<arith::MinSIOp>([](auto) { return binary<minS>; })
      .Case<arith::MaxSIOp>([](auto) { return binary<maxS>; })
      .Case<arith::MinUIOp>([](auto) { return binary<minU>; })
      .Case<arith::MaxUIOp>([](auto) { return binary<maxU>; })
      .Case<arith::CmpIOp>([](auto) { return compareIntegers; })
      .Case<arith::SelectOp>([](auto) { return selectValue; })
      .Case<arith::AddUIExtendedOp>([](auto) { return addExtended; })
      .Case<arith::MulSIExtendedOp>([](auto) { return mulExtended<true>; })
      .Case<arith::MulUIExtendedOp>([](auto) { return mulExtended<false>; })
      .Case<arith::ExtUIOp, arith::TruncIOp, arith::BitcastOp,
            arith::IndexCastUIOp>([](auto) { return unary<same>; })
      .Case<arith::ExtSIOp, arith::IndexCastOp>(
          [](auto) { return unary<extendSign>; })
      .Case<arith::AddFOp>(
          [](auto) { return element<DsdOpcode::Fadds, DsdOpcode::Faddh>; })
      .Case<arith::SubFOp>(
          [](auto) { return element<DsdOpcode::Fsubs, DsdOpcode::Fsubh>; })
      .Case<arith::MulFOp>(
          [](auto) { return element<DsdOpcode::Fmuls, DsdOpcode::Fmulh>; })
      .Case<arith::MaxNumFOp>([](auto) {
        return unlessSame<element<DsdOpcode::Fmaxs, DsdOpcode::Fmaxh>>;
      })
      .Case<arith::DivFOp>([](auto) { return divideFloats; })
      .Case<arith::RemFOp>([](auto) { return floats<remainderOf>; })
      .Case<arith::MinNumFOp>([](auto) { return unlessSame<floats<minNum>>; })
      .Case<arith::MinimumFOp>([](auto) { return unlessSame<floats<minimum>>; })
      .Case<arith::MaximumFOp>([](auto) { return unlessSame<floats<maximum>>; })
      .Case<arith::NegFOp>([](auto) { return unary<negate>; })
      .Case<arith::CmpFOp>([](auto) { return compareFloats; })
      .Case<arith::ExtFOp, arith::TruncFOp>([](auto) { return convertFloat; })
      .Case<arith::SIToFPOp>([](auto) { return fromInteger<true>; })
      .Case<arith::UIToFPOp>([](auto) { return fromInteger<false>; })
      .Case<arith::FPToSIOp>([](auto) { return toInteger<true>; })
      .Case<arith::FPToUIOp>([](auto) { return toInteger<false>; })
      .Case<math::AbsFOp>([](auto) { return unary<absolute>; })
      .Case<math::AbsIOp>([](auto) { return unary<magnitude>; })
      .Case<math::CopySignOp>([](auto) { return binary<copySign>; })
      .Case<math::FmaOp>([](auto) { return fusedMultiplyAdd; })
      .Case<math::CountLeadingZerosOp>([](auto) { return unary<countLeading>; })
      .Case<math::CountTrailingZerosOp>(
          [](auto) { return unary<countTrailing>; })
      .Case<math::CtPopOp>([](auto) { return unary<countOnes>; })
      .Case<csl::ConvertCB16Op>([](auto) { return convertCb16; })
      .Default([](Operation *) { return Handler(nullptr); });
}
