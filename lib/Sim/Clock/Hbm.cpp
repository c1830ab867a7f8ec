//===- Hbm.cpp - Time that HBM takes for requests -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clock/Hbm.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace sequin;
using namespace sequin::sim;

static constexpr uint32_t kClosed = ~uint32_t(0);

// Fields of a decoded word.
static constexpr unsigned kRow = 0, kChannel = 16, kBank = 24, kBankGroup = 28,
                          kSlice = 32, kHighSlice = 33, kHighRow = 34;

static uint64_t decodeBits(const HbmModel &model, uint64_t bits) {
  return gatherBits(model.rowBits, bits) << kRow |
         gatherBits(model.channelBits, bits) << kChannel |
         gatherBits(model.stackBits, bits)
             << (kChannel + model.channelBits.size()) |
         gatherBits(model.bankBits, bits) << kBank |
         gatherBits(model.bankGroupBits, bits) << kBankGroup |
         gatherBits(model.sliceBit, bits) << kSlice |
         gatherBits(model.highSliceBit, bits) << kHighSlice |
         gatherBits(model.highRowBit, bits) << kHighRow;
}

/// A unit of which some bytes wait to be written.
struct Hbm::Part {
  int64_t unit;
  std::vector<bool> written;
  int64_t missing; ///< bytes
};

struct Hbm::Channel {
  /// By bank: the open row, times opened, units transferred.
  std::vector<uint32_t> row;
  std::vector<int64_t> opened, hits;
  /// The queue: what waits for its row, oldest first. A key is the bank and the
  /// row.
  std::vector<uint64_t> queue;
  size_t head = 0;
  std::vector<Part> parts; ///< oldest first
  int64_t units = 0, partialWrites = 0;
  /// The data bus in cycles of commandMHz; partial writes are counted extra.
  int64_t commandCycles = 0;
  int64_t firstUnitCycles = 0; ///< of these, the first unit's
  /// Units of the current chunk by slice and bank group.
  llvm::SmallVector<int32_t, 16> chunk;
  int64_t inChunk = 0;
};

Hbm::Hbm(const HbmModel &model, int64_t coreMHz)
    : model(model), coreMHz(coreMHz), unitBytes(model.unitBytes),
      queueUnits(model.queueEntries * model.controllerBytes / model.unitBytes),
      channels(model.channels()) {
  for (unsigned byte = 0; byte < kAddressBytes; ++byte)
    for (uint64_t value = 0; value < 256; ++value)
      decoder[byte][value] = decodeBits(model, value << (8 * byte));
  for (Channel &channel : channels) {
    channel.row.assign(model.banksPerChannel(), kClosed);
    channel.opened.assign(model.banksPerChannel(), 0);
    channel.hits.assign(model.banksPerChannel(), 0);
    channel.chunk.assign(model.slicesPerChannel * model.bankGroupsPerSlice, 0);
  }
}

Hbm::~Hbm() = default;

/// The scheduler interleaves what waits, up to a queue of units: commands of
/// two bank groups of one slice follow each other at the shortest tCCD; what is
/// left over interleaves with other slices; the rest is of one bank group.
void Hbm::countChunk(Channel &channel, const HbmModel &model) {
  int64_t groups = model.bankGroupsPerSlice;
  int64_t fast = 0, left = 0, mostLeft = 0;
  for (int64_t slice = 0; slice < model.slicesPerChannel; ++slice) {
    int64_t sum = 0, most = 0;
    for (int64_t group = 0; group < groups; ++group) {
      int64_t n = channel.chunk[slice * groups + group];
      sum += n;
      most = std::max(most, n);
    }
    // Two of one group are apart if one of another is between them.
    int64_t rest = std::max<int64_t>(0, 2 * most - sum);
    fast += sum - rest;
    left += rest;
    mostLeft = std::max(mostLeft, rest);
  }
  int64_t slow = std::max<int64_t>(0, 2 * mostLeft - left);
  int64_t commands = model.unitBytes / model.controllerBytes;
  int64_t cycles = commands * (fast * model.tccdOtherBankGroup +
                               (left - slow) * model.tccdOtherSlice +
                               slow * model.tccdSameBankGroup);
  if (channel.commandCycles == 0 && channel.inChunk > 0)
    channel.firstUnitCycles = llvm::divideCeil(cycles, channel.inChunk);
  channel.commandCycles += cycles;
  std::fill(channel.chunk.begin(), channel.chunk.end(), 0);
  channel.inChunk = 0;
}

/// Opens the row of the oldest entry; everything in the queue that hits it
/// goes.
void Hbm::openOldest(Channel &channel) {
  uint64_t key = channel.queue[channel.head++];
  uint32_t bank = key >> 32;
  if (channel.row[bank] != kClosed)
    ++statistics.switches;
  channel.row[bank] = static_cast<uint32_t>(key);
  ++channel.opened[bank];
  // Compacts in place what stays.
  uint64_t *from = channel.queue.data() + channel.head;
  uint64_t *end = channel.queue.data() + channel.queue.size();
  uint64_t *to = std::find(from, end, key);
  if (to == end)
    return;
  for (uint64_t *at = to; at != end; ++at) {
    if (*at == key)
      ++channel.hits[bank];
    else
      *to++ = *at;
  }
  channel.queue.resize(to - channel.queue.data());
}

uint64_t Hbm::decode(int64_t address) const {
  uint64_t word = 0;
  for (unsigned byte = 0; byte < kAddressBytes; ++byte)
    word ^= decoder[byte][address >> (8 * byte) & 0xff];
  return word;
}

void Hbm::writePart(int64_t unit, int64_t begin, int64_t end) {
  if (!model.mergesPartialWrites)
    return accessUnit(unit, true);
  Channel &channel = channels[decode(unit) >> kChannel & 0xff];
  std::vector<Part> &parts = channel.parts;
  auto part =
      llvm::find_if(parts, [&](const Part &p) { return p.unit == unit; });
  if (part == parts.end()) {
    if (static_cast<int64_t>(parts.size()) == queueUnits) {
      accessUnit(parts.front().unit, true);
      parts.erase(parts.begin());
    }
    parts.push_back({unit, std::vector<bool>(unitBytes, false), unitBytes});
    part = std::prev(parts.end());
  }
  for (int64_t byte = begin; byte < end; ++byte)
    if (!part->written[byte]) {
      part->written[byte] = true;
      --part->missing;
    }
  if (part->missing > 0)
    return;
  accessUnit(unit, false);
  parts.erase(part);
}

void Hbm::accessUnit(int64_t address, bool partial) {
  uint64_t word = decode(address);
  bool high = word >> kHighSlice & 1, low = word >> kSlice & 1;
  bool highRow = high ? low : word >> kHighRow & 1;
  uint32_t row = (word >> kRow & 0xffff) | uint32_t(highRow)
                                               << model.rowBits.size();
  uint32_t bank = ((high ? 2 : low) * model.bankGroupsPerSlice +
                   (word >> kBankGroup & 0xf)) *
                      model.banksPerGroup +
                  (word >> kBank & 0xf);
  Channel &channel = channels[word >> kChannel & 0xff];
  ++channel.units;
  channel.partialWrites += partial;
  ++channel.chunk[bank / model.banksPerGroup];
  if (++channel.inChunk == queueUnits)
    countChunk(channel, model);
  if (channel.row[bank] == row) {
    ++channel.hits[bank];
    return;
  }
  uint64_t key = uint64_t(bank) << 32 | row;
  channel.queue.push_back(key);
  if (static_cast<int64_t>(channel.queue.size() - channel.head) >= queueUnits)
    openOldest(channel);
  if (channel.head >= 4096) {
    channel.queue.erase(channel.queue.begin(),
                        channel.queue.begin() + channel.head);
    channel.head = 0;
  }
}

Hbm::Statistics Hbm::finish() {
  // Everything in units of the slower clocks' common multiple would be exact;
  // the quotients below are, in these machines' numbers.
  for (Channel &channel : channels) {
    for (const Part &part : channel.parts)
      accessUnit(part.unit, true);
    while (channel.head < channel.queue.size())
      openOldest(channel);
    countChunk(channel, model);
    if (channel.units == 0)
      continue;
    int64_t commands = model.unitBytes / model.controllerBytes;
    int64_t unitCommandCycles = commands * model.tccdOtherBankGroup;
    // The first transfer is part of the start-up.
    int64_t bus = channel.commandCycles - channel.firstUnitCycles +
                  channel.partialWrites * (model.partialWriteFactor - 1) *
                      unitCommandCycles;
    int64_t openings = 0, worstBank = 0;
    for (size_t bank = 0; bank < channel.opened.size(); ++bank) {
      statistics.openings += channel.opened[bank];
      if (channel.opened[bank] <= 1)
        continue;
      openings += channel.opened[bank];
      worstBank = std::max(
          worstBank,
          channel.opened[bank] * model.rowSwitchCycles * model.commandMHz +
              channel.hits[bank] * unitCommandCycles * coreMHz);
    }
    int64_t cycles =
        std::max({llvm::divideCeil(std::max<int64_t>(bus, 0) * coreMHz,
                                   model.commandMHz),
                  static_cast<uint64_t>(openings * model.rowSwitchCycles),
                  llvm::divideCeil(worstBank, model.commandMHz)});
    statistics.cycles = std::max(statistics.cycles, cycles);
    statistics.units += channel.units;
    statistics.busiest = std::max(statistics.busiest, channel.units);
    statistics.partialWrites += channel.partialWrites;
    ++statistics.channels;
  }
  statistics.cycles =
      llvm::divideCeil(statistics.cycles * 100, 100 - model.refreshPercent);
  return statistics;
}
