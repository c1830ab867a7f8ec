//===- VisaImport.h - Kernel source to the tcp dialect ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a kernel of the Virtual ISA manual, which is Rust, and emits it in the
// tcp dialect: types, generics and constants are evaluated, loops over known
// ranges are unrolled, every chain of methods becomes operations, and memory is
// assigned. docs/Rationale/VisaImport.md has the design.
//
// Errors and remarks are diagnostics of the MLIR context, at their places in
// the source. Every problem is one error; what follows from it is not said.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TARGET_VISAIMPORT_VISAIMPORT_H
#define SEQUIN_TARGET_VISAIMPORT_VISAIMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "sequin/VisaSource/Resolve.h"
#include <string>
#include <vector>

namespace sequin::visa_import {

enum class Addresses : uint8_t {
  /// Memory is assigned by lifetime; what the source says is ignored.
  Allocate,
  /// The addresses in the source are kept.
  Given
};

struct ImportOptions {
  /// A function below the crate's root ("matmul::kernel"), or its name alone;
  /// empty: the only function with `#[device]`. Numbers that the host passes it
  /// stand behind it, in the order of its arguments: "step(3, 0.5, true)".
  std::string entry;
  /// A row of the machine tables.
  std::string machine = "rngd";
  Addresses addresses = Addresses::Allocate;
  /// The release of the crate, v0.1 or v0.6; the source's own must agree.
  std::string release;
  /// Crates that names come from: `name=file` of each.
  std::vector<std::string> libraries;
  /// Statements and expressions that are evaluated at most.
  uint64_t stepLimit = 4000000;
};

/// Imports the function and what it calls. A function with `#[device]` becomes
/// the kernel of a program: `main` moves its arguments to HBM, launches it and
/// brings back what it returns and what it has written. Any other function
/// becomes a function of its arguments, for looking at. Null after an error.
mlir::OwningOpRef<mlir::ModuleOp> importVisa(llvm::StringRef path,
                                             const ImportOptions &options,
                                             mlir::MLIRContext &context,
                                             source::SourceManager &sources);

/// Registers `--import-visa` and its flags with sequin-translate.
void registerTranslation();

} // namespace sequin::visa_import

#endif // SEQUIN_TARGET_VISAIMPORT_VISAIMPORT_H
