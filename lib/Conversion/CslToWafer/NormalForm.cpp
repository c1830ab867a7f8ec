//===- NormalForm.cpp - One form for what can be written in several -------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormalForm.h"
#include "Comparisons.h"
#include "ValueLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "sequin/Dialect/Csl/Transforms/RunningConstants.h"
#include "sequin/Dialect/Csl/Transforms/SayInCsl.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

/// On what gets a constant: what is in it.
static constexpr llvm::StringLiteral kKnownElements =
    "csl_to_wafer.known_elements";

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

/// A choice that is a maximum or minimum.
struct ChooseExtremum : public OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    Value extremum = makeExtremum(rewriter, op.getLoc(), op.getCondition(),
                                  op.getTrueValue(), op.getFalseValue());
    if (!extremum)
      return failure();
    rewriter.replaceOp(op, extremum);
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

/// A choice between bools is `and` or `or`: both sides are there already.
struct ChooseBool : public OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isInteger(1))
      return failure();
    Value condition = op.getCondition();
    Value yes = op.getTrueValue(), no = op.getFalseValue();
    auto opposite = [&]() -> Value {
      Value one = arith::ConstantOp::create(rewriter, op.getLoc(),
                                            rewriter.getBoolAttr(true));
      return arith::XOrIOp::create(rewriter, op.getLoc(), condition, one);
    };
    if (matchPattern(yes, m_One()))
      rewriter.replaceOpWithNewOp<arith::OrIOp>(op, condition, no);
    else if (matchPattern(no, m_Zero()))
      rewriter.replaceOpWithNewOp<arith::AndIOp>(op, condition, yes);
    else if (matchPattern(yes, m_Zero()))
      rewriter.replaceOpWithNewOp<arith::AndIOp>(op, opposite(), no);
    else if (matchPattern(no, m_One()))
      rewriter.replaceOpWithNewOp<arith::OrIOp>(op, opposite(), yes);
    else
      return failure();
    return success();
  }
};

/// What is asked instead of a condition.
struct Question {
  Value condition;
  /// Whether it is the opposite.
  bool exchanged;
};
} // namespace

/// The comparison `asked` directly before `compare`: the one that is there or a
/// new one. Choices that ask the same have one condition.
static Value compareInstead(arith::CmpIOp compare, const Comparison &asked,
                            PatternRewriter &rewriter) {
  for (Operation *op = compare->getPrevNode();
       isa_and_nonnull<arith::CmpIOp, arith::ConstantOp>(op);
       op = op->getPrevNode())
    if (auto other = dyn_cast<arith::CmpIOp>(op);
        other && other.getPredicate() == asked.predicate &&
        other.getLhs() == compare.getLhs() &&
        getComparison(other).isAbout(asked))
      return other;
  rewriter.setInsertionPoint(compare);
  Value right = asked.right;
  if (asked.number)
    right = arith::ConstantOp::create(
        rewriter, compare.getLoc(),
        rewriter.getIntegerAttr(right.getType(), *asked.number));
  return arith::CmpIOp::create(rewriter, compare.getLoc(), asked.predicate,
                               compare.getLhs(), right);
}

/// Which of a comparison of integers and its opposite a choice asks for.
static std::optional<Question> askIntegers(arith::CmpIOp compare,
                                           PatternRewriter &rewriter) {
  Comparison asked = getComparison(compare);
  if (asked.predicate == compare.getPredicate())
    return std::nullopt;
  return Question{compareInstead(compare, asked, rewriter), asked.negated};
}

/// The same of floats, of which CSL has no other relations (SayInCsl.h).
static std::optional<Question> askFloats(arith::CmpFOp compare,
                                         PatternRewriter &rewriter) {
  if (compare.getPredicate() != arith::CmpFPredicate::UNE)
    return std::nullopt;
  rewriter.setInsertionPoint(compare);
  return Question{arith::CmpFOp::create(rewriter, compare.getLoc(),
                                        arith::CmpFPredicate::OEQ,
                                        compare.getLhs(), compare.getRhs()),
                  true};
}

/// What `op` asks instead of its condition (Comparisons.h); never `not`.
static std::optional<Question> ask(Operation *op, Value condition,
                                   PatternRewriter &rewriter) {
  std::optional<Question> question;
  if (auto integers = condition.getDefiningOp<arith::CmpIOp>())
    question = askIntegers(integers, rewriter);
  else if (auto floats = condition.getDefiningOp<arith::CmpFOp>())
    question = askFloats(floats, rewriter);
  else if (auto negated = condition.getDefiningOp<arith::XOrIOp>();
           negated && matchPattern(negated.getRhs(), m_One()))
    question = Question{negated.getLhs(), true};
  rewriter.setInsertionPoint(op);
  return question;
}

namespace {
struct AskOfBranch : public OpRewritePattern<cf::CondBranchOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(cf::CondBranchOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Question> question = ask(op, op.getCondition(), rewriter);
    if (!question)
      return failure();
    if (question->exchanged)
      rewriter.replaceOpWithNewOp<cf::CondBranchOp>(
          op, question->condition, op.getFalseDest(), op.getFalseDestOperands(),
          op.getTrueDest(), op.getTrueDestOperands());
    else
      rewriter.modifyOpInPlace(
          op, [&] { op.getConditionMutable().assign(question->condition); });
    return success();
  }
};

struct AskOfIf : public OpRewritePattern<scf::IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::IfOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Question> question = ask(op, op.getCondition(), rewriter);
    if (!question)
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.getConditionMutable().assign(question->condition);
      if (!question->exchanged)
        return;
      if (op.getElseRegion().empty()) {
        OpBuilder builder(op.getContext());
        scf::IfOp::ensureTerminator(op.getElseRegion(), builder, op.getLoc());
      }
      Region first;
      first.takeBody(op.getThenRegion());
      op.getThenRegion().takeBody(op.getElseRegion());
      op.getElseRegion().takeBody(first);
    });
    return success();
  }
};

struct AskOfSelect : public OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    // See ChooseExtremum and ChooseBool.
    std::optional<Question> question;
    if (!op.getType().isInteger(1))
      question = ask(op, op.getCondition(), rewriter);
    if (!question)
      return failure();
    Value yes = op.getTrueValue(), no = op.getFalseValue();
    if (question->exchanged)
      std::swap(yes, no);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, question->condition, yes,
                                                 no);
    return success();
  }
};

/// A choice that an `if` of the same condition has made already is made there.
struct ChooseInside : public OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  /// Whether `value` is there before `op`.
  static bool isBefore(Value value, Operation *op) {
    Block *home = value.getParentBlock();
    Operation *at = home->findAncestorOpInBlock(*op);
    Operation *made = value.getDefiningOp();
    return at && (!made || made->isBeforeInBlock(at));
  }

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    for (bool side : {true, false}) {
      Value chosen = side ? op.getTrueValue() : op.getFalseValue();
      Value other = side ? op.getFalseValue() : op.getTrueValue();
      auto branch = chosen.getDefiningOp<scf::IfOp>();
      if (!branch || branch.getCondition() != op.getCondition() ||
          !chosen.hasOneUse() || !isBefore(other, branch))
        continue;
      Region &region = side ? branch.getElseRegion() : branch.getThenRegion();
      Operation *yield = region.front().getTerminator();
      unsigned index = cast<OpResult>(chosen).getResultNumber();
      rewriter.modifyOpInPlace(yield, [&] { yield->setOperand(index, other); });
      rewriter.replaceOp(op, chosen);
      return success();
    }
    return failure();
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

/// What is extended is compared with a number of its own width before.
template <typename Extension>
struct CompareNarrow : public OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    constexpr bool isSigned = std::is_same_v<Extension, arith::ExtSIOp>;
    auto extension = op.getLhs().getDefiningOp<Extension>();
    auto type = extension ? dyn_cast<IntegerType>(extension.getIn().getType())
                          : IntegerType();
    APInt number;
    if (!type || type.getWidth() == 1 ||
        !matchPattern(op.getRhs(), m_ConstantInt(&number)))
      return rewriter.notifyMatchFailure(op, "extends no number");
    if (isSigned ? !number.isSignedIntN(type.getWidth())
                 : !number.isIntN(type.getWidth()))
      return rewriter.notifyMatchFailure(op, "the number does not fit");
    using P = arith::CmpIPredicate;
    P predicate = op.getPredicate();
    bool isUnsigned = predicate >= P::ult && predicate <= P::uge;
    if (isSigned && isUnsigned)
      return rewriter.notifyMatchFailure(op, "has another sign");
    // What is extended without a sign is not negative.
    if (!isSigned && predicate >= P::slt && predicate <= P::sge)
      predicate = static_cast<P>(int(predicate) + int(P::ult) - int(P::slt));
    Value narrow = arith::ConstantOp::create(
        rewriter, op.getLoc(),
        rewriter.getIntegerAttr(type, number.trunc(type.getWidth())));
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, predicate, extension.getIn(),
                                               narrow);
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

/// An element of a constant is a number.
struct KnowElement : public OpRewritePattern<memref::LoadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::LoadOp op,
                                PatternRewriter &rewriter) const override {
    auto get = op.getMemRef().getDefiningOp<csl::GetVarOp>();
    auto values =
        get ? get->getAttrOfType<DenseElementsAttr>(kKnownElements) : nullptr;
    if (!values || values.getElementType() != op.getType())
      return failure();
    int64_t place = 0;
    for (auto [index, size] :
         llvm::zip(op.getIndices(), op.getMemRefType().getShape())) {
      APInt number;
      if (!matchPattern(index, m_ConstantInt(&number)) ||
          number.getSExtValue() < 0 || number.getSExtValue() >= size)
        return failure();
      place = place * size + number.getSExtValue();
    }
    if (place >= values.getNumElements())
      return failure();
    auto value = cast<TypedAttr>(values.getValues<Attribute>()[place]);
    // Folding would keep the bits of a NaN (KeepFloats.h).
    if (auto number = dyn_cast<FloatAttr>(value);
        number && number.getValue().isNaN())
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    return success();
  }
};

/// A part of what was read whole, with nothing written since, is read alone.
template <typename Get> struct ReadPart : public OpRewritePattern<Get> {
  using OpRewritePattern<Get>::OpRewritePattern;

  LogicalResult matchAndRewrite(Get op,
                                PatternRewriter &rewriter) const override {
    Value whole = op.getValue();
    Operation *read = whole.getDefiningOp();
    if (!isa_and_nonnull<memref::LoadOp, csl::LoadOp>(read) ||
        read->getBlock() != op->getBlock() || !isInFrame(whole.getType()))
      return failure();
    for (Operation *between = read->getNextNode(); between != op;
         between = between->getNextNode())
      if (!isa<memref::LoadOp, csl::LoadOp>(between) &&
          !isMemoryEffectFree(between))
        return failure();
    Location loc = op.getLoc();
    Value pointer;
    if (auto load = dyn_cast<memref::LoadOp>(read))
      pointer = csl::AddressOfOp::create(rewriter, loc,
                                         csl::PtrType::get(whole.getType()),
                                         load.getMemRef(), load.getIndices());
    else
      pointer = cast<csl::LoadOp>(read).getPointer();
    Type part = op.getResult().getType(), place = csl::PtrType::get(part);
    Value where;
    if constexpr (std::is_same_v<Get, csl::GetFieldOp>)
      where = csl::FieldPtrOp::create(rewriter, loc, place, pointer,
                                      op.getFieldAttr());
    else
      where = csl::ElementPtrOp::create(rewriter, loc, place, pointer,
                                        op.getIndices());
    rewriter.replaceOpWithNewOp<csl::LoadOp>(op, part, where);
    return success();
  }
};

/// A number in memory.
struct Element {
  Value memref;
  ValueRange indices;
};
} // namespace

/// The element that `pointer` is made for.
static std::optional<Element> findElement(Value pointer,
                                          PatternRewriter &rewriter) {
  if (auto address = pointer.getDefiningOp<csl::AddressOfOp>()) {
    auto type = cast<MemRefType>(address.getMemref().getType());
    if (static_cast<int64_t>(address.getIndices().size()) != type.getRank())
      return std::nullopt;
    return Element{address.getMemref(), address.getIndices()};
  }
  auto element = pointer.getDefiningOp<csl::ElementPtrOp>();
  if (!element)
    return std::nullopt;
  csl::BaseInfo array = csl::getBaseInfo(element.getPointer().getType());
  auto type = MemRefType::get(
      array.shape ? *array.shape
                  : llvm::SmallVector<int64_t>{ShapedType::kDynamic},
      array.elementType);
  return Element{csl::AsMemrefOp::create(rewriter, element.getLoc(), type,
                                         element.getPointer()),
                 element.getIndices()};
}

/// The pointer that an access goes by.
static Value getPointer(csl::LoadOp load) { return load.getPointer(); }
static Value getPointer(csl::StoreOp store) { return store.getPointer(); }
template <typename Access> static Value getPointer(Access access) {
  auto view = access.getMemRef().template getDefiningOp<csl::AsMemrefOp>();
  return view && access.getIndices().empty() ? view.getPointer() : Value();
}

namespace {
/// What is read or written by a pointer to an element is read or written in its
/// array, all else by its pointer.
template <typename Access>
struct AccessElement : public OpRewritePattern<Access> {
  using OpRewritePattern<Access>::OpRewritePattern;

  LogicalResult matchAndRewrite(Access op,
                                PatternRewriter &rewriter) const override {
    Value pointer = getPointer(op);
    std::optional<Element> element;
    if (pointer)
      element = findElement(pointer, rewriter);
    if (!element)
      return accessByPointer(op, pointer, rewriter);
    // What is noted of one is of the other (markRegisterUsers()).
    DictionaryAttr marks = op->getDiscardableAttrDictionary();
    Operation *access;
    if constexpr (std::is_same_v<Access, memref::LoadOp> ||
                  std::is_same_v<Access, csl::LoadOp>)
      access = rewriter.replaceOpWithNewOp<memref::LoadOp>(op, element->memref,
                                                           element->indices);
    else
      access = rewriter.replaceOpWithNewOp<memref::StoreOp>(
          op, op->getOperand(0), element->memref, element->indices);
    access->setDiscardableAttrs(marks);
    return success();
  }

private:
  /// What is no element of an array needs no array of one.
  static LogicalResult accessByPointer(Access op, Value pointer,
                                       PatternRewriter &rewriter) {
    if (!pointer || isa<csl::CslDialect>(op->getDialect()))
      return rewriter.notifyMatchFailure(op, "goes by no pointer to a number");
    DictionaryAttr marks = op->getDiscardableAttrDictionary();
    Operation *access = nullptr;
    if constexpr (std::is_same_v<Access, memref::LoadOp>)
      access =
          rewriter.replaceOpWithNewOp<csl::LoadOp>(op, op.getType(), pointer);
    else if constexpr (std::is_same_v<Access, memref::StoreOp>)
      access = rewriter.replaceOpWithNewOp<csl::StoreOp>(
          op, op.getValueToStore(), pointer);
    if (access)
      access->setDiscardableAttrs(marks);
    return success();
  }
};

/// Says of a function that the pass has nothing to do there.
struct InNormalForm {
  explicit InNormalForm(Operation *) {}
};

struct NormalForm : public PassWrapper<NormalForm, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NormalForm)

  /// What is known before the function runs goes to its beginning, wherever it
  /// was written: a global constant of the source comes back where it is used.
  /// Whether anything is there that was not.
  bool hoistConstants(Block &entry) {
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
    bool changed = false;
    for (auto [op, _] : llvm::zip(entry, order))
      changed |= !constant.contains(&op);
    // In front of what was there, in their order.
    Operation *last = nullptr;
    for (Operation *op : order) {
      if (last)
        op->moveAfter(last);
      else if (op != &entry.front())
        op->moveBefore(&entry.front());
      last = op;
    }
    return changed;
  }

  /// Loops count in 32 bits, whatever type their counter has. Whether one did
  /// not.
  bool widenCounters() {
    bool changed = false;
    Type number = IntegerType::get(&getContext(), 32);
    getOperation()->walk([&](scf::ForOp loop) {
      auto type = dyn_cast<IntegerType>(loop.getInductionVar().getType());
      if (!type || type.getWidth() >= 32)
        return;
      changed = true;
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
    return changed;
  }

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    all.add<DropMask, CompareNarrow<arith::ExtSIOp>,
            CompareNarrow<arith::ExtUIOp>, KnowId, KnowElement, AddTheNegative,
            ChooseBool, AskOfBranch, AskOfIf, AskOfSelect, ChooseInside,
            CutLate<arith::AddIOp>, CutLate<arith::SubIOp>,
            CutLate<arith::MulIOp>, CutLate<arith::AndIOp>,
            CutLate<arith::OrIOp>, CutLate<arith::XOrIOp>>(context);
    all.add<ReadPart<csl::GetFieldOp>, ReadPart<csl::GetElementOp>,
            AccessElement<csl::LoadOp>, AccessElement<csl::StoreOp>,
            AccessElement<memref::LoadOp>, AccessElement<memref::StoreOp>>(
        context);
    // A maximum is found before its comparison asks for anything else.
    all.add<ChooseExtremum>(context, /*benefit=*/2);
    patterns = std::move(all);
    return success();
  }

  void runOnOperation() override {
    auto function = cast<FunctionOpInterface>(getOperation());
    if (function.isExternal())
      return;
    if (getCachedAnalysis<InNormalForm>()) {
      markAllAnalysesPreserved();
      return;
    }
    bool changed = widenCounters();
    changed |= hoistConstants(function.getFunctionBody().front());
    // Blocks stay as they are: see SimplifyFunction.h.
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    bool rewritten = false;
    if (failed(applyPatternsGreedily(getOperation(), patterns, config,
                                     &rewritten)))
      return signalPassFailure();
    getAnalysis<InNormalForm>();
    markAnalysesPreserved<InNormalForm>();
    if (!changed && !rewritten)
      markAnalysesPreserved<Simplified>();
  }

private:
  FrozenRewritePatternSet patterns;
};
} // namespace

void csl_to_wafer::markConstants(csl::ProgramOp program) {
  llvm::DenseMap<StringAttr, DenseElementsAttr> known;
  for (auto var : program.getOps<csl::VarOp>())
    if (auto values =
            dyn_cast_or_null<DenseElementsAttr>(var.getInitialValueAttr());
        values && var.getConstant())
      known[var.getSymNameAttr()] = values;
  // Its elements may get other values before the program runs.
  for (auto comptime : program.getOps<csl::ComptimeOp>())
    comptime.walk(
        [&](csl::GetVarOp get) { known.erase(get.getVarAttr().getAttr()); });
  if (known.empty())
    return;
  for (auto function : program.getOps<FunctionOpInterface>())
    function->walk([&](csl::GetVarOp get) {
      if (DenseElementsAttr values = known.lookup(get.getVarAttr().getAttr()))
        get->setAttr(kKnownElements, values);
    });
}

//===----------------------------------------------------------------------===//
// What sources say
//===----------------------------------------------------------------------===//

/// A switch asks for one value after another, as it does when it comes from
/// source; one of many values is left to LowerSwitches, which does not nest.
static void askInTurn(scf::IndexSwitchOp op) {
  constexpr unsigned kNestedChoices = 32;
  if (op.getNumCases() > kNestedChoices)
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  if (op.getNumCases() == 0)
    return;
  scf::IfOp first, last;
  for (auto [value, region] : llvm::zip(op.getCases(), op.getCaseRegions())) {
    Value number = arith::ConstantIndexOp::create(builder, loc, value);
    Value isIt = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       op.getArg(), number);
    OperationState state(loc, scf::IfOp::getOperationName());
    state.addOperands(isIt);
    state.addTypes(op.getResultTypes());
    state.addRegion()->takeBody(region);
    state.addRegion();
    auto choice = cast<scf::IfOp>(builder.create(state));
    if (last) {
      scf::YieldOp::create(builder, loc, choice.getResults());
    } else {
      first = choice;
    }
    last = choice;
    builder.setInsertionPointToStart(&choice.getElseRegion().emplaceBlock());
  }
  last.getElseRegion().takeBody(op.getDefaultRegion());
  op.replaceAllUsesWith(first.getResults());
  op.erase();
}

/// A choice of two values is an `if`, as it is when it comes from source; what
/// is still one on branches is a choice of values again.
static void chooseAsIf(arith::SelectOp op) {
  if (!op.getCondition().getType().isInteger(1))
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto choice = scf::IfOp::create(builder, loc, op.getType(), op.getCondition(),
                                  /*withElseRegion=*/true);
  builder.setInsertionPointToEnd(choice.thenBlock());
  scf::YieldOp::create(builder, loc, op.getTrueValue());
  builder.setInsertionPointToEnd(choice.elseBlock());
  scf::YieldOp::create(builder, loc, op.getFalseValue());
  op.replaceAllUsesWith(choice.getResult(0));
  op.erase();
}

namespace {
struct SayAsSource : public PassWrapper<SayAsSource, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SayAsSource)

  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<arith::ArithDialect, memref::MemRefDialect, scf::SCFDialect>();
  }

  void runOnOperation() override {
    csl::sayInCsl(cast<FunctionOpInterface>(getOperation()));
    getOperation()->walk(csl::countFromZero);
    getOperation()->walk(askInTurn);
    getOperation()->walk(chooseAsIf);
  }
};
} // namespace

std::unique_ptr<Pass> csl_to_wafer::createSayAsSourcePass() {
  return std::make_unique<SayAsSource>();
}

std::unique_ptr<Pass> csl_to_wafer::createNormalFormPass() {
  return std::make_unique<NormalForm>();
}
