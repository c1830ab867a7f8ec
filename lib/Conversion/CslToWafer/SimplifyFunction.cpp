//===- SimplifyFunction.cpp - Canonical functions of a PE -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimplifyFunction.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace sequin;

namespace {
class SimplifyFunction : public PassWrapper<SimplifyFunction, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SimplifyFunction)

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet ofBranches(context), ofOthers(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(ofOthers);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(
          isa<cf::ControlFlowDialect>(op.getDialect()) ? ofBranches : ofOthers,
          context);
    branches = std::move(ofBranches);
    others = std::move(ofOthers);
    return success();
  }

  void runOnOperation() override {
    // A round that is not the last leaves fewer blocks, edges or arguments;
    // functions that take more rounds than these are rare and stay as they are.
    constexpr int kRounds = 10;
    for (int round = 0; round < kRounds; ++round) {
      bool hasOtherBlocks = simplifyBranches();
      if (round > 0 && !hasOtherBlocks)
        return;
      if (!simplifyOthers() && round > 0)
        return;
    }
  }

private:
  /// Branches alone, with nothing folded: a value that is its own operand stays
  /// until its block is erased. Whether anything changed.
  bool simplifyBranches() {
    bool anyChange = false, changed = true;
    while (changed) {
      GreedyRewriteConfig config;
      config.setUseTopDownTraversal()
          .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
          .enableFolding(false)
          .enableConstantCSE(false);
      (void)applyPatternsGreedily(getOperation(), branches, config, &changed);
      IRRewriter rewriter(&getContext());
      changed |= succeeded(simplifyRegions(
          rewriter, getOperation()->getRegions(), /*mergeBlocks=*/false));
      anyChange |= changed;
    }
    return anyChange;
  }

  /// Everything else; the blocks stay as they are, and all are reached.
  bool simplifyOthers() {
    bool changed = false;
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal().setRegionSimplificationLevel(
        GreedySimplifyRegionLevel::Disabled);
    (void)applyPatternsGreedily(getOperation(), others, config, &changed);
    return changed;
  }

  FrozenRewritePatternSet branches, others;
};
} // namespace

std::unique_ptr<Pass> csl_to_wafer::createSimplifyFunctionPass() {
  return std::make_unique<SimplifyFunction>();
}
