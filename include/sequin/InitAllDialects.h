//===- InitAllDialects.h - Every dialect of Sequin --------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_INITALLDIALECTS_H
#define SEQUIN_INITALLDIALECTS_H

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "sequin/Dialect/Plan/IR/PlanDialect.h"
#include "sequin/Dialect/Stream/IR/StreamDialect.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"

namespace sequin {

/// Adds Sequin's own dialects to `registry`, and what programs of front ends
/// have besides linalg or in its place.
inline void registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<csl::CslDialect, plan::PlanDialect, stream::StreamDialect,
                  tcp::TcpDialect>();
  registry
      .insert<mlir::cf::ControlFlowDialect, mlir::ml_program::MLProgramDialect,
              mlir::tosa::TosaDialect>();
  mlir::func::registerInlinerExtension(registry);
}

} // namespace sequin

#endif // SEQUIN_INITALLDIALECTS_H
