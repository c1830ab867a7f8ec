//===- Comparisons.cpp - What comparisons ask -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comparisons.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

/// Whether a choice after `compare` between its left side and `other` is one
/// between its two sides.
static bool isRight(arith::CmpIOp compare, Value other) {
  if (other == compare.getRhs())
    return true;
  APInt limit, number;
  if (!matchPattern(compare.getRhs(), m_ConstantInt(&limit)) ||
      !matchPattern(other, m_ConstantInt(&number)))
    return false;
  using P = arith::CmpIPredicate;
  if (compare.getPredicate() == P::slt)
    return !limit.isMinSignedValue() && number == limit - 1;
  return compare.getPredicate() == P::ult && !limit.isZero() &&
         number == limit - 1;
}

Value csl_to_wafer::makeExtremum(OpBuilder &builder, Location loc,
                                 Value condition, Value yes, Value no) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  using P = arith::CmpIPredicate;
  if (!compare || yes.getType().isInteger(1) ||
      compare.getPredicate() == P::eq || compare.getPredicate() == P::ne)
    return {};
  bool straight = compare.getLhs() == yes && isRight(compare, no);
  bool crossed = compare.getLhs() == no && isRight(compare, yes);
  if (!straight && !crossed)
    return {};
  P predicate = compare.getPredicate();
  bool isSigned = predicate <= P::sge;
  bool isGreater = predicate == P::sgt || predicate == P::sge ||
                   predicate == P::ugt || predicate == P::uge;
  bool isMax = isGreater == straight;
  if (crossed)
    std::swap(yes, no);
  if (isSigned && isMax)
    return arith::MaxSIOp::create(builder, loc, yes, no);
  if (isSigned)
    return arith::MinSIOp::create(builder, loc, yes, no);
  if (isMax)
    return arith::MaxUIOp::create(builder, loc, yes, no);
  return arith::MinUIOp::create(builder, loc, yes, no);
}
