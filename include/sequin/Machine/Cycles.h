//===- Cycles.h - How long engines take -------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The manual's cycle formulas, for the simulator, which knows every number in
// them, and for the compiler, which compares mappings by them before there is a
// configuration. All times are cycles of the core clock.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_MACHINE_CYCLES_H
#define SEQUIN_MACHINE_CYCLES_H

#include "sequin/Machine/Machine.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace sequin {

/// Engines of a pass work side by side (SIL-42).
inline int64_t tensorUnitCycles(std::initializer_list<int64_t> stages) {
  return std::max(stages);
}

/// A pass whose stages and latencies take `cycles`: what the machine adds to
/// every pass.
inline int64_t passCycles(const TcpMachine &machine, int64_t cycles) {
  constexpr int64_t kWhole = 100; // percent
  return llvm::divideCeil(
      (cycles + machine.engineFillCycles) * machine.passScalePercent, kWhole);
}

/// Bytes that pass a slice's engines as flits, one per cycle.
inline int64_t flitCycles(const TcpMachine &machine, int64_t bytes) {
  return llvm::divideCeil(bytes, machine.flitBytes);
}

/// Every packet of a slice passes all `ring` slices of its ring, taking
/// `packetCycles` at each (TCP, Switch Engine, Cycle Estimation).
inline int64_t ringCycles(int64_t ring, int64_t packets, int64_t packetCycles) {
  return ring * packets * packetCycles;
}

/// Flits stream into the inter-slice block. Where a link of the ring has a
/// limit, the sums pass it on their way to the last slice, and then the
/// `passedOn` flits of results that slices between the first and the last one
/// take. The last result comes one traversal of the slices that are reduced
/// behind the stream, which is part of the pass and not of this stage (INT-10).
inline int64_t interSliceCycles(const TcpMachine &machine, int64_t flits,
                                int64_t passedOn) {
  int64_t link = 0;
  if (machine.reduceLinkFlitsPerCycle > 0)
    link = llvm::divideCeil(flits + passedOn, machine.reduceLinkFlitsPerCycle);
  return std::max(flits, link);
}

/// One computation packet per cycle, each repeated over time (TCP, Stream
/// Adapter, Time Broadcast).
inline int64_t contractCycles(int64_t packets, int64_t repetitions) {
  return packets * repetitions;
}

/// Consecutive addresses of HBM whose rows are open together: one row in every
/// channel, in each of the two bank groups that take turns (MEM-12).
inline int64_t openRowBytes(const TcpMachine &machine) {
  return machine.hbm.rowBytes * machine.hbm.channels() *
         machine.hbm.bankGroupsPerSlice / 2;
}

/// What HBM takes to move `bytes` at its peak, between refreshes.
inline int64_t hbmCycles(const TcpMachine &machine, int64_t bytes) {
  return llvm::divideCeil(llvm::divideCeil(bytes, machine.hbmBytesPerCycle) *
                              100,
                          100 - machine.hbm.refreshPercent);
}

/// What DMA takes to move `bytes` evenly in or out of the data memories of all
/// clusters of a chip.
inline int64_t dmCycles(const TcpMachine &machine, int64_t bytes) {
  int64_t rate = machine.dmClusterBytesPerCycle * machine.clustersPerChip;
  return rate > 0 ? llvm::divideCeil(bytes, rate) : 0;
}

/// The bytes that HBM moves in the time that it takes to write `runs` runs of
/// `run` bytes: a unit that a run ends in is read and written back (MEM-14).
inline int64_t hbmBytesToWrite(const TcpMachine &machine, int64_t runs,
                               int64_t run) {
  int64_t unit = machine.hbm.unitBytes;
  if (run % unit == 0)
    return runs * run;
  return runs * (run / unit + machine.hbm.partialWriteFactor) * unit;
}

/// A DMA command whose `requests` are dealt evenly to all engines, each taking
/// `perRequest` cycles, that takes as long of HBM as `hbmBytes` at its peak,
/// and that moves `dmBytes` in or out of data memory.
inline int64_t dmaCycles(const TcpMachine &machine, int64_t requests,
                         int64_t perRequest, int64_t hbmBytes,
                         int64_t dmBytes) {
  int64_t engines = llvm::divideCeil(requests, machine.dmaEngines) * perRequest;
  return machine.dmaStartupCycles +
         std::max({engines, hbmCycles(machine, hbmBytes),
                   dmCycles(machine, dmBytes)});
}

/// A DMA command from HBM to HBM of other chips, of which each gets or sends
/// `bytes` at most (TCP, DMA Engine, PCIe).
inline int64_t interChipCycles(const TcpMachine &machine, int64_t bytes) {
  return machine.dmaStartupCycles + machine.dmaStoreDescriptorCycles +
         llvm::divideCeil(bytes, machine.interChipBytesPerCycle);
}

} // namespace sequin

#endif // SEQUIN_MACHINE_CYCLES_H
