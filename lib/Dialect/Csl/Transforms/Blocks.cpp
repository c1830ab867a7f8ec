//===- Blocks.cpp - Fewer blocks, edges and arguments ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Dialect/Csl/Transforms/Blocks.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace sequin;

/// What every branch to `block` gives for its argument `number`; null where
/// they differ.
static Value getSameOperand(Block *block, unsigned number) {
  Value same;
  for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
    auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
    if (!branch)
      return {};
    Value operand = branch.getSuccessorOperands(it.getSuccessorIndex())[number];
    if (!operand ||
        (same && operand != same && operand != block->getArgument(number)))
      return {};
    if (operand != block->getArgument(number))
      same = operand;
  }
  return same;
}

/// An argument that is the same value from everywhere is that value.
static bool dropSameArguments(Operation *function) {
  bool changed = false;
  function->walk([&](Block *block) {
    if (block->isEntryBlock())
      return;
    for (unsigned number = block->getNumArguments(); number-- > 0;) {
      Value same = getSameOperand(block, number);
      if (!same)
        continue;
      block->getArgument(number).replaceAllUsesWith(same);
      for (auto it = block->pred_begin(); it != block->pred_end(); ++it)
        cast<BranchOpInterface>((*it)->getTerminator())
            .getSuccessorOperands(it.getSuccessorIndex())
            .erase(number);
      block->eraseArgument(number);
      changed = true;
    }
  });
  return changed;
}

namespace {
/// A branch that gives its only successor an argument of that successor is
/// never reached: it goes back to its own block, until both are erased.
/// Upstream's pattern would merge the two, put the argument in its own place
/// and leave what uses it without a value (LLVM 22.1, BranchOp).
struct LeaveUnreachedLoop : public OpRewritePattern<cf::BranchOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(cf::BranchOp op,
                                PatternRewriter &rewriter) const override {
    Block *block = op->getBlock(), *next = op.getDest();
    auto isOfNext = [&](Value operand) {
      auto argument = dyn_cast<BlockArgument>(operand);
      return argument && argument.getOwner() == next;
    };
    if (next == block || next->getSinglePredecessor() != block ||
        llvm::none_of(op.getDestOperands(), isOfNext))
      return failure();
    rewriter.replaceOpWithNewOp<cf::BranchOp>(op, block, block->getArguments());
    return success();
  }
};
} // namespace

void csl::populateBranchPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (isa<cf::ControlFlowDialect>(op.getDialect()))
      op.getCanonicalizationPatterns(patterns, context);
  patterns.add<LeaveUnreachedLoop>(context, /*benefit=*/10);
}

bool csl::simplifyBranches(Operation *root,
                           const FrozenRewritePatternSet &patterns,
                           RewriterBase::Listener *listener) {
  // Structured control flow has none.
  bool hasBranches = false;
  root->walk([&](Block *block) {
    hasBranches |= block->getParent() && !block->getParent()->hasOneBlock();
  });
  if (!hasBranches)
    return false;
  bool anyChange = false, hasOtherRegions = true;
  while (hasOtherRegions) {
    bool changed = false;
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal()
        .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
        .enableFolding(false)
        .enableConstantCSE(false)
        .setListener(listener);
    (void)applyPatternsGreedily(root, patterns, config, &changed);
    IRRewriter rewriter(root->getContext(), listener);
    // The patterns have come to their end: only regions give them new work.
    hasOtherRegions = succeeded(
        simplifyRegions(rewriter, root->getRegions(), /*mergeBlocks=*/false));
    hasOtherRegions |= dropSameArguments(root);
    anyChange |= changed || hasOtherRegions;
  }
  return anyChange;
}
