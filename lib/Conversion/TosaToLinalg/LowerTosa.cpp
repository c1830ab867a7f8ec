//===- LowerTosa.cpp - TOSA programs to linalg ----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's own conversions do the work. Three forms that they give are none that
// normalize-linalg takes, and are written in others here.
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "sequin/Conversion/TosaToLinalg/Passes.h"

namespace sequin {
#define GEN_PASS_DEF_LOWERTOSA
#include "sequin/Conversion/TosaToLinalg/Passes.h.inc"
} // namespace sequin

using namespace mlir;
using namespace sequin;

namespace {

/// The position of the greatest element as two results of one reduction: of
/// several the first. A NaN is greater than everything where `nan_mode`
/// propagates, and is never chosen where it is ignored.
struct WriteArgMax : OpRewritePattern<tosa::ArgMaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tosa::ArgMaxOp op,
                                PatternRewriter &rewriter) const override {
    auto from = cast<RankedTensorType>(op.getInput().getType());
    auto to = dyn_cast<RankedTensorType>(op.getType());
    if (!to || !to.hasStaticShape() || !from.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "is not static");
    Type element = from.getElementType();
    if (!isa<FloatType>(element) && !element.isInteger(8))
      return rewriter.notifyMatchFailure(op, "is of other elements");
    Location loc = op.getLoc();
    auto filled = [&](TypedAttr number) {
      Value value = arith::ConstantOp::create(rewriter, loc, number);
      Value empty = tensor::EmptyOp::create(rewriter, loc, to.getShape(),
                                            number.getType());
      return linalg::FillOp::create(rewriter, loc, value, empty).getResult(0);
    };
    TypedAttr least =
        isa<FloatType>(element)
            ? TypedAttr(rewriter.getFloatAttr(
                  element,
                  APFloat::getInf(cast<FloatType>(element).getFloatSemantics(),
                                  /*Negative=*/true)))
            : TypedAttr(rewriter.getIntegerAttr(element, -128));
    Value best = filled(least);
    Value at = filled(rewriter.getIntegerAttr(to.getElementType(), 0));

    unsigned rank = from.getRank(), axis = op.getAxis();
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    iterators[axis] = utils::IteratorType::reduction;
    AffineMap whole = rewriter.getMultiDimIdentityMap(rank);
    AffineMap kept = whole.dropResult(axis);
    auto body = [&](OpBuilder &b, Location loc, ValueRange in) {
      Value better, greater;
      if (isa<FloatType>(element)) {
        better = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, in[0],
                                       in[1]);
        greater = arith::MaximumFOp::create(b, loc, in[0], in[1]);
      } else {
        better = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, in[0],
                                       in[1]);
        greater = arith::MaxSIOp::create(b, loc, in[0], in[1]);
      }
      Value index = linalg::IndexOp::create(b, loc, axis);
      Value place =
          arith::IndexCastOp::create(b, loc, to.getElementType(), index);
      Value chosen = arith::SelectOp::create(b, loc, better, place, in[2]);
      linalg::YieldOp::create(b, loc, ValueRange{greater, chosen});
    };
    auto found = linalg::GenericOp::create(
        rewriter, loc, TypeRange{best.getType(), at.getType()},
        ValueRange{op.getInput()}, ValueRange{best, at},
        ArrayRef<AffineMap>{whole, kept, kept}, iterators, body);
    rewriter.replaceOp(op, found.getResult(1));
    return success();
  }
};

/// Padding by attributes, where the amounts and the number are constants.
struct WritePad : OpRewritePattern<tosa::PadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tosa::PadOp op,
                                PatternRewriter &rewriter) const override {
    auto amounts = op.getPadding().getDefiningOp<tosa::ConstShapeOp>();
    auto number = op.getPadConst().getDefiningOp<tosa::ConstOp>();
    auto to = dyn_cast<RankedTensorType>(op.getType());
    if (!amounts || !number || !to || !to.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "is not of constants");
    auto numbers = dyn_cast<DenseElementsAttr>(number.getValues());
    if (!numbers || !numbers.isSplat())
      return rewriter.notifyMatchFailure(op, "has no single number");
    SmallVector<OpFoldResult> low, high;
    for (auto [i, amount] :
         llvm::enumerate(amounts.getValues().getValues<APInt>()))
      (i % 2 == 0 ? low : high)
          .push_back(rewriter.getIndexAttr(amount.getSExtValue()));
    Value value = arith::ConstantOp::create(
        rewriter, op.getLoc(),
        cast<TypedAttr>(numbers.getSplatValue<Attribute>()));
    rewriter.replaceOpWithNewOp<tensor::PadOp>(op, to, op.getInput1(), low,
                                               high, value);
    return success();
  }
};

/// Both words of a product of i32, by products of 16 bits ("Hacker's Delight",
/// 8-2): no word has 64 bits.
struct ExpandProduct : OpRewritePattern<arith::MulSIExtendedOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::MulSIExtendedOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getLhs().getType().isInteger(32))
      return rewriter.notifyMatchFailure(op, "is not of i32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto constant = [&](int32_t value) -> Value {
      return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
    };
    Value half = constant(16), mask = constant(0xffff);
    auto add = [&](Value x, Value y) -> Value {
      return arith::AddIOp::create(b, x, y);
    };
    auto multiply = [&](Value x, Value y) -> Value {
      return arith::MulIOp::create(b, x, y);
    };
    auto upper = [&](Value x) -> Value {
      return arith::ShRSIOp::create(b, x, half);
    };
    auto lower = [&](Value x) -> Value {
      return arith::AndIOp::create(b, x, mask);
    };
    Value x = op.getLhs(), y = op.getRhs();
    Value x0 = lower(x), x1 = upper(x), y0 = lower(y), y1 = upper(y);
    // The upper half of a product without sign.
    Value carry = lower(upper(multiply(x0, y0)));
    Value middle = add(multiply(x1, y0), carry);
    Value other = add(multiply(x0, y1), lower(middle));
    Value high = add(add(multiply(x1, y1), upper(middle)), upper(other));
    rewriter.replaceOp(op, {multiply(x, y), high});
    return success();
  }
};

struct LowerTosa : sequin::impl::LowerTosaBase<LowerTosa> {
  void runOnOperation() override;

private:
  LogicalResult rewrite(llvm::function_ref<void(RewritePatternSet &)> add) {
    RewritePatternSet patterns(&getContext());
    add(patterns);
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace

static Operation *findTosa(ModuleOp module) {
  Operation *found = nullptr;
  module.walk([&](Operation *op) {
    if (!isa_and_nonnull<tosa::TosaDialect>(op->getDialect()))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

static void addConversions(OpPassManager &pm) {
  // tosa.apply_scale, which quantized programs are made of, in i32.
  TosaToArithPassOptions scale;
  scale.includeApplyRescale = true;
  scale.use32Bit = true;
  TosaToLinalgNamedOptions named;
  tosa::addTosaToLinalgPasses(pm, TosaToLinalgOptions(), named, std::nullopt);
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createTosaToArithPass(scale));
  functions.addPass(createTosaToTensorPass());
  functions.addPass(createTosaToSCFPass());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
}

void LowerTosa::runOnOperation() {
  ModuleOp module = getOperation();
  if (!findTosa(module))
    return;
  if (failed(rewrite([](RewritePatternSet &patterns) {
        patterns.add<WriteArgMax, WritePad>(patterns.getContext());
      })))
    return signalPassFailure();
  OpPassManager pm(ModuleOp::getOperationName());
  addConversions(pm);
  if (failed(runPipeline(pm, module)))
    return signalPassFailure();
  if (failed(rewrite([](RewritePatternSet &patterns) {
        patterns.add<ExpandProduct>(patterns.getContext());
      })))
    return signalPassFailure();
  if (Operation *left = findTosa(module)) {
    left->emitOpError("has no form in linalg that MLIR knows of");
    signalPassFailure();
  }
}
