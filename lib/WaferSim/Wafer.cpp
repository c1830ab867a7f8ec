//===- Wafer.cpp - Time and set-up of the fabric simulator ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wafer.h"
#include "sequin/Support/Interrupt.h"
#include "sequin/Support/Progress.h"
#include "llvm/ADT/STLExtras.h"
#include <bit>
#include <cstring>
#include <tuple>

using namespace sequin;
using namespace sequin::wafer;

/// Bytes of PE memory up to which it is put on large pages.
static constexpr size_t kLargePagesUpTo = size_t(4) << 30;

/// Bytes of state of a busy PE, about, and of the cache that the PEs of a block
/// should stay in for the cycles of a window.
static constexpr int64_t kHotBytes = 3 << 10, kCacheBytes = 640 << 10;
static constexpr unsigned kWindow = 8, kMostWindow = 16;
static_assert(kMostWindow <= Plan::kNear);

/// Bytes from one PE's memory to the next. The same variable of all PEs must
/// not fall into the same few sets of a cache.
static size_t peStride(const CslMachine &machine) {
  return static_cast<size_t>(machine.memoryBytesPerPe) + 5 * 64;
}
/// The same for the bits that say which bytes have been written.
static size_t writtenStride(const CslMachine &machine) {
  return static_cast<size_t>(machine.memoryBytesPerPe / 8 + 64);
}

Wafer::Wafer(const Program &program, const CslMachine &machine,
             const Options &options)
    : program(program), machine(machine), options(options),
      randomSeed(options.seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du) {
  load();
}

Wafer::~Wafer() {
  for (Core &core : cores) {
    for (DsrState &dsr : core.dsrs)
      dsr.~DsrState();
    core.~Core();
  }
  if (memoryBase)
    munmap(memoryBase, memorySize);
  if (writtenBase)
    munmap(writtenBase, writtenSize);
}

uint8_t *Wafer::memoryOf(uint32_t index) const {
  return memoryBase + index * peStride(machine);
}

uint64_t *Wafer::writtenOf(uint32_t index) const {
  return writtenBase ? writtenBase + index * writtenStride(machine) / 8
                     : nullptr;
}

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

void FlatColor::settle() {
  positions[0] = given[0];
  for (unsigned p = 1; p < 4; ++p)
    positions[p] =
        valid >> p & 1 ? given[p].over(positions[p - 1]) : positions[p - 1];
}

static RouterTable flatten(const Router &router) {
  RouterTable table;
  for (const auto &[number, config] : router.colors) {
    FlatColor &color = table.colors[number];
    color.configured = true;
    color.hasSwitches = config.hasSwitches;
    color.ring = config.ring;
    color.pop = config.pop;
    color.filter = config.filter.value_or(kNone);
    color.swap = config.swapX | config.swapY << 1;
    color.location = config.location;
    for (unsigned p = 0; p < 4; ++p)
      if (config.positions[p]) {
        color.given[p] = *config.positions[p];
        color.valid |= 1u << p;
        if (color.given[p].rx && !color.given[p].tx)
          color.selects |= 1u << p;
      }
    color.settle();
    if (color.swap)
      table.swapped |= 1u << number | 1u << (number ^ 1);
  }
  return table;
}

void Wafer::load() {
  for (const Code &code : program.codes) {
    CodeInfo info{&code, llvm::BitVector(machine.memoryBytesPerPe / 2)};
    for (const Variable &variable : code.variables)
      info.mapped.set(variable.address / 2,
                      (variable.address + variable.bytes() + 1) / 2);
    if (code.stackBytes)
      info.mapped.set(code.stackAddress / 2,
                      (code.stackAddress + code.stackBytes + 1) / 2);
    codes.push_back(std::move(info));
  }
  for (const Setup &setup : program.setups) {
    SetupInfo info;
    info.setup = &setup;
    for (const Task &task : setup.tasks) {
      if (task.kind == TaskKind::Control) {
        info.control[{task.table, task.id}] = &task;
        continue;
      }
      info.tasks[task.id] = &task;
      if (task.kind == TaskKind::Local)
        info.boundLocal |= 1u << task.id;
    }
    setups.push_back(std::move(info));
  }
  for (const Router &router : program.routers)
    routers.push_back(flatten(router));
  for (const Stream &stream : program.streams)
    streams.push_back({&stream, std::vector<HostStream::Row>(program.height)});
  for (auto [number, stream] : llvm::enumerate(program.streams)) {
    if (stream.kind == Stream::Kind::Edge) {
      uint32_t pe = static_cast<uint32_t>(stream.y * program.width + stream.x);
      edgeStreams.try_emplace({pe, stream.color,
                               static_cast<unsigned>(stream.side),
                               stream.toDevice},
                              static_cast<int>(number));
      if (stream.toDevice)
        enteringStreams[pe].push_back(static_cast<unsigned>(number));
    } else if (stream.toDevice) {
      perPeStreams.push_back(static_cast<unsigned>(number));
    }
  }
  // One word per stream in the order of the program.
  for (auto &entry : enteringStreams) {
    llvm::append_range(entry.second, perPeStreams);
    llvm::sort(entry.second);
  }

  bankModulus = options.bankModulus.value_or(machine.bankModulus);
  independentFloatCycles =
      pipelineOf(static_cast<int>(machine.generation)).independentFloat;
  plan.wordsPerRow = static_cast<unsigned>((program.width + 63) / 64);
  plan.slots.resize(Plan::kSlots * plan.wordsPerRow * program.height);
  plan.masks.resize(program.height);
  plan.activeRows.resize(program.height);
  window = options.windowCycles ? std::min(options.windowCycles, kMostWindow)
                                : kWindow;
  // The link of a row reaches all of its PEs in one cycle.
  if (options.halo == Options::Halo::Fabric)
    window = 1;
  blockColumns =
      options.halo == Options::Halo::Fabric
          ? program.width
          : std::max<int64_t>(kCacheBytes / ((window + 1) * kHotBytes) - window,
                              8);

  memorySize = program.pes.size() * peStride(machine);
  // A program that leaves most of a large wafer alone must not pay for it.
  memoryBase = static_cast<uint8_t *>(
      mapMemory(memorySize, memorySize <= kLargePagesUpTo));
  if (!memoryBase)
    return;
  if (options.poison != Poison::Off) {
    writtenSize = program.pes.size() * writtenStride(machine);
    writtenBase = static_cast<uint64_t *>(mapMemory(writtenSize, false));
    if (!writtenBase) {
      munmap(std::exchange(memoryBase, nullptr), memorySize);
      return;
    }
  }
  size_t pes = program.pes.size();
  Core *first = static_cast<Core *>(slab.allocate(pes * sizeof(Core)));
  for (size_t i = 0; i < pes; ++i)
    new (first + i) Core();
  cores = llvm::MutableArrayRef(first, pes);

  // A window needs so many rows for each, or what is left out around the
  // borders would meet.
  unsigned most = static_cast<unsigned>(program.height / (2 * window + 2));
  unsigned count = std::clamp(options.threads, 1u, std::max(most, 1u));
  // An observer is told of one PE at a time.
  if (options.observer)
    count = 1;
  for (unsigned number = 0; number < count; ++number)
    steppers.push_back(std::make_unique<Stepper>(*this));
  if (count > 1)
    team = std::make_unique<Team>(count);
  auto loadPart = [&](unsigned number) {
    for (size_t i = pes * number / count; i < pes * (number + 1) / count; ++i)
      steppers[number]->loadCore(cores[i]);
  };
  if (team)
    team->run(loadPart);
  else
    loadPart(0);
}

void Wafer::start() {
  started = true;
  for (Core &core : cores)
    if (core.active)
      wake(core, now);
}

void Wafer::wake(Core &core, uint64_t at) {
  steppers.front()->now = now;
  steppers.front()->wake(core, at);
  takeFar();
}

void Wafer::define(Core &core, uint32_t address, uint32_t bytes) {
  steppers.front()->define(core, address, bytes);
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

void Wafer::takeFar() {
  for (auto &stepper : steppers) {
    for (Far step : stepper->far)
      far.push(step);
    stepper->far.clear();
  }
}

/// The next cycle in which something is planned.
bool Wafer::nextTime(uint64_t &start) {
  start = ~uint64_t(0);
  unsigned turn = base % Plan::kSlots;
  for (int64_t y = 0; y < program.height; ++y) {
    if (!plan.activeRows[y])
      continue;
    uint64_t mask = plan.masks[y];
    plan.activeRows[y] = mask != 0;
    if (mask)
      start = std::min<uint64_t>(
          start, base + llvm::countr_zero(std::rotr(mask, turn)));
  }
  if (!far.empty())
    start = std::min(start, far.top().first);
  if (start == ~uint64_t(0))
    return false;
  now = start;
  Stepper &stepper = *steppers.front();
  stepper.now = now;
  while (!far.empty() && far.top().first < start + Plan::kNear) {
    auto [at, index] = far.top();
    far.pop();
    stepper.wake(cores[index], at);
  }
  return true;
}

void Wafer::runWindow(uint64_t start, int64_t cycles) {
  const int64_t height = program.height;
  // Those that have something to do are shared out.
  auto isActive = [](uint8_t active) { return active != 0; };
  int64_t first =
      llvm::find_if(plan.activeRows, isActive) - plan.activeRows.begin();
  int64_t last =
      height - (llvm::find_if(llvm::reverse(plan.activeRows), isActive) -
                plan.activeRows.rbegin());
  int64_t rows = last - first;
  int64_t count = std::min<int64_t>(static_cast<int64_t>(steppers.size()),
                                    rows / (2 * cycles + 2));
  if (count < 2 || lastSteps < options.teamSteps)
    return steppers.front()->runWindow(start, cycles, {0, height, 0, 0});
  auto borderAbove = [&](int64_t number) {
    return first + rows * number / count;
  };
  team->run([&](unsigned number) {
    if (number >= count)
      return;
    WindowPart part{0, height, 0, 0};
    if (number > 0) {
      part.begin = borderAbove(number) + 1;
      part.beginSlope = 1;
    }
    if (number + 1 < count) {
      part.end = borderAbove(number + 1) - 1;
      part.endSlope = -1;
    }
    steppers[number]->runWindow(start, cycles, part);
  });
  team->run([&](unsigned number) {
    if (number + 1 >= count)
      return;
    int64_t border = borderAbove(number + 1);
    steppers[number]->runWindow(start, cycles, {border - 1, border + 1, -1, 1});
  });
}

/// Puts what the steppers have counted and PEs have said together, in order.
void Wafer::endWindow() {
  std::vector<LogLine> lines;
  auto move = [](auto &from, auto &to) {
    to.insert(to.end(), std::make_move_iterator(from.begin()),
              std::make_move_iterator(from.end()));
    from.clear();
  };
  lastSteps = 0;
  bool finds = false;
  for (auto &stepper : steppers) {
    lastSteps += stepper->counters.steps;
    counters += std::exchange(stepper->counters, {});
    lastStep = std::max(lastStep, stepper->lastStep);
    if (stepper->trapped && (!trapped || stepper->trapped->isBefore(*trapped)))
      trapped = std::move(stepper->trapped);
    stepper->trapped.reset();
    finds |= !stepper->lines.empty() || !stepper->races.empty() ||
             !stepper->undefined.empty() || !stepper->lostControls.empty();
    move(stepper->lines, lines);
    move(stepper->races, races);
    move(stepper->undefined, undefined);
    move(stepper->lostControls, lostControls);
  }
  takeFar();
  if (!finds)
    return;
  llvm::sort(lines, [](const LogLine &a, const LogLine &b) {
    return std::tie(a.cycle, a.pe, a.order) < std::tie(b.cycle, b.pe, b.order);
  });
  for (LogLine &line : lines)
    if (!trapped || line.cycle <= trapped->cycle)
      log.push_back(std::move(line.text));
  for (std::vector<Race> *list : {&races, &undefined, &lostControls})
    llvm::sort(*list, [](const Race &a, const Race &b) {
      return std::tie(a.cycle, a.y, a.x) < std::tie(b.cycle, b.y, b.x);
    });
}

Outcome Wafer::run(uint64_t cycles) {
  if (trapped)
    return Outcome::Trapped;
  if (wasInterrupted)
    return Outcome::Interrupted;
  hangReport = {};
  const uint64_t before = now;
  base = now;
  if (!started)
    start();
  const uint64_t pause = now + std::min(cycles, ~uint64_t(0) - now);
  const std::string pes = std::to_string(program.pes.size()) + " PEs";
  uint64_t begin = 0;
  while (nextTime(begin)) {
    if (begin >= options.maxCycles ||
        counters.steps + counters.instructions / 16 >= options.maxSteps) {
      now = begin;
      describeHang();
      hangReport.exhausted = true;
      return Outcome::Exhausted;
    }
    if (begin >= pause) {
      counters.cycles = begin;
      return Outcome::Paused;
    }
    base = std::min({begin + window, options.maxCycles, pause});
    reportProgress({"simulate", pes, int64_t(begin), 0, "cycles"});
    runWindow(begin, static_cast<int64_t>(base - begin));
    if (wasInterrupted)
      return Outcome::Interrupted;
    endWindow();
    if (trapped) {
      now = counters.cycles = trapped->cycle;
      // Other PEs were as far as the window's end.
      for (std::vector<Race> *list : {&races, &undefined, &lostControls})
        llvm::erase_if(*list,
                       [&](const Race &race) { return race.cycle > now; });
      return Outcome::Trapped;
    }
  }
  now = std::max(before, lastStep);
  counters.cycles = now;
  if (!somethingPends())
    return Outcome::Finished;
  describeHang();
  return Outcome::Hung;
}
