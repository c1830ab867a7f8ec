//===- MatchReduction.h - What a reduction combines -----------------*- C++
//-*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_NORMALIZELINALG_MATCHREDUCTION_H
#define SEQUIN_LIB_CONVERSION_NORMALIZELINALG_MATCHREDUCTION_H

#include "Rewrites.h"

namespace sequin::normalize_linalg {

/// A result as what it starts from, combined with terms. A term is a product.
struct Reduction {
  Combiner kind;
  bool isUnsigned = false;
  bool skipsNan = false; ///< a maximum or minimum of what is not NaN
  llvm::SmallVector<llvm::SmallVector<mlir::Value, 2>, 1> terms;
};

/// A choice between the running value and a new one by a comparison of another
/// result with new elements.
struct Position {
  unsigned extremum;   ///< the other result
  mlir::Value element; ///< compared with it
  mlir::Value value;   ///< chosen with the element
  bool takesLast;      ///< of equal elements
};

class ReductionMatcher {
public:
  explicit ReductionMatcher(mlir::linalg::GenericOp op) : op(op) {}

  std::optional<Reduction> match(unsigned result);
  std::optional<Position> matchPosition(unsigned result);
  bool dependsOnResults(mlir::Value value);

private:
  bool collect(mlir::Value value, mlir::BlockArgument out,
               Reduction &reduction);
  bool setKind(Reduction &reduction, Combiner kind, bool isUnsigned = false) {
    if (!reduction.terms.empty() &&
        (reduction.kind != kind || reduction.isUnsigned != isUnsigned))
      return false;
    reduction.kind = kind;
    reduction.isUnsigned = isUnsigned;
    return true;
  }
  bool hasKind(mlir::Operation *body, Reduction &reduction);
  bool matchChoice(mlir::arith::SelectOp select, mlir::BlockArgument out,
                   Reduction &reduction);
  void addProduct(mlir::Value value,
                  llvm::SmallVector<mlir::Value, 2> &factors);

  mlir::linalg::GenericOp op;
};

} // namespace sequin::normalize_linalg

#endif // SEQUIN_LIB_CONVERSION_NORMALIZELINALG_MATCHREDUCTION_H
