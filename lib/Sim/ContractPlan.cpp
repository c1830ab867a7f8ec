//===- ContractPlan.cpp - Steps of a contraction --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractPlan.h"

using namespace sequin;
using namespace sequin::sim;

/// Steps kept for all slices; more are made anew for each slice.
static constexpr int64_t kMaxKeptSteps = 1 << 18;

ContractPlan::ContractPlan(const config::ContractStage &stage,
                           const TcpMachine &machine, int64_t steps)
    : trfBase(stage.trf.baseAddress) {
  int64_t bits = getBitWidth(stage.type);
  int64_t bytes =
      TrfLayout(machine, stage.trfAddress, stage.rows).bytesPerRow();
  weightAt.assign(bytes, 0);
  llvm::SmallVector<Loop, 8> loops, moving;
  for (const Loop &entry : stage.trf.entries) {
    Loop loop{entry.size, entry.size == 1 ? 0 : entry.stride * bits / 8};
    loops.push_back(loop);
    if (loop.stride != 0)
      moving.push_back(loop);
  }
  trf = Odometer(loops);

  // Number the addresses in the order of their first use.
  std::vector<bool> seen(bytes, false);
  Odometer walk(moving);
  for (int64_t i = 0, end = *tripCount(moving); i < end; ++i, walk.advance()) {
    int64_t address = trfBase + walk.offset();
    if (seen[address])
      continue;
    seen[address] = true;
    weightAt[address] = addresses.size();
    addresses.push_back(address);
  }

  for (const config::AccumulateLoop &loop : stage.loops) {
    if (loop.size == 1)
      continue;
    wheels.push_back({loop.size, loop.slotStride, 0, loop.reduced});
    slots += std::max<int64_t>(0, (loop.size - 1) * loop.slotStride);
  }

  keepsAll = steps <= kMaxKeptSteps;
  if (keepsAll) {
    buffer.reserve(steps);
    for (int64_t i = 0; i < steps; ++i)
      buffer.push_back(makeStep());
  }
}

ContractStep ContractPlan::makeStep() {
  ContractStep step;
  step.weight = weightAt[trfBase + trf.offset()];
  trf.advance();
  step.store = step.emit = true;
  int64_t slot = 0;
  for (const Wheel &wheel : wheels) {
    slot += wheel.count * wheel.stride;
    if (wheel.reduced) {
      step.store &= wheel.count == 0;
      step.emit &= wheel.count == wheel.size - 1;
    }
  }
  step.slot = static_cast<uint16_t>(slot);
  for (Wheel &wheel : llvm::reverse(wheels)) {
    if (++wheel.count < wheel.size)
      break;
    wheel.count = 0;
  }
  return step;
}

void ContractPlan::restart() {
  position = 0;
  if (keepsAll)
    return;
  trf.reset();
  for (Wheel &wheel : wheels)
    wheel.count = 0;
}

llvm::ArrayRef<ContractStep> ContractPlan::next(int64_t count) {
  if (keepsAll) {
    llvm::ArrayRef<ContractStep> steps =
        llvm::ArrayRef(buffer).slice(position).take_front(count);
    position += steps.size();
    return steps;
  }
  constexpr int64_t kBlock = 1024;
  buffer.clear();
  for (int64_t i = 0; i < std::min(count, kBlock); ++i)
    buffer.push_back(makeStep());
  return buffer;
}
