//===- Checkpoint.cpp - A simulation that goes on elsewhere ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between two runs all of a simulation is in its PEs, their memory and streams,
// the steps that are planned, and what has been counted and found. It is
// written row by row, each with its length, so that neither who writes nor who
// reads holds more than a row besides, and so that ranks take their own.
//
//===----------------------------------------------------------------------===//

#include "CoreState.h"
#include "Crew.h"

using namespace sequin;
using namespace sequin::wafer;

/// What every checkpoint ends with.
static constexpr llvm::StringLiteral kEnd = "end of checkpoint";

/// Of all rows together.
template <typename A>
static void transfer(A &a, Wafer &wafer, Counters &counters) {
  a(wafer.now);
  a(wafer.started);
  a(wafer.lastStep);
  a.require(wafer.lastStep <= wafer.now);
  transferCounters(a, counters);
  for (std::vector<Race> *list :
       {&wafer.races, &wafer.undefined, &wafer.lostControls})
    transferRaces(a, *list);
  a.list(wafer.log, ~uint64_t(0), [&](std::string &line) { a(line); });
}

//===----------------------------------------------------------------------===//
// A row
//===----------------------------------------------------------------------===//

void Wafer::saveRow(int64_t y, Saver &saver) {
  // Steps that are planned: near ones in the plan, others in a heap.
  std::vector<std::vector<uint64_t>> due(static_cast<size_t>(program.width));
  for (uint64_t mask = plan.masks[y]; mask; mask &= mask - 1) {
    uint64_t slot = llvm::countr_zero(mask);
    uint64_t at = now + (slot - now) % Plan::kSlots;
    const uint64_t *words =
        &plan.slots[(y * Plan::kSlots + slot) * plan.wordsPerRow];
    for (int64_t x = 0; x < program.width; ++x)
      if (words[x / 64] >> x % 64 & 1)
        due[x].push_back(at);
  }
  for (auto left = far; !left.empty(); left.pop())
    if (auto [at, pe] = left.top(); pe / program.width == y)
      due[pe % program.width].push_back(at);
  for (Core &core : rows(y, y + 1)) {
    saveCore(saver, core, *this);
    saver.list(due[core.x], ~uint64_t(0), [&](uint64_t at) { saver(at); });
    saveBytes(saver, memoryOfPe(core));
    if (core.written)
      saveBytes(saver, writtenOfPe(core));
  }
  for (HostStream &stream : streams)
    saveStreamRow(saver, stream.rows[y]);
}

bool Wafer::loadRow(int64_t y, Loader &loader) {
  Stepper &stepper = *steppers.front();
  stepper.now = now;
  for (Core &core : rows(y, y + 1)) {
    if (!loadCore(loader, core, *this, slab))
      return false;
    std::vector<uint64_t> due;
    loader.list(due, Plan::kSlots * kRingWords * 64,
                [&](uint64_t &at) { loader(at); });
    for (uint64_t at : due) {
      loader.require(at >= now);
      if (at >= now)
        stepper.wake(core, at);
    }
    loadBytes(loader, memoryOfPe(core));
    if (core.written)
      loadBytes(loader, writtenOfPe(core));
  }
  takeFar();
  for (HostStream &stream : streams)
    loadStreamRow(loader, stream.rows[y], program);
  return !loader.isBad() && loader.atEnd();
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static void writeBlock(llvm::raw_ostream &os, llvm::ArrayRef<uint8_t> bytes) {
  uint64_t size = bytes.size();
  os.write(reinterpret_cast<const char *>(&size), sizeof size);
  os.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

void Simulator::save(llvm::raw_ostream &os) const {
  Saver saver;
  Counters counters = this->counters();
  transfer(saver, *wafer, counters);
  writeBlock(os, saver.bytes);
  std::vector<uint8_t> bytes;
  for (int64_t y = 0; y < wafer->program.height; ++y) {
    saver.bytes.clear();
    if (wafer->isForeign(y)) {
      wafer->crew->saveRow(y, saver.bytes);
    } else {
      wafer->saveRow(y, saver);
    }
    writeBlock(os, saver.bytes);
  }
  os << kEnd;
}

llvm::Error Simulator::load(llvm::ArrayRef<uint8_t> bytes) {
  Loader all(bytes);
  auto block = [&] { return all.view(all.length(1)); };
  Loader head(block());
  Counters counters;
  transfer(head, *wafer, counters);
  bool bad = head.isBad() || !head.atEnd();
  wafer->plan.clear();
  if (wafer->crew)
    wafer->crew->beginLoad();
  for (int64_t y = 0; y < wafer->program.height && !bad; ++y) {
    llvm::ArrayRef<uint8_t> row = block();
    Loader loader(row);
    if (wafer->isForeign(y))
      wafer->crew->loadRow(y, row);
    else
      bad = !wafer->loadRow(y, loader);
    bad |= all.isBad();
  }
  llvm::ArrayRef<uint8_t> end = all.view(kEnd.size());
  bad |= all.isBad() || !all.atEnd() ||
         llvm::StringRef(reinterpret_cast<const char *>(end.data()),
                         end.size()) != kEnd;
  wafer->counters = counters;
  if (wafer->crew)
    bad = wafer->crew->endLoad(bad);
  if (!bad)
    return llvm::Error::success();
  return llvm::createStringError("is cut off or damaged");
}
