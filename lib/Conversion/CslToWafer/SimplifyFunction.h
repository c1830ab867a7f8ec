//===- SimplifyFunction.h - Canonical functions of a PE ---------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_CSLTOWAFER_SIMPLIFYFUNCTION_H
#define SEQUIN_LIB_CONVERSION_CSLTOWAFER_SIMPLIFYFUNCTION_H

#include "mlir/Pass/Pass.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include <memory>
#include <mutex>

namespace sequin::csl_to_wafer {

/// The canonicalization patterns of all dialects, made when a pass first needs
/// them and shared by those that do: there are hundreds.
class CanonicalPatterns {
public:
  void make(mlir::MLIRContext *context);

  mlir::FrozenRewritePatternSet branches, others;

private:
  std::once_flag made;
};

/// Folds, and applies the canonicalization patterns of all dialects, as MLIR's
/// canonicalizer does, but the patterns of branches apart from the others: all
/// operations that are folded are in blocks that the entry reaches.
///
/// It ends on every function; MLIR's does not. There a branch on a constant
/// cuts off a loop, whose blocks are merged while they are still there. What
/// the loop carried is then its own operand, `%a = arith.addi %a, %c`, and a
/// pattern that looks through operands finds something to do for ever.
void simplifyFunction(mlir::Operation *function,
                      const CanonicalPatterns &patterns);

/// Says of a function that simplifyFunction has nothing to do there. Only what
/// has simplified it asks for this analysis; as long as the passes after it
/// preserve it, the next one that simplifies finds it in the cache and is done.
struct Simplified {
  explicit Simplified(mlir::Operation *) {}
};

std::unique_ptr<mlir::Pass>
createSimplifyFunctionPass(std::shared_ptr<CanonicalPatterns> patterns);

} // namespace sequin::csl_to_wafer

#endif // SEQUIN_LIB_CONVERSION_CSLTOWAFER_SIMPLIFYFUNCTION_H
