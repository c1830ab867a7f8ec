//===- SimplifyFunction.cpp - Canonical functions of a PE -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimplifyFunction.h"
#include "Comparisons.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "sequin/Dialect/Csl/Transforms/Blocks.h"
#include "sequin/Dialect/Csl/Transforms/RunningConstants.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

namespace {
/// The opposite of a comparison is asked where the comparison is. Upstream's
/// pattern asks where the opposite is needed, which may be in a loop.
struct NegateWhereCompared : public OpRewritePattern<arith::XOrIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::XOrIOp op,
                                PatternRewriter &rewriter) const override {
    auto compare = op.getLhs().getDefiningOp<arith::CmpIOp>();
    if (!compare || !matchPattern(op.getRhs(), m_One()))
      return failure();
    rewriter.setInsertionPoint(compare);
    Value opposite =
        arith::CmpIOp::create(rewriter, compare.getLoc(),
                              arith::invertPredicate(compare.getPredicate()),
                              compare.getLhs(), compare.getRhs());
    rewriter.replaceOp(op, opposite);
    return success();
  }
};
} // namespace

namespace {
/// Of a choice of values that are there before, bools are logic, a value and
/// itself are the value, and the larger or smaller one is arith's. Upstream's
/// pattern makes all of them a `select`; whether they are there before depends
/// on how the source was written.
struct ChooseBefore : public OpRewritePattern<scf::IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::IfOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumResults() == 0)
      return failure();
    bool changed = false;
    auto isBefore = [&](Value value) {
      return !op->isAncestor(value.getParentBlock()->getParentOp());
    };
    for (auto [result, yes, no] :
         llvm::zip(op.getResults(), op.thenYield().getOperands(),
                   op.elseYield().getOperands())) {
      if (result.use_empty() || !isBefore(yes) || !isBefore(no))
        continue;
      rewriter.setInsertionPoint(op);
      Value chosen;
      if (yes == no)
        chosen = yes;
      else if (result.getType().isInteger(1))
        chosen = rewriter.createOrFold<arith::SelectOp>(
            op.getLoc(), op.getCondition(), yes, no);
      else
        chosen =
            makeExtremum(rewriter, op.getLoc(), op.getCondition(), yes, no);
      if (!chosen)
        continue;
      rewriter.replaceAllUsesWith(result, chosen);
      changed = true;
    }
    return success(changed);
  }
};

/// Of two edges to one block, what differs is chosen before. Upstream's pattern
/// does so where no other edge leads there, which depends on when it is asked.
struct ChooseBeforeEdge : public OpRewritePattern<cf::CondBranchOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(cf::CondBranchOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getTrueDest() != op.getFalseDest())
      return failure();
    llvm::SmallVector<Value> operands;
    for (auto [yes, no] :
         llvm::zip(op.getTrueDestOperands(), op.getFalseDestOperands()))
      operands.push_back(
          yes == no ? yes
                    : arith::SelectOp::create(rewriter, op.getLoc(),
                                              op.getCondition(), yes, no));
    rewriter.replaceOpWithNewOp<cf::BranchOp>(op, op.getTrueDest(), operands);
    return success();
  }
};
} // namespace

/// Everything else; the blocks stay as they are, and all are reached.
static bool simplifyOthers(Operation *function,
                           const CanonicalPatterns &patterns) {
  bool changed = false;
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal().setRegionSimplificationLevel(
      GreedySimplifyRegionLevel::Disabled);
  (void)applyPatternsGreedily(function, patterns.others, config, &changed);
  return changed;
}

void csl_to_wafer::simplifyFunction(Operation *function,
                                    const CanonicalPatterns &patterns) {
  // A round that is not the last leaves fewer blocks, edges or arguments;
  // functions that take more rounds than these are rare and stay as they are.
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    bool hasOtherBlocks = csl::simplifyBranches(function, patterns.branches);
    if (round > 0 && !hasOtherBlocks)
      return;
    if (!simplifyOthers(function, patterns))
      return;
  }
}

namespace {
class SimplifyFunction : public PassWrapper<SimplifyFunction, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SimplifyFunction)

  explicit SimplifyFunction(std::shared_ptr<CanonicalPatterns> patterns)
      : patterns(std::move(patterns)) {}

  LogicalResult initialize(MLIRContext *context) override {
    patterns->make(context);
    return success();
  }

  void runOnOperation() override {
    if (getCachedAnalysis<Simplified>()) {
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

void CanonicalPatterns::make(MLIRContext *context) {
  std::call_once(made, [&] {
    RewritePatternSet ofBranches(context), ofOthers(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(ofOthers);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      if (!isa<cf::ControlFlowDialect>(op.getDialect()))
        op.getCanonicalizationPatterns(ofOthers, context);
    csl::populateBranchPatterns(ofBranches);
    csl::populateRunningConstantPatterns(ofOthers);
    // Before upstream's, whose benefit is what it looks at.
    ofOthers.add<NegateWhereCompared>(context, /*benefit=*/10);
    ofBranches.add<ChooseBeforeEdge>(context);
    branches = std::move(ofBranches);
    ofOthers.add<ChooseBefore>(context);
    others = FrozenRewritePatternSet(
        std::move(ofOthers),
        /*disabledPatternLabels=*/{"(anonymous namespace)::"
                                   "ConvertTrivialIfToSelect"});
  });
}

std::unique_ptr<Pass> csl_to_wafer::createSimplifyFunctionPass(
    std::shared_ptr<CanonicalPatterns> patterns) {
  return std::make_unique<SimplifyFunction>(std::move(patterns));
}
