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

bool Comparison::isAbout(const Comparison &other) const {
  return predicate == other.predicate &&
         (number && other.number ? *number == *other.number
                                 : right == other.right);
}

Comparison csl_to_wafer::getComparison(arith::CmpIOp compare) {
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  Comparison result{predicate, false, compare.getRhs(), std::nullopt};
  if (APInt number; matchPattern(compare.getRhs(), m_ConstantInt(&number)))
    result.number = number;
  bool isSigned = predicate == P::sgt || predicate == P::sle;
  bool isGreater = predicate == P::sgt || predicate == P::ugt;
  bool isLessEqual = predicate == P::sle || predicate == P::ule;
  if (result.number && (isGreater || isLessEqual)) {
    // The canonicalizer knows what the largest number says.
    if (isSigned ? result.number->isMaxSignedValue()
                 : result.number->isMaxValue())
      return result;
    result.predicate = isSigned ? P::slt : P::ult;
    result.negated = isGreater;
    ++*result.number;
  } else if (isLessEqual || predicate == P::ne || predicate == P::sge ||
             predicate == P::uge) {
    result.predicate = arith::invertPredicate(predicate);
    result.negated = true;
  }
  return result;
}
