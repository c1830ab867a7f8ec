//===- MatchReduction.cpp - What a reduction combines --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatchReduction.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin::normalize_linalg;

bool ReductionMatcher::dependsOnResults(Value value) {
  SmallVector<Value> pending = {value};
  SmallPtrSet<Operation *, 16> seen;
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() == op.getBody() &&
          argument.getArgNumber() >= op.getNumDpsInputs())
        return true;
      continue;
    }
    if (next.getParentBlock() == op.getBody() &&
        seen.insert(next.getDefiningOp()).second)
      llvm::append_range(pending, next.getDefiningOp()->getOperands());
  }
  return false;
}

bool ReductionMatcher::hasKind(Operation *body, Reduction &r) {
  bool isMask = body->getResult(0).getType().isInteger(1);
  return llvm::TypeSwitch<Operation *, bool>(body)
      .Case<arith::AddFOp>([&](auto) { return setKind(r, Combiner::Add); })
      .Case<arith::AddIOp>([&](auto) {
        return setKind(r, isMask ? Combiner::Xor : Combiner::Add);
      })
      .Case<arith::MulFOp>([&](auto) { return setKind(r, Combiner::Mul); })
      .Case<arith::MulIOp>([&](auto) {
        return setKind(r, isMask ? Combiner::And : Combiner::Mul);
      })
      .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>([&](auto) {
        r.skipsNan |= isa<arith::MaxNumFOp>(body);
        return setKind(r, Combiner::Max);
      })
      .Case<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>([&](auto) {
        r.skipsNan |= isa<arith::MinNumFOp>(body);
        return setKind(r, Combiner::Min);
      })
      .Case<arith::MaxUIOp>([&](auto) {
        return isMask ? setKind(r, Combiner::Or)
                      : setKind(r, Combiner::Max, true);
      })
      .Case<arith::MinUIOp>([&](auto) {
        return isMask ? setKind(r, Combiner::And)
                      : setKind(r, Combiner::Min, true);
      })
      .Case<arith::AndIOp>([&](auto) { return setKind(r, Combiner::And); })
      .Case<arith::OrIOp>([&](auto) { return setKind(r, Combiner::Or); })
      .Case<arith::XOrIOp>([&](auto) { return setKind(r, Combiner::Xor); })
      .Default([](Operation *) { return false; });
}

void ReductionMatcher::addProduct(Value value, SmallVector<Value, 2> &factors) {
  // Only within one type: what is widened after a product has been rounded.
  Operation *body = value.getDefiningOp();
  if (isa_and_nonnull<arith::MulFOp, arith::MulIOp>(body) &&
      !value.getType().isInteger(1)) {
    addProduct(body->getOperand(0), factors);
    addProduct(body->getOperand(1), factors);
    return;
  }
  factors.push_back(value);
}

static bool isNanTest(Operation *op) {
  using P = arith::CmpFPredicate;
  auto nan = dyn_cast_or_null<arith::CmpFOp>(op);
  return nan && nan.getLhs() == nan.getRhs() &&
         (nan.getPredicate() == P::UNE || nan.getPredicate() == P::UNO);
}

/// A comparison, without the alternative that its first operand is NaN: the
/// machine's maxima skip those.
static Operation *comparisonOf(Value condition) {
  Operation *op = condition.getDefiningOp();
  auto either = dyn_cast_or_null<arith::OrIOp>(op);
  if (!either)
    return op;
  for (unsigned side : {0, 1})
    if (isNanTest(either->getOperand(side).getDefiningOp()))
      return either->getOperand(1 - side).getDefiningOp();
  return op;
}

/// Adds the alternatives of a condition.
static void splitAlternatives(Value condition, SmallVectorImpl<Value> &parts) {
  if (auto either = condition.getDefiningOp<arith::OrIOp>()) {
    splitAlternatives(either.getLhs(), parts);
    splitAlternatives(either.getRhs(), parts);
    return;
  }
  parts.push_back(condition);
}

static bool isEquality(Operation *op) {
  auto floats = dyn_cast_or_null<arith::CmpFOp>(op);
  auto ints = dyn_cast_or_null<arith::CmpIOp>(op);
  return (floats && floats.getPredicate() == arith::CmpFPredicate::OEQ) ||
         (ints && ints.getPredicate() == arith::CmpIPredicate::eq);
}

namespace {
/// What an ordering comparison says of its first operand.
struct Ordering {
  bool greater, strict, isUnsigned;
};
} // namespace

static std::optional<Ordering> orderingOf(Operation *compare) {
  if (auto cmp = dyn_cast_or_null<arith::CmpFOp>(compare)) {
    using P = arith::CmpFPredicate;
    switch (cmp.getPredicate()) {
    case P::OGT:
    case P::UGT:
      return Ordering{true, true, false};
    case P::OGE:
    case P::UGE:
      return Ordering{true, false, false};
    case P::OLT:
    case P::ULT:
      return Ordering{false, true, false};
    case P::OLE:
    case P::ULE:
      return Ordering{false, false, false};
    default:
      return std::nullopt;
    }
  }
  auto cmp = dyn_cast_or_null<arith::CmpIOp>(compare);
  if (!cmp)
    return std::nullopt;
  using P = arith::CmpIPredicate;
  P p = cmp.getPredicate();
  if (p == P::eq || p == P::ne)
    return std::nullopt;
  return Ordering{p == P::sgt || p == P::sge || p == P::ugt || p == P::uge,
                  p == P::sgt || p == P::slt || p == P::ugt || p == P::ult,
                  p == P::ugt || p == P::uge || p == P::ult || p == P::ule};
}

bool ReductionMatcher::matchChoice(arith::SelectOp select, BlockArgument out,
                                   Reduction &reduction) {
  Value x = select.getTrueValue(), y = select.getFalseValue();
  Operation *compare = comparisonOf(select.getCondition());
  std::optional<Ordering> ordering = orderingOf(compare);
  if (!ordering || (x != out && y != out))
    return false;
  Value element = x == out ? y : x;
  Value l = compare->getOperand(0), r = compare->getOperand(1);
  if (!((l == x && r == y) || (l == y && r == x)) || dependsOnResults(element))
    return false;
  bool isMax = ordering->greater == (l == x);
  if (!setKind(reduction, isMax ? Combiner::Max : Combiner::Min,
               ordering->isUnsigned))
    return false;
  reduction.terms.push_back({element});
  return true;
}

bool ReductionMatcher::collect(Value value, BlockArgument out,
                               Reduction &reduction) {
  // Sums are taken in 32 bits whatever the type.
  while (true) {
    Operation *body = value.getDefiningOp();
    if (!isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::TruncFOp,
                         arith::TruncIOp>(body))
      break;
    value = body->getOperand(0);
  }
  if (value == out)
    return true;
  Operation *body = value.getDefiningOp();
  if (!body || body->getBlock() != op.getBody())
    return false;
  if (auto select = dyn_cast<arith::SelectOp>(body))
    return matchChoice(select, out, reduction);
  if (auto fma = dyn_cast<math::FmaOp>(body)) {
    if (!setKind(reduction, Combiner::Add) || dependsOnResults(fma.getA()) ||
        dependsOnResults(fma.getB()))
      return false;
    SmallVector<Value, 2> factors;
    addProduct(fma.getA(), factors);
    addProduct(fma.getB(), factors);
    reduction.terms.push_back(std::move(factors));
    return collect(fma.getC(), out, reduction);
  }
  if (body->getNumOperands() != 2 || !hasKind(body, reduction))
    return false;
  Value x = body->getOperand(0), y = body->getOperand(1);
  if (dependsOnResults(y))
    std::swap(x, y);
  if (dependsOnResults(y))
    return false;
  SmallVector<Value, 2> factors;
  if (reduction.kind == Combiner::Add)
    addProduct(y, factors);
  else
    factors.push_back(y);
  reduction.terms.push_back(std::move(factors));
  return collect(x, out, reduction);
}

std::optional<Reduction> ReductionMatcher::match(unsigned result) {
  Reduction reduction;
  Value value = op.getBody()->getTerminator()->getOperand(result);
  BlockArgument out = op.getMatchingBlockArgument(op.getDpsInitOperand(result));
  if (!collect(value, out, reduction) || reduction.terms.empty())
    return std::nullopt;
  return reduction;
}

/// select(element == best, min(new, running), rest): which of equal elements
/// counts does not depend on their order then.
static bool matchTie(arith::SelectOp select, BlockArgument out, Value &value,
                     bool &takesLast) {
  if (!isEquality(select.getCondition().getDefiningOp()))
    return false;
  Operation *pick = select.getTrueValue().getDefiningOp();
  if (!isa_and_nonnull<arith::MinSIOp, arith::MaxSIOp>(pick) ||
      !llvm::is_contained(pick->getOperands(), out))
    return false;
  value = pick->getOperand(pick->getOperand(0) == out ? 1 : 0);
  takesLast = isa<arith::MaxSIOp>(pick);
  return true;
}

namespace {
/// best > element, or best == element and running < value: the alternatives by
/// which the running value stays, or those by which the new one is chosen.
struct Alternatives {
  Operation *order = nullptr;    ///< of best and element
  Operation *equality = nullptr; ///< of best and element
  Operation *tie = nullptr;      ///< of the running and the new value
};
} // namespace

static std::optional<Alternatives> matchAlternatives(Value condition) {
  SmallVector<Value> parts;
  splitAlternatives(condition, parts);
  Alternatives found;
  for (Value part : parts) {
    Operation *op = part.getDefiningOp();
    if (isNanTest(op))
      continue; // the machine's maxima skip those
    if (auto both = dyn_cast_or_null<arith::AndIOp>(op); both && !found.tie) {
      found.equality = both.getLhs().getDefiningOp();
      found.tie = both.getRhs().getDefiningOp();
      if (!isEquality(found.equality))
        std::swap(found.equality, found.tie);
      if (!isEquality(found.equality) ||
          !isa_and_nonnull<arith::CmpIOp>(found.tie))
        return std::nullopt;
      continue;
    }
    if (found.order || !op)
      return std::nullopt;
    found.order = op;
  }
  return found.order ? std::optional(found) : std::nullopt;
}

/// Whether equal elements leave the greater value, if `tie` orders the running
/// value and the new one.
static std::optional<bool> tieTakesGreater(Operation *tie, BlockArgument out,
                                           Value value, bool chosenIfTrue) {
  std::optional<Ordering> ordering = orderingOf(tie);
  bool outFirst = tie->getOperand(0) == out && tie->getOperand(1) == value;
  bool outSecond = tie->getOperand(0) == value && tie->getOperand(1) == out;
  if (!ordering || ordering->isUnsigned || !(outFirst || outSecond))
    return std::nullopt;
  bool newIsGreater = ordering->greater == outSecond;
  return newIsGreater == chosenIfTrue;
}

std::optional<Position> ReductionMatcher::matchPosition(unsigned result) {
  BlockArgument out = op.getMatchingBlockArgument(op.getDpsInitOperand(result));
  auto select = op.getBody()
                    ->getTerminator()
                    ->getOperand(result)
                    .getDefiningOp<arith::SelectOp>();
  Value tieValue, tieElements[2];
  bool tieLast = false;
  if (select && matchTie(select, out, tieValue, tieLast)) {
    Operation *compare = select.getCondition().getDefiningOp();
    tieElements[0] = compare->getOperand(0);
    tieElements[1] = compare->getOperand(1);
    select = select.getFalseValue().getDefiningOp<arith::SelectOp>();
  }
  if (!select ||
      (select.getTrueValue() != out && select.getFalseValue() != out))
    return std::nullopt;
  bool chosenIfTrue = select.getFalseValue() == out;
  Value chosen = chosenIfTrue ? select.getTrueValue() : select.getFalseValue();
  std::optional<Alternatives> alternatives =
      matchAlternatives(select.getCondition());
  if (!alternatives || (alternatives->tie && tieValue))
    return std::nullopt;
  Operation *compare = alternatives->order;
  std::optional<Ordering> ordering = orderingOf(compare);
  if (!ordering || dependsOnResults(chosen))
    return std::nullopt;
  Position position;
  position.value = chosen;
  position.takesLast = ordering->strict != chosenIfTrue;
  if (alternatives->tie) {
    std::optional<bool> takesGreater =
        tieTakesGreater(alternatives->tie, out, chosen, chosenIfTrue);
    // An order that is not strict leaves nothing to the tie.
    if (!takesGreater || !ordering->strict)
      return std::nullopt;
    tieValue = chosen;
    tieLast = *takesGreater;
    tieElements[0] = alternatives->equality->getOperand(0);
    tieElements[1] = alternatives->equality->getOperand(1);
  }
  for (unsigned side : {0, 1}) {
    auto other = dyn_cast<BlockArgument>(compare->getOperand(side));
    if (!other || other.getOwner() != op.getBody() ||
        other.getArgNumber() < op.getNumDpsInputs())
      continue;
    position.extremum = other.getArgNumber() - op.getNumDpsInputs();
    position.element = compare->getOperand(1 - side);
    std::optional<Reduction> reduction = match(position.extremum);
    // The new element is chosen where it is beyond the running one.
    bool takesGreater = (ordering->greater == (side == 1)) == chosenIfTrue;
    if (!reduction || dependsOnResults(position.element) ||
        reduction->kind != (takesGreater ? Combiner::Max : Combiner::Min) ||
        reduction->isUnsigned != ordering->isUnsigned ||
        reduction->isUnsigned || reduction->terms.size() != 1 ||
        reduction->terms[0].front() != position.element)
      return std::nullopt;
    if (tieValue) {
      bool same =
          (tieElements[0] == position.element && tieElements[1] == other) ||
          (tieElements[1] == position.element && tieElements[0] == other);
      if (!same || tieValue != chosen)
        return std::nullopt;
      position.takesLast = tieLast;
    }
    return position;
  }
  return std::nullopt;
}
