//===- BankRuns.h - Accesses in a row to one bank of data memory -*- C++ -*-==//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The banks of a slice's data memory serve the tensor unit before the DMA
// engines. A pass that takes one bank too often in a row starves a DMA request
// until the network gives it up (TCP, Memory Performance, Bank Starvation), so
// the compiler lets such a pass occupy the DMA engines, and the simulator traps
// where a configuration does not.
//
// What is counted (MEM-06, SIL-43): the accesses of one slice by one channel,
// in order; a run is accesses that follow each other and all touch the bank. An
// access of 32 bytes touches four banks of 8. In dual-channel mode the accesses
// of a cycle are those of two channels, and the runs of both add up like those
// of two contexts (MEM-07).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONFIG_BANKRUNS_H
#define SEQUIN_CONFIG_BANKRUNS_H

#include "sequin/Config/Config.h"
#include "sequin/Machine/Machine.h"

namespace sequin::config {

/// By bank.
struct BankRuns {
  /// Longest run of accesses.
  llvm::SmallVector<int64_t, 16> longest;
  /// Accesses in all; beyond 2^61 just as many.
  llvm::SmallVector<int64_t, 16> total;

  /// Both clients together: their runs add up in the worst case (MEM-07).
  BankRuns &operator+=(const BankRuns &other);
  /// The bank with the longest run.
  int64_t worstBank() const;
};

/// Of a sequencer whose strides are in elements of `elementBits`, read or
/// written `accessBytes` at a time; the accesses of a packet take turns in
/// `channels`.
BankRuns countBankRuns(const Sequencer &sequencer, int64_t elementBits,
                       int64_t accessBytes, const TcpMachine &machine,
                       int64_t channels = 1);
/// Of a pass: its fetch and its commit.
BankRuns countBankRuns(const ExecCommand &exec, const TcpMachine &machine);

/// Whether the pass may not run beside DMA.
bool starvesDma(const ExecCommand &exec, const TcpMachine &machine);

} // namespace sequin::config

#endif // SEQUIN_CONFIG_BANKRUNS_H
