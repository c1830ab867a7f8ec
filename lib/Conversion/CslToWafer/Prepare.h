//===- Prepare.h - Functions in the form that bytecode is made from -*- C++ -*//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_CSLTOWAFER_PREPARE_H
#define SEQUIN_LIB_CONVERSION_CSLTOWAFER_PREPARE_H

#include "mlir/IR/BuiltinOps.h"

namespace sequin::csl_to_wafer {

/// Brings the functions and tasks of all programs into the form that bytecode
/// is made from: canonical, in normal form (NormalForm.h), with branches
/// instead of structured control flow. Programs and functions side by side.
mlir::LogicalResult prepare(mlir::ModuleOp module);

} // namespace sequin::csl_to_wafer

#endif // SEQUIN_LIB_CONVERSION_CSLTOWAFER_PREPARE_H
