//===- RunEinsum.h - Programs from --einsum ------------------------*- C++
//-*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TOOLS_RUNEINSUM_H
#define SEQUIN_LIB_TOOLS_RUNEINSUM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "sequin/Tools/RunDriver.h"

namespace sequin::tools {

/// The module of --einsum, --size, --dtype and --output-dtype; errors have been
/// printed.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
buildEinsum(mlir::MLIRContext &context, const RunOptions &options,
            llvm::raw_ostream &log);

} // namespace sequin::tools

#endif // SEQUIN_LIB_TOOLS_RUNEINSUM_H
