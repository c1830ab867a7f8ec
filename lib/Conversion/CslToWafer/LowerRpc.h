//===- LowerRpc.h - The task behind csl.rpc ---------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_CSLTOWAFER_LOWERRPC_H
#define SEQUIN_LIB_CONVERSION_CSLTOWAFER_LOWERRPC_H

#include "sequin/Dialect/Csl/IR/CslDialect.h"

namespace sequin::csl_to_wafer {

/// The task.
inline constexpr llvm::StringLiteral kRpcServer = "@rpc";

/// Replaces a program's `csl.rpc` by a data task and its binding. The task
/// collects the number of an exported function and its arguments, one wavelet
/// for each 32 bits of one, and calls it; a number that no function has is
/// ignored.
llvm::LogicalResult lowerRpc(csl::ProgramOp program, csl::LayoutOp layout);

} // namespace sequin::csl_to_wafer

#endif // SEQUIN_LIB_CONVERSION_CSLTOWAFER_LOWERRPC_H
