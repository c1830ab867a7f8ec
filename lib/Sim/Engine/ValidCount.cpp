//===- ValidCount.cpp - The valid count generator at work -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/ValidCount.h"
#include <algorithm>

using namespace sequin;
using namespace sequin::sim;
using config::ValidCountGenerator;

ValidCounter::ValidCounter(const ValidCountGenerator &generator, int64_t lanes)
    : packetValid(generator.packetValid), packetStride(lanes) {
  int64_t nobody = ValidCountGenerator::kFirstGate + generator.gates.size();
  index.resize(nobody + 1);
  bool packetFound = false;
  for (const ValidCountGenerator::Counter &counter : generator.counters) {
    bool isAssigned = counter.dim != ValidCountGenerator::kUnassigned;
    if (counter.dim == ValidCountGenerator::kPacketDim && !packetFound) {
      packetStride = counter.stride;
      packetFound = true;
    }
    // A counter of one step never moves.
    if (counter.limit > 1)
      wheels.push_back({counter.limit, isAssigned ? counter.stride : 0,
                        isAssigned ? counter.dim : nobody, 0});
  }
  for (const ValidCountGenerator::Gate &gate : generator.gates)
    gates.push_back({gate, Gate::State::Open});
}

void ValidCounter::begin(int64_t slice) {
  for (Wheel &wheel : wheels)
    wheel.count = 0;
  std::fill(index.begin(), index.end(), 0);
  shut = false;
  for (Gate &gate : gates) {
    int64_t masked = slice & gate.config.mask;
    gate.state = masked < gate.config.match ? Gate::State::Open
                 : masked == gate.config.match || gate.config.transposed
                     ? Gate::State::Counting
                     : Gate::State::Shut;
    shut |= gate.state == Gate::State::Shut;
  }
}

void ValidCounter::advance() {
  for (Wheel &wheel : wheels) {
    index[wheel.dim] += wheel.stride;
    if (++wheel.count < wheel.limit)
      return;
    index[wheel.dim] -= wheel.stride * wheel.limit;
    wheel.count = 0;
  }
}

void ValidCounter::next(llvm::MutableArrayRef<uint8_t> counts) {
  // Nothing of such a slice is data, whatever the counters say.
  if (shut) {
    std::fill(counts.begin(), counts.end(), 0);
    return;
  }
  for (uint8_t &count : counts) {
    count = packetCount();
    for (size_t i = 0; i < gates.size(); ++i)
      if (gates[i].state == Gate::State::Counting &&
          index[ValidCountGenerator::kFirstGate + i] >= gates[i].config.valid)
        count = 0;
    advance();
  }
}

void sim::splitCounts(llvm::ArrayRef<uint8_t> flits, int64_t narrow,
                      llvm::MutableArrayRef<uint8_t> packets) {
  for (size_t i = 0; i < flits.size(); ++i) {
    uint8_t low = std::min<int64_t>(flits[i], narrow);
    packets[2 * i] = low;
    packets[2 * i + 1] = flits[i] - low;
  }
}

void sim::trimCounts(llvm::ArrayRef<uint8_t> flits, int64_t narrow,
                     llvm::MutableArrayRef<uint8_t> packets) {
  // The lanes that go are padding of the stream (checked), so a whole flit is a
  // whole packet.
  for (size_t i = 0; i < flits.size(); ++i)
    packets[i] = std::min<int64_t>(flits[i], narrow);
}

void sim::concatCounts(llvm::ArrayRef<uint8_t> packets,
                       llvm::MutableArrayRef<uint8_t> flits) {
  for (size_t i = 0; i < flits.size(); ++i)
    flits[i] = packets[2 * i] + packets[2 * i + 1];
}
