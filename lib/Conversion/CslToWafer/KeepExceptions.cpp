//===- KeepExceptions.cpp - Float operations that may stop a PE -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeepExceptions.h"
#include "NormalForm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "sequin/Machine/CslRegisters.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

MarkDialect::MarkDialect(MLIRContext *context)
    : Dialect(getDialectNamespace(), context, TypeID::get<MarkDialect>()) {
  addOperations<RaisingOp>();
}

/// Attributes of RaisingOp.
static constexpr llvm::StringLiteral kName = "name", kAttributes = "attributes";

/// Whether a write at `address` may be one of the mask. A base with something
/// added is not below the base.
static bool mayBeMask(Value address) {
  uint16_t mask = getInfo(CslRegister::ExceptionMask).address;
  APInt number;
  if (matchPattern(address, m_ConstantInt(&number)))
    return number.getZExtValue() == mask;
  // An index is one of the register's words.
  if (auto named = address.getDefiningOp<csl::RegisterAddressOp>())
    return lookupCslRegister(named.getName()) ==
           &getInfo(CslRegister::ExceptionMask);
  if (auto sum = address.getDefiningOp<arith::AddIOp>())
    for (Value part : sum->getOperands())
      if (matchPattern(part, m_ConstantInt(&number)) &&
          number.getZExtValue() > mask)
        return false;
  return true;
}

static bool setsMask(csl::ProgramOp program) {
  const CslMachine *machine = csl::lookupMachine(program);
  // A number that a pointer is made of is a byte address, and something may be
  // added to it.
  auto mayStoreMask = [&](Operation *op) {
    Value stored = getStored(op);
    Value number = stored ? csl::getPlaceNumber(stored) : Value();
    APInt known;
    uint64_t mask = 2 * getInfo(CslRegister::ExceptionMask).address;
    return number && machine && configWordAt(*machine, mask) &&
           (!matchPattern(number, m_ConstantInt(&known)) ||
            known.getZExtValue() <= mask);
  };
  return program
      ->walk([&](Operation *op) {
        auto set = dyn_cast<csl::SetConfigOp>(op);
        return (set && mayBeMask(set.getAddress())) || mayStoreMask(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a PE that executes it looks for exceptions. Negation and what else
/// changes the sign alone works on bits.
static bool isFloatOperation(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions())
    return false;
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
          arith::RemFOp, arith::MinNumFOp, arith::MaxNumFOp, arith::MinimumFOp,
          arith::MaximumFOp, arith::CmpFOp, arith::ExtFOp, arith::TruncFOp,
          arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp>(
          op))
    return true;
  // A written number of this type is a conversion.
  if (isa<csl::ConvertCB16Op>(op))
    return !matchPattern(op->getOperand(0), m_Constant());
  return isa<math::MathDialect>(op->getDialect()) &&
         isa<FloatType, csl::CB16Type>(op->getResult(0).getType()) &&
         !isa<math::AbsFOp, math::CopySignOp>(op);
}

namespace {
/// When the value of an operation is known.
class Times {
public:
  bool isComptime(Value value) { return of(value) == Time::Comptime; }

private:
  enum class Time : uint8_t { Constant, Comptime, Running };

  Time of(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return Time::Running;
    if (auto found = known.find(op); found != known.end())
      return found->second;
    Time time = Time::Constant;
    if (isa<csl::GetParamOp>(op))
      time = Time::Comptime;
    else if (op->getNumRegions() || !isMemoryEffectFree(op))
      time = Time::Running;
    else if (!op->hasTrait<OpTrait::ConstantLike>()) {
      for (Value operand : op->getOperands())
        time = std::max(time, of(operand));
      // What has neither is the source's own: the front end has folded the
      // rest.
      if (time == Time::Constant && isFloatOperation(op))
        time = Time::Running;
    }
    known[op] = time;
    return time;
  }

  llvm::DenseMap<Operation *, Time> known;
};
} // namespace

void csl_to_wafer::hideRaisingFloats(ModuleOp module) {
  for (auto program : module.getOps<csl::ProgramOp>()) {
    if (!setsMask(program))
      continue;
    module.getContext()->getOrLoadDialect<MarkDialect>();
    Times times;
    llvm::SmallVector<Operation *> hidden;
    program.walk([&](Operation *op) {
      // Of all in order, so that none has far to go for its operands.
      if (op->getNumResults() == 1 && !times.isComptime(op->getResult(0)) &&
          isFloatOperation(op) && !op->getParentOfType<csl::ComptimeOp>())
        hidden.push_back(op);
    });
    for (Operation *op : hidden) {
      OpBuilder builder(op);
      OperationState state(op->getLoc(), RaisingOp::getOperationName());
      state.addOperands(op->getOperands());
      state.addTypes(op->getResultTypes());
      state.addAttribute(kName,
                         builder.getStringAttr(op->getName().getStringRef()));
      state.addAttribute(kAttributes, op->getAttrDictionary());
      op->replaceAllUsesWith(builder.create(state));
      op->erase();
    }
  }
}

void csl_to_wafer::showRaisingFloats(Operation *function) {
  llvm::SmallVector<RaisingOp> hidden;
  function->walk([&](RaisingOp op) { hidden.push_back(op); });
  for (RaisingOp op : hidden) {
    OpBuilder builder(op);
    OperationState state(op->getLoc(),
                         op->getAttrOfType<StringAttr>(kName).getValue());
    state.addOperands(op->getOperands());
    state.addTypes(op->getResultTypes());
    state.addAttributes(
        op->getAttrOfType<DictionaryAttr>(kAttributes).getValue());
    op->replaceAllUsesWith(builder.create(state));
    op->erase();
  }
}
