//===- Widths.cpp - Signs and widths of numbers that have 32 bits ---------===//
//-------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormalForm.h"
#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "sequin/Dialect/Csl/Transforms/BoundedRanges.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

//===----------------------------------------------------------------------===//
// Signs
//===----------------------------------------------------------------------===//

namespace {
struct KnownSigns : public PassWrapper<KnownSigns, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KnownSigns)

  void runOnOperation() override {
    auto function = cast<FunctionOpInterface>(getOperation());
    if (function.isExternal())
      return;
    llvm::SmallVector<Operation *> asks;
    function->walk([&](Operation *op) {
      auto compare = dyn_cast<arith::CmpIOp>(op);
      if (isExtension(op) ||
          (compare && compare.getPredicate() >= arith::CmpIPredicate::slt &&
           compare.getPredicate() <= arith::CmpIPredicate::sge))
        asks.push_back(op);
    });
    if (asks.empty()) {
      markAllAnalysesPreserved();
      return;
    }
    DataFlowSolver solver;
    solver.load<dataflow::DeadCodeAnalysis>();
    solver.load<dataflow::SparseConstantPropagation>();
    solver.load<csl::BoundedRanges>();
    if (failed(solver.initializeAndRun(getOperation())))
      return;
    auto rangeOf = [&](Value value) -> std::optional<ConstantIntRanges> {
      const auto *state =
          solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
      if (!state || state->getValue().isUninitialized())
        return std::nullopt;
      return state->getValue().getValue();
    };
    // All of them before any operand changes.
    llvm::SmallVector<Operation *> whole, positive;
    for (Operation *op : asks) {
      if (isWhole(op, rangeOf))
        whole.push_back(op);
      else if (!isa<arith::ExtUIOp, arith::IndexCastUIOp>(op) &&
               llvm::all_of(op->getOperands(), [&](Value operand) {
                 std::optional<ConstantIntRanges> range = rangeOf(operand);
                 return range && range->smin().isNonNegative();
               }))
        positive.push_back(op);
    }
    if (whole.empty() && positive.empty())
      markAllAnalysesPreserved();
    for (Operation *op : positive) {
      if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
        using P = arith::CmpIPredicate;
        P predicate = compare.getPredicate();
        compare.setPredicate(predicate == P::slt   ? P::ult
                             : predicate == P::sle ? P::ule
                             : predicate == P::sgt ? P::ugt
                                                   : P::uge);
        continue;
      }
      OpBuilder builder(op);
      Value value = op->getOperand(0), result = op->getResult(0), same;
      if (isa<arith::ExtSIOp>(op))
        same = arith::ExtUIOp::create(builder, op->getLoc(), result.getType(),
                                      value);
      else
        same = arith::IndexCastUIOp::create(builder, op->getLoc(),
                                            result.getType(), value);
      replace(op, same);
    }
    for (Operation *op : whole) {
      OpBuilder builder(op);
      Value from = op->getOperand(0).getDefiningOp<arith::TruncIOp>().getIn();
      Type type = op->getResult(0).getType();
      if (type != from.getType())
        from = arith::IndexCastOp::create(builder, op->getLoc(), type, from);
      replace(op, from);
    }
  }

private:
  static bool isExtension(Operation *op) {
    if (!isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp,
             arith::IndexCastUIOp>(op))
      return false;
    auto from = dyn_cast<IntegerType>(op->getOperand(0).getType());
    Type to = op->getResult(0).getType();
    return from && from.getWidth() > 1 && from.getWidth() < 32 &&
           (to.isInteger(32) || to.isIndex());
  }

  /// Whether `op` extends what was cut without loss.
  static bool
  isWhole(Operation *op,
          llvm::function_ref<std::optional<ConstantIntRanges>(Value)> rangeOf) {
    auto cut = op->getOperand(0).getDefiningOp<arith::TruncIOp>();
    if (!isExtension(op) || !cut || !cut.getIn().getType().isInteger(32))
      return false;
    std::optional<ConstantIntRanges> range = rangeOf(cut.getIn());
    unsigned width = cut.getType().getIntOrFloatBitWidth();
    bool isUnsigned = isa<arith::ExtUIOp, arith::IndexCastUIOp>(op);
    return range && (isUnsigned ? range->umax().isIntN(width)
                                : range->smin().isSignedIntN(width) &&
                                      range->smax().isSignedIntN(width));
  }

  static void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }
};
} // namespace

std::unique_ptr<Pass> csl_to_wafer::createKnownSignsPass() {
  return std::make_unique<KnownSigns>();
}

//===----------------------------------------------------------------------===//
// index
//===----------------------------------------------------------------------===//

namespace {
struct IndexAsInteger : public PassWrapper<IndexAsInteger, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(IndexAsInteger)

  explicit IndexAsInteger(std::shared_ptr<CanonicalPatterns> patterns)
      : patterns(std::move(patterns)) {}

  LogicalResult initialize(MLIRContext *context) override {
    patterns->make(context);
    return success();
  }

  void runOnOperation() override {
    auto function = cast<FunctionOpInterface>(getOperation());
    if (function.isExternal())
      return;
    Region &body = function.getFunctionBody();
    Type number = IntegerType::get(&getContext(), 32);
    // Operations whose operands and results may be numbers as well.
    auto follows = [](Operation *op) {
      return isa<arith::ArithDialect, cf::ControlFlowDialect, scf::SCFDialect>(
          op->getDialect());
    };
    auto reads = [&](OpOperand &use) {
      return follows(use.getOwner()) &&
             !isa<scf::IndexSwitchOp>(use.getOwner());
    };
    // An address beside its uses: what the loops below would leave.
    auto isDone = [&](Operation *op) {
      return isa<arith::IndexCastOp>(op) &&
             op->getOperand(0).getType() == number &&
             llvm::all_of(op->getUses(), [&](OpOperand &use) {
               return !reads(use) &&
                      use.getOwner()->getBlock() == op->getBlock();
             });
    };
    // What becomes a number, and what stays an index.
    llvm::SmallVector<Value> changed, kept;
    body.walk([&](Block *block) {
      bool isOurs = block != &body.front() && (block->getParent() == &body ||
                                               follows(block->getParentOp()));
      for (BlockArgument argument : block->getArguments())
        if (argument.getType().isIndex())
          (isOurs ? changed : kept).push_back(argument);
      for (Operation &op : *block)
        for (Value result : op.getResults())
          // A constant that is an index wherever it is used may stay one.
          if (result.getType().isIndex() && !isDone(&op) &&
              (!isa<arith::ConstantOp>(op) ||
               llvm::any_of(result.getUses(), reads)))
            (follows(&op) ? changed : kept).push_back(result);
    });
    bool hasChanged = !changed.empty();
    for (Value value : changed) {
      value.setType(number);
      if (auto constant = value.getDefiningOp<arith::ConstantOp>())
        constant.setValueAttr(IntegerAttr::get(
            number,
            cast<IntegerAttr>(constant.getValue()).getValue().trunc(32)));
      for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
        if (reads(use))
          continue;
        OpBuilder builder(use.getOwner());
        use.set(arith::IndexCastOp::create(builder, value.getLoc(),
                                           builder.getIndexType(), value));
      }
    }
    for (Value value : kept) {
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfterValue(value);
      Value cast;
      for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
        Operation *user = use.getOwner();
        if (!reads(use) || (cast && user == cast.getDefiningOp()) ||
            (isa<arith::IndexCastOp>(user) &&
             user->getResult(0).getType() == number))
          continue;
        if (!cast)
          cast = arith::IndexCastOp::create(builder, value.getLoc(), number,
                                            value);
        use.set(cast);
        hasChanged = true;
      }
    }
    // Casts between numbers.
    llvm::SmallVector<Operation *> casts;
    body.walk([&](Operation *op) {
      if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
          !op->getOperand(0).getType().isIndex() &&
          !op->getResult(0).getType().isIndex())
        casts.push_back(op);
    });
    for (Operation *op : casts) {
      Value from = op->getOperand(0), to = op->getResult(0), result = from;
      unsigned fromBits = from.getType().getIntOrFloatBitWidth();
      unsigned toBits = to.getType().getIntOrFloatBitWidth();
      OpBuilder builder(op);
      if (toBits < fromBits)
        result =
            arith::TruncIOp::create(builder, op->getLoc(), to.getType(), from);
      else if (toBits > fromBits && isa<arith::IndexCastOp>(op))
        result =
            arith::ExtSIOp::create(builder, op->getLoc(), to.getType(), from);
      else if (toBits > fromBits)
        result =
            arith::ExtUIOp::create(builder, op->getLoc(), to.getType(), from);
      to.replaceAllUsesWith(result);
      op->erase();
    }
    if (!hasChanged && casts.empty()) {
      markAllAnalysesPreserved();
      return;
    }
    simplifyFunction(getOperation(), *patterns);
    getAnalysis<Simplified>();
    markAnalysesPreserved<Simplified>();
  }

private:
  std::shared_ptr<CanonicalPatterns> patterns;
};
} // namespace

std::unique_ptr<Pass> csl_to_wafer::createIndexAsIntegerPass(
    std::shared_ptr<CanonicalPatterns> patterns) {
  return std::make_unique<IndexAsInteger>(std::move(patterns));
}
