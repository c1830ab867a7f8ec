//===- NormalForm.cpp - One form for what can be written in several -------===//
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
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "sequin/Dialect/Csl/IR/BoundedRanges.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// trunci(andi(x, mask)), where the mask has all bits that are kept.
struct DropMask : public OpRewritePattern<arith::TruncIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncIOp op,
                                PatternRewriter &rewriter) const override {
    auto masked = op.getIn().getDefiningOp<arith::AndIOp>();
    APInt mask;
    if (!masked || !matchPattern(masked.getRhs(), m_ConstantInt(&mask)) ||
        mask.countr_one() < op.getType().getIntOrFloatBitWidth())
      return failure();
    rewriter.modifyOpInPlace(
        op, [&] { op.getInMutable().assign(masked.getLhs()); });
    return success();
  }
};

/// `a > b ? a : b` and the like, of integers.
struct ChooseExtremum : public OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto compare = op.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!compare || op.getType().isInteger(1))
      return failure();
    bool straight = compare.getLhs() == op.getTrueValue() &&
                    compare.getRhs() == op.getFalseValue();
    bool crossed = compare.getLhs() == op.getFalseValue() &&
                   compare.getRhs() == op.getTrueValue();
    if (!straight && !crossed)
      return failure();
    using P = arith::CmpIPredicate;
    bool isSigned, isGreater;
    switch (compare.getPredicate()) {
    case P::sgt:
    case P::sge:
      isSigned = isGreater = true;
      break;
    case P::slt:
    case P::sle:
      isSigned = true;
      isGreater = false;
      break;
    case P::ugt:
    case P::uge:
      isSigned = false;
      isGreater = true;
      break;
    case P::ult:
    case P::ule:
      isSigned = isGreater = false;
      break;
    default:
      return failure();
    }
    bool isMax = isGreater == straight;
    Value a = compare.getLhs(), b = compare.getRhs();
    if (isSigned && isMax)
      rewriter.replaceOpWithNewOp<arith::MaxSIOp>(op, a, b);
    else if (isSigned)
      rewriter.replaceOpWithNewOp<arith::MinSIOp>(op, a, b);
    else if (isMax)
      rewriter.replaceOpWithNewOp<arith::MaxUIOp>(op, a, b);
    else
      rewriter.replaceOpWithNewOp<arith::MinUIOp>(op, a, b);
    return success();
  }
};

/// An `if` that only has something to do where its comparison does not hold.
struct AskTheOpposite : public OpRewritePattern<scf::IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::IfOp op,
                                PatternRewriter &rewriter) const override {
    auto compare = op.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!compare || !compare->hasOneUse() || op.getElseRegion().empty() ||
        !llvm::hasSingleElement(op.getThenRegion().front()) ||
        llvm::hasSingleElement(op.getElseRegion().front()))
      return failure();
    rewriter.setInsertionPoint(op);
    Value opposite =
        arith::CmpIOp::create(rewriter, compare.getLoc(),
                              arith::invertPredicate(compare.getPredicate()),
                              compare.getLhs(), compare.getRhs());
    rewriter.modifyOpInPlace(op, [&] {
      op.getConditionMutable().assign(opposite);
      Region nothing;
      nothing.takeBody(op.getThenRegion());
      op.getThenRegion().takeBody(op.getElseRegion());
      op.getElseRegion().takeBody(nothing);
    });
    return success();
  }
};

/// A branch on `!condition`.
struct BranchOnWhatIsNegated : public OpRewritePattern<cf::CondBranchOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(cf::CondBranchOp op,
                                PatternRewriter &rewriter) const override {
    auto negated = op.getCondition().getDefiningOp<arith::XOrIOp>();
    if (!negated || !matchPattern(negated.getRhs(), m_One()))
      return failure();
    rewriter.replaceOpWithNewOp<cf::CondBranchOp>(
        op, negated.getLhs(), op.getFalseDest(), op.getFalseDestOperands(),
        op.getTrueDest(), op.getTrueDestOperands());
    return success();
  }
};

/// `x - 3` is `x + -3`.
struct AddTheNegative : public OpRewritePattern<arith::SubIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SubIOp op,
                                PatternRewriter &rewriter) const override {
    APInt number;
    if (!matchPattern(op.getRhs(), m_ConstantInt(&number)))
      return failure();
    Value negative = arith::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getIntegerAttr(op.getType(), -number));
    rewriter.replaceOpWithNewOp<arith::AddIOp>(op, op.getLhs(), negative);
    return success();
  }
};

/// `if (c) true else x` of bools is `c or x`, `if (c) x else false` is
/// `c and x`: both sides are there already.
struct ChooseBool : public OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isInteger(1))
      return failure();
    if (matchPattern(op.getTrueValue(), m_One()))
      rewriter.replaceOpWithNewOp<arith::OrIOp>(op, op.getCondition(),
                                                op.getFalseValue());
    else if (matchPattern(op.getFalseValue(), m_Zero()))
      rewriter.replaceOpWithNewOp<arith::AndIOp>(op, op.getCondition(),
                                                 op.getTrueValue());
    else
      return failure();
    return success();
  }
};

/// Which of a comparison and its opposite a branch asks for, since of two
/// branches that follow each other one jumps.
struct AskForEqualOrLess : public OpRewritePattern<cf::CondBranchOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(cf::CondBranchOp op,
                                PatternRewriter &rewriter) const override {
    Operation *compare = op.getCondition().getDefiningOp();
    if (!compare || !llvm::all_of(compare->getUsers(), [](Operation *user) {
          return isa<cf::CondBranchOp>(user);
        }))
      return failure();
    Value opposite;
    if (auto integers = dyn_cast<arith::CmpIOp>(compare)) {
      using P = arith::CmpIPredicate;
      P predicate = integers.getPredicate();
      Value left = integers.getLhs(), right = integers.getRhs();
      // `x > 3` is not `x < 4`.
      APInt number;
      bool isKnown = matchPattern(right, m_ConstantInt(&number));
      bool isGreater = predicate == P::sgt || predicate == P::ugt;
      if (isGreater && isKnown) {
        if (predicate == P::sgt ? number.isMaxSignedValue()
                                : number.isMaxValue())
          return failure();
        rewriter.setInsertionPoint(integers);
        right = arith::ConstantOp::create(
            rewriter, integers.getLoc(),
            rewriter.getIntegerAttr(right.getType(), number + 1));
        predicate = predicate == P::sgt ? P::sge : P::uge;
      } else if (predicate == P::eq || predicate == P::slt || isGreater ||
                 predicate == P::ult) {
        return failure();
      } else if ((predicate == P::sle || predicate == P::ule) && isKnown) {
        // `x <= 3` is `x < 4`.
        if (predicate == P::sle ? number.isMaxSignedValue()
                                : number.isMaxValue())
          return failure();
        rewriter.setInsertionPoint(integers);
        right = arith::ConstantOp::create(
            rewriter, integers.getLoc(),
            rewriter.getIntegerAttr(right.getType(), number + 1));
        Value less = arith::CmpIOp::create(
            rewriter, integers.getLoc(), predicate == P::sle ? P::slt : P::ult,
            left, right);
        rewriter.modifyOpInPlace(
            op, [&] { op.getConditionMutable().assign(less); });
        return success();
      }
      rewriter.setInsertionPoint(integers);
      opposite =
          arith::CmpIOp::create(rewriter, integers.getLoc(),
                                arith::invertPredicate(predicate), left, right);
    } else if (auto floats = dyn_cast<arith::CmpFOp>(compare)) {
      using P = arith::CmpFPredicate;
      // The unordered ones are the opposites of the ordered ones.
      P predicate;
      switch (floats.getPredicate()) {
      case P::UNE:
        predicate = P::OEQ;
        break;
      case P::UGE:
        predicate = P::OLT;
        break;
      case P::UGT:
        predicate = P::OLE;
        break;
      case P::ULE:
        predicate = P::OGT;
        break;
      case P::ULT:
        predicate = P::OGE;
        break;
      case P::UEQ:
        predicate = P::ONE;
        break;
      case P::UNO:
        predicate = P::ORD;
        break;
      default:
        return failure();
      }
      rewriter.setInsertionPoint(floats);
      opposite = arith::CmpFOp::create(rewriter, floats.getLoc(), predicate,
                                       floats.getLhs(), floats.getRhs());
    } else {
      return failure();
    }
    rewriter.setInsertionPoint(op);
    rewriter.replaceOpWithNewOp<cf::CondBranchOp>(
        op, opposite, op.getFalseDest(), op.getFalseDestOperands(),
        op.getTrueDest(), op.getTrueDestOperands());
    return success();
  }
};

/// Sums, differences, products and bits of what is cut off 32 bits are computed
/// in 32 bits and cut then: what is cut may be needed whole elsewhere, and
/// known numbers come together.
template <typename Op> struct CutLate : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  /// What an operand is cut from; a known number is one of as many bits.
  static Value whole(Value value, Type type, PatternRewriter &rewriter) {
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number)))
      return arith::ConstantOp::create(
          rewriter, value.getLoc(),
          rewriter.getIntegerAttr(type, number.sext(32)));
    return value.getDefiningOp<arith::TruncIOp>().getIn();
  }

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = rewriter.getI32Type();
    bool isCut = false;
    for (Value operand : op->getOperands()) {
      auto cut = operand.getDefiningOp<arith::TruncIOp>();
      if (cut && cut.getIn().getType() == type)
        isCut = true;
      else if (!matchPattern(operand, m_Constant()))
        return failure();
    }
    if (!isCut || !isa<IntegerType>(op.getType()) || op.getType().isInteger(1))
      return failure();
    Value result =
        Op::create(rewriter, op.getLoc(), whole(op.getLhs(), type, rewriter),
                   whole(op.getRhs(), type, rewriter));
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, op.getType(), result);
    return success();
  }
};

/// A computed id of a known number.
struct KnowId : public OpRewritePattern<csl::MakeIdOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(csl::MakeIdOp op,
                                PatternRewriter &rewriter) const override {
    APInt number;
    if (!matchPattern(op->getOperand(0), m_ConstantInt(&number)))
      return failure();
    rewriter.replaceOpWithNewOp<csl::ConstantOp>(
        op, op.getType(), static_cast<int64_t>(number.getZExtValue()));
    return success();
  }
};

struct NormalForm : public PassWrapper<NormalForm, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NormalForm)

  /// What is known before the function runs goes to its beginning, wherever it
  /// was written: a global constant of the source comes back where it is used.
  void hoistConstants(Block &entry) {
    llvm::DenseSet<Operation *> constant;
    llvm::SmallVector<Operation *> order;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      bool is = isa<arith::ConstantOp, csl::ConstantOp, csl::GetParamOp,
                    csl::GetVarOp, csl::Mem1dDsdOp, csl::Mem4dDsdOp,
                    csl::CircbufDsdOp, csl::FabinDsdOp, csl::FaboutDsdOp,
                    csl::AddressOfOp, csl::AsMemrefOp, csl::PtrCastOp,
                    csl::FunctionAddressOp, csl::EnumConstantOp>(op) &&
                llvm::all_of(op->getOperands(), [&](Value operand) {
                  return operand.getDefiningOp() &&
                         constant.contains(operand.getDefiningOp());
                });
      if (!is)
        return;
      constant.insert(op);
      order.push_back(op);
    });
    // In front of what was there, in their order.
    Operation *last = nullptr;
    for (Operation *op : order) {
      if (last)
        op->moveAfter(last);
      else if (op != &entry.front())
        op->moveBefore(&entry.front());
      last = op;
    }
  }

  /// Loops count in 32 bits, whatever type their counter has.
  void widenCounters() {
    Type number = IntegerType::get(&getContext(), 32);
    getOperation()->walk([&](scf::ForOp loop) {
      auto type = dyn_cast<IntegerType>(loop.getInductionVar().getType());
      if (!type || type.getWidth() >= 32)
        return;
      OpBuilder builder(loop);
      bool isUnsigned = loop.getUnsignedCmp();
      for (OpOperand *operand :
           {&loop.getLowerBoundMutable(), &loop.getUpperBoundMutable(),
            &loop.getStepMutable()}) {
        Value value = operand->get();
        operand->set(
            isUnsigned
                ? arith::ExtUIOp::create(builder, loop.getLoc(), number, value)
                      .getResult()
                : arith::ExtSIOp::create(builder, loop.getLoc(), number, value)
                      .getResult());
      }
      loop.setUnsignedCmp(false);
      Value counter = loop.getInductionVar();
      counter.setType(number);
      builder.setInsertionPointToStart(loop.getBody());
      auto narrow =
          arith::TruncIOp::create(builder, loop.getLoc(), type, counter);
      counter.replaceAllUsesExcept(narrow, narrow);
    });
  }

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    all.add<DropMask, ChooseExtremum, AskTheOpposite, KnowId,
            BranchOnWhatIsNegated, AddTheNegative, ChooseBool,
            AskForEqualOrLess, CutLate<arith::AddIOp>, CutLate<arith::SubIOp>,
            CutLate<arith::MulIOp>, CutLate<arith::AndIOp>,
            CutLate<arith::OrIOp>, CutLate<arith::XOrIOp>>(context);
    patterns = std::move(all);
    return success();
  }

  void runOnOperation() override {
    auto function = cast<FunctionOpInterface>(getOperation());
    if (function.isExternal())
      return;
    widenCounters();
    hoistConstants(function.getFunctionBody().front());
    // Blocks stay as they are: see SimplifyFunction.h.
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), patterns, config)))
      signalPassFailure();
  }

private:
  FrozenRewritePatternSet patterns;
};
} // namespace

std::unique_ptr<Pass> csl_to_wafer::createNormalFormPass() {
  return std::make_unique<NormalForm>();
}

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
    if (asks.empty())
      return;
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
          if (result.getType().isIndex() &&
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
        if (!reads(use) || (cast && use.getOwner() == cast.getDefiningOp()))
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
    if (hasChanged || !casts.empty())
      simplifyFunction(getOperation(), *patterns);
  }

private:
  std::shared_ptr<CanonicalPatterns> patterns;
};
} // namespace

std::unique_ptr<Pass> csl_to_wafer::createIndexAsIntegerPass(
    std::shared_ptr<CanonicalPatterns> patterns) {
  return std::make_unique<IndexAsInteger>(std::move(patterns));
}
