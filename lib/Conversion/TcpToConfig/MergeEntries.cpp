//===- MergeEntries.cpp - Loops within the limits of their engines --------===//
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
#define GEN_PASS_DEF_STREAMMERGEENTRIES
#include "sequin/Conversion/TcpToConfig/Passes.h.inc"
} // namespace sequin

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;
using sequin::stream::SequencerAttr;

/// The entries of a derivation whose packet part is exactly `packetElements`:
/// merging may have joined the packet with the loop around it, which the engine
/// must keep apart because it pads packet by packet.
static Sequencer separatePacket(const Derivation &derivation,
                                int64_t packetElements) {
  Sequencer result = derivation.sequencer;
  result.packetElements = packetElements;
  result.packetEntries = 0;
  int64_t inner = 1;
  for (size_t i = result.entries.size(); i-- > 0 && inner < packetElements;) {
    SequencerEntry &entry = result.entries[i];
    int64_t missing = packetElements / inner;
    ++result.packetEntries;
    if (entry.size > missing && entry.size % missing == 0) {
      SequencerEntry outer = entry;
      outer.size = entry.size / missing;
      outer.stride = entry.stride * missing;
      entry.size = missing;
      result.entries.insert(result.entries.begin() + i, outer);
      break;
    }
    inner *= entry.size;
  }
  return result;
}

namespace {
class EntryMerger {
public:
  EntryMerger(const TcpMachine &machine, bool remarks)
      : machine(machine), remarks(remarks) {}

  LogicalResult run(Operation *op);

private:
  FailureOr<Attribute> fit(Operation *op, const Walk &walk,
                           SequencerAttr given);
  LogicalResult split(Operation *op);

  const TcpMachine &machine;
  bool remarks;
};
} // namespace

FailureOr<Attribute> EntryMerger::fit(Operation *op, const Walk &walk,
                                      SequencerAttr given) {
  Derivation derivation;
  derivation.initial = given.getSequencer();
  if (llvm::Error error = fitLoops(derivation, walk.buffer, walk.time,
                                   walk.packet, walk.options))
    return op->emitOpError()
           << walk.what << ": " << llvm::toString(std::move(error));
  unsigned limit = walk.options.limits.maxEntries;
  Sequencer sequencer = separatePacket(derivation, walk.packetElements);
  // Register files do without the loops of the packet.
  if (sequencer.entries.size() > limit &&
      isa<tcp::FetchOp, tcp::CommitOp, tcp::CommitViewOp>(op))
    return op->emitOpError()
           << "needs " << sequencer.entries.size()
           << " sequencer entries with the packet kept apart ("
           << sequencer.str() << "), machine \"" << machine.name << "\" has "
           << limit;
  StringRef rule =
      derivation.refactored ? "refactor"
      : derivation.merged   ? "merge"
      : derivation.sequencer.entries.size() > derivation.initial.entries.size()
          ? "split"
          : "fit";
  if (auto fetch = dyn_cast<tcp::FetchOp>(op)) {
    auto mask = maskPadding(fetch, machine, sequencer);
    if (failed(mask))
      return failure();
    if (*mask)
      op->setAttr(tcp::TcpDialect::kMaskAttrName,
                  tcp::MaskAttr::get(op->getContext(), **mask));
  }
  if (remarks)
    op->emitRemark() << walk.what << " by " << rule << ": "
                     << derivation.initial.entries.size() << " entries "
                     << derivation.initial.str() << " are "
                     << sequencer.entries.size() << " of at most " << limit
                     << ", " << sequencer.str();
  return SequencerAttr::get(op->getContext(), sequencer, rule);
}

/// Moves get their descriptors.
LogicalResult EntryMerger::split(Operation *op) {
  auto transfers =
      op->getAttrOfType<ArrayAttr>(tcp::TcpDialect::kTransfersAttrName);
  if (!transfers)
    return op->emitOpError() << "has no transfers: --tcp-derive-sequencers "
                                "derives them";
  auto descriptors = splitTransfers(op, transfers.getValue(), machine);
  if (failed(descriptors))
    return failure();
  if (remarks)
    op->emitRemark() << transfers.size() << " transfers are "
                     << descriptors->size() << " descriptors";
  op->removeAttr(tcp::TcpDialect::kTransfersAttrName);
  op->setAttr(tcp::TcpDialect::kDescriptorsAttrName,
              ArrayAttr::get(op->getContext(), *descriptors));
  return success();
}

LogicalResult EntryMerger::run(Operation *op) {
  if (isDmaOp(op))
    return split(op);
  auto walks = findWalks(op, machine);
  if (failed(walks))
    return failure();
  if (walks->empty())
    return success();
  auto given =
      op->getAttrOfType<ArrayAttr>(tcp::TcpDialect::kSequencersAttrName);
  if (!given || given.size() != walks->size())
    return op->emitOpError() << "has " << (given ? given.size() : 0)
                             << " sequencers and visits " << walks->size()
                             << " memories: --tcp-derive-sequencers derives "
                                "one for each";
  SmallVector<Attribute, 1> fitted;
  for (auto [walk, attr] :
       llvm::zip_equal(*walks, given.getAsRange<SequencerAttr>())) {
    FailureOr<Attribute> sequencer = fit(op, walk, attr);
    if (failed(sequencer))
      return failure();
    fitted.push_back(*sequencer);
  }
  op->setAttr(tcp::TcpDialect::kSequencersAttrName,
              ArrayAttr::get(op->getContext(), fitted));
  return success();
}

LogicalResult sequin::mergeEntries(func::FuncOp function, bool remarks) {
  tcp::TargetAttr target = tcp::getTarget(function);
  if (!target)
    return failure();
  EntryMerger merger(*target.getRow(), remarks);
  WalkResult result =
      function.walk([&](Operation *op) { return WalkResult(merger.run(op)); });
  return failure(result.wasInterrupted());
}

namespace {
struct MergeEntries
    : public sequin::impl::StreamMergeEntriesBase<MergeEntries> {
  using StreamMergeEntriesBase::StreamMergeEntriesBase;

  void runOnOperation() override {
    if (failed(mergeEntries(getOperation(), remarks)))
      signalPassFailure();
  }
};
} // namespace
