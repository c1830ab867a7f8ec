//===- CslExceptions.cpp - Unmasked exceptions stop a PE ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exceptions of operations on floats that a PE's mask does not hold back.
// An operation is looked at when its result is known and before anything is
// stored. What the source has at comptime raises nothing: comptime blocks, and
// what is made of parameters and constants with a parameter among them.
//
//===----------------------------------------------------------------------===//

#include "CslState.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "sequin/Support/FloatExceptions.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

static bool isCslFloat(Type type) {
  return isa<FloatType, csl::CB16Type>(type);
}

/// By what a scalar operation on floats makes, or is made of.
bool reference::mayRaise(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa<arith::ArithDialect, math::MathDialect, csl::CslDialect>(
          op->getDialect()))
    return false;
  // A written number of this type is a conversion.
  if (isa<csl::CslDialect>(op->getDialect()))
    return isa<csl::ConvertCB16Op>(op) &&
           !matchPattern(op->getOperand(0), m_Constant());
  if (isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp, arith::NegFOp,
          math::AbsFOp, math::CopySignOp>(op))
    return false;
  auto isOne = [](Value value) { return isCslFloat(value.getType()); };
  return isOne(op->getResult(0)) || llvm::any_of(op->getOperands(), isOne);
}

/// Whether the source has the value at comptime; none: it is written there.
std::optional<bool> KnownAtComptime::of(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions())
    return false;
  if (auto found = values.find(op); found != values.end())
    return found->second;
  std::optional<bool> known;
  if (isa<csl::GetParamOp>(op)) {
    known = true;
  } else if (!op->hasTrait<OpTrait::ConstantLike>()) {
    if (isMemoryEffectFree(op))
      for (Value operand : op->getOperands()) {
        std::optional<bool> part = of(operand);
        if (known != false && part)
          known = part;
      }
    else
      known = false;
    // An operation on written constants alone is one of running code.
    if (!known && mayRaise(op))
      known = false;
  }
  values[op] = known;
  return known;
}

static bool isOrder(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::OGT:
  case P::OGE:
  case P::OLT:
  case P::OLE:
  case P::UGT:
  case P::UGE:
  case P::ULT:
  case P::ULE:
    return true;
  default:
    return false;
  }
}

static uint8_t exceptionsOf(Activation &frame, const Step &step) {
  Operation *op = step.op;
  auto bits = [&](unsigned i) {
    return i < step.operands.size()
               ? static_cast<uint32_t>(operand(frame, step, i).bits)
               : 0;
  };
  uint32_t x = bits(0), y = bits(1);
  uint32_t value = static_cast<uint32_t>(result(frame, step).bits);
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  // The format of what it makes, of a comparison and of an integer what it is
  // made of.
  std::optional<Fp16Format> half = formatOf(isCslFloat(to) ? to : from);
  dsd::FloatFormat format = {!half, half.value_or(Fp16Format::F16)};
  auto element = [&](DsdOpcode wide, DsdOpcode narrow) {
    return dsd::exceptionsOf(format.isF32 ? wide : narrow, format.half, x, y, 0,
                             value);
  };
  if (isa<arith::AddFOp>(op))
    return element(DsdOpcode::Fadds, DsdOpcode::Faddh);
  if (isa<arith::SubFOp>(op))
    return element(DsdOpcode::Fsubs, DsdOpcode::Fsubh);
  if (isa<arith::MulFOp>(op))
    return element(DsdOpcode::Fmuls, DsdOpcode::Fmulh);
  if (isa<math::FmaOp>(op))
    return dsd::exceptionsOf(format.isF32 ? DsdOpcode::Fmacs : DsdOpcode::Fmach,
                             format.half, bits(2), x, y, value);
  if (isa<arith::DivFOp>(op))
    return dsd::exceptionsOfQuotient(format, x, y, value);
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return dsd::exceptionsOfComparison(format, x, y,
                                       isOrder(compare.getPredicate()));
  if (isa<arith::SIToFPOp>(op))
    return dsd::exceptionsFromInteger(
        format,
        static_cast<uint64_t>(
            llvm::SignExtend64(operand(frame, step, 0).bits, step.width)),
        true, value);
  if (isa<arith::UIToFPOp>(op))
    return dsd::exceptionsFromInteger(format, operand(frame, step, 0).bits,
                                      false, value);
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return dsd::exceptionsToInteger(format, x, step.resultWidth,
                                    isa<arith::FPToSIOp>(op));
  if (isa<arith::ExtFOp, arith::TruncFOp, csl::ConvertCB16Op>(op)) {
    if (from.isF32())
      return dsd::exceptionsOf(DsdOpcode::Fs2h, format.half, x, 0, 0, value);
    if (to.isF32())
      return dsd::exceptionsOf(DsdOpcode::Fh2s, *formatOf(from), x, 0, 0,
                               value);
    return 0;
  }
  if (isa<math::MathDialect>(op->getDialect())) {
    // "powf" is the only name that is another one here.
    StringRef name = op->getName().stripDialect();
    return dsd::exceptionsOfFunction(isa<math::PowFOp>(op) ? "pow" : name,
                                     format, x, y, value);
  }
  // Remainders, minima and maxima.
  return dsd::exceptionsOfExact(format, x, y, value);
}

void CslMachineState::checkStep(Pe &pe, Activation &frame, const Step &step) {
  if (uint8_t raised =
          unmaskedFloatExceptions(pe.exceptionMask) & exceptionsOf(frame, step))
    trap(pe,
         dsd::describeExceptions(raised) + " in " +
             step.op->getName().getStringRef(),
         step.op);
}

/// False if there was a trap.
bool CslMachineState::checkElement(Pe &pe, const Running &op, uint32_t x,
                                   uint32_t y, uint32_t value) {
  uint8_t unmasked = unmaskedFloatExceptions(pe.exceptionMask);
  if (!unmasked)
    return true;
  uint8_t raised =
      unmasked & dsd::exceptionsOf(op.opcode, format, x, y, op.scalar, value);
  if (!raised)
    return true;
  trap(pe,
       dsd::describeExceptions(raised) + " in " +
           (op.endless ? Twine("an element")
                       : "element " + Twine(op.length - op.remaining)) +
           " of " + op.step->op->getName().getStringRef(),
       op.step->op);
  return false;
}
