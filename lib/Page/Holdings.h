//===- Holdings.h - Who holds which bytes, and how long ---------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A holding begins when a command writes bytes and ends with the last command
// that reads them before others are written over all of them. Ranges are the
// bounding ones of the simulator's accesses, so that holdings whose strides
// interleave overlap.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_PAGE_HOLDINGS_H
#define SEQUIN_LIB_PAGE_HOLDINGS_H

#include "sequin/Sim/Simulator.h"

namespace sequin::page {

struct Holding {
  sim::Space space = sim::Space::Dm;
  int64_t chip = 0;
  int64_t begin = 0, end = 0; ///< bytes
  std::vector<uint64_t> slices;
  int64_t from = 0, until = 0; ///< cycles
  /// Commands by number; the writer is -1 for bytes that nothing has written.
  int64_t writer = -1, lastReader = -1;
  int64_t reads = 0;
};

/// Of a report with CommandTiming::accesses, in the order in which they begin.
/// `uses` gets the pairs (command, holding) of all reads.
std::vector<Holding>
findHoldings(const sim::Report &report,
             std::vector<std::pair<int64_t, int64_t>> &uses);

} // namespace sequin::page

#endif // SEQUIN_LIB_PAGE_HOLDINGS_H
