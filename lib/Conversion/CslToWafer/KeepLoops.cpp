//===- KeepLoops.cpp - Loops that may never end ---------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeepLoops.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

MarkDialect::MarkDialect(MLIRContext *context)
    : Dialect(getDialectNamespace(), context, TypeID::get<MarkDialect>()) {
  addOperations<KeepOp>();
}

namespace {
struct KeepLoops : public PassWrapper<KeepLoops, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeepLoops)

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<MarkDialect>();
  }

  void runOnOperation() override {
    // From inside: a loop around one that is kept is kept by it.
    getOperation()->walk([](scf::WhileOp loop) {
      if (!wouldOpBeTriviallyDead(loop))
        return;
      OpBuilder builder(loop.getAfterBody()->getTerminator());
      builder.create(OperationState(loop.getLoc(), KeepOp::getOperationName()));
    });
  }
};
} // namespace

std::unique_ptr<Pass> csl_to_wafer::createKeepLoopsPass() {
  return std::make_unique<KeepLoops>();
}
