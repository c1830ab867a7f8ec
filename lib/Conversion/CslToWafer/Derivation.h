//===- Derivation.h - A wafer program and where it comes from ---*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_CSLTOWAFER_DERIVATION_H
#define SEQUIN_LIB_CONVERSION_CSLTOWAFER_DERIVATION_H

#include "Comptime.h"
#include "sequin/Conversion/CslToWafer/DeriveProgram.h"

namespace sequin::csl_to_wafer {

struct Derivation {
  /// Canonicalised; the operations below are of it.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  wafer::Program program;
  std::vector<csl::ProgramOp> programs; ///< by code
  std::vector<SetupOps> setupOps;       ///< by setup
  /// By router: each color's `csl.color_config` or `csl.local_color_config`.
  std::vector<std::vector<std::pair<int64_t, mlir::Operation *>>> routerOps;
};

/// `module` becomes the canonicalised one.
mlir::FailureOr<Derivation> derive(mlir::OwningOpRef<mlir::ModuleOp> module);

} // namespace sequin::csl_to_wafer

#endif // SEQUIN_LIB_CONVERSION_CSLTOWAFER_DERIVATION_H
