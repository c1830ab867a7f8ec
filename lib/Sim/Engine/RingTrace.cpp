//===- RingTrace.cpp - Hop by hop through a ring of slices ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Sim/RingTrace.h"
#include "Engine/Routing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <tuple>

using namespace sequin;
using namespace sequin::sim;
using Port = RingHop::Port;

namespace {

/// Follows one packet after the other through the routers.
class RingTracer {
public:
  RingTracer(const config::SwitchStage &stage, int64_t first)
      : table(stage.routing), taken(packetsTaken(stage.routing)), first(first),
        ring(table.ringSize()) {}

  /// The packet that the root handles in `cycle`.
  void pass(int64_t source, int64_t packet, int64_t cycle) {
    // Left to the root, a slice per cycle.
    for (int64_t slice = source; slice > 0; --slice) {
      RingHop &hop = add(slice, source, packet, cycle - slice,
                         slice == source ? Port::Input : Port::Right);
      hop.toLeft = true;
    }
    // Right past everybody.
    for (int64_t slice = 0; slice < ring; ++slice) {
      Port from = slice > 0     ? Port::Left
                  : source == 0 ? Port::Input
                                : Port::Right;
      RingHop &hop = add(slice, source, packet, cycle + slice, from);
      hop.toOutput = takes(slice, source, packet);
      hop.toRight = slice + 1 < ring;
    }
  }

  RingTrace take() {
    llvm::sort(trace.hops, [](const RingHop &a, const RingHop &b) {
      return std::tuple(a.cycle, a.slice, order(a.from)) <
             std::tuple(b.cycle, b.slice, order(b.from));
    });
    return std::move(trace);
  }

private:
  /// What comes round the ring first.
  static int order(Port port) {
    return port == Port::Left ? 0 : port == Port::Right ? 1 : 2;
  }

  bool takes(int64_t slice, int64_t source, int64_t packet) const {
    int64_t place = packet - table.firstPacket(first + slice);
    return llvm::is_contained(table.sources(first + slice), source) &&
           llvm::is_contained(taken, place);
  }

  RingHop &add(int64_t slice, int64_t source, int64_t packet, int64_t cycle,
               Port from) {
    RingHop &hop = trace.hops.emplace_back();
    hop.cycle = cycle;
    hop.slice = first + slice;
    hop.source = first + source;
    hop.packet = packet;
    hop.from = from;
    trace.cycles = std::max(trace.cycles, cycle + 1);
    return hop;
  }

  RoutingTable table;
  std::vector<int64_t> taken;
  int64_t first, ring;
  RingTrace trace;
};

} // namespace

RingTrace sim::traceRing(const config::SwitchStage &stage, int64_t first,
                         int64_t packets) {
  RingTracer tracer(stage, first);
  int64_t ring = stage.routing.ringSize, groups = ring / stage.groupSlices;
  // One group takes its packets one round after the other, whatever the turn.
  int64_t rounds = groups == 1 ? 1 : stage.groupPackets;
  int64_t cycle = 0;
  for (int64_t turn = 0; turn < packets / rounds; ++turn)
    for (int64_t group = 0; group < groups; ++group)
      for (int64_t round = 0; round < rounds; ++round)
        for (int64_t i = 0; i < stage.groupSlices; ++i)
          tracer.pass(group * stage.groupSlices + i, turn * rounds + round,
                      cycle++);
  return tracer.take();
}

std::string RingTrace::str() const {
  std::string text = "cycle slice packet  from  to\n";
  for (const RingHop &hop : hops) {
    llvm::SmallVector<llvm::StringRef, 3> to;
    if (hop.toOutput)
      to.push_back("output");
    if (hop.toLeft)
      to.push_back("left");
    if (hop.toRight)
      to.push_back("right");
    llvm::StringRef from = hop.from == Port::Input  ? "input"
                           : hop.from == Port::Left ? "left"
                                                    : "right";
    text +=
        llvm::formatv("{0,-5} {1,-5} {2,-7} {3,-5} {4}\n", hop.cycle, hop.slice,
                      llvm::formatv("{0}.{1}", hop.source, hop.packet).str(),
                      from, llvm::join(to, ", "))
            .str();
  }
  return text;
}
