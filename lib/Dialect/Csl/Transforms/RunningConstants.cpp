//===- RunningConstants.cpp - What running code makes of numbers ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Dialect/Csl/Transforms/RunningConstants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "sequin/Support/DsdArithmetic.h"

using namespace mlir;
using namespace sequin;

static std::optional<APInt> getNumber(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number;
}

/// The quotient or rest that MLIR does not define.
static std::optional<APInt> divide(bool isSigned, bool isRest,
                                   const APInt &left, const APInt &right) {
  unsigned width = left.getBitWidth();
  if (right.isZero())
    return isRest ? left : APInt::getAllOnes(width);
  if (isSigned && left.isMinSignedValue() && right.isAllOnes())
    return isRest ? APInt::getZero(width) : left;
  return std::nullopt;
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
    std::optional<APInt> result = divide(isSigned, isRest, *left, *right);
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

/// MLIR rounds known numbers only where nothing is lost.
struct RoundFloat : public OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    APFloat number(0.0);
    auto type = dyn_cast<FloatType>(op.getType());
    if (!type || op.getRoundingmode() ||
        !matchPattern(op.getIn(), m_ConstantFloat(&number)))
      return rewriter.notifyMatchFailure(op, "the number is not known");
    bool loses;
    number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &loses);
    if (number.isNaN())
      number = APFloat::getQNaN(type.getFloatSemantics());
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, rewriter.getFloatAttr(type, number));
    return success();
  }
};

/// MLIR has no constants of cb16: a known number goes there and comes back.
struct RoundToCB16 : public OpRewritePattern<csl::ConvertCB16Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(csl::ConvertCB16Op op,
                                PatternRewriter &rewriter) const override {
    auto from = op.getValue().getDefiningOp<csl::ConvertCB16Op>();
    if (!from || isa<csl::CB16Type>(op.getResult().getType()))
      return rewriter.notifyMatchFailure(op, "nothing comes back from cb16");
    uint16_t bits;
    if (APFloat number(0.0);
        matchPattern(from.getValue(), m_ConstantFloat(&number)))
      bits = dsd::encodeFp16(Fp16Format::CB16, double(number.convertToFloat()));
    else if (std::optional<APInt> known = getNumber(from.getValue()))
      bits = uint16_t(known->getZExtValue());
    else
      return rewriter.notifyMatchFailure(op, "the number is not known");
    TypedAttr value = rewriter.getI16IntegerAttr(int16_t(bits));
    if (op.getResult().getType().isF32())
      value = rewriter.getF32FloatAttr(
          float(dsd::decodeFp16(Fp16Format::CB16, bits)));
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
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
               SaturateFloat<arith::FPToUIOp, false>, RoundFloat, RoundToCB16>(
      patterns.getContext());
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// The value of `op` on known operands, indices as numbers of 32 bits.
static std::optional<APInt> foldNarrow(Operation &op,
                                       ArrayRef<Attribute> known) {
  Type number = IntegerType::get(op.getContext(), 32);
  auto narrow = [&](Type type) { return type.isIndex() ? number : type; };
  llvm::SmallVector<Attribute> operands;
  for (Attribute operand : known) {
    auto value = dyn_cast_or_null<IntegerAttr>(operand);
    if (!value)
      return std::nullopt;
    Type type = narrow(value.getType());
    operands.push_back(IntegerAttr::get(
        type, value.getValue().sextOrTrunc(type.getIntOrFloatBitWidth())));
  }
  Type result = narrow(op.getResult(0).getType());
  auto fromIndex = [&](auto extend) -> std::optional<APInt> {
    APInt value = cast<IntegerAttr>(operands[0]).getValue();
    return extend(value, result.getIntOrFloatBitWidth());
  };
  if (isa<arith::IndexCastOp>(op))
    return fromIndex([](const APInt &value, unsigned width) {
      return value.sextOrTrunc(width);
    });
  if (isa<arith::IndexCastUIOp>(op))
    return fromIndex([](const APInt &value, unsigned width) {
      return value.zextOrTrunc(width);
    });
  if (isa<arith::DivSIOp, arith::RemSIOp, arith::DivUIOp, arith::RemUIOp>(op))
    if (std::optional<APInt> undefined =
            divide(isa<arith::DivSIOp, arith::RemSIOp>(op),
                   isa<arith::RemSIOp, arith::RemUIOp>(op),
                   cast<IntegerAttr>(operands[0]).getValue(),
                   cast<IntegerAttr>(operands[1]).getValue()))
      return undefined;
  if (isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op)) {
    const APInt &left = cast<IntegerAttr>(operands[0]).getValue();
    const APInt &count = cast<IntegerAttr>(operands[1]).getValue();
    if (count.uge(left.getBitWidth()))
      return isa<arith::ShRSIOp>(op) && left.isNegative()
                 ? APInt::getAllOnes(left.getBitWidth())
                 : APInt::getZero(left.getBitWidth());
  }
  // A copy on numbers; its operands only lend their types.
  OpBuilder builder(op.getContext());
  llvm::SmallVector<Operation *> lent;
  OperationState state(op.getLoc(), op.getName());
  for (Attribute operand : operands) {
    lent.push_back(arith::ConstantOp::create(builder, op.getLoc(),
                                             cast<TypedAttr>(operand)));
    state.addOperands(lent.back()->getResult(0));
  }
  state.addTypes(result);
  state.addAttributes(op.getAttrs());
  Operation *copy = Operation::create(state);
  std::optional<APInt> value;
  llvm::SmallVector<OpFoldResult> results;
  if (succeeded(copy->fold(operands, results)) && results.size() == 1) {
    Attribute folded = dyn_cast<Attribute>(results[0]);
    if (auto source = dyn_cast<Value>(results[0]))
      for (auto [operand, constant] : llvm::zip(operands, lent))
        if (source == constant->getResult(0))
          folded = operand;
    if (auto known = dyn_cast_or_null<IntegerAttr>(folded))
      value = known.getValue();
  }
  copy->destroy();
  for (Operation *constant : lent)
    constant->destroy();
  return value;
}

bool csl::isAboutIndices(Operation *op) {
  auto isIndex = [](Type type) { return type.isIndex(); };
  return isa<arith::ArithDialect>(op->getDialect()) &&
         op->getNumResults() == 1 && op->getNumOperands() != 0 &&
         !op->getNumRegions() &&
         (llvm::any_of(op->getOperandTypes(), isIndex) ||
          isIndex(op->getResult(0).getType()));
}

IntegerAttr csl::foldIndex(Operation *op, ArrayRef<Attribute> operands) {
  std::optional<APInt> value = foldNarrow(*op, operands);
  if (!value)
    return {};
  Type type = op->getResult(0).getType();
  return IntegerAttr::get(type,
                          type.isIndex() ? value->sextOrTrunc(64) : *value);
}

void csl::foldIndices(Operation *function) {
  function->walk<WalkOrder::PreOrder>([](Operation *op) {
    if (!isAboutIndices(op))
      return;
    llvm::SmallVector<Attribute> operands;
    for (Value operand : op->getOperands())
      (void)matchPattern(operand, m_Constant(&operands.emplace_back()));
    IntegerAttr value = foldIndex(op, operands);
    if (!value)
      return;
    OpBuilder builder(op);
    op->getResult(0).replaceAllUsesWith(
        arith::ConstantOp::create(builder, op->getLoc(), value));
  });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// How many steps a distance takes, the last maybe beyond it; neither has a
/// sign.
static APInt countSteps(const APInt &distance, const APInt &step) {
  return llvm::APIntOps::RoundingUDiv(distance, step, APInt::Rounding::UP);
}

Value csl::countRounds(OpBuilder &builder, Location loc, Value from, Value to,
                       Value step, bool isUnsigned) {
  Type word = builder.getI32Type();
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(word, number));
  };
  APInt first, last, by;
  if (matchPattern(from, m_ConstantInt(&first)) &&
      matchPattern(to, m_ConstantInt(&last)) &&
      matchPattern(step, m_ConstantInt(&by)) && by.isStrictlyPositive()) {
    if (isUnsigned ? first.uge(last) : first.sge(last))
      return constant(0);
    return arith::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(word, countSteps(last - first, by)));
  }
  Value size = step;
  if (!isUnsigned && !matchPattern(step, m_Constant())) {
    Value isDown = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, step, constant(0));
    size = arith::SelectOp::create(
        builder, loc, isDown,
        arith::SubIOp::create(builder, loc, constant(0), step), step);
    Value start = from;
    from = arith::SelectOp::create(builder, loc, isDown, to, from);
    to = arith::SelectOp::create(builder, loc, isDown, start, to);
  }
  Value end = isUnsigned
                  ? arith::MaxUIOp::create(builder, loc, from, to).getResult()
                  : arith::MaxSIOp::create(builder, loc, from, to).getResult();
  Value count = arith::SubIOp::create(builder, loc, end, from);
  if (matchPattern(step, m_One()))
    return count;
  Value none = constant(0), one = constant(1);
  Value isNone = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       count, none);
  Value full = arith::DivUIOp::create(
      builder, loc, arith::SubIOp::create(builder, loc, count, one), size);
  return arith::SelectOp::create(
      builder, loc, isNone, none,
      arith::AddIOp::create(builder, loc, full, one));
}

bool csl::staysInType(scf::ForOp loop) {
  APInt step, high;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)) ||
      !step.isStrictlyPositive())
    return false;
  // An index has more bits than it needs.
  if (step.isOne() || loop.getInductionVar().getType().isIndex())
    return true;
  bool overflows = true;
  if (matchPattern(loop.getUpperBound(), m_ConstantInt(&high)))
    (void)(loop.getUnsignedCmp() ? high.uadd_ov(step - 1, overflows)
                                 : high.sadd_ov(step - 1, overflows));
  return !overflows;
}

void csl::countFromZero(scf::ForOp loop) {
  Value counter = loop.getInductionVar();
  Type type = counter.getType();
  if (!type.isIndex() && type.getIntOrFloatBitWidth() > 32)
    return;
  if (matchPattern(loop.getLowerBound(), m_Zero()) &&
      matchPattern(loop.getStep(), m_One()))
    return;
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Type word = builder.getI32Type();
  bool isUnsigned = loop.getUnsignedCmp();
  auto asWord = [&](Value value) -> Value {
    if (type == word)
      return value;
    if (type.isIndex())
      return builder.createOrFold<arith::IndexCastOp>(loc, word, value);
    return isUnsigned ? builder.createOrFold<arith::ExtUIOp>(loc, word, value)
                      : builder.createOrFold<arith::ExtSIOp>(loc, word, value);
  };
  Value from = asWord(loop.getLowerBound()), step = asWord(loop.getStep());
  Value count = countRounds(builder, loc, from, asWord(loop.getUpperBound()),
                            step, isUnsigned);
  APInt number;
  loop.setUnsignedCmp(!matchPattern(count, m_ConstantInt(&number)) ||
                      number.isNegative());
  loop.setLowerBound(
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(word, 0)));
  loop.setUpperBound(count);
  loop.setStep(
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(word, 1)));
  // Stands for the counter while its uses change.
  counter.setType(word);
  builder.setInsertionPointToStart(loop.getBody());
  Value scaled = arith::MulIOp::create(builder, loc, counter, step);
  Value sum = arith::AddIOp::create(builder, loc, scaled, from);
  Value result = sum;
  if (type.isIndex())
    result = arith::IndexCastOp::create(builder, loc, type, sum);
  else if (type != word)
    result = arith::TruncIOp::create(builder, loc, type, sum);
  counter.replaceAllUsesExcept(result, scaled.getDefiningOp());
}
