//===- Hbm.h - Time that HBM takes for requests -----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One chip's HBM as seen by the DMA engines: requests come in their order, are
// cut into units of 256 bytes, and wait in the command queue of their channel.
// A channel serves first what hits an open row, then the oldest (FR-FCFS). It
// has three resources that work side by side; the slowest gives the time (TCP,
// Memory Performance, HBM; docs/Decisions):
//
//     data bus     every unit after the first takes 4 cycles of the controller,
//                  longer if the tCCD of its neighbours in the queue is; a
//                  request that writes a part of a unit is a read-modify-write
//                  that takes 50 times as long. On a machine whose row says so
//                  it waits in the queue for others to the same unit, and only
//                  what is partial still when it leaves is one
//     row opening  one row is closed and another opened at a time; other banks
//                  go on. The first row of a bank is opened in the shadow of
//                  the command's start-up, unless the bank switches rows, which
//                  is then paid for every opening (as the manual's Example 4
//                  does)
//     each bank    openings and transfers of one bank cannot overlap
//
// Refreshes, if the row has any, take their share of all of them.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_CLOCK_HBM_H
#define SEQUIN_LIB_SIM_CLOCK_HBM_H

#include "sequin/Machine/HbmPlace.h"
#include <algorithm>
#include <vector>

namespace sequin::sim {

class Hbm {
public:
  explicit Hbm(const HbmModel &model, int64_t coreMHz);
  ~Hbm();

  /// A request for any bytes of the chip; cut at units.
  void access(int64_t address, int64_t bytes, bool write) {
    int64_t unit = address & ~(unitBytes - 1), end = address + bytes;
    do {
      if (write && (unit < address || unit + unitBytes > end))
        writePart(unit, std::max(unit, address) - unit,
                  std::min(unit + unitBytes, end) - unit);
      else
        accessUnit(unit, false);
      unit += unitBytes;
    } while (unit < end);
  }

  struct Statistics {
    int64_t units = 0;         ///< transfers of all channels
    int64_t busiest = 0;       ///< units of the channel with most of them
    int64_t channels = 0;      ///< channels with any
    int64_t openings = 0;      ///< rows opened
    int64_t switches = 0;      ///< of these, with another row open before
    int64_t partialWrites = 0; ///< read-modify-writes
    int64_t cycles = 0;        ///< core cycles
  };
  /// Serves what still waits. Call once, after the last access.
  Statistics finish();

private:
  struct Part;
  struct Channel;
  uint64_t decode(int64_t address) const;
  void accessUnit(int64_t address, bool partial);
  /// The bytes [begin, end) of a unit.
  void writePart(int64_t unit, int64_t begin, int64_t end);
  void openOldest(Channel &channel);
  static void countChunk(Channel &channel, const HbmModel &model);

  const HbmModel &model;
  int64_t coreMHz, unitBytes;
  /// Units that wait in a queue: a unit is a command per transfer of the
  /// controller, and a queue holds commands.
  int64_t queueUnits;
  std::vector<Channel> channels;
  Statistics statistics;
  /// Every component is an exclusive or of address bits, so the components of
  /// the address' bytes, packed into a word, are combined by exclusive or.
  static constexpr unsigned kAddressBytes = 5;
  uint64_t decoder[kAddressBytes][256];
};

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_CLOCK_HBM_H
