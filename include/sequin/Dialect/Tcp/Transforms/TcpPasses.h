//===- TcpPasses.h - Passes on the tcp dialect ------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_TRANSFORMS_TCPPASSES_H
#define SEQUIN_DIALECT_TCP_TRANSFORMS_TCPPASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace sequin::tcp {

#define GEN_PASS_DECL
#include "sequin/Dialect/Tcp/Transforms/TcpPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "sequin/Dialect/Tcp/Transforms/TcpPasses.h.inc"

} // namespace sequin::tcp

#endif // SEQUIN_DIALECT_TCP_TRANSFORMS_TCPPASSES_H
