//===- Prepare.cpp - What upstream rewrites ------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "sequin/Conversion/Attributes.h"

using namespace mlir;
using namespace sequin::normalize_linalg;

/// A tensor whose elements a region computes from their position.
static void rewriteGenerate(RewriterBase &rewriter, tensor::GenerateOp op) {
  auto type = op.getType();
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, type, ValueRange(), empty, {identity}, iterators,
      [&](OpBuilder &b, Location at, ValueRange) {
        IRMapping mapping;
        for (auto [i, argument] :
             llvm::enumerate(op.getBody().front().getArguments()))
          mapping.map(argument, linalg::IndexOp::create(b, at, i).getResult());
        for (Operation &inner : op.getBody().front().without_terminator())
          b.clone(inner, mapping);
        auto yield =
            cast<tensor::YieldOp>(op.getBody().front().getTerminator());
        linalg::YieldOp::create(b, at,
                                mapping.lookupOrDefault(yield.getValue()));
      });
  rewriter.replaceOp(op, generic.getResults());
}

static void rewriteSplat(RewriterBase &rewriter, tensor::SplatOp op) {
  rewriter.setInsertionPoint(op);
  Value empty =
      tensor::EmptyOp::create(rewriter, op.getLoc(), op.getType().getShape(),
                              op.getType().getElementType());
  rewriter.replaceOp(
      op, linalg::FillOp::create(rewriter, op.getLoc(), op.getInput(), empty)
              .getResults());
}

static bool fillsWithConstant(linalg::LinalgOp op) {
  Attribute attr;
  auto fill = dyn_cast<linalg::FillOp>(op.getOperation());
  return fill && matchPattern(fill.value(), m_Constant(&attr));
}

/// Operations that stand for others; in program order, as what one becomes may
/// be another.
static LogicalResult decompose(RewriterBase &rewriter, func::FuncOp func) {
  auto forEach = [&](auto action) {
    SmallVector<Operation *> ops;
    func.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (failed(action(op)))
        return failure();
    return success();
  };
  auto isStatic = [](Operation *op) {
    return llvm::all_of(op->getResultTypes(), [](Type type) {
      auto shaped = dyn_cast<ShapedType>(type);
      return !shaped || shaped.hasStaticShape();
    });
  };
  LogicalResult expanded = forEach([&](Operation *op) -> LogicalResult {
    if (!isStatic(op))
      return success(); // refused later
    rewriter.setInsertionPoint(op);
    if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
      for (Type type :
           {softmax.getInput().getType(), softmax.getOutput().getType()})
        if (!isa<FloatType>(getElementTypeOrSelf(type)))
          return op->emitOpError() << "works on " << getElementTypeOrSelf(type)
                                   << " elements, expected floats";
    if (auto aggregate = dyn_cast<linalg::AggregatedOpInterface>(op)) {
      FailureOr<SmallVector<Value>> values =
          aggregate.decomposeOperation(rewriter);
      if (succeeded(values))
        rewriter.replaceOp(op, *values);
    } else if (auto pack = dyn_cast<linalg::PackOp>(op)) {
      if (failed(linalg::lowerPack(rewriter, pack,
                                   /*lowerPadLikeWithInsertSlice=*/false)))
        return op->emitOpError()
               << "cannot be written as a pad, reshapes and a "
                  "transposition: its tiles are not static";
    } else if (auto unpack = dyn_cast<linalg::UnPackOp>(op)) {
      if (failed(linalg::lowerUnPack(rewriter, unpack,
                                     /*lowerUnpadLikeWithExtractSlice=*/false)))
        return op->emitOpError() << "cannot be written as a transposition, "
                                    "reshapes and a slice: its tiles are not "
                                    "static";
    } else if (auto generate = dyn_cast<tensor::GenerateOp>(op)) {
      rewriteGenerate(rewriter, generate);
    } else if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
      rewriteSplat(rewriter, splat);
    } else if (auto scatter = dyn_cast<tensor::ScatterOp>(op)) {
      expandScatter(rewriter, scatter);
    } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      expandSlice(rewriter, slice);
    } else if (auto slice = dyn_cast<tensor::InsertSliceOp>(op)) {
      expandSlice(rewriter, slice);
    }
    return success();
  });
  if (failed(expanded))
    return failure();
  return forEach([&](Operation *op) -> LogicalResult {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      flattenBranches(rewriter, generic);
    if (!linalgOp || isa<linalg::GenericOp>(op) ||
        fillsWithConstant(linalgOp) || !linalgOp.hasPureTensorSemantics())
      return success();
    if (isa<linalg::FillRng2DOp>(op))
      return op->emitOpError()
             << "makes random numbers, for which the machine has no operation "
                "(and no f64 to compute them by): pass them as an argument";
    rewriter.setInsertionPoint(op);
    Attribute pin = op->getAttr(sequin::kPinAttrName);
    FailureOr<linalg::GenericOp> generic =
        linalg::generalizeNamedOp(rewriter, linalgOp);
    if (failed(generic))
      return op->emitOpError() << "has no form as a linalg.generic";
    if (pin)
      (*generic)->setAttr(sequin::kPinAttrName, pin);
    flattenBranches(rewriter, *generic);
    return success();
  });
}

LogicalResult sequin::normalize_linalg::prepare(ModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  tensor::populateDecomposeTensorConcatPatterns(patterns);
  math::populateExpansionPatterns(patterns, {"tan"});
  FrozenRewritePatternSet frozen(std::move(patterns));
  IRRewriter rewriter(context);
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal())
      continue;
    if (failed(applyPatternsGreedily(func, frozen)) ||
        failed(decompose(rewriter, func)))
      return failure();
    DominanceInfo dominance(func);
    eliminateCommonSubExpressions(rewriter, dominance, func);
  }
  return success();
}

LogicalResult sequin::normalize_linalg::cleanUp(ModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  FrozenRewritePatternSet frozen(std::move(patterns));
  IRRewriter rewriter(context);
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal())
      continue;
    (void)applyPatternsGreedily(func, frozen);
    DominanceInfo dominance(func);
    eliminateCommonSubExpressions(rewriter, dominance, func);
  }
  return success();
}
