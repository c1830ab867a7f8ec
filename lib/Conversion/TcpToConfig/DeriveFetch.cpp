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

LogicalResult ExecDeriver::stage(tcp::FetchOp op) {
  tcp::DmType dm = begin.getInput().getType();
  auto output = cast<tcp::StreamType>(op.getResult().getType());
  config::FetchStage &stage = command.fetch;
  stage.from = *tcp::getElementKind(dm.getElementType());
  stage.to = *tcp::getElementKind(output.getElementType());
  if (!machine.canFetchCast(stage.from, stage.to))
    return op.emitOpError() << "casts " << dm.getElementType() << " to "
                            << output.getElementType() << ", which machine \""
                            << machine.name << "\" cannot do while fetching";

  SequencerLimits limits = isSub() ? machine.subFetch : machine.mainFetch;
  if (isSub() && stage.from == ElementType::I4 && stage.to == ElementType::I32)
    limits.accessBytes = machine.subFetchI4ToI32Bytes;
  DeriveOptions options;
  options.direction = Direction::Read;
  options.limits = limits;
  options.elementType = stage.from;
  Mapping packet = output.getPacketMapping();
  auto derived = reportAt(op.getOperation(),
                          derive(AddressMap(dm.getElementMapping()),
                                 output.getTimeMapping(), packet, options),
                          "fetch sequencer");
  if (failed(derived))
    return failure();
  Sequencer sequencer = separatePacket(*derived, packet.size(), limits);
  if (sequencer.entries.size() > limits.maxEntries)
    return op.emitOpError() << "needs " << sequencer.entries.size()
                            << " sequencer entries with the packet kept apart ("
                            << sequencer.str() << "), machine \""
                            << machine.name << "\" has " << limits.maxEntries;

  stage.packetElements = packet.size();
  int64_t packetBytes = getByteSize(stage.from, packet.size());
  if (packetBytes > machine.dmBytesPerSlice)
    return op.emitOpError()
           << "packet \"" << op.getPacket().getText() << "\" has "
           << packetBytes << " bytes, more than the " << machine.dmBytesPerSlice
           << " bytes of a slice";
  // One access, widened, still fits one flit (FET-20).
  int64_t widest = kFlitBytes * getBitWidth(stage.from) / getBitWidth(stage.to);
  std::optional<int64_t> access =
      largestAccess(limits.accessBytes, packetBytes,
                    contiguousBytes(sequencer, stage.from), widest);
  if (!access)
    return op.emitOpError()
           << "reads runs of " << contiguousBytes(sequencer, stage.from)
           << " contiguous bytes for packets of " << packetBytes
           << " bytes, the "
           << tcp::stringifyContext(begin.getExecutionContext())
           << " context fetches "
           << llvm::join(llvm::map_range(
                             limits.accessBytes,
                             [](int64_t size) { return std::to_string(size); }),
                         ", ")
           << " bytes at a time";
  stage.accessBytes = *access;

  auto mask = deriveFetchMask(
      op, ArrayRef(sequencer.entries).drop_back(sequencer.packetEntries));
  if (failed(mask))
    return failure();
  if (*mask && isSub())
    return op.emitOpError() << "packet \"" << op.getPacket().getText()
                            << "\" has padding, which the sub context cannot "
                               "mask while fetching";
  stage.mask = *mask;
  stage.sequencer =
      toConfig(sequencer, stage.from, addresses.lookup(begin.getInput()));
  return success();
}
