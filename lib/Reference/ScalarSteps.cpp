//===- ScalarSteps.cpp - Evaluation of scalar programs --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgValue.h"
#include "ScalarFunctions.h"
#include "ScalarProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "sequin/Support/Arithmetic.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

Scalar ScalarProgram::runFloat(const Step &step,
                               const std::vector<Scalar> &slots) const {
  auto operand = [&](unsigned i) {
    return flushOperand(slots[step.operands[i]]);
  };
  Scalar a = operand(0);
  switch (step.code) {
  case Code::AddF:
    return addFloats(step.type, a, operand(1));
  case Code::SubF:
    return subtractFloats(step.type, a, operand(1));
  case Code::MulF:
    return multiplyFloats(step.type, a, operand(1));
  case Code::DivF:
    return divideFloats(step.type, a, operand(1));
  case Code::MaximumF:
    return pickFloat(Extremum::Largest, /*keepsNan=*/true, a, operand(1));
  case Code::MinimumF:
    return pickFloat(Extremum::Smallest, /*keepsNan=*/true, a, operand(1));
  case Code::MaxNumF:
    return pickFloat(Extremum::Largest, /*keepsNan=*/false, a, operand(1));
  case Code::MinNumF:
    return pickFloat(Extremum::Smallest, /*keepsNan=*/false, a, operand(1));
  case Code::NegF:
    a.value = -a.value;
    a.origin = 0;
    return a;
  case Code::RoundF:
    return roundTo(step.type, a);
  case Code::WidenF:
    return a;
  case Code::Fma:
    return fuseFloats(step.type, a, operand(1), operand(2));
  case Code::Clamp:
    return pickFloat(
        Extremum::Smallest, /*keepsNan=*/true,
        pickFloat(Extremum::Largest, /*keepsNan=*/true, a, operand(1)),
        operand(2));
  case Code::CopySign:
    return copySign(a, operand(1));
  case Code::Power:
    return power(step.type, a, operand(1), step.isConstantPower);
  case Code::PowerOfInt: {
    const Scalar &exponent = slots[step.operands[1]];
    return power(step.type, a,
                 {static_cast<double>(exponent.integer), exponent.error},
                 step.isConstantPower);
  }
  case Code::Tangent:
    return tangent(step.type, a);
  default:
    return apply(*step.function, step.type, a);
  }
}

static Scalar compareFloats(uint64_t predicate, const Scalar &a,
                            const Scalar &b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a.value) || std::isnan(b.value);
  bool less = a.value < b.value, equal = a.value == b.value;
  bool greater = a.value > b.value, holds = false;
  switch (static_cast<P>(predicate)) {
  case P::AlwaysFalse:
    break;
  case P::OEQ:
    holds = equal;
    break;
  case P::OGT:
    holds = greater;
    break;
  case P::OGE:
    holds = greater || equal;
    break;
  case P::OLT:
    holds = less;
    break;
  case P::OLE:
    holds = less || equal;
    break;
  case P::ONE:
    holds = less || greater;
    break;
  case P::ORD:
    holds = !unordered;
    break;
  case P::UEQ:
    holds = equal || unordered;
    break;
  case P::UGT:
    holds = greater || unordered;
    break;
  case P::UGE:
    holds = greater || equal || unordered;
    break;
  case P::ULT:
    holds = less || unordered;
    break;
  case P::ULE:
    holds = less || equal || unordered;
    break;
  case P::UNE:
    holds = less || greater || unordered;
    break;
  case P::UNO:
    holds = unordered;
    break;
  case P::AlwaysTrue:
    holds = true;
    break;
  }
  Scalar result;
  result.integer = holds ? -1 : 0;
  double distance = std::fabs(a.value - b.value), error = a.error + b.error;
  // A machine that compares by a difference may have flushed it.
  bool isFlushed =
      distance != 0 && distance < 0x1p-126 && isFlushingSubnormals();
  if ((distance <= error && error > 0 && !areSame(a, b)) || isFlushed)
    result.error = 1;
  return result;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static int64_t signExtend(uint64_t value, unsigned width) {
  unsigned shift = 64 - width;
  return static_cast<int64_t>(value << shift) >> shift;
}

static uint64_t zeroExtend(int64_t value, unsigned width) {
  return static_cast<uint64_t>(value) & (~uint64_t(0) >> (64 - width));
}

/// The error of an integer of which nothing is known.
static double anyError(unsigned width) {
  return std::ldexp(1.0, static_cast<int>(width));
}

/// Whether every number that is off by `error` at most is one of the width.
static bool staysInside(double value, double error, unsigned width) {
  double limit = std::ldexp(1.0, static_cast<int>(width) - 1);
  return value - error >= -limit && value + error <= limit - 1;
}

/// The low bits of a result, `exact` up to `error` before it wraps around.
static Scalar wrapped(unsigned width, uint64_t bits, double exact,
                      double error) {
  Scalar result;
  result.integer = signExtend(bits, width);
  if (error != 0)
    result.error = staysInside(exact, error, width) ? error : anyError(width);
  return result;
}

static bool isUnsigned(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  return predicate == P::ult || predicate == P::ule || predicate == P::ugt ||
         predicate == P::uge;
}

static bool holdsFor(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  using P = arith::CmpIPredicate;
  // Sign extension keeps the unsigned order of equally wide operands.
  uint64_t ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return a < b;
  case P::sle:
    return a <= b;
  case P::sgt:
    return a > b;
  case P::sge:
    return a >= b;
  case P::ult:
    return ua < ub;
  case P::ule:
    return ua <= ub;
  case P::ugt:
    return ua > ub;
  case P::uge:
    return ua >= ub;
  }
  return false;
}

static Scalar compareIntegers(uint64_t number, const Scalar &a,
                              const Scalar &b) {
  auto predicate = static_cast<arith::CmpIPredicate>(number);
  Scalar result;
  result.integer = holdsFor(predicate, a.integer, b.integer) ? -1 : 0;
  double distance = std::fabs(static_cast<double>(a.integer) -
                              static_cast<double>(b.integer));
  double error = a.error + b.error;
  if (error > 0 && (isUnsigned(predicate) || distance <= error))
    result.error = 1;
  return result;
}

/// The quotient, rounded towards zero, down or up.
static int64_t divide(int64_t a, int64_t b, bool floor, bool ceil) {
  int64_t quotient = a / b;
  bool isExact = a % b == 0, isNegative = (a < 0) != (b < 0);
  if (floor && !isExact && isNegative)
    return quotient - 1;
  return ceil && !isExact && !isNegative ? quotient + 1 : quotient;
}

FailureOr<Scalar> ScalarProgram::runInteger(const Step &step, const Scalar &a,
                                            const Scalar &b) const {
  unsigned width = step.width;
  uint64_t ua = static_cast<uint64_t>(a.integer);
  uint64_t ub = static_cast<uint64_t>(b.integer);
  double da = static_cast<double>(a.integer);
  double db = static_cast<double>(b.integer);
  bool isSure = a.error == 0 && b.error == 0;
  Scalar result;
  switch (step.code) {
  case Code::AddI:
    return wrapped(width, ua + ub, da + db, a.error + b.error);
  case Code::SubI:
    return wrapped(width, ua - ub, da - db, a.error + b.error);
  case Code::MulI:
    return wrapped(width, ua * ub, da * db,
                   isSure ? 0
                          : std::fabs(da) * b.error + std::fabs(db) * a.error +
                                a.error * b.error);
  case Code::MaxS:
  case Code::MinS:
    result.integer = step.code == Code::MaxS ? std::max(a.integer, b.integer)
                                             : std::min(a.integer, b.integer);
    result.error = std::max(a.error, b.error);
    return result;
  case Code::AbsI:
    return wrapped(width, a.integer < 0 ? -ua : ua, std::fabs(da), a.error);
  case Code::And:
  case Code::Or:
  case Code::Xor:
    result.integer = signExtend(step.code == Code::And  ? ua & ub
                                : step.code == Code::Or ? ua | ub
                                                        : ua ^ ub,
                                width);
    // What decides alone: no bits for an and, all bits for an or.
    if (step.code != Code::Xor) {
      int64_t deciding = step.code == Code::And ? 0 : -1;
      isSure |= (a.error == 0 && a.integer == deciding) ||
                (b.error == 0 && b.integer == deciding);
    }
    break;
  case Code::MaxU:
  case Code::MinU: {
    // Sign extension keeps the order.
    bool takesFirst = (ua > ub) == (step.code == Code::MaxU);
    result.integer = takesFirst ? a.integer : b.integer;
    break;
  }
  case Code::Shl:
  case Code::ShrS:
  case Code::ShrU: {
    // Counts are unsigned; one as large as the width shifts everything out
    // (SIL-4).
    uint64_t count = zeroExtend(b.integer, width);
    if (count >= width)
      result.integer = step.code == Code::ShrS && a.integer < 0 ? -1 : 0;
    else if (step.code == Code::Shl)
      result.integer = signExtend(ua << count, width);
    else if (step.code == Code::ShrS)
      result.integer = a.integer >> count;
    else
      result.integer = signExtend(zeroExtend(a.integer, width) >> count, width);
    break;
  }
  default: {
    // Divisions.
    if (b.integer == 0 && b.error != 0) {
      isSure = false;
      break;
    }
    if (b.integer == 0)
      return step.op->emitOpError() << "divides by zero";
    uint64_t za = zeroExtend(a.integer, width),
             zb = zeroExtend(b.integer, width);
    if (step.code == Code::DivU) {
      result.integer = signExtend(za / zb, width);
    } else if (step.code == Code::CeilDivU) {
      result.integer = signExtend(za / zb + (za % zb != 0), width);
    } else if (step.code == Code::RemU) {
      result.integer = signExtend(za % zb, width);
    } else if (b.integer == -1) {
      if (step.code == Code::RemS)
        break; // zero
      if (isSure && a.integer == signExtend(uint64_t(1) << (width - 1), width))
        return step.op->emitOpError()
               << "divides " << a.integer << " by -1, which i" << width
               << " does not hold";
      result.integer = signExtend(-ua, width);
    } else if (step.code == Code::RemS) {
      result.integer = a.integer % b.integer;
    } else {
      result.integer =
          divide(a.integer, b.integer, step.code == Code::FloorDivS,
                 step.code == Code::CeilDivS);
    }
    break;
  }
  }
  if (!isSure)
    result.error = anyError(width);
  return result;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static Scalar resize(const Scalar &a, bool isSigned, unsigned from,
                     unsigned to) {
  uint64_t bits =
      isSigned ? static_cast<uint64_t>(a.integer) : zeroExtend(a.integer, from);
  Scalar result;
  result.integer = signExtend(bits, to);
  if (a.error == 0)
    return result;
  result.error = a.error;
  if (from == 1)
    result.error = 1;
  else if (!isSigned && static_cast<double>(a.integer) < a.error)
    result.error = anyError(from);
  else if (to < from &&
           !staysInside(static_cast<double>(a.integer), a.error, to))
    result.error = anyError(to);
  return result;
}

/// Towards zero. What the type does not hold has no meaning and may be
/// anything; only i32 saturates, as the machine does, and NaN has no meaning.
static Scalar toInteger(const Scalar &a, bool isSigned, unsigned width) {
  double limit =
      std::ldexp(1.0, static_cast<int>(isSigned ? width - 1 : width));
  double least = isSigned ? -limit : 0;
  auto isInside = [&](double value) {
    return std::trunc(value) >= least && std::trunc(value) < limit;
  };
  Scalar result;
  if (isInside(a.value)) {
    double whole = std::trunc(a.value);
    uint64_t bits = whole < 0
                        ? static_cast<uint64_t>(static_cast<int64_t>(whole))
                        : static_cast<uint64_t>(whole);
    result.integer = signExtend(bits, width);
  } else if (isSigned && width == 32 && !std::isnan(a.value)) {
    result.integer = a.value < 0 ? INT32_MIN : INT32_MAX;
  } else {
    result.error = anyError(width);
    return result;
  }
  if (a.error == 0)
    return result;
  double above = a.value + a.error, below = a.value - a.error;
  if (!isInside(above) || !isInside(below))
    result.error = anyError(width);
  else
    result.error = std::max(std::fabs(std::trunc(above) - std::trunc(a.value)),
                            std::fabs(std::trunc(below) - std::trunc(a.value)));
  return result;
}

Scalar ScalarProgram::runConversion(const Step &step, const Scalar &a) const {
  switch (step.code) {
  case Code::ResizeS:
    return resize(a, /*isSigned=*/true, step.sourceWidth, step.width);
  case Code::ResizeU:
    return resize(a, /*isSigned=*/false, step.sourceWidth, step.width);
  case Code::IntToFloatS:
    return roundTo(step.type, {static_cast<double>(a.integer), a.error});
  case Code::IntToFloatU: {
    Scalar wide = resize(a, /*isSigned=*/false, step.sourceWidth, 64);
    uint64_t bits = zeroExtend(a.integer, step.sourceWidth);
    return roundTo(step.type, {static_cast<double>(bits), wide.error});
  }
  case Code::FloatToIntS:
    return toInteger(flushOperand(a), /*isSigned=*/true, step.width);
  case Code::FloatToIntU:
    return toInteger(flushOperand(a), /*isSigned=*/false, step.width);
  default:
    break;
  }
  // A bitcast: floats have no width here.
  Type source = getElementTypeOrSelf(step.op->getOperand(0).getType());
  uint64_t bits = 0;
  if (step.sourceWidth != 0)
    bits = zeroExtend(a.integer, step.sourceWidth);
  else if (FloatRounding type = roundingOf(source); !type)
    bits = llvm::bit_cast<uint64_t>(a.value);
  else if (type == ElementType::F32) // subnormals stay as they are
    bits = bitsOfF32(a.value);
  else
    bits = encodeFloat(*type, static_cast<float>(a.value));
  Scalar result;
  if (step.width != 0) {
    result.integer = signExtend(bits, step.width);
    result.error = a.error == 0 ? 0 : anyError(step.width);
    return result;
  }
  result.value = step.type ? decodeExactly(*step.type, bits)
                           : llvm::bit_cast<double>(bits);
  result.error = a.error == 0 ? 0 : INFINITY;
  return result;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

LogicalResult ScalarProgram::runStep(const Step &step,
                                     std::vector<Scalar> &slots) const {
  Scalar &result = slots[step.result];
  auto operand = [&](unsigned i) -> const Scalar & {
    return slots[step.operands[i]];
  };
  if (step.code <= Code::Function) {
    result = runFloat(step, slots);
    return success();
  }
  if (step.code <= Code::RemU) {
    FailureOr<Scalar> value =
        runInteger(step, operand(0), operand(step.operands.size() - 1));
    if (failed(value))
      return failure();
    result = *value;
    return success();
  }
  if (step.code <= Code::Bitcast) {
    result = runConversion(step, operand(0));
    return success();
  }
  switch (step.code) {
  case Code::CompareF:
    result = compareFloats(step.predicate, flushOperand(operand(0)),
                           flushOperand(operand(1)));
    break;
  case Code::CompareI:
    result = compareIntegers(step.predicate, operand(0), operand(1));
    break;
  case Code::Select: // passes its operands on as they are
    result = select(operand(0), operand(1), operand(2));
    break;
  case Code::Extract: {
    SmallVector<Scalar, 4> index;
    for (unsigned slot : step.operands)
      index.push_back(slots[slot]);
    FailureOr<Scalar> element = extractElement(step.op, *step.tensor, index);
    if (failed(element))
      return failure();
    result = *element;
    break;
  }
  case Code::TakeBranch: {
    Scalar taken = operand(1);
    if (operand(0).error != 0) {
      taken.error = INFINITY;
      taken.origin = 0;
    }
    result = taken;
    break;
  }
  default:
    return checkAssertion(cast<cf::AssertOp>(step.op), operand(0));
  }
  return success();
}

LogicalResult ScalarProgram::run(std::vector<Scalar> &slots) const {
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step &step = steps[i];
    if (step.code == Code::Jump ||
        (step.code == Code::JumpIfNot && slots[step.operands[0]].integer == 0))
      i = step.target - 1;
    else if (step.code != Code::JumpIfNot && failed(runStep(step, slots)))
      return failure();
  }
  return success();
}
