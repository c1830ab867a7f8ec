//===- SayInCsl.cpp - What CSL has no operation for -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Dialect/Csl/Transforms/SayInCsl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"

using namespace mlir;
using namespace sequin;

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static Value asBits(OpBuilder &builder, Location loc, Value value) {
  Type bits = builder.getIntegerType(value.getType().getIntOrFloatBitWidth());
  return arith::BitcastOp::create(builder, loc, bits, value);
}

static Value sayAbsolute(OpBuilder &builder, math::AbsFOp op) {
  Location loc = op.getLoc();
  Value bits = asBits(builder, loc, op.getOperand());
  unsigned width = bits.getType().getIntOrFloatBitWidth();
  Value mask = arith::ConstantOp::create(
      builder, loc,
      builder.getIntegerAttr(bits.getType(), APInt::getSignedMaxValue(width)));
  Value cut = arith::AndIOp::create(builder, loc, bits, mask);
  return arith::BitcastOp::create(builder, loc, op.getType(), cut);
}

/// The greater or smaller of two, the other where one is no number; -0 is less
/// than 0. Of two that are no numbers what a sum makes of them, unless they
/// are the same.
static Value sayExtremum(OpBuilder &builder, Operation *op, bool isMax) {
  using P = arith::CmpFPredicate;
  Location loc = op->getLoc();
  Value a = op->getOperand(0), b = op->getOperand(1);
  auto compare = [&](P predicate, Value left, Value right) -> Value {
    return arith::CmpFOp::create(builder, loc, predicate, left, right);
  };
  auto select = [&](Value condition, Value yes, Value no) -> Value {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  };
  APFloat number(0.0f);
  if (matchPattern(a, m_ConstantFloat(&number)))
    std::swap(a, b);
  if (matchPattern(b, m_ConstantFloat(&number)) && !number.isNaN()) {
    // Of a zero of each sign the right one.
    bool takesEqual = number.isZero() && number.isNegative() == isMax;
    P predicate =
        isMax ? (takesEqual ? P::OGE : P::OGT) : (takesEqual ? P::OLE : P::OLT);
    return select(compare(predicate, a, b), a, b);
  }
  Value bitsOfA = asBits(builder, loc, a), bitsOfB = asBits(builder, loc, b);
  Value zero =
      isMax ? arith::AndIOp::create(builder, loc, bitsOfA, bitsOfB).getResult()
            : arith::OrIOp::create(builder, loc, bitsOfA, bitsOfB).getResult();
  zero = arith::BitcastOp::create(builder, loc, a.getType(), zero);
  Value sum = arith::AddFOp::create(builder, loc, a, b);
  Value ordered = select(compare(isMax ? P::OGT : P::OLT, a, b), a,
                         select(compare(P::OEQ, a, b), zero, b));
  Value other = select(compare(P::OEQ, a, a), a, sum);
  Value isSame = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       bitsOfA, bitsOfB);
  return select(isSame, a, select(compare(P::OEQ, b, b), ordered, other));
}

/// What a relation of CSL is the same as one of CmpFPredicate; it may be the
/// opposite of one, or two of them together.
static Value sayRelation(OpBuilder &builder, arith::CmpFOp op) {
  using P = arith::CmpFPredicate;
  Location loc = op.getLoc();
  Value a = op.getLhs(), b = op.getRhs();
  auto compare = [&](P predicate, Value left, Value right) -> Value {
    return arith::CmpFOp::create(builder, loc, predicate, left, right);
  };
  auto negate = [&](Value value) -> Value {
    Value yes =
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    return arith::XOrIOp::create(builder, loc, value, yes);
  };
  auto either = [&](Value left, Value right) -> Value {
    return arith::OrIOp::create(builder, loc, left, right);
  };
  switch (op.getPredicate()) {
  case P::ULT:
    return negate(compare(P::OGE, a, b));
  case P::ULE:
    return negate(compare(P::OGT, a, b));
  case P::UGT:
    return negate(compare(P::OLE, a, b));
  case P::UGE:
    return negate(compare(P::OLT, a, b));
  case P::ONE:
    return either(compare(P::OLT, a, b), compare(P::OGT, a, b));
  case P::UEQ:
    return negate(either(compare(P::OLT, a, b), compare(P::OGT, a, b)));
  case P::ORD:
    return arith::AndIOp::create(builder, loc, compare(P::OEQ, a, a),
                                 compare(P::OEQ, b, b));
  case P::UNO:
    return either(compare(P::UNE, a, a), compare(P::UNE, b, b));
  default:
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Bools
//===----------------------------------------------------------------------===//

/// An order of bools: `true` is 1, where they have a sign -1.
static Value sayOrder(OpBuilder &builder, arith::CmpIOp op) {
  using P = arith::CmpIPredicate;
  Location loc = op.getLoc();
  Value a = op.getLhs(), b = op.getRhs();
  Value yes =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  auto isNot = [&](Value value) -> Value {
    return arith::XOrIOp::create(builder, loc, value, yes);
  };
  P predicate = op.getPredicate();
  bool isGreater = predicate == P::ugt || predicate == P::uge ||
                   predicate == P::slt || predicate == P::sle;
  bool isStrict = predicate == P::ult || predicate == P::ugt ||
                  predicate == P::slt || predicate == P::sgt;
  Value more = isGreater ? a : b, less = isGreater ? b : a;
  if (isStrict)
    return arith::AndIOp::create(builder, loc, isNot(less), more);
  return arith::OrIOp::create(builder, loc, isNot(less), more);
}

//===----------------------------------------------------------------------===//
// Aggregates
//===----------------------------------------------------------------------===//

/// Whether `op` replaces a part of a value that is in memory.
static bool isReplacement(Operation *op) {
  if (auto set = dyn_cast<csl::SetFieldOp>(op))
    return cast<csl::StructType>(set.getValue().getType()).getKind() !=
           csl::AggregateKind::Packed;
  return isa<csl::SetElementOp>(op);
}

/// Replacements of which each has the one before to itself, from `first` on.
static llvm::SmallVector<Operation *> findReplacements(Operation *first) {
  llvm::SmallVector<Operation *> all{first};
  while (all.back()->getResult(0).hasOneUse()) {
    OpOperand &use = *all.back()->getResult(0).use_begin();
    if (use.getOperandNumber() != 0 || !isReplacement(use.getOwner()) ||
        use.getOwner()->getBlock() != first->getBlock())
      break;
    all.push_back(use.getOwner());
  }
  return all;
}

/// The store that puts what is replaced back to where it was read, if nothing
/// between could notice that it is changed there.
static memref::StoreOp findStoreBack(ArrayRef<Operation *> replacements) {
  Operation *first = replacements.front();
  auto read = first->getOperand(0).getDefiningOp<memref::LoadOp>();
  Value result = replacements.back()->getResult(0);
  if (!read || !read.getResult().hasOneUse() || !result.hasOneUse() ||
      read->getBlock() != first->getBlock())
    return {};
  auto store = dyn_cast<memref::StoreOp>(*result.user_begin());
  if (!store || store->getBlock() != first->getBlock() ||
      store.getValueToStore() != result ||
      store.getMemRef() != read.getMemRef() ||
      store.getIndices() != read.getIndices())
    return {};
  bool isChanged = false;
  for (Operation *op = read->getNextNode(); op != store;
       op = op->getNextNode()) {
    isChanged |= op == first;
    if (!isMemoryEffectFree(op) &&
        (isChanged || !isa<memref::LoadOp, csl::LoadOp>(op)))
      return {};
  }
  return store;
}

/// A pointer to all of `memref`, or to the element at `indices`.
static Value pointTo(OpBuilder &builder, Location loc, Value memref,
                     ValueRange indices, Type pointee) {
  return csl::AddressOfOp::create(builder, loc, csl::PtrType::get(pointee),
                                  memref, indices);
}

static void assign(OpBuilder &builder, Operation *replacement, Value pointer) {
  Location loc = replacement->getLoc();
  Value part, value;
  if (auto set = dyn_cast<csl::SetFieldOp>(replacement)) {
    value = set.getReplacement();
    part = csl::FieldPtrOp::create(builder, loc,
                                   csl::PtrType::get(value.getType()), pointer,
                                   set.getFieldAttr());
  } else {
    auto change = cast<csl::SetElementOp>(replacement);
    value = change.getReplacement();
    part = csl::ElementPtrOp::create(builder, loc,
                                     csl::PtrType::get(value.getType()),
                                     pointer, change.getIndices());
  }
  csl::StoreOp::create(builder, loc, value, part);
}

/// Erases an operation after telling who keeps something about its results.
static void eraseTelling(Operation *op, RewriterBase::Listener *listener) {
  if (listener)
    listener->notifyOperationErased(op);
  op->erase();
}

static void sayReplacements(FunctionOpInterface function, Operation *first,
                            RewriterBase::Listener *listener) {
  llvm::SmallVector<Operation *> all = findReplacements(first);
  Value whole = first->getOperand(0), pointer;
  Type type = whole.getType();
  Location loc = first->getLoc();
  OpBuilder builder(first);
  memref::StoreOp back = findStoreBack(all);
  auto array = dyn_cast<csl::ArrayType>(type);
  Value copy;
  if (back) {
    pointer = pointTo(builder, loc, back.getMemRef(), back.getIndices(), type);
  } else {
    auto place = MemRefType::get(array ? array.getShape() : ArrayRef<int64_t>(),
                                 array ? array.getElementType() : type);
    Block &entry = function.getFunctionBody().front();
    auto start = entry.begin();
    while (start != entry.end() && isa<memref::AllocaOp>(*start))
      ++start;
    OpBuilder atStart(&entry, start);
    copy = memref::AllocaOp::create(atStart, loc, place);
    pointer = pointTo(builder, loc, copy, {}, type);
    if (array)
      csl::StoreOp::create(builder, loc, whole, pointer);
    else
      memref::StoreOp::create(builder, loc, whole, copy);
  }
  for (Operation *replacement : all) {
    builder.setInsertionPoint(replacement);
    assign(builder, replacement, pointer);
  }
  if (back) {
    back.erase();
  } else {
    Value result =
        array ? csl::LoadOp::create(builder, loc, type, pointer).getResult()
              : memref::LoadOp::create(builder, loc, copy).getResult();
    all.back()->getResult(0).replaceAllUsesWith(result);
  }
  for (Operation *replacement : llvm::reverse(all))
    eraseTelling(replacement, listener);
  if (Operation *read = whole.getDefiningOp(); back && isOpTriviallyDead(read))
    eraseTelling(read, listener);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static bool isUnsaid(Operation *op) {
  using P = arith::CmpFPredicate;
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    P predicate = compare.getPredicate();
    return isa<FloatType>(compare.getLhs().getType()) &&
           (predicate == P::ONE || predicate == P::ORD ||
            (predicate >= P::UEQ && predicate <= P::UNO &&
             predicate != P::UNE));
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return compare.getLhs().getType().isInteger(1) &&
           compare.getPredicate() != arith::CmpIPredicate::eq &&
           compare.getPredicate() != arith::CmpIPredicate::ne;
  return isa<arith::MinNumFOp, arith::MaxNumFOp, math::AbsFOp>(op)
             ? isa<FloatType>(op->getResult(0).getType())
             : isReplacement(op);
}

void csl::sayInCsl(FunctionOpInterface function,
                   RewriterBase::Listener *listener) {
  if (function.isExternal())
    return;
  auto find = [&] {
    llvm::SmallVector<Operation *> found;
    function->walk([&](Operation *op) {
      if (isUnsaid(op))
        found.push_back(op);
    });
    return found;
  };
  if (find().empty())
    return;
  // Numbers that are known are said as such.
  (void)applyPatternsGreedily(
      function.getFunctionBody(), FrozenRewritePatternSet(),
      GreedyRewriteConfig()
          .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
          .enableConstantCSE(false)
          .setListener(listener));
  llvm::DenseSet<Operation *> done;
  for (Operation *op : find()) {
    if (done.contains(op))
      continue;
    if (isReplacement(op)) {
      done.insert_range(findReplacements(op));
      sayReplacements(function, op, listener);
      continue;
    }
    OpBuilder builder(op);
    Value same;
    if (auto absolute = dyn_cast<math::AbsFOp>(op))
      same = sayAbsolute(builder, absolute);
    else if (auto compare = dyn_cast<arith::CmpFOp>(op))
      same = sayRelation(builder, compare);
    else if (auto compare = dyn_cast<arith::CmpIOp>(op))
      same = sayOrder(builder, compare);
    else
      same = sayExtremum(builder, op, isa<arith::MaxNumFOp>(op));
    op->getResult(0).replaceAllUsesWith(same);
    eraseTelling(op, listener);
  }
}
