//===- DeriveProgram.h - The wafer program of a csl module ------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONVERSION_CSLTOWAFER_DERIVEPROGRAM_H
#define SEQUIN_CONVERSION_CSLTOWAFER_DERIVEPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "sequin/Wafer/Program.h"

namespace sequin::csl_to_wafer {

/// A dictionary of the module: byte addresses of sections by name. Variables of
/// a section that is not in it are with the other variables.
inline constexpr llvm::StringLiteral kLinkSectionsAttr = "csl.link_sections";

/// The wafer program of the one `csl.layout` in `module`: addresses, bytecode
/// and tables. The module is left as it is; a copy is canonicalised and its
/// structured control flow lowered to blocks. Errors are reported at their
/// operations.
mlir::FailureOr<wafer::Program> deriveProgram(mlir::ModuleOp module);

/// The same of a module that nobody needs afterwards, with the findings of
/// `--csl-check-program`, all of them as warnings, which name the builtins of
/// CSL text.
mlir::FailureOr<wafer::Program>
deriveCheckedProgram(mlir::OwningOpRef<mlir::ModuleOp> module);

/// `--csl-to-json`, the wafer program as JSON, and `--csl-to-wafer`, as text.
void registerTranslations();

/// The dialects that a csl module may use.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace sequin::csl_to_wafer

#endif // SEQUIN_CONVERSION_CSLTOWAFER_DERIVEPROGRAM_H
