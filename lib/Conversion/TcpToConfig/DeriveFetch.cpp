//===- DeriveFetch.cpp - Fetch engine -------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecDeriver.h"
#include "sequin/Machine/TcpIsa.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;
using namespace sequin::tcp_isa;

static config::FetchTable readTable(ElementsAttr table) {
  config::FetchTable result;
  result.type = *tcp::getElementKind(table.getElementType());
  for (Attribute number : table.getValues<Attribute>())
    result.values.push_back(bitsOf(number));
  return result;
}

/// The step between interleaved tensors is what their addresses say.
LogicalResult ExecDeriver::setDistance(tcp::FetchOp op, Sequencer &sequencer) {
  if (begin.getInputs().size() < 2)
    return success();
  tcp::DmType dm = begin.getInput().getType();
  int64_t bytes = addresses.lookup(begin.getInputs()[1]) -
                  addresses.lookup(begin.getInputs()[0]);
  int64_t bits = getBitWidth(*tcp::getElementKind(dm.getElementType()));
  if (bytes * 8 % bits != 0)
    return op.emitOpError() << "reads two tensors " << bytes
                            << " bytes apart, which is no whole number of "
                            << dm.getElementType() << " elements";
  for (SequencerEntry &entry : sequencer.entries)
    if (entry.stride == kInterleaved)
      entry.stride = bytes * 8 / bits;
  return success();
}

LogicalResult ExecDeriver::stage(tcp::FetchOp op) {
  tcp::DmType dm = begin.getInput().getType();
  auto output = cast<tcp::StreamType>(op.getResult().getType());
  config::FetchStage &stage = command.fetch;
  stage.from = *tcp::getElementKind(dm.getElementType());
  stage.to = *tcp::getElementKind(output.getElementType());
  if (op.getTable())
    stage.table = readTable(*op.getTable());
  ElementType castFrom = stage.table ? stage.table->type : stage.from;
  if (!machine.canFetchCast(castFrom, stage.to))
    return op.emitOpError()
           << "casts " << tcp::getElementType(op.getContext(), castFrom)
           << " to " << output.getElementType() << ", which machine \""
           << machine.name << "\" cannot do while fetching";
  if (op.getZeroPoints())
    stage.zeroPoints.assign(op.getZeroPoints()->begin(),
                            op.getZeroPoints()->end());
  stage.dualChannel = op.getDualChannel();

  SequencerLimits limits = getFetchLimits(op, machine);
  FailureOr<Sequencer> sequencer = takeSequencer(op);
  if (failed(sequencer) || failed(setDistance(op, *sequencer)))
    return failure();

  stage.packetElements = output.getPacketMapping().size();
  int64_t packetBytes = getByteSize(stage.from, stage.packetElements);
  if (packetBytes > machine.dmBytesPerSlice)
    return op.emitOpError()
           << "packet \"" << op.getPacket().getText() << "\" has "
           << packetBytes << " bytes, more than the " << machine.dmBytesPerSlice
           << " bytes of a slice";
  // One access, widened, still fits one flit (FET-20).
  int64_t widest = kFlitBytes * getBitWidth(stage.from) / getBitWidth(stage.to);
  int64_t run = contiguousBytes(*sequencer, stage.from);
  std::optional<int64_t> access =
      largestAccess(limits.accessBytes, packetBytes, run, widest);
  if (!access)
    return op.emitOpError()
           << "reads runs of " << run << " contiguous bytes for packets of "
           << packetBytes << " bytes, the "
           << tcp::stringifyContext(begin.getExecutionContext())
           << " context fetches "
           << llvm::join(llvm::map_range(
                             limits.accessBytes,
                             [](int64_t size) { return std::to_string(size); }),
                         ", ")
           << " bytes at a time";
  stage.accessBytes = *access;
  stage.fetchesPerPacket = packetBytes / *access;

  if (auto mask =
          op->getAttrOfType<tcp::MaskAttr>(tcp::TcpDialect::kMaskAttrName))
    stage.mask = mask.getValue();
  stage.sequencer = derivation::toConfig(*sequencer, stage.from,
                                         addresses.lookup(begin.getInput()));
  return success();
}
