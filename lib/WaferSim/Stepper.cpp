//===- Stepper.cpp - Steps PEs cycle by cycle -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wafer.h"
#include "sequin/Support/Interrupt.h"
#include <cstring>
#include <tuple>

using namespace sequin;
using namespace sequin::wafer;

static_assert((Plan::kSlots & (Plan::kSlots - 1)) == 0 &&
              Plan::kNear <= Plan::kSlots);

Stepper::Stepper(Wafer &wafer)
    : wafer(wafer), program(wafer.program), machine(wafer.machine),
      options(wafer.options),
      tracer(options.observer && options.observer->wantsInstructions()
                 ? options.observer
                 : nullptr),
      plan(wafer.plan), bankModulus(wafer.bankModulus),
      independentFloatCycles(wafer.independentFloatCycles),
      randomSeed(wafer.randomSeed) {}

uint32_t Stepper::indexOf(const Core &core) const {
  return static_cast<uint32_t>(core.y * program.width + core.x);
}

Core *Stepper::neighbour(Core &core, unsigned direction) const {
  return wafer.neighbour(core, direction);
}

void Stepper::bindCore(Core &core) {
  auto index = static_cast<uint32_t>(&core - wafer.cores.data());
  core.x = static_cast<uint16_t>(index % program.width);
  core.y = static_cast<uint16_t>(index / program.width);
  core.pe = &program.pes[index];
  core.setupIndex = core.pe->setup;
  core.setup = &wafer.setups[core.pe->setup];
  const Setup &setup = *core.setup->setup;
  core.code = &wafer.codes[setup.code];
  core.router = &wafer.routers[core.pe->router];
  core.memory = wafer.memoryOf(index);
  core.written = wafer.writtenOf(index);
  core.filters = program.routers[core.pe->router].filters;
  core.rotatingCounter.resize(setup.rotating.size());
  core.fifos.resize(setup.fifos.size());
  core.steps.resize(core.code->code->stepSlots);
  for (auto &links : core.channel)
    links.fill(kNone);
  core.inputRing.fill(kNone);
  core.outputRing.fill(kNone);
  core.inputOfColor.fill(kNone);
}

void Stepper::loadCore(Core &core) {
  bindCore(core);
  const Setup &setup = *core.setup->setup;
  for (const Variable &variable : core.code->code->variables)
    if (!variable.data.empty()) {
      std::memcpy(core.memory + variable.address, variable.data.data(),
                  variable.data.size());
      define(core, variable.address,
             static_cast<uint32_t>(variable.data.size()));
    }
  for (const Patch &patch : core.pe->patches) {
    std::memcpy(core.memory + patch.address, patch.data.data(),
                patch.data.size());
    define(core, patch.address, static_cast<uint32_t>(patch.data.size()));
  }

  const Router &router = program.routers[core.pe->router];
  for (const auto &[number, config] : router.colors) {
    core.position[number] = config.position;
    if (config.teardown)
      core.teardown |= 1u << number;
  }

  for (const Queue &queue : setup.inputQueues) {
    unsigned words =
        options.shallowQueues ? 1 : machine.inputQueueWords[queue.id];
    // Half wavelets take half the room.
    uint8_t ring =
        newRing(core, words * (queue.dense ? 2 : 1) + machine.rampCycles,
                queue.color.value_or(0), queue.id);
    core.rings[ring].dense = queue.dense;
    if (machine.generation == 2)
      core.inputRank[queue.id] = queue.priority == Priority::Low      ? 2
                                 : queue.priority == Priority::Medium ? 1
                                                                      : 0;
    core.inputRing[queue.id] = ring;
    core.inputs.push_back(ring);
    core.controlTable[queue.id] = queue.controlTable;
    if (queue.color)
      core.inputOfColor[*queue.color] = ring;
  }
  for (const Queue &queue : setup.outputQueues) {
    Ring &ring = core.rings[outputRingOfQueue(core, queue.id)];
    ring.color = queue.color.value_or(0);
    ring.dense = queue.dense;
  }

  core.blocked = setup.blockedTasks;
  core.active = setup.activeTasks;
  core.blockedMicrothreads = setup.blockedMicrothreads;
  for (auto [counter, rotating] :
       llvm::zip(core.rotatingCounter, setup.rotating))
    counter = rotating.counter;
  for (const InitialDsr &dsr : setup.dsrs)
    loadDsr(core, dsr.load, dsr.descriptor.pack(), dsr.completionTarget,
            dsr.onControlTarget);
  for (auto [number, fifo] : llvm::enumerate(setup.fifos)) {
    if (!fifo.dsr)
      continue;
    Descriptor descriptor;
    descriptor.kind = DescriptorKind::Fifo;
    descriptor.fifo = static_cast<uint16_t>(number);
    for (DsrFile file : {DsrFile::Dest, DsrFile::Source1})
      dsrOf(core, static_cast<unsigned>(file), *fifo.dsr).descriptor =
          descriptor.pack();
  }
  for (unsigned i = 0; i < 4; ++i)
    core.random[i] = 0xdeadbeef;
  for (auto [address, value] : setup.registers)
    writeConfig(core, address, value);
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

void Stepper::wake(Core &core, uint64_t at) {
  assert(at > now || !stepping);
  if (at < now + Plan::kNear) {
    size_t slot = at % Plan::kSlots;
    plan.slots[(core.y * Plan::kSlots + slot) * plan.wordsPerRow +
               core.x / 64] |= uint64_t(1) << core.x % 64;
    plan.masks[core.y] |= uint64_t(1) << slot;
    plan.activeRows[core.y] = true;
    return;
  }
  far.push_back({at, indexOf(core)});
}

void Stepper::step(Core &core) {
  ++counters.steps;
  core.acted = false;
  if (core.retries) {
    uint8_t due = core.retries & 1u << now % 8;
    core.retries ^= due;
    if (due)
      retry(core);
  }
  if (((core.busyRings[0] & ~core.stuckRings[0]) |
       (core.busyRings[1] & ~core.stuckRings[1])) ||
      (core.hasLateRings() && (core.late.busy & ~core.late.stuck)))
    stepRouter(core);
  if (core.outputBusy)
    stepOutputs(core);
  if (core.hostWords)
    stepHost(core);
  stepThreads(core);
  // Cycles of the main thread are counted where it becomes busy.
  if (core.acted && now >= core.until)
    ++counters.active;
  if (core.haloWaits) {
    core.haloWaits = false;
    wake(*(&core - core.x), now + 1);
  }
}

Counters &Counters::operator+=(const Counters &other) {
  for (auto member :
       {&Counters::steps, &Counters::hops, &Counters::delivered,
        &Counters::elements, &Counters::macsF32, &Counters::macsMixed,
        &Counters::macsFp16, &Counters::instructions, &Counters::dropped,
        &Counters::filtered, &Counters::active})
    this->*member += other.*member;
  if (!firstWavelet ||
      (other.firstWavelet && other.firstWavelet < firstWavelet))
    firstWavelet = other.firstWavelet;
  lastElement = std::max(lastElement, other.lastElement);
  return *this;
}

/// What every step of `core` looks at first.
static void prefetchCore(const Core &core) {
  const char *lines = reinterpret_cast<const char *>(&core);
  for (unsigned line = 0; line < 8; ++line)
    __builtin_prefetch(lines + 64 * line);
}

/// Fetches the PEs of a row that the block is going to reach into the second
/// cache, where they stay until the block has left them. Three rows ahead the
/// PEs, two rows ahead their buffers and operations, which the PE names, then
/// the memory that those name.
void Stepper::prefetchRow(int64_t y, unsigned ahead, int64_t begin,
                          int64_t end) const {
  if (y >= program.height || begin >= end)
    return;
  const Core *row = &wafer.cores[y * size_t(program.width)];
  const uint64_t *words = &plan.slots[y * Plan::kSlots * plan.wordsPerRow];
  uint64_t due = 0;
  for (int64_t x = begin; x < end; ++x) {
    // Those that are going to be stepped, as far as that is known.
    if (x == begin || x % 64 == 0) {
      due = 0;
      for (uint64_t left = plan.masks[y]; left; left &= left - 1)
        due |= words[llvm::countr_zero(left) * plan.wordsPerRow + x / 64];
    }
    if (!(due >> x % 64 & 1))
      continue;
    const Core &core = row[x];
    if (ahead == 3) {
      const char *lines = reinterpret_cast<const char *>(&core);
      for (size_t at = 0; at < sizeof(Core); at += 64)
        __builtin_prefetch(lines + at, 0, 2);
    } else if (ahead == 2) {
      for (const Ring *ring = core.rings.data(),
                      *last = ring + core.rings.size();
           ring != last; ++ring)
        __builtin_prefetch(ring, 0, 2);
      // A main thread at work may load the descriptors of the next operations.
      if (core.main != MainState::Idle)
        for (size_t at = 0; at < core.dsrs.size(); at += machine.dsrsPerFile)
          for (size_t i = 0; i < 8; i += 2)
            __builtin_prefetch(&core.dsrs[at + i], 0, 2);
      for (unsigned live = core.live; live; live &= live - 1) {
        const char *op =
            reinterpret_cast<const char *>(core.ops[llvm::countr_zero(live)]);
        for (unsigned line = 0; line < 4; ++line)
          __builtin_prefetch(op + 64 * line, 0, 2);
      }
    } else {
      for (unsigned live = core.live; live; live &= live - 1) {
        const LiveOp &op = *core.ops[llvm::countr_zero(live)];
        for (const Walk *walk : {&op.dest, &op.source[0], &op.source[1]})
          if (walk->kind == Walk::Kind::Linear)
            __builtin_prefetch(core.memory + walk->address, 0, 2);
      }
    }
  }
}

/// The PEs of a row in cycle `now`, from column `begin` to before `end`.
void Stepper::stepRow(uint32_t y, int64_t begin, int64_t end) {
  unsigned slot = now % Plan::kSlots;
  uint64_t *words = &plan.slots[(y * Plan::kSlots + slot) * plan.wordsPerRow];
  Core *row = &wafer.cores[y * size_t(program.width)];
  planned.clear();
  for (int64_t word = begin / 64; word * 64 < end; ++word) {
    uint64_t mask = ~uint64_t(0);
    if (begin > word * 64)
      mask <<= begin - word * 64;
    if (end < word * 64 + 64)
      mask &= (uint64_t(1) << (end - word * 64)) - 1;
    uint64_t bits = words[word] & mask;
    words[word] &= ~mask;
    for (; bits; bits &= bits - 1)
      planned.push_back(
          static_cast<uint16_t>(word * 64 + llvm::countr_zero(bits)));
  }
  if (llvm::all_of(llvm::ArrayRef(words, plan.wordsPerRow),
                   [](uint64_t word) { return !word; }))
    plan.masks[y] &= ~(uint64_t(1) << slot);
  if (planned.empty())
    return;
  stepping = true;
  constexpr size_t kAhead = 8;
  for (size_t i = 0, n = planned.size(); i < n; ++i) {
    if (i + kAhead < n)
      prefetchCore(row[planned[i + kAhead]]);
    Core &core = row[planned[i]];
    if (core.dead)
      continue;
    stopped = false;
    step(core);
  }
  lastStep = std::max(lastStep, now);
  stepping = false;
}

/// The PE at (x, y) is stepped at cycle start + k in block (x + k) /
/// blockColumns, there in round y + k, the lower k first: behind its neighbours
/// at start + k - 1, and never more than a cycle apart from them.
void Stepper::runWindow(uint64_t start, int64_t cycles,
                        const WindowPart &part) {
  const int64_t width = program.width, columns = wafer.blockColumns;
  // All rows of the part, and the round behind those that they are in.
  const int64_t firstRow = part.begin - (part.beginSlope < 0 ? cycles - 1 : 0);
  const int64_t lastRow = part.end - 1 + (part.endSlope > 0 ? cycles - 1 : 0);
  const int64_t rounds = part.end + (part.endSlope + 1) * (cycles - 1);
  auto nextActive = [&](int64_t y) {
    while (y <= lastRow && !plan.activeRows[y])
      ++y;
    return y;
  };
  for (int64_t block = 0; block * columns < width + cycles - 1; ++block) {
    int64_t first = block * columns;
    for (int64_t round = part.begin; round < rounds; ++round) {
      if (wafer.wasInterrupted || interrupted(/*every=*/64)) {
        wafer.wasInterrupted = true;
        return;
      }
      bool any = false;
      for (unsigned ahead = 1; ahead <= 3; ++ahead)
        if (round + ahead <= lastRow)
          prefetchRow(round + ahead, ahead, std::min(first, width),
                      std::min(width, first + columns));
      for (int64_t k = std::max<int64_t>(0, round - lastRow);
           k < cycles && k <= round - firstRow; ++k) {
        uint32_t y = static_cast<uint32_t>(round - k);
        if (!plan.activeRows[y])
          continue;
        any = true; // in a later cycle, if not in this one
        if (!part.contains(y, k))
          continue;
        now = start + k;
        int64_t from = std::max<int64_t>(0, first - k);
        int64_t to = std::min(width, first + columns - k);
        if (from < to && (plan.masks[y] >> now % Plan::kSlots & 1))
          stepRow(y, from, to);
      }
      if (any)
        continue;
      // A row with nothing to do between those that have can only be woken by
      // them, in a later round.
      int64_t next = nextActive(round + 1);
      if (next > lastRow)
        break;
      round = next - 1;
    }
  }
}
//===----------------------------------------------------------------------===//
// What PEs say
//===----------------------------------------------------------------------===//

void Stepper::countMacs(DsdOpcode opcode, uint64_t elements) {
  if (opcode == DsdOpcode::Fmacs)
    counters.macsF32 += elements;
  else if (opcode == DsdOpcode::Fmachs)
    counters.macsMixed += elements;
  else if (opcode == DsdOpcode::Fmach)
    counters.macsFp16 += elements;
}

Location wafer::currentLocation(const Core &core) {
  if (core.frames.empty())
    return 0;
  const Frame &frame = core.frames.back();
  const Function &function = core.code->code->functions[frame.function];
  return frame.pc - 1 < function.locations.size()
             ? function.locations[frame.pc - 1]
             : Location(0);
}

/// The first trap counts: of the earliest cycle, of the northernmost row, of
/// the westernmost PE.
void Stepper::trap(Core &core, std::string message, Location location) {
  stopped = true;
  if (core.dead)
    return;
  core.dead = true;
  if (trapped && !(Trap{core.x, core.y, now, {}}.isBefore(*trapped)))
    return;
  // Routers and queues have no place in the program.
  if (!location)
    location = inOperation;
  if (!location && inScalarCode)
    location = currentLocation(core);
  trapped = Trap{core.x, core.y, now, std::move(message), location};
}

void Stepper::race(Core &core, std::string message) {
  if (std::exchange(core.raced, true))
    return;
  races.push_back({core.x, core.y, now, std::move(message)});
}

void Stepper::loseControl(Core &core, const LiveOp &op) {
  if (std::exchange(core.lostControl, true))
    return;
  std::string text = (getInfo(op.opcode).name + " takes a control wavelet " +
                      "as an element, without .on_control")
                         .str();
  if (op.location && op.location < program.locations.size())
    text += " (" + program.locations[op.location] + ")";
  lostControls.push_back({core.x, core.y, now, std::move(text)});
}
