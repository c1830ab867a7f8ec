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

/// Bytes that pass a slice's engines as flits, one per cycle.
inline int64_t flitCycles(const TcpMachine &machine, int64_t bytes) {
  return llvm::divideCeil(bytes, machine.flitBytes);
}

/// Every packet of a slice passes all `ring` slices of its ring, taking
/// `packetCycles` at each (TCP, Switch Engine, Cycle Estimation).
inline int64_t ringCycles(int64_t ring, int64_t packets, int64_t packetCycles) {
  return ring * packets * packetCycles;
}

/// Flits stream into the inter-slice block; the last result comes one traversal
/// of the slices that are reduced behind them (INT-10).
inline int64_t interSliceCycles(int64_t flits, int64_t slices) {
  return flits + slices;
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

/// A DMA command whose `requests` are dealt evenly to all engines, each taking
/// `perRequest` cycles, and that moves `hbmBytes` from or to HBM at its peak.
inline int64_t dmaCycles(const TcpMachine &machine, int64_t requests,
                         int64_t perRequest, int64_t hbmBytes) {
  int64_t engines = llvm::divideCeil(requests, machine.dmaEngines) * perRequest;
  int64_t hbm = llvm::divideCeil(hbmBytes, machine.hbmBytesPerCycle);
  return machine.dmaStartupCycles + std::max(engines, hbm);
}

/// A DMA command from HBM to HBM of other chips, of which each gets or sends
/// `bytes` at most (TCP, DMA Engine, PCIe).
inline int64_t interChipCycles(const TcpMachine &machine, int64_t bytes) {
  return machine.dmaStartupCycles + machine.dmaStoreDescriptorCycles +
         llvm::divideCeil(bytes, machine.interChipBytesPerCycle);
}

} // namespace sequin

#endif // SEQUIN_MACHINE_CYCLES_H
