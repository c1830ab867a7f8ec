//===- RingTrace.h - Hop by hop through a ring of slices --------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every router of a ring does in every cycle (TCP, Switch Engine, Router
// Decision Process). The first slice of a ring is its root: packets of the
// others go left to it, it puts them on the ring in the order of the turns, and
// they run right past every slice. With two slices of two packets each, all of
// slice 0 first:
//
//     cycle  slice 0                             slice 1
//     0      0.0 from input to output, right
//     1      0.1 from input to output, right     0.0 from left to output
//                                                1.0 from input to left
//     2      1.0 from right to output, right     0.1 from left to output
//                                                1.1 from input to left
//     3      1.1 from right to output, right     1.0 from left to output
//     4                                          1.1 from left to output
//
// One packet per cycle enters the ring, which is the manual's cycle formula;
// the trace ends when the last packet has passed the last slice. The formula
// leaves that tail out.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SIM_RINGTRACE_H
#define SEQUIN_SIM_RINGTRACE_H

#include "sequin/Config/Config.h"

namespace sequin::sim {

/// One packet in one router.
struct RingHop {
  enum class Port : uint8_t { Input, Left, Right };
  int64_t cycle = 0;
  int64_t slice = 0;
  int64_t source = 0, packet = 0; ///< the slice it comes from, and which one
  Port from = Port::Input;
  bool toOutput = false, toLeft = false, toRight = false;
};

struct RingTrace {
  /// By cycle, slice, and the order of the ports.
  std::vector<RingHop> hops;
  int64_t cycles = 0;
  /// A line per hop; packets are written source.packet.
  std::string str() const;
};

/// The ring that begins with slice `first` of a cluster, for `packets` packets
/// of one flit per slice. `stage` is one that the simulator accepts.
RingTrace traceRing(const config::SwitchStage &stage, int64_t first,
                    int64_t packets);

} // namespace sequin::sim

#endif // SEQUIN_SIM_RINGTRACE_H
