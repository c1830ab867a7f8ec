//===- Routing.cpp - Traffic between the slices of a cluster --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/Routing.h"

using namespace sequin;
using namespace sequin::sim;

RoutingTable::RoutingTable(const config::Routing &routing)
    : ring(routing.ringSize) {
  for (const config::RouterSetting &setting : routing.routers) {
    int64_t start = settingOf.size() / ring * ring;
    Setting &entry = settings.emplace_back();
    entry.firstPacket = setting.firstPacket;
    for (int64_t i = 0; i < ring; ++i) {
      size_t word = (start + i) / 64;
      if (word < setting.sources.size() &&
          setting.sources[word] >> ((start + i) % 64) & 1)
        entry.sources.push_back(i);
    }
    settingOf.insert(settingOf.end(), setting.slices, settings.size() - 1);
  }
  if (routing.period == 0)
    return;
  for (int64_t slice = settingOf.size(); slice < ring; ++slice) {
    uint32_t before = settingOf[slice - routing.period];
    bool isFirst = slice % routing.period == 0 ||
                   settingOf[slice - routing.period - 1] != before;
    if (routing.periodPackets != 0 && isFirst) {
      Setting &entry = settings.emplace_back(settings[before]);
      entry.firstPacket += routing.periodPackets;
    }
    settingOf.push_back(routing.periodPackets != 0 ? settings.size() - 1
                                                   : before);
  }
}

std::vector<int64_t> sim::packetsTaken(const config::Routing &routing) {
  std::vector<int64_t> taken = {0};
  for (const config::Loop &loop : routing.packets) {
    size_t outer = taken.size();
    std::vector<int64_t> inner(outer * loop.size);
    for (size_t i = 0; i < outer; ++i)
      for (int64_t j = 0; j < loop.size; ++j)
        inner[i * loop.size + j] = taken[i] + j * loop.stride;
    taken = std::move(inner);
  }
  return taken;
}
