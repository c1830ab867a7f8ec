//===- DeriveExec.cpp - One pass of the tensor unit -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecDeriver.h"
#include "sequin/Config/Footprint.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;

//===----------------------------------------------------------------------===//
// Sequencers
//===----------------------------------------------------------------------===//

config::Sequencer derivation::toConfig(const Sequencer &sequencer,
                                       ElementType type, int64_t address) {
  config::Sequencer result;
  result.baseAddress = address + sequencer.base * getBitWidth(type) / 8;
  result.packetEntries = sequencer.packetEntries;
  for (const SequencerEntry &entry : sequencer.entries)
    result.entries.push_back({entry.size, entry.stride});
  return result;
}

int64_t derivation::contiguousBytes(const Sequencer &sequencer,
                                    ElementType type) {
  int64_t run = 1;
  for (const SequencerEntry &entry : llvm::reverse(sequencer.entries)) {
    if (entry.size == 1)
      continue;
    if (entry.stride != run)
      break;
    run *= entry.size;
  }
  int64_t bits = run * getBitWidth(type);
  return bits % 8 == 0 ? bits / 8 : 0;
}

std::optional<int64_t> derivation::largestAccess(ArrayRef<int64_t> sizes,
                                                 int64_t a, int64_t b,
                                                 int64_t most) {
  for (int64_t size : llvm::reverse(sizes))
    if (size <= most && a % size == 0 && b != 0 && b % size == 0)
      return size;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

FailureOr<std::vector<uint64_t>>
derivation::deriveSliceMask(Operation *op, tcp::GridAttr grid,
                            const TcpMachine &machine) {
  Mapping cluster = grid.getClusterMapping(), slice = grid.getSliceMapping();
  // Quotient and remainder of one axis may be split over both levels.
  llvm::Expected<Mapping> both = Mapping::pair(cluster, slice);
  if (!both)
    return op->emitOpError()
           << "cluster and slice: " << llvm::toString(both.takeError());
  int64_t perCluster = machine.slicesPerCluster;
  // Grids smaller than the machine's exist in unit mode, larger ones nowhere.
  if (cluster.size() > machine.clustersPerChip || slice.size() > perCluster)
    return op->emitOpError()
           << "runs on " << cluster.size() << " clusters of " << slice.size()
           << " slices, machine \"" << machine.name << "\" has "
           << machine.clustersPerChip << " of " << perCluster;
  std::vector<uint64_t> mask(
      llvm::divideCeil(machine.clustersPerChip * perCluster, 64), 0);
  for (int64_t c = 0; c < cluster.size(); ++c)
    for (int64_t s = 0; s < slice.size(); ++s)
      if (both->at(c * slice.size() + s)) {
        int64_t bit = c * perCluster + s;
        mask[bit / 64] |= uint64_t(1) << (bit % 64);
      }
  return mask;
}

LogicalResult ExecDeriver::setSliceMask(Operation *op, tcp::GridAttr grid) {
  auto mask = deriveSliceMask(op, grid, machine);
  if (failed(mask))
    return failure();
  command.sliceMask = std::move(*mask);
  return success();
}

LogicalResult ExecDeriver::step(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tcp::FetchOp, tcp::SwitchOp, tcp::CollectOp,
            tcp::VectorInterSliceReduceOp>([&](auto op) { return stage(op); })
      .Case<tcp::ToTrfOp, tcp::AlignOp, tcp::ContractOp, tcp::AccumulateOp>(
          [&](auto op) { return stage(op); })
      .Case<tcp::VectorInitOp, tcp::VectorIntraSliceBranchOp,
            tcp::VectorBranchLogOp, tcp::VectorIntraSliceUnzipOp,
            tcp::VectorStashOp, tcp::VectorReinterpretOp, tcp::VectorLogicOp,
            tcp::VectorLogicZipOp, tcp::VectorFxpOp, tcp::VectorFxpZipOp,
            tcp::VectorFxpToFpOp, tcp::VectorSplitOp, tcp::VectorTrimWay4Op,
            tcp::VectorFpUnaryOp, tcp::VectorFpBinaryOp, tcp::VectorFpTernaryOp,
            tcp::VectorFpZipOp, tcp::VectorFpDivOp, tcp::VectorConcatOp,
            tcp::VectorPadWay8Op, tcp::VectorFpToFxpOp, tcp::VectorClipOp,
            tcp::VectorClipZipOp, tcp::VectorFilterOp, tcp::VectorFinalOp>(
          [&](auto op) { return stage(op); })
      .Case([&](tcp::VectorIntraSliceReduceOp op) { return stage(op); })
      .Case<tcp::CastOp, tcp::TransposeOp, tcp::CommitOp, tcp::CommitViewOp,
            tcp::CommitPackedOp, tcp::ToVrfOp>(
          [&](auto op) { return stage(op); })
      .Default([](Operation *op) {
        return op->emitOpError() << "is not an engine of the tensor unit";
      });
}

FailureOr<config::ExecCommand> ExecDeriver::run(Operation *&sink) {
  command.context = isSub() ? config::Context::Sub : config::Context::Main;
  if (failed(setSliceMask(begin, begin.getInput().getType().getGrid())))
    return failure();
  sink = begin;
  while (std::holds_alternative<std::monostate>(command.sink)) {
    Value stream = sink->getResult(0);
    if (!stream.hasOneUse())
      return sink->emitOpError()
             << "stream has " << llvm::range_size(stream.getUses())
             << " consumers, an engine has exactly one successor";
    sink = *stream.user_begin();
    if (failed(step(sink)))
      return failure();
  }
  if (const auto *commit = std::get_if<config::CommitStage>(&command.sink))
    if (std::optional<int64_t> common = config::findCommonByte(
            command.fetch, commit->sequencer, getBitWidth(commit->type)))
      return sink->emitOpError()
             << "writes address " << *common
             << " of a slice, which the same pass fetches: it would be "
                "overwritten before it is read";
  return command;
}

FailureOr<config::ExecCommand>
derivation::deriveExec(PassBegin begin, const AddressTable &addresses,
                       int64_t viewAddress, const TcpMachine &machine,
                       Operation *&sink) {
  return ExecDeriver(begin, addresses, viewAddress, machine).run(sink);
}
