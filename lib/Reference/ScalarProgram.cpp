//===- ScalarProgram.cpp - The body of a structured operation -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarProgram.h"
#include "ScalarFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

//===----------------------------------------------------------------------===//
// Types and rounding
//===----------------------------------------------------------------------===//

std::optional<ElementType> sequin::reference::elementTypeOf(Type type) {
  return TypeSwitch<Type, std::optional<ElementType>>(type)
      .Case([](Float32Type) { return ElementType::F32; })
      .Case([](BFloat16Type) { return ElementType::BF16; })
      .Case([](Float16Type) { return ElementType::F16; })
      .Case([](Float8E4M3FNType) { return ElementType::F8E4M3; })
      .Case([](Float8E5M2Type) { return ElementType::F8E5M2; })
      .Case([](IntegerType integer) -> std::optional<ElementType> {
        switch (integer.getWidth()) {
        case 4:
          return ElementType::I4;
        case 8:
          return ElementType::I8;
        case 16:
          return ElementType::I16;
        case 32:
          return ElementType::I32;
        default:
          return std::nullopt;
        }
      })
      .Default(std::nullopt);
}

namespace {
struct Format {
  int precision;   ///< bits of the significand, the hidden one included
  int minExponent; ///< of the smallest normal number
};
} // namespace

static Format formatOf(ElementType type) {
  switch (type) {
  case ElementType::F8E4M3:
    return {4, -6};
  case ElementType::F8E5M2:
    return {3, -14};
  case ElementType::F16:
    return {11, -14};
  case ElementType::BF16:
    return {8, -126};
  default:
    return {24, -126};
  }
}

double sequin::reference::halfUlp(ElementType type, double magnitude) {
  Format format = formatOf(type);
  if (!std::isfinite(magnitude))
    return magnitude;
  int exponent = magnitude == 0 ? format.minExponent : std::ilogb(magnitude);
  return std::ldexp(1.0,
                    std::max(exponent, format.minExponent) - format.precision);
}

static constexpr double kLeastNormal = 0x1p-126; ///< of f32 and bf16

static bool isFlushing() {
  return flushSubnormal(std::numeric_limits<float>::denorm_min()) == 0;
}

double sequin::reference::flushOperand(double value) {
  if (std::fabs(value) < kLeastNormal && value != 0 && isFlushing())
    return std::copysign(0.0, value);
  return value;
}

Scalar sequin::reference::flushOperand(Scalar scalar) {
  if (scalar.error == 0)
    scalar.value = flushOperand(scalar.value);
  else if (std::fabs(scalar.value) - scalar.error < kLeastNormal &&
           isFlushing())
    scalar.error += kLeastNormal;
  return scalar;
}

Scalar sequin::reference::roundTo(ElementType type, Scalar scalar) {
  if (scalar.error == 0) {
    float narrow = flushSubnormal(static_cast<float>(scalar.value));
    scalar.value = type == ElementType::F32
                       ? narrow
                       : decodeFloat(type, encodeFloat(type, narrow));
  } else {
    scalar.error += halfUlp(type, std::fabs(scalar.value) + scalar.error);
    scalar = flushOperand(scalar);
  }
  return scalar;
}

std::optional<Scalar> sequin::reference::readConstant(Attribute attribute) {
  Scalar scalar;
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    bool lossy;
    llvm::APFloat value = number.getValue();
    value.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &lossy);
    scalar.value = value.convertToDouble();
    return scalar;
  }
  if (auto number = dyn_cast<IntegerAttr>(attribute)) {
    if (number.getValue().getSignificantBits() > 64)
      return std::nullopt;
    scalar.integer = number.getValue().getSExtValue();
    return scalar;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------===//

LogicalResult ScalarProgram::translate(Operation &op,
                                       llvm::DenseMap<Value, unsigned> &slots) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    std::optional<Scalar> value = readConstant(constant.getValue());
    if (!value)
      return op.emitOpError() << "has a value that is no number";
    slots[constant.getResult()] = start.size();
    start.push_back(*value);
    return success();
  }
  auto code = TypeSwitch<Operation *, std::optional<Code>>(&op)
                  .Case([](arith::AddFOp) { return Code::AddF; })
                  .Case([](arith::SubFOp) { return Code::SubF; })
                  .Case([](arith::MulFOp) { return Code::MulF; })
                  .Case([](arith::DivFOp) { return Code::DivF; })
                  .Case([](arith::MaximumFOp) { return Code::MaximumF; })
                  .Case([](arith::MinimumFOp) { return Code::MinimumF; })
                  .Case([](arith::MaxNumFOp) { return Code::MaxNumF; })
                  .Case([](arith::MinNumFOp) { return Code::MinNumF; })
                  .Case([](arith::NegFOp) { return Code::NegF; })
                  .Case([](arith::TruncFOp) { return Code::RoundF; })
                  .Case([](arith::ExtFOp) { return Code::WidenF; })
                  .Case([](arith::AddIOp) { return Code::AddI; })
                  .Case([](arith::SubIOp) { return Code::SubI; })
                  .Case([](arith::MulIOp) { return Code::MulI; })
                  .Case([](arith::MaxSIOp) { return Code::MaxS; })
                  .Case([](arith::MinSIOp) { return Code::MinS; })
                  .Case([](arith::AndIOp) { return Code::And; })
                  .Case([](arith::OrIOp) { return Code::Or; })
                  .Case([](arith::XOrIOp) { return Code::Xor; })
                  .Case([](arith::ShLIOp) { return Code::Shl; })
                  .Case([](arith::ShRSIOp) { return Code::ShrS; })
                  .Case([](arith::ShRUIOp) { return Code::ShrU; })
                  .Case<arith::ExtSIOp, arith::TruncIOp>(
                      [](auto) { return Code::ResizeS; })
                  .Case([](arith::ExtUIOp) { return Code::ResizeU; })
                  .Case([](arith::SIToFPOp) { return Code::IntToFloatS; })
                  .Case([](arith::UIToFPOp) { return Code::IntToFloatU; })
                  .Case([](arith::FPToSIOp) { return Code::FloatToInt; })
                  .Case([](arith::CmpFOp) { return Code::CompareF; })
                  .Case([](arith::CmpIOp) { return Code::CompareI; })
                  .Case([](arith::SelectOp) { return Code::Select; })
                  .Case([](math::FmaOp) { return Code::Fma; })
                  .Default(std::nullopt);
  const ScalarFunction *function = lookupFunction(&op);
  if (function)
    code = Code::Function;
  if (!code)
    return op.emitOpError() << "is not supported by the reference interpreter";

  Step step{*code};
  step.function = function;
  Type resultType = getElementTypeOrSelf(op.getResult(0).getType());
  if (isa<FloatType>(resultType)) {
    std::optional<ElementType> type = elementTypeOf(resultType);
    if (!type)
      return op.emitOpError()
             << "has result type " << resultType << ", which no machine has";
    step.type = *type;
  } else if (auto integer = dyn_cast<IntegerType>(resultType);
             integer && integer.getWidth() <= 32) {
    step.width = integer.getWidth();
  } else {
    return op.emitOpError() << "has result type " << resultType
                            << ", expected a float or an integer of at most "
                               "32 bits";
  }
  for (Value operand : op.getOperands()) {
    auto found = slots.find(operand);
    if (found == slots.end())
      return op.emitOpError() << "uses a value that is not a scalar here";
    step.operands[step.operandCount++] = found->second;
  }
  Type source = getElementTypeOrSelf(op.getOperand(0).getType());
  if (auto integer = dyn_cast<IntegerType>(source))
    step.sourceWidth = integer.getWidth();
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    step.predicate = static_cast<uint64_t>(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    step.predicate = static_cast<uint64_t>(compare.getPredicate());
  step.result = start.size();
  slots[op.getResult(0)] = step.result;
  start.emplace_back();
  steps.push_back(step);
  return success();
}

FailureOr<ScalarProgram> ScalarProgram::build(Block &body, Capture capture) {
  ScalarProgram program;
  llvm::DenseMap<Value, unsigned> slots;
  for (BlockArgument argument : body.getArguments()) {
    slots[argument] = program.start.size();
    program.start.emplace_back();
  }
  program.inputs = program.start.size();
  for (Operation &op : body) {
    for (Value operand : op.getOperands()) {
      if (slots.contains(operand))
        continue;
      if (const Scalar *outside = capture(operand)) {
        slots[operand] = program.start.size();
        program.start.push_back(*outside);
      }
    }
    if (isa<linalg::YieldOp>(op)) {
      for (Value operand : op.getOperands()) {
        auto found = slots.find(operand);
        if (found == slots.end())
          return op.emitOpError() << "yields a value that is not a scalar here";
        program.results.push_back(found->second);
      }
      return program;
    }
    if (failed(program.translate(op, slots)))
      return failure();
  }
  return body.getParentOp()->emitOpError() << "body does not yield";
}

FailureOr<ScalarProgram> ScalarProgram::build(Operation *op) {
  ScalarProgram program;
  llvm::DenseMap<Value, unsigned> slots;
  for (Value operand : op->getOperands()) {
    slots[operand] = program.start.size();
    program.start.emplace_back();
  }
  program.inputs = program.start.size();
  if (failed(program.translate(*op, slots)))
    return failure();
  program.results.push_back(program.steps.back().result);
  return program;
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

std::optional<ScalarProgram>
ScalarProgram::termOfSum(unsigned accumulator) const {
  if (results.size() != 1 || steps.empty())
    return std::nullopt;
  const Step &last = steps.back();
  bool isSum = (last.code == Code::AddF && last.type == ElementType::F32) ||
               (last.code == Code::AddI && last.width == 32);
  if (last.result != results[0] || !isSum)
    return std::nullopt;
  unsigned term;
  if (last.operands[0] == accumulator && last.operands[1] != accumulator)
    term = last.operands[1];
  else if (last.operands[1] == accumulator && last.operands[0] != accumulator)
    term = last.operands[0];
  else
    return std::nullopt;
  for (const Step &step : llvm::ArrayRef(steps).drop_back())
    for (unsigned i = 0; i < step.operandCount; ++i)
      if (step.operands[i] == accumulator)
        return std::nullopt;
  ScalarProgram program = *this;
  program.steps.pop_back();
  program.results = {term};
  return program;
}

std::optional<std::pair<unsigned, unsigned>>
ScalarProgram::productOfArguments() const {
  if (steps.empty())
    return std::nullopt;
  const Step &last = steps.back();
  bool isProduct = (last.code == Code::MulF && last.type == ElementType::F32) ||
                   (last.code == Code::MulI && last.width == 32);
  if (last.result != results[0] || !isProduct)
    return std::nullopt;
  size_t widenings = 0;
  auto source = [&](unsigned slot) -> std::optional<unsigned> {
    if (slot < inputs)
      return slot;
    for (const Step &step : steps)
      if (step.result == slot && step.operands[0] < inputs &&
          (step.code == Code::WidenF ||
           (step.code == Code::ResizeS && step.width > step.sourceWidth))) {
        ++widenings;
        return step.operands[0];
      }
    return std::nullopt;
  };
  auto left = source(last.operands[0]), right = source(last.operands[1]);
  if (!left || !right || *left == *right || steps.size() != widenings + 1)
    return std::nullopt;
  return std::pair(*left, *right);
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

static int64_t signExtend(int64_t value, unsigned width) {
  unsigned shift = 64 - width;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << shift) >> shift;
}

static int64_t zeroExtend(int64_t value, unsigned width) {
  return static_cast<int64_t>(static_cast<uint64_t>(value) &
                              (~uint64_t(0) >> (64 - width)));
}

static Scalar compareFloats(uint64_t predicate, const Scalar &a,
                            const Scalar &b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a.value) || std::isnan(b.value);
  bool less = a.value < b.value, equal = a.value == b.value;
  bool greater = a.value > b.value;
  Scalar result;
  result.unsure = std::fabs(a.value - b.value) <= a.error + b.error &&
                  a.error + b.error > 0;
  switch (static_cast<P>(predicate)) {
  case P::AlwaysFalse:
    break;
  case P::OEQ:
    result.integer = equal;
    break;
  case P::OGT:
    result.integer = greater;
    break;
  case P::OGE:
    result.integer = greater || equal;
    break;
  case P::OLT:
    result.integer = less;
    break;
  case P::OLE:
    result.integer = less || equal;
    break;
  case P::ONE:
    result.integer = less || greater;
    break;
  case P::ORD:
    result.integer = !unordered;
    break;
  case P::UEQ:
    result.integer = equal || unordered;
    break;
  case P::UGT:
    result.integer = greater || unordered;
    break;
  case P::UGE:
    result.integer = greater || equal || unordered;
    break;
  case P::ULT:
    result.integer = less || unordered;
    break;
  case P::ULE:
    result.integer = less || equal || unordered;
    break;
  case P::UNE:
    result.integer = less || greater || unordered;
    break;
  case P::UNO:
    result.integer = unordered;
    break;
  case P::AlwaysTrue:
    result.integer = true;
    break;
  }
  return result;
}

static bool compareInts(uint64_t predicate, int64_t a, int64_t b) {
  using P = arith::CmpIPredicate;
  // Sign extension keeps the unsigned order of equally wide operands.
  uint64_t ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (static_cast<P>(predicate)) {
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

/// The larger or the smaller operand, -0 being less than +0; of a NaN and a
/// number the NaN if `keepsNan`.
static Scalar extremum(bool largest, bool keepsNan, const Scalar &a,
                       const Scalar &b) {
  if (std::isnan(a.value) || std::isnan(b.value))
    return std::isnan(a.value) == keepsNan ? a : b;
  bool less =
      a.value < b.value || (a.value == b.value && std::signbit(a.value));
  Scalar result = less == largest ? b : a;
  if (std::fabs(a.value - b.value) <= a.error + b.error)
    result.error = std::max(a.error, b.error);
  return result;
}

void ScalarProgram::runStep(const Step &step,
                            std::vector<Scalar> &slots) const {
  // A selection passes its operands on as they are.
  auto operand = [&](unsigned i) {
    const Scalar &scalar = slots[step.operands[i]];
    return step.code == Code::Select ? scalar : flushOperand(scalar);
  };
  const Scalar a = operand(0), b = operand(1);
  Scalar result;
  switch (step.code) {
  case Code::AddF:
    result.value = a.value + b.value;
    result.error = a.error + b.error;
    result = roundTo(step.type, result);
    break;
  case Code::SubF:
    result.value = a.value - b.value;
    result.error = a.error + b.error;
    result = roundTo(step.type, result);
    break;
  case Code::MulF:
    result.value = a.value * b.value;
    if (a.error != 0 || b.error != 0)
      result.error = std::fabs(a.value) * b.error +
                     std::fabs(b.value) * a.error + a.error * b.error;
    result = roundTo(step.type, result);
    break;
  case Code::DivF: {
    result.value = a.value / b.value;
    double least = std::fabs(b.value) - b.error;
    if (a.error != 0 || b.error != 0)
      result.error = least > 0
                         ? (a.error + std::fabs(result.value) * b.error) / least
                         : INFINITY;
    result = roundTo(step.type, result);
    break;
  }
  case Code::MaximumF:
  case Code::MinimumF:
  case Code::MaxNumF:
  case Code::MinNumF:
    result = extremum(
        step.code == Code::MaximumF || step.code == Code::MaxNumF,
        step.code == Code::MaximumF || step.code == Code::MinimumF, a, b);
    break;
  case Code::NegF:
    result = a;
    result.value = -a.value;
    break;
  case Code::RoundF:
    result = roundTo(step.type, a);
    break;
  case Code::WidenF:
    result = a;
    break;
  case Code::AddI:
    result.integer = signExtend(a.integer + b.integer, step.width);
    break;
  case Code::SubI:
    result.integer = signExtend(a.integer - b.integer, step.width);
    break;
  case Code::MulI:
    result.integer = signExtend(a.integer * b.integer, step.width);
    break;
  case Code::MaxS:
    result.integer = std::max(a.integer, b.integer);
    break;
  case Code::MinS:
    result.integer = std::min(a.integer, b.integer);
    break;
  case Code::And:
    result.integer = signExtend(a.integer & b.integer, step.width);
    break;
  case Code::Or:
    result.integer = signExtend(a.integer | b.integer, step.width);
    break;
  case Code::Xor:
    result.integer = signExtend(a.integer ^ b.integer, step.width);
    break;
  case Code::Shl:
  case Code::ShrS:
  case Code::ShrU: {
    // Counts are unsigned; one as large as the width shifts everything out
    // (SIL-4).
    bool large = zeroExtend(b.integer, step.width) >= step.width;
    int64_t wide =
        step.code == Code::ShrU ? zeroExtend(a.integer, step.width) : a.integer;
    if (large)
      result.integer = step.code == Code::ShrS && a.integer < 0 ? -1 : 0;
    else if (step.code == Code::Shl)
      result.integer = signExtend(
          static_cast<int64_t>(static_cast<uint64_t>(wide) << b.integer),
          step.width);
    else
      result.integer = signExtend(wide >> b.integer, step.width);
    break;
  }
  case Code::ResizeS:
    // A comparison's result is 1 here; as a signed bit it is -1.
    result.integer =
        signExtend(signExtend(a.integer, step.sourceWidth), step.width);
    break;
  case Code::ResizeU:
    result.integer = zeroExtend(a.integer, step.sourceWidth);
    break;
  case Code::IntToFloatS:
    result.value = static_cast<double>(a.integer);
    result = roundTo(step.type, result);
    break;
  case Code::IntToFloatU:
    result.value = static_cast<double>(zeroExtend(a.integer, step.sourceWidth));
    result = roundTo(step.type, result);
    break;
  case Code::FloatToInt: {
    double limit = std::ldexp(1.0, static_cast<int>(step.width) - 1);
    double value = std::isnan(a.value)
                       ? 0
                       : std::clamp(std::trunc(a.value), -limit, limit - 1);
    result.integer = static_cast<int64_t>(value);
    break;
  }
  case Code::CompareF:
    result = compareFloats(step.predicate, a, b);
    break;
  case Code::CompareI:
    result.integer = compareInts(step.predicate, a.integer, b.integer);
    break;
  case Code::Fma: {
    const Scalar c = operand(2);
    result.value = std::fma(a.value, b.value, c.value);
    if (a.error != 0 || b.error != 0)
      result.error = std::fabs(a.value) * b.error +
                     std::fabs(b.value) * a.error + a.error * b.error;
    result.error += c.error;
    result = roundTo(step.type, result);
    break;
  }
  case Code::Function:
    result = apply(*step.function, step.type, a);
    break;
  case Code::Select: {
    const Scalar &c = slots[step.operands[2]];
    result = a.integer ? b : c;
    if (a.unsure)
      result.error = std::max(b.error, c.error) + std::fabs(b.value - c.value);
    break;
  }
  }
  slots[step.result] = result;
}

void ScalarProgram::run(std::vector<Scalar> &slots) const {
  for (const Step &step : steps)
    runStep(step, slots);
}
