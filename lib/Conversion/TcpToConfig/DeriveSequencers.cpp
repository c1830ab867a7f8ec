//===- DeriveSequencers.cpp - One loop per term of the stream -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Walks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "sequin/Conversion/TcpToConfig/DeriveProgram.h"
#include "sequin/Conversion/TcpToConfig/Passes.h"

namespace sequin {
#define GEN_PASS_DEF_TCPDERIVESEQUENCERS
#include "sequin/Conversion/TcpToConfig/Passes.h.inc"
} // namespace sequin

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;

static LogicalResult deriveOp(Operation *op, const TcpMachine &machine) {
  dropDerived(op);
  Builder builder(op->getContext());
  if (isDmaOp(op)) {
    auto transfers = deriveTransfers(op, machine);
    if (failed(transfers))
      return failure();
    op->setAttr(tcp::TcpDialect::kTransfersAttrName,
                builder.getArrayAttr(*transfers));
    return success();
  }
  auto walks = findWalks(op, machine);
  if (failed(walks))
    return failure();
  if (walks->empty())
    return success();
  SmallVector<Attribute, 1> sequencers;
  for (const Walk &walk : *walks) {
    FailureOr<Derivation> derivation = derivation::deriveLoops(op, walk);
    if (failed(derivation))
      return failure();
    sequencers.push_back(
        stream::SequencerAttr::get(op->getContext(), derivation->initial,
                                   derivation->searched ? "search" : "terms"));
  }
  op->setAttr(tcp::TcpDialect::kSequencersAttrName,
              builder.getArrayAttr(sequencers));
  return success();
}

LogicalResult sequin::deriveSequencers(func::FuncOp function) {
  tcp::TargetAttr target = tcp::getTarget(function);
  if (!target)
    return failure();
  WalkResult result = function.walk([&](Operation *op) {
    return WalkResult(deriveOp(op, *target.getRow()));
  });
  return failure(result.wasInterrupted());
}

namespace {
struct DeriveSequencers
    : public sequin::impl::TcpDeriveSequencersBase<DeriveSequencers> {
  void runOnOperation() override {
    if (failed(deriveSequencers(getOperation())))
      signalPassFailure();
  }
};
} // namespace
