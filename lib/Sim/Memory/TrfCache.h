//===- TrfCache.h - Who uses the banks of the TRF ---------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The columns of the register file's banks serve the reads of a contraction and
// the writes of a load that runs beside it (TCP, TRF Cache). Reads go through a
// direct-mapped cache, found by column and the low bits of the row in the bank;
// a hit leaves the bank alone. A miss keeps its column busy for a cycle, in
// which a write to that column has to wait: read beats write.
//
// A contraction reads once per computation packet, one packet per cycle from
// its start on. All rows read the same places of their banks. How long loads
// take follows from where commands overlap, so programs are scheduled, delayed
// loads made longer, and scheduled again.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_MEMORY_TRFCACHE_H
#define SEQUIN_LIB_SIM_MEMORY_TRFCACHE_H

#include "Engine/Nest.h"
#include "Plan.h"
#include "sequin/Sim/TrfLayout.h"

namespace sequin::sim {

/// The read cache of one row of the MAC array.
class TrfCache {
public:
  explicit TrfCache(const TcpMachine &machine);
  /// Reads `bytes` from byte `address` of the bank on; the columns that are
  /// busy with misses, one bit each.
  unsigned read(int64_t address, int64_t bytes);
  int64_t hits() const { return hitCount; }
  int64_t misses() const { return missCount; }

  /// What is in the cache, by column and set.
  llvm::ArrayRef<int64_t> contents() const { return cells; }

private:
  const TcpMachine &machine;
  llvm::SmallVector<int64_t, 8> cells; ///< cell held, -1 for none
  int64_t hitCount = 0, missCount = 0;
};

/// Cells read by a contraction, per row. Both are -1 if there are too many
/// different reads to follow.
struct TrfReads {
  int64_t hits = 0, misses = 0;
};
TrfReads countTrfReads(const config::ContractStage &stage,
                       const TcpMachine &machine);

/// The reads of a contraction, step by step.
class TrfReader {
public:
  TrfReader(const config::ContractStage &stage, const TcpMachine &machine);
  /// The columns that the next packet keeps busy.
  unsigned next();

private:
  TrfCache cache;
  Odometer addresses;
  int64_t base, bytes;
};

/// As schedule(), with the delays of register file loads; a Trap if these take
/// more reads to find out than `maxReads`.
llvm::Expected<std::vector<CommandTiming>>
scheduleWithTrf(const config::UnrolledProgram &program,
                llvm::ArrayRef<CommandPlan> plans, const TcpMachine &machine,
                int64_t maxReads);

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_MEMORY_TRFCACHE_H
