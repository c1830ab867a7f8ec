//===- NormalForm.cpp - One form for what can be written in several -------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormalForm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
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

/// A counter that is cut and extended again, alone or as part of a sum or
/// difference with a known number, in a loop whose bounds say that nothing is
/// lost.
template <typename Extension>
struct KeepCounter : public OpRewritePattern<Extension> {
  using OpRewritePattern<Extension>::OpRewritePattern;

  static constexpr bool isUnsigned =
      std::is_same_v<Extension, arith::ExtUIOp> ||
      std::is_same_v<Extension, arith::IndexCastUIOp>;

  /// Least and greatest value of the counter that `value` is cut from.
  struct Counter {
    Value value;
    int64_t least, greatest;
  };
  static std::optional<Counter> counterOf(Value value) {
    auto cut = value.getDefiningOp<arith::TruncIOp>();
    auto counter = cut ? dyn_cast<BlockArgument>(cut.getIn()) : BlockArgument();
    auto loop = counter
                    ? dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp())
                    : scf::ForOp();
    APInt low, high;
    if (!loop || loop.getInductionVar() != counter ||
        !counter.getType().isInteger(32) ||
        !matchPattern(loop.getLowerBound(), m_ConstantInt(&low)) ||
        !matchPattern(loop.getUpperBound(), m_ConstantInt(&high)) ||
        (loop.getUnsignedCmp() && (low.isNegative() || high.isNegative())))
      return std::nullopt;
    return Counter{counter, low.getSExtValue(), high.getSExtValue() - 1};
  }

  LogicalResult matchAndRewrite(Extension op,
                                PatternRewriter &rewriter) const override {
    if (!op.getIn().getType().isInteger() ||
        !(op.getType().isInteger(32) || op.getType().isIndex()))
      return failure();
    unsigned width = op.getIn().getType().getIntOrFloatBitWidth();
    if (width >= 32)
      return failure();
    auto replace = [&](Value wide) {
      if (op.getType().isIndex())
        wide = arith::IndexCastOp::create(rewriter, op.getLoc(), op.getType(),
                                          wide);
      rewriter.replaceOp(op, wide);
      return success();
    };
    int64_t least = isUnsigned ? 0 : llvm::minIntN(width);
    int64_t greatest =
        isUnsigned ? llvm::maxUIntN(width) : llvm::maxIntN(width);
    if (std::optional<Counter> counter = counterOf(op.getIn())) {
      if (counter->least < least || counter->greatest > greatest)
        return failure();
      return replace(counter->value);
    }
    Operation *sum = op.getIn().getDefiningOp();
    if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(sum))
      return failure();
    // The number is to the left of a difference, to the right of a sum.
    bool isSum = isa<arith::AddIOp>(sum);
    std::optional<Counter> counter = counterOf(sum->getOperand(isSum ? 0 : 1));
    APInt bits;
    if (!counter ||
        !matchPattern(sum->getOperand(isSum ? 1 : 0), m_ConstantInt(&bits)))
      return failure();
    int64_t number =
        isUnsigned ? int64_t(bits.getZExtValue()) : bits.getSExtValue();
    if ((isSum ? number + counter->least : number - counter->greatest) <
            least ||
        (isSum ? number + counter->greatest : number - counter->least) >
            greatest)
      return failure();
    Value known = arith::ConstantIntOp::create(
        rewriter, op.getLoc(), counter->value.getType(), number);
    if (isSum)
      return replace(
          arith::AddIOp::create(rewriter, op.getLoc(), counter->value, known));
    return replace(
        arith::SubIOp::create(rewriter, op.getLoc(), known, counter->value));
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
            BranchOnWhatIsNegated, KeepCounter<arith::ExtUIOp>,
            KeepCounter<arith::ExtSIOp>, KeepCounter<arith::IndexCastOp>,
            KeepCounter<arith::IndexCastUIOp>>(context);
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
// Order
//===----------------------------------------------------------------------===//

/// On calls of what reads or writes configuration registers, directly or not.
static constexpr llvm::StringLiteral kUsesRegisters =
    "csl_to_wafer.uses_registers";

namespace {
struct ComputeLate : public PassWrapper<ComputeLate, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ComputeLate)

  void runOnOperation() override {
    auto function = cast<FunctionOpInterface>(getOperation());
    if (function.isExternal())
      return;
    // From the end, so that users stand where they stay.
    for (Block &block : function.getFunctionBody())
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
        if (op.getNumOperands() == 0 || op.getNumRegions() != 0 ||
            op.hasTrait<OpTrait::IsTerminator>() || !isMemoryEffectFree(&op))
          continue;
        Operation *first = block.getTerminator();
        for (Operation *user : op.getUsers())
          if (Operation *here = block.findAncestorOpInBlock(*user);
              here && here->isBeforeInBlock(first))
            first = here;
        // What is measured between two readings of the clock stays there.
        for (Operation *next = op.getNextNode(); next != first;
             next = next->getNextNode())
          if (isa<csl::GetConfigOp, csl::SetConfigOp>(next) ||
              next->hasAttr(kUsesRegisters)) {
            first = next;
            break;
          }
        if (op.getNextNode() != first)
          op.moveBefore(first);
      }
  }
};
} // namespace

void csl_to_wafer::markRegisterUsers(ModuleOp module) {
  for (auto program : module.getOps<csl::ProgramOp>()) {
    llvm::DenseMap<StringRef, llvm::SmallVector<func::CallOp>> callsOf;
    llvm::DenseSet<StringRef> users;
    llvm::SmallVector<StringRef> pending;
    for (auto function : program.getOps<func::FuncOp>())
      function.walk([&](Operation *op) {
        if (isa<csl::GetConfigOp, csl::SetConfigOp>(op) &&
            users.insert(function.getSymName()).second)
          pending.push_back(function.getSymName());
      });
    program.walk(
        [&](func::CallOp call) { callsOf[call.getCallee()].push_back(call); });
    while (!pending.empty())
      for (func::CallOp call : callsOf.lookup(pending.pop_back_val())) {
        call->setAttr(kUsesRegisters, UnitAttr::get(call.getContext()));
        if (auto caller = call->getParentOfType<func::FuncOp>())
          if (users.insert(caller.getSymName()).second)
            pending.push_back(caller.getSymName());
      }
  }
}

std::unique_ptr<Pass> csl_to_wafer::createComputeLatePass() {
  return std::make_unique<ComputeLate>();
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
