//===- Switch.cpp - The switch engine -------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/Engines.h"

using namespace sequin;
using namespace sequin::sim;

SwitchEngine::SwitchEngine(const config::SwitchStage &stage,
                           int64_t packetBytes)
    : groupSlices(stage.groupSlices), groupPackets(stage.groupPackets),
      packetBytes(packetBytes), table(stage.routing),
      taken(packetsTaken(stage.routing)), members(stage.routing.ringSize) {}

void SwitchEngine::load(
    int64_t first, llvm::ArrayRef<uint64_t> takers,
    llvm::function_ref<llvm::ArrayRef<uint8_t>(int64_t)> fetch) {
  current.reset();
  std::vector<bool> needed(members.size());
  for (int64_t i = 0, size = members.size(); i < size; ++i)
    if (takesPart(takers, first + i))
      for (int64_t source : table.sources(first + i))
        needed[source] = true;
  for (size_t i = 0; i < members.size(); ++i) {
    members[i].clear();
    if (!needed[i])
      continue;
    llvm::ArrayRef<uint8_t> packets = fetch(first + i);
    members[i].assign(packets.begin(), packets.end());
  }
}

bool SwitchEngine::begin(int64_t slice) {
  bool isSame = current && table.alike(*current, slice);
  current = slice;
  sources = table.sources(slice);
  firstPacket = table.firstPacket(slice);
  groupEnds.clear();
  for (size_t i = 1; i <= sources.size(); ++i)
    if (i == sources.size() ||
        sources[i] / groupSlices != sources[i - 1] / groupSlices)
      groupEnds.push_back(i);
  group = source = turn = inTurn = 0;
  return isSame;
}

llvm::MutableArrayRef<uint8_t> SwitchEngine::read(int64_t packets) {
  block.resize(packets * packetBytes);
  uint8_t *to = block.data();
  for (int64_t i = 0; i < packets; ++i, to += packetBytes) {
    int64_t packet = firstPacket + taken[turn * groupPackets + inTurn];
    std::memcpy(to, members[sources[source]].data() + packet * packetBytes,
                packetBytes);
    // [turns][groups][packets of a turn][slices of a group]
    int64_t groupBegin = group ? groupEnds[group - 1] : 0;
    if (static_cast<int64_t>(++source) < groupEnds[group])
      continue;
    source = groupBegin;
    if (static_cast<int64_t>(++inTurn) < groupPackets)
      continue;
    inTurn = 0;
    if (++group == groupEnds.size()) {
      group = 0;
      ++turn;
    }
    source = group ? groupEnds[group - 1] : 0;
  }
  return block;
}
