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
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "sequin/Conversion/CslToWafer/Passes.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"

namespace sequin {
#define GEN_PASS_DEF_CSLNORMALFORM
#include "sequin/Conversion/CslToWafer/Passes.h.inc"
} // namespace sequin

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

/// On what gets a constant: what is in it.
static constexpr llvm::StringLiteral kKnownElements =
    "csl_to_wafer.known_elements";
/// On accesses by pointers to configuration registers, with a number of each.
static constexpr llvm::StringLiteral kRegisterAccess =
    "csl_to_wafer.register_access";

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

/// A branch on the opposite of a bool is one on the bool.
struct AskForTheBool : public OpRewritePattern<cf::CondBranchOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(cf::CondBranchOp op,
                                PatternRewriter &rewriter) const override {
    auto opposite = op.getCondition().getDefiningOp<arith::XOrIOp>();
    if (!opposite || !matchPattern(opposite.getRhs(), m_One()))
      return failure();
    rewriter.replaceOpWithNewOp<cf::CondBranchOp>(
        op, opposite.getLhs(), op.getFalseDest(), op.getFalseDestOperands(),
        op.getTrueDest(), op.getTrueDestOperands());
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
    // What is noted of one is of the other (markRegisterAccesses()).
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

struct NormalForm : public sequin::impl::CslNormalFormBase<NormalForm> {
  using CslNormalFormBase::CslNormalFormBase;

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

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    all.add<DropMask, KnowId, KnowElement, ChooseBool, ChooseExtremum,
            AskForTheBool>(context);
    all.add<ReadPart<csl::GetFieldOp>, ReadPart<csl::GetElementOp>,
            AccessElement<csl::LoadOp>, AccessElement<csl::StoreOp>,
            AccessElement<memref::LoadOp>, AccessElement<memref::StoreOp>>(
        context);
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
    bool changed = hoistConstants(function.getFunctionBody().front());
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

Value csl_to_wafer::getStored(Operation *op) {
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return store.getMemRef();
  if (auto store = dyn_cast<csl::StoreOp>(op))
    return store.getPointer();
  return {};
}

void csl_to_wafer::markRegisterAccesses(csl::ProgramOp program) {
  int64_t accesses = 0;
  program.walk([&](Operation *op) {
    Value place = getStored(op);
    if (auto load = dyn_cast<memref::LoadOp>(op))
      place = load.getMemRef();
    else if (auto load = dyn_cast<csl::LoadOp>(op))
      place = load.getPointer();
    if (place && csl::getPlaceNumber(place) &&
        !op->getParentOfType<csl::ComptimeOp>())
      op->setAttr(kRegisterAccess,
                  Builder(op->getContext()).getI64IntegerAttr(accesses++));
  });
}
