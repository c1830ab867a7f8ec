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

/// How many loops were attached, and how many of these a search found.
struct SequencerCounts {
  unsigned sequencers = 0, transfers = 0, searched = 0;
};

static LogicalResult deriveOp(Operation *op, const TcpMachine &machine,
                              SequencerCounts &counts) {
  dropDerived(op);
  Builder builder(op->getContext());
  if (isDmaOp(op)) {
    auto transfers = deriveTransfers(op, machine);
    if (failed(transfers))
      return failure();
    counts.transfers += transfers->size();
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
    counts.searched += derivation->searched;
    sequencers.push_back(
        stream::SequencerAttr::get(op->getContext(), derivation->initial,
                                   derivation->searched ? "search" : "terms"));
  }
  counts.sequencers += sequencers.size();
  op->setAttr(tcp::TcpDialect::kSequencersAttrName,
              builder.getArrayAttr(sequencers));
  return success();
}

static FailureOr<SequencerCounts> deriveFunction(func::FuncOp function) {
  tcp::TargetAttr target = tcp::getTarget(function);
  if (!target)
    return failure();
  SequencerCounts counts;
  WalkResult result = function.walk([&](Operation *op) {
    return WalkResult(deriveOp(op, *target.getRow(), counts));
  });
  if (result.wasInterrupted())
    return failure();
  return counts;
}

LogicalResult sequin::deriveSequencers(func::FuncOp function) {
  return deriveFunction(function);
}

namespace {
struct DeriveSequencers
    : public sequin::impl::TcpDeriveSequencersBase<DeriveSequencers> {
  void runOnOperation() override {
    FailureOr<SequencerCounts> counts = deriveFunction(getOperation());
    if (failed(counts))
      return signalPassFailure();
    sequencers += counts->sequencers;
    transfers += counts->transfers;
    searched += counts->searched;
  }
};
} // namespace
