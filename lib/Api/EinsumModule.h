//===- EinsumModule.h - Programs from an einsum ---------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_API_EINSUMMODULE_H
#define SEQUIN_LIB_API_EINSUMMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "sequin/Api/Program.h"

namespace sequin::api {

/// The module of an einsum with its sizes and types.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
buildEinsum(mlir::MLIRContext &context, const CompileOptions &options);

} // namespace sequin::api

#endif // SEQUIN_LIB_API_EINSUMMODULE_H
