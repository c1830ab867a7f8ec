//===- Widths.cpp - Indices are numbers of 32 bits ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormalForm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "sequin/Conversion/CslToWafer/Passes.h"

namespace sequin {
#define GEN_PASS_DEF_CSLINDEXTOI32
#include "sequin/Conversion/CslToWafer/Passes.h.inc"
} // namespace sequin

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

namespace {
struct IndexToI32 : public sequin::impl::CslIndexToI32Base<IndexToI32> {
  using CslIndexToI32Base::CslIndexToI32Base;

  explicit IndexToI32(std::shared_ptr<CanonicalPatterns> patterns)
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
      return isa<arith::ArithDialect, cf::ControlFlowDialect>(op->getDialect());
    };
    auto reads = [&](OpOperand &use) { return follows(use.getOwner()); };
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
  std::shared_ptr<CanonicalPatterns> patterns =
      std::make_shared<CanonicalPatterns>();
};
} // namespace

std::unique_ptr<Pass> csl_to_wafer::createIndexToI32Pass(
    std::shared_ptr<CanonicalPatterns> patterns) {
  return std::make_unique<IndexToI32>(std::move(patterns));
}
