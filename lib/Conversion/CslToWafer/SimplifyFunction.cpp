//===- SimplifyFunction.cpp - Canonical functions of a PE -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimplifyFunction.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "sequin/Conversion/CslToWafer/Passes.h"
#include "sequin/Dialect/Csl/Transforms/Blocks.h"
#include "sequin/Dialect/Csl/Transforms/RunningConstants.h"

namespace sequin {
#define GEN_PASS_DEF_CSLSIMPLIFY
#include "sequin/Conversion/CslToWafer/Passes.h.inc"
} // namespace sequin

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

namespace {
/// A branch to a block that only returns is that return, as source may say it
/// at either place.
struct ReturnAtOnce : public OpRewritePattern<cf::BranchOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(cf::BranchOp op,
                                PatternRewriter &rewriter) const override {
    Block *block = op.getDest();
    Operation *end = &block->front();
    if (block == op->getBlock() || !end->hasTrait<OpTrait::ReturnLike>() ||
        !end->hasTrait<OpTrait::IsTerminator>())
      return failure();
    IRMapping mapping;
    mapping.map(block->getArguments(), op.getDestOperands());
    rewriter.clone(*end, mapping);
    rewriter.eraseOp(op);
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
struct SimplifyFunction
    : public sequin::impl::CslSimplifyBase<SimplifyFunction> {
  using CslSimplifyBase::CslSimplifyBase;

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
  std::shared_ptr<CanonicalPatterns> patterns =
      std::make_shared<CanonicalPatterns>();
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
    ofBranches.add<ReturnAtOnce>(context);
    csl::populateRunningConstantPatterns(ofOthers);
    branches = std::move(ofBranches);
    others = std::move(ofOthers);
  });
}

std::unique_ptr<Pass> csl_to_wafer::createSimplifyFunctionPass(
    std::shared_ptr<CanonicalPatterns> patterns) {
  return std::make_unique<SimplifyFunction>(std::move(patterns));
}
