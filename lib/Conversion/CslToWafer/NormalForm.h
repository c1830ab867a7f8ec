//===- NormalForm.h - One form for what can be written in several -*- C++ -*-=//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cycles are charged by instruction. These passes make fewer of them, besides
// upstream's canonicalisation, on flat control flow. What each does stands in
// Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_CSLTOWAFER_NORMALFORM_H
#define SEQUIN_LIB_CONVERSION_CSLTOWAFER_NORMALFORM_H

#include "SimplifyFunction.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"

namespace sequin::csl_to_wafer {

/// Puts the elements of constants on what gets them, for csl-normal-form, which
/// sees one function.
void markConstants(csl::ProgramOp program);

/// Passes that simplify what they change, with patterns that others have too.
std::unique_ptr<mlir::Pass>
createIndexToI32Pass(std::shared_ptr<CanonicalPatterns> patterns);
std::unique_ptr<mlir::Pass>
createThreadBranchesPass(std::shared_ptr<CanonicalPatterns> patterns);

/// Numbers the accesses by pointers to configuration registers, so that none is
/// taken for another.
void markRegisterAccesses(csl::ProgramOp program);
/// The array or pointer that `op` stores to; null for what is no store.
mlir::Value getStored(mlir::Operation *op);

/// The attribute that csl-inline-calls gives an operation on DSDs.
inline constexpr llvm::StringLiteral kOrigin = "csl_to_wafer.origin";

} // namespace sequin::csl_to_wafer

#endif // SEQUIN_LIB_CONVERSION_CSLTOWAFER_NORMALFORM_H
