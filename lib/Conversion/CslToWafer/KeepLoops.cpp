//===- KeepLoops.cpp - Loops that take time -------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeepLoops.h"
#include "KeepExceptions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

MarkDialect::MarkDialect(MLIRContext *context)
    : Dialect(getDialectNamespace(), context, TypeID::get<MarkDialect>()) {
  addOperations<KeepOp, RaisingOp>();
}

namespace {
struct KeepLoops : public PassWrapper<KeepLoops, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeepLoops)

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<MarkDialect>();
  }

  void runOnOperation() override {
    // All of them: what else in them has effects may turn out to be dead.
    getOperation()->walk([](LoopLikeOpInterface loop) {
      Operation *end = nullptr;
      if (auto repeated = dyn_cast<scf::WhileOp>(*loop))
        end = repeated.getAfterBody()->getTerminator();
      else if (auto counted = dyn_cast<scf::ForOp>(*loop))
        end = counted.getBody()->getTerminator();
      if (!end)
        return;
      OpBuilder builder(end);
      builder.create(OperationState(loop.getLoc(), KeepOp::getOperationName()));
    });
  }
};
} // namespace

std::unique_ptr<Pass> csl_to_wafer::createKeepLoopsPass() {
  return std::make_unique<KeepLoops>();
}
