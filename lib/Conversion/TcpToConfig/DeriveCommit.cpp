//===- DeriveCommit.cpp - Cast and commit engines, VRF --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecDeriver.h"
#include "sequin/Dialect/Tcp/IR/TcpShapes.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;

LogicalResult ExecDeriver::stage(tcp::CastOp op) {
  auto input = cast<tcp::StreamType>(op.getInput().getType());
  config::CastStage stage{*tcp::getElementKind(input.getElementType()),
                          *tcp::getElementKind(op.getElementType())};
  if (!machine.canCast(stage.from, stage.to))
    return op.emitOpError()
           << "casts " << input.getElementType() << " to "
           << op.getElementType() << ", which the cast engine of machine \""
           << machine.name << "\" cannot do";
  command.cast = stage;
  return success();
}

LogicalResult ExecDeriver::stage(tcp::ToVrfOp op) {
  command.sink = config::ToVrfStage{static_cast<int64_t>(op.getAddress()),
                                    op.getResult().getType().getByteSize()};
  return success();
}

LogicalResult ExecDeriver::stage(tcp::CommitOp op) {
  return commit(op, cast<tcp::StreamType>(op.getInput().getType()),
                op.getElement(), op.getSlicesAttr(), op.getAddress(),
                /*isView=*/false);
}

LogicalResult ExecDeriver::stage(tcp::CommitViewOp op) {
  return commit(op, cast<tcp::StreamType>(op.getInput().getType()),
                op.getElement(), op.getSlicesAttr(), viewAddress,
                /*isView=*/true);
}

LogicalResult ExecDeriver::commit(Operation *op, tcp::StreamType input,
                                  stream::MappingAttr element,
                                  stream::MappingAttr slices, int64_t address,
                                  bool isView) {
  auto emitError = [&] { return op->emitOpError(); };
  auto view = isView ? cast<tcp::CommitViewOp>(op) : tcp::CommitViewOp();
  auto kept = isView ? tcp::inferViewElements(input, view, emitError)
                     : tcp::inferCommitElements(input, element, emitError);
  if (failed(kept))
    return failure();
  config::CommitStage stage;
  stage.type = *tcp::getElementKind(input.getElementType());
  stage.commitInBytes = getByteSize(stage.type, *kept);

  const SequencerLimits &limits =
      isSub() ? machine.subCommit : machine.mainCommit;
  FailureOr<Sequencer> taken = takeSequencer(op);
  if (failed(taken))
    return failure();
  const Sequencer &sequencer = *taken;
  std::optional<int64_t> access = largestAccess(
      limits.accessBytes, stage.commitInBytes,
      contiguousBytes(sequencer, stage.type), stage.commitInBytes);
  if (!access)
    return op->emitOpError()
           << "writes runs of " << contiguousBytes(sequencer, stage.type)
           << " contiguous bytes, the "
           << tcp::stringifyContext(begin.getExecutionContext())
           << " context commits multiples of " << limits.accessBytes.front()
           << " bytes";
  stage.accessBytes = *access;
  stage.sequencer = toConfig(sequencer, stage.type, address);
  // COM-14: everything outside the packet moves by whole bank words.
  auto misaligned = [&](int64_t bytes) {
    return bytes % machine.commitAlignBytes != 0;
  };
  for (const config::Loop &loop : ArrayRef(stage.sequencer.entries)
                                      .drop_back(stage.sequencer.packetEntries))
    if (misaligned(getByteSize(stage.type, std::abs(loop.stride))))
      return op->emitOpError()
             << "steps " << getByteSize(stage.type, loop.stride)
             << " bytes between writes, commit strides are multiples of "
             << machine.commitAlignBytes << " bytes";
  if (misaligned(stage.sequencer.baseAddress))
    return op->emitOpError()
           << "writes to address " << stage.sequencer.baseAddress
           << ", commit addresses are multiples of " << machine.commitAlignBytes
           << " bytes";
  if (slices) {
    tcp::GridAttr grid = input.getGrid();
    auto bitmap = deriveSliceMask(
        op,
        tcp::GridAttr::get(op->getContext(), grid.getAxes(), grid.getChip(),
                           grid.getCluster(), slices),
        machine);
    if (failed(bitmap))
      return failure();
    stage.sliceBitmap = std::move(*bitmap);
  }
  command.sink = std::move(stage);
  return success();
}

//===----------------------------------------------------------------------===//
// The sub context's own modes
//===----------------------------------------------------------------------===//

LogicalResult ExecDeriver::stage(tcp::CommitPackedOp op) {
  auto input = cast<tcp::StreamType>(op.getInput().getType());
  config::CommitStage stage;
  stage.type = *tcp::getElementKind(input.getElementType());
  stage.commitInBytes = machine.flitBytes;
  stage.accessBytes = machine.subCommit.accessBytes.back();
  stage.sequencer.baseAddress = addresses.lookup(op.getDestination());
  if (stage.sequencer.baseAddress % machine.commitAlignBytes != 0)
    return op.emitOpError()
           << "writes to address " << stage.sequencer.baseAddress
           << ", commit addresses are multiples of " << machine.commitAlignBytes
           << " bytes";
  int64_t bytes = op.getDestination().getType().getByteSize();
  if (bytes % stage.accessBytes != 0)
    return op.emitOpError() << "packs into a tensor of " << bytes
                            << " bytes, the sub context commits multiples of "
                            << stage.accessBytes << " bytes";
  // One run; the size of a loop is limited.
  int64_t elements = op.getDestination().getType().getElementMapping().size();
  int64_t limit = machine.subCommit.maxSize, inner = std::min(elements, limit);
  while (elements % inner != 0)
    --inner;
  if (elements > inner)
    stage.sequencer.entries.push_back({elements / inner, inner});
  stage.sequencer.entries.push_back({inner, 1});
  stage.sequencer.packetEntries = stage.sequencer.entries.size();
  if (elements / inner > limit)
    return op.emitOpError() << "packs into " << elements
                            << " elements, which no two sequencer entries of "
                               "at most "
                            << limit << " count";

  FailureOr<Sequencer> counts = takeSequencer(op);
  if (failed(counts))
    return failure();
  stage.packing = config::CommitPacking{
      toConfig(*counts, ElementType::I32, addresses.lookup(op.getCount()))};
  stage.packing->counts.packetEntries = 0;
  command.sink = std::move(stage);
  return success();
}

FailureOr<config::GenerateCommand>
derivation::deriveGenerate(tcp::ItosOp op, const TcpMachine &machine) {
  config::GenerateCommand command;
  auto mask = deriveSliceMask(op, op.getResult().getType().getGrid(), machine);
  if (failed(mask))
    return failure();
  command.sliceMask = std::move(*mask);
  command.address = op.getAddress();
  APInt bits = isa<FloatAttr>(op.getValue())
                   ? cast<FloatAttr>(op.getValue()).getValue().bitcastToAPInt()
                   : cast<IntegerAttr>(op.getValue()).getValue();
  command.value = static_cast<uint32_t>(bits.getZExtValue());
  return command;
}
