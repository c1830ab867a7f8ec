//===- BoundedRanges.h - Ranges of integers in bounded time -----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_TRANSFORMS_BOUNDEDRANGES_H
#define SEQUIN_DIALECT_CSL_TRANSFORMS_BOUNDEDRANGES_H

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace sequin::csl {

/// Ranges of integers that come to rest soon. What a loop carries may grow by
/// one with every visit, 2^32 times; after some visits an operation may give
/// anything.
class BoundedRanges : public mlir::dataflow::IntegerRangeAnalysis {
public:
  using IntegerRangeAnalysis::IntegerRangeAnalysis;

  llvm::LogicalResult visitOperation(
      mlir::Operation *op,
      llvm::ArrayRef<const mlir::dataflow::IntegerValueRangeLattice *> operands,
      llvm::ArrayRef<mlir::dataflow::IntegerValueRangeLattice *> results)
      override {
    constexpr unsigned kMostVisits = 64;
    if (++visits[op] <= kMostVisits && !mayDivideByZero(op, operands))
      return IntegerRangeAnalysis::visitOperation(op, operands, results);
    setAllToEntryStates(results);
    return llvm::success();
  }

  /// The bounds of a counter without a sign are taken for numbers with one.
  void visitNonControlFlowArguments(
      mlir::Operation *op, const mlir::RegionSuccessor &successor,
      llvm::ArrayRef<mlir::dataflow::IntegerValueRangeLattice *> arguments,
      unsigned firstIndex) override {
    auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op);
    auto mayBeNegative = [](mlir::Value bound) {
      std::optional<int64_t> number = mlir::getConstantIntValue(bound);
      return !number || *number < 0;
    };
    if (loop && loop.getUnsignedCmp() &&
        (mayBeNegative(loop.getLowerBound()) ||
         mayBeNegative(loop.getUpperBound())))
      return setAllToEntryStates(arguments);
    IntegerRangeAnalysis::visitNonControlFlowArguments(op, successor, arguments,
                                                       firstIndex);
  }

private:
  /// Here such a division gives all ones and the dividend as rest; for the
  /// analysis it never happens.
  static bool mayDivideByZero(
      mlir::Operation *op,
      llvm::ArrayRef<const mlir::dataflow::IntegerValueRangeLattice *>
          operands) {
    using namespace mlir::arith;
    if (!mlir::isa<DivUIOp, DivSIOp, CeilDivUIOp, CeilDivSIOp, FloorDivSIOp,
                   RemUIOp, RemSIOp>(op))
      return false;
    const mlir::IntegerValueRange &divisor = operands[1]->getValue();
    return !divisor.isUninitialized() && divisor.getValue().umin().isZero();
  }

  llvm::DenseMap<mlir::Operation *, unsigned> visits;
};

} // namespace sequin::csl

#endif // SEQUIN_DIALECT_CSL_TRANSFORMS_BOUNDEDRANGES_H
