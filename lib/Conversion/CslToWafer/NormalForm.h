//===- NormalForm.h - One form for what can be written in several -*- C++ -*-=//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cycles are charged by instruction. These passes make fewer of them, besides
// upstream's canonicalisation, on flat control flow.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_CSLTOWAFER_NORMALFORM_H
#define SEQUIN_LIB_CONVERSION_CSLTOWAFER_NORMALFORM_H

#include "SimplifyFunction.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"

namespace sequin::csl_to_wafer {

/// Puts the elements of constants on what gets them, for the pass below, which
/// sees one function.
void markConstants(csl::ProgramOp program);

/// Constants stand at the beginning of a function; chosen maxima and minima are
/// arith's, choices between bools logic; bits that a cast drops are not masked;
/// ids that are computed of known numbers are known, and so are elements of
/// constants; elements are read and written by their index, not by their
/// address, and what is no element by its pointer.
std::unique_ptr<mlir::Pass> createNormalFormPass();

/// Arithmetic on `index` becomes arithmetic on 32 bits, which an
/// index of a PE is, and casts between them what is left of them. What that
/// changes is simplified.
std::unique_ptr<mlir::Pass>
createIndexAsIntegerPass(std::shared_ptr<CanonicalPatterns> patterns);

/// Numbers the accesses by pointers to configuration registers, so that none is
/// taken for another.
void markRegisterAccesses(csl::ProgramOp program);
/// The array or pointer that `op` stores to; null for what is no store.
mlir::Value getStored(mlir::Operation *op);

/// A switch asks for one value after another, as a row of `if` does.
std::unique_ptr<mlir::Pass> createLowerSwitchesPass();

/// A branch to a block that only branches goes on to where that leads, where
/// this is known, and behind a branch its condition is no question any more:
/// conditions that a source keeps in variables cost no time. What that changes
/// is simplified.
std::unique_ptr<mlir::Pass>
createThreadBranchesPass(std::shared_ptr<CanonicalPatterns> patterns);

/// Variables of a function whose address nobody takes are values.
std::unique_ptr<mlir::Pass> createKeepInRegistersPass();

/// Functions in the place of their calls, as the vendor's compiler has them: of
/// those without arrays of their own the small ones, and such as are called
/// once. On flat control flow. Each operation on DSDs gets the attribute
/// `kOrigin`, which is the same on all copies of it.
std::unique_ptr<mlir::Pass> createInlineCallsPass();
inline constexpr llvm::StringLiteral kOrigin = "csl_to_wafer.origin";

} // namespace sequin::csl_to_wafer

#endif // SEQUIN_LIB_CONVERSION_CSLTOWAFER_NORMALFORM_H
