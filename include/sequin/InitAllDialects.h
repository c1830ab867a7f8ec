//===- InitAllDialects.h - Every dialect of Sequin --------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_INITALLDIALECTS_H
#define SEQUIN_INITALLDIALECTS_H

#include "mlir/IR/DialectRegistry.h"
#include "sequin/Dialect/Stream/IR/StreamDialect.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"

namespace sequin {

/// Adds Sequin's own dialects to `registry`.
inline void registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<stream::StreamDialect, tcp::TcpDialect>();
}

} // namespace sequin

#endif // SEQUIN_INITALLDIALECTS_H
