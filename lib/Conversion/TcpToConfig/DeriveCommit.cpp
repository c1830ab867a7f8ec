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
  auto kept = tcp::inferCommitElements(op, [&] { return op.emitOpError(); });
  if (failed(kept))
    return failure();
  auto input = cast<tcp::StreamType>(op.getInput().getType());
  auto output = op.getResult().getType();
  config::CommitStage stage;
  stage.type = *tcp::getElementKind(output.getElementType());
  stage.commitInBytes = getByteSize(stage.type, *kept);

  const SequencerLimits &limits =
      isSub() ? machine.subCommit : machine.mainCommit;
  DeriveOptions options;
  options.direction = Direction::Write;
  options.limits = limits;
  options.elementType = stage.type;
  auto derived = reportAt(op.getOperation(),
                          derive(AddressMap(output.getElementMapping()),
                                 input.getTimeMapping(),
                                 input.getPacketMapping(), options),
                          "commit sequencer");
  if (failed(derived))
    return failure();
  Sequencer sequencer = separatePacket(*derived, *kept, limits);
  if (sequencer.entries.size() > limits.maxEntries)
    return op.emitOpError()
           << "needs " << sequencer.entries.size() << " sequencer entries ("
           << sequencer.str() << "), machine \"" << machine.name << "\" has "
           << limits.maxEntries;

  std::optional<int64_t> access = largestAccess(
      limits.accessBytes, stage.commitInBytes,
      contiguousBytes(sequencer, stage.type), stage.commitInBytes);
  if (!access)
    return op.emitOpError()
           << "writes runs of " << contiguousBytes(sequencer, stage.type)
           << " contiguous bytes, the "
           << tcp::stringifyContext(begin.getExecutionContext())
           << " context commits multiples of " << limits.accessBytes.front()
           << " bytes";
  stage.accessBytes = *access;
  stage.sequencer = toConfig(sequencer, stage.type, op.getAddress());
  // COM-14: everything outside the packet moves by whole bank words.
  auto misaligned = [&](int64_t bytes) {
    return bytes % machine.commitAlignBytes != 0;
  };
  for (const config::Loop &loop : ArrayRef(stage.sequencer.entries)
                                      .drop_back(stage.sequencer.packetEntries))
    if (misaligned(getByteSize(stage.type, std::abs(loop.stride))))
      return op.emitOpError()
             << "steps " << getByteSize(stage.type, loop.stride)
             << " bytes between writes, commit strides are multiples of "
             << machine.commitAlignBytes << " bytes";
  if (misaligned(stage.sequencer.baseAddress))
    return op.emitOpError()
           << "writes to address " << stage.sequencer.baseAddress
           << ", commit addresses are multiples of " << machine.commitAlignBytes
           << " bytes";
  command.sink = stage;
  return success();
}
