//===- RunningConstants.cpp - What running code makes of numbers ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Dialect/Csl/IR/RunningConstants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace sequin;

static std::optional<APInt> getNumber(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number;
}

namespace {
template <typename OpT, bool isSigned, bool isRest>
struct DivideUndefined : public OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    std::optional<APInt> left = getNumber(op.getLhs());
    std::optional<APInt> right = getNumber(op.getRhs());
    if (!left || !right)
      return rewriter.notifyMatchFailure(op, "an operand is not known");
    unsigned width = left->getBitWidth();
    std::optional<APInt> result;
    if (right->isZero())
      result = isRest ? *left : APInt::getAllOnes(width);
    else if (isSigned && left->isMinSignedValue() && right->isAllOnes())
      result = isRest ? APInt::getZero(width) : *left;
    if (!result)
      return rewriter.notifyMatchFailure(op, "is defined");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, rewriter.getIntegerAttr(op.getType(), *result));
    return success();
  }
};

template <typename OpT> struct ShiftEverything : public OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    std::optional<APInt> left = getNumber(op.getLhs());
    std::optional<APInt> count = getNumber(op.getRhs());
    // An index has fewer bits than MLIR counts.
    if (!left || !count || !op.getType().isInteger())
      return rewriter.notifyMatchFailure(op, "an operand is not known");
    unsigned width = left->getBitWidth();
    if (count->ult(width))
      return rewriter.notifyMatchFailure(op, "is defined");
    bool isNegative = std::is_same_v<OpT, arith::ShRSIOp> && left->isNegative();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, rewriter.getIntegerAttr(op.getType(), isNegative
                                                      ? APInt::getAllOnes(width)
                                                      : APInt::getZero(width)));
    return success();
  }
};

template <typename OpT, bool isSigned>
struct SaturateFloat : public OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    APFloat number(0.0);
    if (!op.getType().isInteger() ||
        !matchPattern(op.getIn(), m_ConstantFloat(&number)))
      return rewriter.notifyMatchFailure(op, "the operand is not known");
    // Out of range gives the nearest number, what is none gives 0.
    APSInt result(op.getType().getIntOrFloatBitWidth(), !isSigned);
    bool isExact;
    number.convertToInteger(result, APFloat::rmTowardZero, &isExact);
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, rewriter.getIntegerAttr(op.getType(), result));
    return success();
  }
};
} // namespace

void csl::populateRunningConstantPatterns(RewritePatternSet &patterns) {
  patterns.add<DivideUndefined<arith::DivUIOp, false, false>,
               DivideUndefined<arith::RemUIOp, false, true>,
               DivideUndefined<arith::DivSIOp, true, false>,
               DivideUndefined<arith::RemSIOp, true, true>,
               ShiftEverything<arith::ShLIOp>, ShiftEverything<arith::ShRUIOp>,
               ShiftEverything<arith::ShRSIOp>,
               SaturateFloat<arith::FPToSIOp, true>,
               SaturateFloat<arith::FPToUIOp, false>>(patterns.getContext());
}
