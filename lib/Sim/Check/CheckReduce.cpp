//===- CheckReduce.cpp - Checks of the reduction inside a slice -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/AccumulatorSlots.h"
#include "Engine/IntraSliceReduce.h"
#include "sequin/Machine/TcpIsa.h"
#include "sequin/Support/ElementType.h"

using namespace sequin;
using namespace sequin::sim;
using config::ValidCountGenerator;
using llvm::StringRef;
using llvm::Twine;

llvm::Expected<ReducePlan>
sim::checkIntraSliceReduce(const CommandCheck &check,
                           const config::IntraSliceReduceStage &stage,
                           int64_t packets, ElementType stream) {
  constexpr StringRef name = "intra_slice_reduce";
  ElementType type = IntraSliceReducer::typeOf(stage.op);
  if (type != stream)
    return check.trap(name, "the operation works on " + getName(type) +
                                ", the stream carries " + getName(stream));
  for (auto [index, loop] : llvm::enumerate(stage.loops))
    if (llvm::Error error = check.between(name, "size of loop " + Twine(index),
                                          loop.size, 1, kMaxCount))
      return std::move(error);
  llvm::Expected<int64_t> steps =
      check.count(name, "iterations", tripCount(stage.loops));
  if (!steps)
    return steps.takeError();
  if (*steps != packets)
    return check.trap(name, "the loops make " + Twine(*steps) +
                                " steps, the stream has " + Twine(packets) +
                                " packets");

  llvm::Expected<int64_t> slots =
      checkSlots<config::ReduceLoop>(check, name, stage.loops);
  if (!slots)
    return slots.takeError();
  if (*slots > check.machine.reduceSlots)
    return check.trap(name, "needs " + Twine(*slots) +
                                " accumulator slots, machine '" +
                                check.machine.name + "' has " +
                                Twine(check.machine.reduceSlots));
  ReducePlan plan;
  plan.outputPackets = 1;
  // The first result is complete when every reduced loop is at its last
  // iteration and all others are at their first.
  int64_t firstResult = 1, stepsInside = 1;
  for (const config::ReduceLoop &loop : llvm::reverse(stage.loops)) {
    if (loop.reduced)
      firstResult += (loop.size - 1) * stepsInside;
    else
      plan.outputPackets *= loop.size;
    stepsInside *= loop.size;
  }
  plan.delay = firstResult > 1 ? firstResult : 0;
  return plan;
}

llvm::Error sim::checkValidCount(const CommandCheck &check,
                                 const ValidCountGenerator &generator,
                                 int64_t flits) {
  constexpr StringRef name = "valid_count";
  const ValidCountLimits &limits = check.machine.validCount;
  if (llvm::Error error =
          check.between(name, "number of counters", generator.counters.size(),
                        0, limits.maxCounters))
    return error;
  if (llvm::Error error = check.between(
          name, "number of gates", generator.gates.size(), 0, limits.maxGates))
    return error;
  if (llvm::Error error = check.between(
          name, "packet_valid", generator.packetValid, 0, limits.maxIndex))
    return error;
  int64_t lastDim =
      ValidCountGenerator::kFirstGate + generator.gates.size() - 1;
  int64_t steps = 1;
  bool packetFound = false;
  for (auto [index, counter] : llvm::enumerate(generator.counters)) {
    std::string what = ("counter " + Twine(index)).str();
    if (llvm::Error error = check.between(name, "limit of " + what,
                                          counter.limit, 1, limits.maxSize))
      return error;
    if (llvm::Error error =
            check.between(name, "dim of " + what, counter.dim,
                          ValidCountGenerator::kUnassigned, lastDim))
      return error;
    if (llvm::Error error = check.between(name, "stride of " + what,
                                          counter.stride, 0, limits.maxIndex))
      return error;
    if (llvm::MulOverflow(steps, counter.limit, steps) || steps > kMaxCount)
      return check.trap(name, "the counters make more than " +
                                  Twine(kMaxCount) + " steps");
    // stride_p: what one flit holds at most.
    if (counter.dim == ValidCountGenerator::kPacketDim && !packetFound) {
      packetFound = true;
      if (llvm::Error error = check.between(
              name, "stride of " + what + ", the innermost of the packet dim,",
              counter.stride, 1, limits.lanes))
        return error;
    }
  }
  if (steps != flits)
    return check.trap(name, "the counters make " + Twine(steps) +
                                " steps, a slice has " + Twine(flits) +
                                " flits");
  for (auto [index, gate] : llvm::enumerate(generator.gates)) {
    std::string what = (" of gate " + Twine(index)).str();
    if (llvm::Error error =
            check.between(name, "mask" + what, gate.mask, 0, limits.slices - 1))
      return error;
    if (llvm::Error error = check.between(name, "match" + what, gate.match, 0,
                                          limits.slices - 1))
      return error;
    if (llvm::Error error =
            check.between(name, "valid" + what, gate.valid, 0, limits.maxIndex))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error sim::checkValidCountTrim(const CommandCheck &check,
                                     const ValidCountGenerator &generator) {
  // Whole flits or nothing, with or without counters: what is trimmed off is
  // padding of the mapping, which the stream's own check looks at.
  const ValidCountGenerator::Counter *innermost = nullptr;
  bool isBinary = generator.packetValid % check.machine.validCount.lanes == 0;
  for (const ValidCountGenerator::Counter &counter : generator.counters)
    if (counter.dim == ValidCountGenerator::kPacketDim) {
      if (!innermost)
        innermost = &counter;
      isBinary &= counter.stride % check.machine.validCount.lanes == 0;
    }
  int64_t most = innermost && !isBinary
                     ? std::min(innermost->stride, generator.packetValid)
                     : 0;
  if (most <= tcp_isa::kNarrowLanes)
    return llvm::Error::success();
  return check.trap("valid_count", "packets of up to " + Twine(most) +
                                       " valid elements are trimmed to " +
                                       Twine(tcp_isa::kNarrowLanes));
}
