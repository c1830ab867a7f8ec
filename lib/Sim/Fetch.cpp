//===- Fetch.cpp - Fetch and collect engines ------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engines.h"
#include "sequin/Support/Arithmetic.h"

using namespace sequin;
using namespace sequin::sim;

FetchEngine::FetchEngine(const config::FetchStage &stage,
                         const CommandPlan &plan, const TcpMachine &machine)
    : stage(stage), sourceBytes(plan.sourcePacketBytes),
      streamBytes(plan.streamPacketBytes),
      paddedBytes(plan.flits / plan.packets * machine.flitBytes),
      addresses(
          makeByteNest(stage.sequencer.entries, getBitWidth(stage.from))) {
  if (stage.mask)
    for (const Loop &entry : llvm::ArrayRef(stage.sequencer.entries)
                                 .drop_back(stage.sequencer.packetEntries))
      time.push_back({entry.size, 0});
}

void FetchEngine::begin(const uint8_t *dm) {
  base = dm + stage.sequencer.baseAddress;
  addresses.reset();
  for (auto &[size, count] : time)
    count = 0;
}

/// Elements beyond the valid count of the packet that the time loops stand at.
void FetchEngine::applyMask(uint8_t *packet) {
  bool applies = llvm::all_of(stage.mask->lastLoops, [&](int64_t loop) {
    return time[loop].second == time[loop].first - 1;
  });
  if (applies)
    for (int64_t i = stage.mask->validCount; i < stage.packetElements; ++i)
      storeElement(stage.from, packet, i,
                   static_cast<uint32_t>(stage.mask->value));
  for (auto &[size, count] : llvm::reverse(time)) {
    if (++count < size)
      break;
    count = 0;
  }
}

static void convert(ElementType from, ElementType to, const uint8_t *source,
                    uint8_t *result, int64_t count) {
  if (isFloat(from))
    for (int64_t i = 0; i < count; ++i)
      storeElement(
          to, result, i,
          encodeFloat(to, decodeFloat(from, loadElement(from, source, i))));
  else
    for (int64_t i = 0; i < count; ++i)
      storeElement(
          to, result, i,
          encodeInt(to, decodeInt(from, loadElement(from, source, i))));
}

llvm::MutableArrayRef<uint8_t> FetchEngine::read(int64_t packets) {
  flits.resize(packets * paddedBytes);
  bool converts = stage.from != stage.to;
  // The common case needs no second buffer.
  if (!converts && !stage.mask && streamBytes == paddedBytes) {
    addresses.read(base, flits.data(), packets * sourceBytes);
    return flits;
  }
  source.resize(sourceBytes);
  for (int64_t i = 0; i < packets; ++i) {
    uint8_t *packet = flits.data() + i * paddedBytes;
    uint8_t *raw = converts ? source.data() : packet;
    addresses.read(base, raw, sourceBytes);
    if (stage.mask)
      applyMask(raw);
    if (converts)
      convert(stage.from, stage.to, raw, packet, stage.packetElements);
    std::memset(packet + streamBytes, 0, paddedBytes - streamBytes);
  }
  return flits;
}
