//===- NormalForm.h - One form for what can be written in several -*- C++ -*-=//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cycles are charged by instruction, and a program that goes through CSL source
// comes back with other casts, constants and branches for the same computation.
// These passes make one form of them, besides upstream's canonicalisation.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_CSLTOWAFER_NORMALFORM_H
#define SEQUIN_LIB_CONVERSION_CSLTOWAFER_NORMALFORM_H

#include "SimplifyFunction.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"

namespace sequin::csl_to_wafer {

/// What CSL has no operation for is said with those that it has
/// (Csl/Transforms/SayInCsl.h), loops count their rounds, from 0 by 1, switches
/// of few values are rows of `if`, and a choice of two values is an `if`.
std::unique_ptr<mlir::Pass> createSayAsSourcePass();

/// Puts the elements of constants on what gets them, for the pass below, which
/// sees one function.
void markConstants(csl::ProgramOp program);

/// On structured control flow: constants stand at the beginning of a function;
/// loops count in 32 bits; choices and branches ask for `equal` or `less`, not
/// for the opposite; chosen maxima and minima are arith's; bits that a cast
/// drops are not masked; ids that are computed of known numbers are known, and
/// so are elements of constants; a known number is added, not subtracted; what
/// is cut off 32 bits is computed in 32 bits, and what is extended is compared
/// with a number before; elements are read and written by their index, not by
/// their address, and what is no element by its pointer.
std::unique_ptr<mlir::Pass> createNormalFormPass();

/// Arithmetic on `index` becomes arithmetic on 32 bits, which an
/// index of a PE is, and casts between them what is left of them. What that
/// changes is simplified.
std::unique_ptr<mlir::Pass>
createIndexAsIntegerPass(std::shared_ptr<CanonicalPatterns> patterns);

/// What is never negative is extended and compared without a sign, and what is
/// cut and extended again without loss stays as it was. On structured control
/// flow, where the ranges of counters are known.
std::unique_ptr<mlir::Pass> createKnownSignsPass();

/// Values are computed, and memory is read, where they are first needed: what
/// an operation on DSDs waits for does not depend on the order in which
/// independent values are written (Order.cpp). Nothing is moved over what reads
/// or writes configuration registers: what is measured between two readings of
/// the clock stays there.
std::unique_ptr<mlir::Pass> createComputeLatePass();

/// A number that only one side of an `if` needs is computed there; then an `if`
/// of which no side computes more than one number is a choice of values.
std::unique_ptr<mlir::Pass> createComputeInChoicesPass();

/// Marks calls of what reads or writes configuration registers, for the pass
/// above, which sees one function.
void markRegisterUsers(csl::ProgramOp program);
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
