//===- Wafer.cpp - Time and set-up of the fabric simulator ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wafer.h"
#include "Crew.h"
#include "sequin/Support/Interrupt.h"
#include "sequin/Support/Progress.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
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
      firstRow(Crew::firstRow(program, options.exchange, 0)),
      endRow(Crew::firstRow(program, options.exchange, 1)),
      randomSeed(options.seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du) {
  if (options.exchange && options.exchange->size() > 1)
    crew = std::make_unique<Crew>(*this, *options.exchange);
  load();
}

std::unique_ptr<Wafer> Wafer::makeShared(const Program &program,
                                         const CslMachine &machine,
                                         Options options, bool isObserved,
                                         bool isTraced) {
  std::unique_ptr<Relay> relay;
  Observer *watcher = options.observer;
  if (isObserved) {
    relay = std::make_unique<Relay>(isTraced);
    options.observer = relay.get();
  }
  auto wafer = std::make_unique<Wafer>(program, machine, options);
  if (relay)
    relay->attach(*wafer);
  wafer->relay = std::move(relay);
  wafer->watcher = watcher;
  return wafer;
}

Wafer::~Wafer() {
  for (Core &core : cores.slice(firstCore, endCore - firstCore)) {
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
  // Those of this rank, and images of the rows next to them.
  const size_t width = static_cast<size_t>(program.width);
  firstCore = static_cast<size_t>(std::max<int64_t>(firstRow - 1, 0)) * width;
  endCore = static_cast<size_t>(std::min<int64_t>(endRow + 1, program.height)) *
            width;
  for (size_t i = firstCore; i < endCore; ++i)
    new (first + i) Core();
  cores = llvm::MutableArrayRef(first, pes);

  // A window needs so many rows for each, or what is left out around the
  // borders would meet.
  unsigned most = static_cast<unsigned>((endRow - firstRow) / (2 * window + 2));
  unsigned count = std::clamp(options.threads, 1u, std::max(most, 1u));
  // An observer is told of one PE at a time.
  if (options.observer)
    count = 1;
  for (unsigned number = 0; number < count; ++number)
    steppers.push_back(std::make_unique<Stepper>(*this));
  if (count > 1)
    team = std::make_unique<Team>(count);
  auto loadPart = [&](unsigned number) {
    llvm::MutableArrayRef<Core> own = ownCores();
    for (size_t i = own.size() * number / count;
         i < own.size() * (number + 1) / count; ++i)
      steppers[number]->loadCore(own[i]);
  };
  if (team)
    team->run(loadPart);
  else
    loadPart(0);
  loadImages();
}

void Wafer::loadImages() {
  const size_t own = static_cast<size_t>(firstRow * program.width);
  const size_t end = static_cast<size_t>(endRow * program.width);
  for (size_t i = firstCore; i < endCore; ++i) {
    if (i >= own && i < end)
      continue;
    steppers.front()->loadImage(cores[i]);
    Core &neighbour =
        i < own ? cores[i + program.width] : cores[i - program.width];
    neighbour.foreign |= bit(i < own ? Direction::North : Direction::South);
  }
}

void Wafer::borrowOthers(llvm::function_ref<void()> work) {
  // Images are not the PEs themselves: they make room for a while.
  llvm::SmallVector<std::pair<Core *, Core *>> images;
  std::vector<std::unique_ptr<Core>> kept;
  auto isOwn = [&](size_t i) {
    return i >= static_cast<size_t>(firstRow * program.width) &&
           i < static_cast<size_t>(endRow * program.width);
  };
  for (size_t i = firstCore; i < endCore; ++i)
    if (!isOwn(i)) {
      kept.push_back(std::make_unique<Core>(std::move(cores[i])));
      cores[i].~Core();
      images.push_back({&cores[i], kept.back().get()});
    }
  for (size_t i = 0; i < cores.size(); ++i)
    if (!isOwn(i)) {
      new (&cores[i]) Core();
      steppers.front()->bindCore(cores[i]);
    }
  work();
  for (size_t i = 0; i < cores.size(); ++i)
    if (!isOwn(i)) {
      for (DsrState &dsr : cores[i].dsrs)
        dsr.~DsrState();
      cores[i].~Core();
    }
  for (auto [place, image] : images)
    new (place) Core(std::move(*image));
}

void Wafer::start() {
  started = true;
  for (Core &core : ownCores())
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

/// The next cycle in which something is planned; the largest number: nothing
/// is.
uint64_t Wafer::nextTime() {
  uint64_t start = ~uint64_t(0);
  unsigned turn = base % Plan::kSlots;
  for (int64_t y = firstRow; y < endRow; ++y) {
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
  return start;
}

/// Plans what is due in the window that begins now.
void Wafer::takeDue() {
  Stepper &stepper = *steppers.front();
  stepper.now = now;
  while (!far.empty() && far.top().first < now + Plan::kNear) {
    auto [at, index] = far.top();
    far.pop();
    stepper.wake(cores[index], at);
  }
}

Agreement Wafer::agree() {
  Agreement mine{nextTime(),      counters.steps, counters.instructions,
                 lastStep,        wasInterrupted, trapped.has_value(),
                 stopAsked() != 0};
  return crew ? crew->agree(mine) : mine;
}

void Wafer::runWindow(uint64_t start, int64_t cycles) {
  // What crosses a border to another rank is known after every cycle, so the
  // rows that it can reach are stepped cycle by cycle, behind the others.
  const int64_t rowsAll = endRow - firstRow;
  const bool allReached = hasBorder() && rowsAll < 2 * cycles + 2;
  WindowPart whole{firstRow, endRow, 0, 0};
  if (firstRow > 0)
    whole = {firstRow + 1, whole.end, 1, 0};
  if (endRow < program.height)
    whole = {whole.begin, endRow - 1, whole.beginSlope, -1};
  if (!allReached)
    runParts(start, cycles, whole);
  if (hasBorder())
    runBorders(start, cycles, allReached);
}

void Wafer::runBorders(uint64_t start, int64_t cycles, bool all) {
  Stepper &stepper = *steppers.front();
  for (int64_t k = 0; k < cycles; ++k) {
    if (all)
      stepper.runWindow(start + k, 1, {firstRow, endRow, 0, 0});
    if (!all && firstRow > 0)
      stepper.runWindow(start + k, 1, {firstRow, firstRow + k + 1, 0, 0});
    if (!all && endRow < program.height)
      stepper.runWindow(start + k, 1, {endRow - 1 - k, endRow, 0, 0});
    stepper.now = start + k;
    crew->cross(stepper);
  }
}

void Wafer::runParts(uint64_t start, int64_t cycles, const WindowPart &whole) {
  // Those that have something to do are shared out.
  auto isActive = [](uint8_t active) { return active != 0; };
  llvm::ArrayRef<uint8_t> active =
      llvm::ArrayRef(plan.activeRows).slice(firstRow, endRow - firstRow);
  int64_t first = firstRow + (llvm::find_if(active, isActive) - active.begin());
  int64_t last = endRow - (llvm::find_if(llvm::reverse(active), isActive) -
                           active.rbegin());
  int64_t rows = last - first;
  int64_t count = std::min<int64_t>(static_cast<int64_t>(steppers.size()),
                                    rows / (2 * cycles + 2));
  if (count < 2 || lastSteps < options.teamSteps)
    return steppers.front()->runWindow(start, cycles, whole);
  auto borderAbove = [&](int64_t number) {
    return first + rows * number / count;
  };
  team->run([&](unsigned number) {
    if (number >= count)
      return;
    WindowPart part = whole;
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
  llvm::sort(lines);
  if (crew)
    move(lines, newLines);
  for (LogLine &line : lines)
    if (!trapped || line.cycle <= trapped->cycle)
      log.push_back(std::move(line.text));
  sortFindings();
}

void Wafer::sortFindings() {
  for (std::vector<Race> *list : {&races, &undefined, &lostControls})
    llvm::sort(*list, [](const Race &a, const Race &b) {
      return std::tie(a.cycle, a.y, a.x) < std::tie(b.cycle, b.y, b.x);
    });
}

/// What PEs were found at when another one had trapped.
void Wafer::forgetAfter(uint64_t cycle) {
  for (std::vector<Race> *list : {&races, &undefined, &lostControls})
    llvm::erase_if(*list, [&](const Race &race) { return race.cycle > cycle; });
}

Outcome Wafer::run(uint64_t cycles) {
  if (trapped)
    return Outcome::Trapped;
  if (wasInterrupted)
    return Outcome::Interrupted;
  hangReport = {};
  if (!crew)
    return runOwn(cycles);
  crew->beginRun(cycles);
  return crew->endRun(runOwn(cycles));
}

/// Cycles, the PEs that were at work on average since the last time, and how
/// long the run can take.
void Wafer::tellProgress(const Agreement &all) {
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPeriod{50};
  auto time = Clock::now();
  if (time < told.next)
    return;
  uint64_t steps = all.steps + all.instructions / 16;
  if (told.begin == Clock::time_point()) {
    told.begin = time;
    told.firstSteps = steps;
  }
  std::string text = llvm::formatv("{0:N0} PEs", program.pes.size());
  if (now > told.cycle && told.cycle)
    text = llvm::formatv(
        "{0:N0} of {1:N0} PEs at work",
        std::min<uint64_t>((all.steps - told.steps) / (now - told.cycle),
                           program.pes.size()),
        program.pes.size());
  double seconds = std::chrono::duration<double>(time - told.begin).count();
  if (options.isLimited && seconds >= 1 && steps > told.firstSteps)
    text += llvm::formatv(", at most {0:N0} s left",
                          uint64_t(seconds * double(options.maxSteps - steps) /
                                   double(steps - told.firstSteps)));
  reportProgress({"simulate", text, int64_t(now), 0, "cycles"});
  told.next = time + kPeriod;
  told.cycle = now;
  told.steps = all.steps;
}

Outcome Wafer::runOwn(uint64_t cycles) {
  const uint64_t before = now;
  base = now;
  if (!started)
    start();
  const uint64_t pause = now + std::min(cycles, ~uint64_t(0) - now);
  for (;;) {
    Agreement all = agree();
    lastStep = all.lastStep;
    if (all.interrupted) {
      wasInterrupted = true;
      return Outcome::Interrupted;
    }
    if (all.trapped) {
      if (trapped)
        now = counters.cycles = trapped->cycle;
      // Other PEs were as far as the window's end.
      if (!crew)
        forgetAfter(now);
      return Outcome::Trapped;
    }
    if (all.next == ~uint64_t(0)) {
      now = counters.cycles = std::max(before, all.lastStep);
      break;
    }
    now = all.next;
    takeDue();
    if (now >= options.maxCycles ||
        all.steps + all.instructions / 16 >= options.maxSteps) {
      if (!crew)
        describeHang();
      hangReport.exhausted = true;
      return Outcome::Exhausted;
    }
    if (now >= pause || all.stopped) {
      counters.cycles = now;
      return Outcome::Paused;
    }
    const uint64_t begin = now;
    base = std::min({begin + window, options.maxCycles, pause});
    if (isProgressShown())
      tellProgress(all);
    runWindow(begin, static_cast<int64_t>(base - begin));
    endWindow();
    if (crew)
      crew->endWindow(begin);
  }
  if (!(crew ? crew->anyPends() : somethingPends()))
    return Outcome::Finished;
  if (!crew)
    describeHang();
  return Outcome::Hung;
}
