//===- Passes.h - From tcp to the configuration -----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONVERSION_TCPTOCONFIG_PASSES_H
#define SEQUIN_CONVERSION_TCPTOCONFIG_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace sequin {

#define GEN_PASS_DECL
#include "sequin/Conversion/TcpToConfig/Passes.h.inc"

namespace tcp_to_config {
#define GEN_PASS_REGISTRATION
#include "sequin/Conversion/TcpToConfig/Passes.h.inc"
} // namespace tcp_to_config

} // namespace sequin

#endif // SEQUIN_CONVERSION_TCPTOCONFIG_PASSES_H
