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
#include <cstring>
#include <tuple>

using namespace sequin;
using namespace sequin::wafer;

/// Bytes of PE memory up to which it is put on large pages.
static constexpr size_t kLargePagesUpTo = size_t(4) << 30;

/// Bytes of state of a busy PE, about, and of the cache that the PEs of a block
/// should stay in for the cycles of a window.
static constexpr int64_t kHotBytes = 3 << 10, kCacheBytes = 640 << 10;
static constexpr unsigned kWindow = 8;

/// Bytes from one PE's memory to the next. The same variable of all PEs must
/// not fall into the same few sets of a cache.
static size_t peStride(const CslMachine &machine) {
  return static_cast<size_t>(machine.memoryBytesPerPe) + 5 * 64;
}

Wafer::Wafer(const Program &program, const CslMachine &machine,
             const Options &options)
    : program(program), machine(machine), options(options),
      tracer(options.observer && options.observer->wantsInstructions()
                 ? options.observer
                 : nullptr),
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
    streams.push_back({&stream, {}, {}, {}});
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
  wordsPerRow = static_cast<unsigned>((program.width + 63) / 64);
  slots.resize(size_t(64) * wordsPerRow * program.height);
  slotMasks.resize(program.height);
  activeRows.resize(program.height);
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
  raced.resize(program.pes.size());
  readUndefined.resize(program.pes.size());
  lostControl.resize(program.pes.size());
  if (!memoryBase)
    return;
  if (options.poison != Poison::Off) {
    writtenSize = program.pes.size() *
                  static_cast<size_t>(machine.memoryBytesPerPe / 8 + 64);
    writtenBase = static_cast<uint64_t *>(mapMemory(writtenSize, false));
    if (!writtenBase) {
      munmap(std::exchange(memoryBase, nullptr), memorySize);
      return;
    }
  }
  size_t count = program.pes.size();
  Core *first = static_cast<Core *>(slab.allocate(count * sizeof(Core)));
  for (size_t i = 0; i < count; ++i)
    new (first + i) Core();
  cores = llvm::MutableArrayRef(first, count);
  for (Core &core : cores)
    loadCore(core);
}

void Wafer::loadCore(Core &core) {
  uint32_t index = indexOf(core);
  core.x = static_cast<uint16_t>(index % program.width);
  core.y = static_cast<uint16_t>(index / program.width);
  core.pe = &program.pes[index];
  core.setupIndex = core.pe->setup;
  core.setup = &setups[core.pe->setup];
  const Setup &setup = *core.setup->setup;
  core.code = &codes[setup.code];
  core.router = &routers[core.pe->router];
  core.memory = memoryBase + index * peStride(machine);
  if (writtenBase)
    core.written =
        writtenBase +
        index * static_cast<size_t>(machine.memoryBytesPerPe / 8 + 64) / 8;
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
  core.filters = router.filters;
  for (auto &links : core.channel)
    links.fill(kNone);
  for (const auto &[number, config] : router.colors) {
    core.position[number] = config.position;
    if (config.teardown)
      core.teardown |= 1u << number;
  }

  core.inputRing.fill(kNone);
  core.outputRing.fill(kNone);
  core.inputOfColor.fill(kNone);
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
  for (const RotatingTask &rotating : setup.rotating)
    core.rotatingCounter.push_back(rotating.counter);
  core.fifos.resize(setup.fifos.size());
  core.steps.resize(core.code->code->stepSlots);
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

void Wafer::start() {
  started = true;
  for (Core &core : cores)
    if (core.active)
      wake(core, now);
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

void Wafer::wake(Core &core, uint64_t at) {
  assert(at > now || !stepping);
  if (at < now + kNear) {
    size_t slot = at % 64;
    slots[(core.y * size_t(64) + slot) * wordsPerRow + core.x / 64] |=
        uint64_t(1) << core.x % 64;
    slotMasks[core.y] |= uint64_t(1) << slot;
    activeRows.set(core.y);
    return;
  }
  far.emplace(at, indexOf(core));
}

/// The next cycle in which something is planned.
bool Wafer::nextTime(uint64_t &start) {
  start = ~uint64_t(0);
  unsigned turn = base % 64;
  for (int y = activeRows.find_first(); y >= 0; y = activeRows.find_next(y)) {
    uint64_t mask = slotMasks[y];
    if (!mask) {
      activeRows.reset(y);
      continue;
    }
    uint64_t rotated = turn ? mask >> turn | mask << (64 - turn) : mask;
    start = std::min<uint64_t>(start, base + llvm::countr_zero(rotated));
  }
  if (!far.empty())
    start = std::min(start, far.top().first);
  if (start == ~uint64_t(0))
    return false;
  now = start;
  while (!far.empty() && far.top().first < start + kNear) {
    auto [at, index] = far.top();
    far.pop();
    wake(cores[index], at);
  }
  return true;
}

void Wafer::step(Core &core) {
  ++counters.steps;
  core.acted = false;
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
void Wafer::prefetchRow(int64_t y, unsigned ahead, int64_t begin,
                        int64_t end) const {
  if (y >= program.height || begin >= end)
    return;
  const Core *row = &cores[y * size_t(program.width)];
  const uint64_t *words = &slots[y * size_t(64) * wordsPerRow];
  uint64_t due = 0;
  for (int64_t x = begin; x < end; ++x) {
    // Those that are going to be stepped, as far as that is known.
    if (x == begin || x % 64 == 0) {
      due = 0;
      for (uint64_t left = slotMasks[y]; left; left &= left - 1)
        due |= words[llvm::countr_zero(left) * wordsPerRow + x / 64];
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
void Wafer::stepRow(uint32_t y, int64_t begin, int64_t end) {
  unsigned slot = now % 64;
  uint64_t *words = &slots[(y * size_t(64) + slot) * wordsPerRow];
  Core *row = &cores[y * size_t(program.width)];
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
  if (llvm::all_of(llvm::ArrayRef(words, wordsPerRow),
                   [](uint64_t word) { return !word; }))
    slotMasks[y] &= ~(uint64_t(1) << slot);
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

/// Cycles from `start` to `end`, exclusive. The PE at (x, y) is stepped at
/// cycle start + k in block (x + k) / blockColumns, there in round y + k, the
/// lower k first: behind its neighbours at start + k - 1, and never more than a
/// cycle apart from them.
void Wafer::runWindow(uint64_t start, uint64_t end) {
  int64_t cycles = static_cast<int64_t>(end - start);
  int64_t height = program.height, width = program.width;
  for (int64_t block = 0; block * blockColumns < width + cycles - 1; ++block) {
    int64_t first = block * blockColumns;
    for (int64_t round = activeRows.find_first(); round < height + cycles - 1;
         ++round) {
      if ((wasInterrupted = interrupted(/*every=*/64)))
        return;
      bool any = false;
      for (unsigned ahead = 1; ahead <= 3; ++ahead)
        prefetchRow(round + ahead, ahead, std::min(first, width),
                    std::min(width, first + blockColumns));
      for (int64_t k = std::max<int64_t>(0, round - height + 1);
           k < cycles && k <= round; ++k) {
        uint32_t y = static_cast<uint32_t>(round - k);
        if (!activeRows.test(y))
          continue;
        any = true;
        now = start + k;
        // Others may have trapped earlier than what has been found so far.
        if (trapped && now > trapped->cycle)
          break;
        int64_t from = std::max<int64_t>(0, first - k);
        int64_t to = std::min(width, first + blockColumns - k);
        if (from < to && (slotMasks[y] >> now % 64 & 1))
          stepRow(y, from, to);
      }
      if (any)
        continue;
      // A row with nothing to do between those that have can only be woken by
      // them, in a later round.
      int next = round + 1 < height
                     ? activeRows.find_next(static_cast<unsigned>(round))
                     : -1;
      if (next < 0)
        break;
      round = next - 1;
    }
  }
}

/// Puts what the PEs have said in order.
void Wafer::endWindow() {
  llvm::sort(lines, [](const LogLine &a, const LogLine &b) {
    return std::tie(a.cycle, a.pe, a.order) < std::tie(b.cycle, b.pe, b.order);
  });
  for (LogLine &line : lines)
    if (!trapped || line.cycle <= trapped->cycle)
      log.push_back(std::move(line.text));
  lines.clear();
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
  auto countFindings = [&] {
    return races.size() + undefined.size() + lostControls.size();
  };
  size_t findingsBefore = countFindings();
  auto sortFindings = [&] {
    if (countFindings() != findingsBefore || !lines.empty())
      endWindow();
    findingsBefore = countFindings();
  };
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
    runWindow(begin, base);
    if (wasInterrupted)
      return Outcome::Interrupted;
    sortFindings();
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

void Wafer::countMacs(DsdOpcode opcode, uint64_t elements) {
  if (opcode == DsdOpcode::Fmacs)
    counters.macsF32 += elements;
  else if (opcode == DsdOpcode::Fmachs)
    counters.macsMixed += elements;
  else if (opcode == DsdOpcode::Fmach)
    counters.macsFp16 += elements;
}

Location Wafer::currentLocation(const Core &core) const {
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
void Wafer::trap(Core &core, std::string message, Location location) {
  stopped = true;
  if (core.dead)
    return;
  core.dead = true;
  if (trapped &&
      std::tuple(trapped->cycle, trapped->y, trapped->x) <=
          std::tuple<uint64_t, int64_t, int64_t>(now, core.y, core.x))
    return;
  // Routers and queues have no place in the program.
  if (!location)
    location = inOperation;
  if (!location && inScalarCode)
    location = currentLocation(core);
  trapped = Trap{core.x, core.y, now, std::move(message), location};
}

void Wafer::race(Core &core, std::string message) {
  uint32_t index = indexOf(core);
  if (raced[index])
    return;
  raced.set(index);
  races.push_back({core.x, core.y, now, std::move(message)});
}

void Wafer::loseControl(Core &core, const LiveOp &op) {
  uint32_t index = indexOf(core);
  if (lostControl[index])
    return;
  lostControl.set(index);
  std::string text = (getInfo(op.opcode).name + " takes a control wavelet " +
                      "as an element, without .on_control")
                         .str();
  if (op.location && op.location < program.locations.size())
    text += " (" + program.locations[op.location] + ")";
  lostControls.push_back({core.x, core.y, now, std::move(text)});
}

//===----------------------------------------------------------------------===//
// Host
//===----------------------------------------------------------------------===//

static llvm::Error error(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

Simulator::Simulator(std::unique_ptr<Wafer> wafer) : wafer(std::move(wafer)) {}
Simulator::~Simulator() = default;

llvm::Expected<std::unique_ptr<Simulator>>
Simulator::create(const Program &program, const CslMachine &machine,
                  const Options &options) {
  if (llvm::Error bad = check(program, machine))
    return std::move(bad);
  auto wafer = std::make_unique<Wafer>(program, machine, options);
  if (!wafer->memoryBase)
    return error("no address space for the memory of " +
                 llvm::Twine(program.pes.size()) + " PEs");
  return std::unique_ptr<Simulator>(new Simulator(std::move(wafer)));
}

Outcome Simulator::run(uint64_t cycles) { return wafer->run(cycles); }
uint64_t Simulator::now() const { return wafer->now; }
const Counters &Simulator::counters() const { return wafer->counters; }
const std::optional<Trap> &Simulator::trap() const { return wafer->trapped; }
const HangReport &Simulator::hang() const { return wafer->hangReport; }
llvm::ArrayRef<Race> Simulator::races() const { return wafer->races; }
llvm::ArrayRef<Race> Simulator::lostControls() const {
  return wafer->lostControls;
}
llvm::ArrayRef<Race> Simulator::undefinedReads() const {
  return wafer->undefined;
}
llvm::ArrayRef<std::string> Simulator::log() const { return wafer->log; }

static llvm::Expected<const Symbol *> findSymbol(const Program &program,
                                                 llvm::StringRef name) {
  for (const Symbol &symbol : program.symbols)
    if (symbol.name == name)
      return &symbol;
  return error("no PE exports a symbol '" + name + "'");
}

static const Symbol::Place *placeOf(const Symbol &symbol,
                                    const Program &program, const Pe &pe) {
  for (const Symbol::Place &place : symbol.places)
    if (place.code == program.setups[pe.setup].code)
      return &place;
  return nullptr;
}

static llvm::Error inside(const Program &program, const Rectangle &where) {
  if (where.x < 0 || where.y < 0 || where.width < 1 || where.height < 1 ||
      where.x + where.width > program.width ||
      where.y + where.height > program.height)
    return error("PEs (" + llvm::Twine(where.x) + ", " + llvm::Twine(where.y) +
                 ") to (" + llvm::Twine(where.x + where.width - 1) + ", " +
                 llvm::Twine(where.y + where.height - 1) +
                 ") are not within the rectangle of " +
                 llvm::Twine(program.width) + " x " +
                 llvm::Twine(program.height));
  return llvm::Error::success();
}

llvm::Error Simulator::launch(llvm::StringRef name, const Rectangle &where,
                              llvm::ArrayRef<uint64_t> arguments) {
  const Program &program = wafer->program;
  auto symbol = findSymbol(program, name);
  if (!symbol)
    return symbol.takeError();
  if ((*symbol)->kind != Symbol::Kind::Function)
    return error("'" + name + "' is no function");
  if ((*symbol)->argumentBits.size() != arguments.size())
    return error("'" + name + "' takes " +
                 llvm::Twine((*symbol)->argumentBits.size()) + " arguments, " +
                 llvm::Twine(arguments.size()) + " were given");
  if (llvm::Error bad = inside(program, where))
    return bad;
  // All of them or none.
  std::vector<const Symbol::Place *> places;
  for (int64_t y = where.y; y < where.y + where.height; ++y)
    for (int64_t x = where.x; x < where.x + where.width; ++x) {
      places.push_back(placeOf(**symbol, program, program.at(x, y)));
      if (!places.back())
        return error("PE (" + llvm::Twine(x) + ", " + llvm::Twine(y) +
                     ") has no function '" + name + "'");
    }
  auto next = places.begin();
  for (int64_t y = where.y; y < where.y + where.height; ++y)
    for (int64_t x = where.x; x < where.x + where.width; ++x) {
      const Symbol::Place *place = *next++;
      Core &core = wafer->cores[y * program.width + x];
      core.launches.push_back({place->index, arguments.vec()});
      core.mayStart = true;
      wafer->wake(core, wafer->now + 1);
    }
  return llvm::Error::success();
}

bool Simulator::hasCommand(int64_t x, int64_t y) const {
  const Core &core = wafer->cores[y * wafer->program.width + x];
  return core.commandBlocked || !core.launches.empty();
}

/// Where a symbol's bytes are on a PE. Copies have words: what has an odd
/// number of bytes ends with the low half of one, and `bytes` is one less then.
static llvm::Expected<uint64_t> addressOf(const Wafer &wafer,
                                          llvm::StringRef name, int64_t x,
                                          int64_t y, uint64_t offset,
                                          uint64_t &bytes, bool write) {
  const Program &program = wafer.program;
  auto symbol = findSymbol(program, name);
  if (!symbol)
    return symbol.takeError();
  if ((*symbol)->kind == Symbol::Kind::Function)
    return error("'" + name + "' is a function");
  if (write && !(*symbol)->isWritableByHost())
    return error("'" + name + "' is not mutable");
  if (llvm::Error bad = inside(program, {x, y, 1, 1}))
    return std::move(bad);
  const Core &core = wafer.cores[y * program.width + x];
  if (core.commandBlocked)
    return error("the command stream of PE (" + llvm::Twine(x) + ", " +
                 llvm::Twine(y) + ") is blocked");
  const Symbol::Place *place = placeOf(**symbol, program, *core.pe);
  if (!place)
    return error("PE (" + llvm::Twine(x) + ", " + llvm::Twine(y) +
                 ") has no symbol '" + name + "'");
  const Variable &variable = core.code->code->variables[place->index];
  uint64_t address = variable.address;
  // Where the array ends, which a copy may go beyond (it is by pointer).
  uint64_t end = address + variable.bytes();
  if ((*symbol)->kind == Symbol::Kind::Pointer) {
    address = core.memory[address] | core.memory[address + 1] << 8;
    if (!address)
      return error("pointer '" + name + "' of PE (" + llvm::Twine(x) + ", " +
                   llvm::Twine(y) +
                   ") holds address 0, the program has not set it");
    end = 0;
    for (const Variable &array : core.code->code->variables)
      if (address >= array.address &&
          address - array.address < static_cast<uint64_t>(array.bytes()))
        end = array.address + static_cast<uint64_t>(array.bytes());
  }
  if (address + offset + bytes == end + 1 && (end - address) % 2 &&
      bytes % 2 == 0)
    --bytes;
  uint64_t memory = wafer.machine.memoryBytesPerPe;
  if (address + offset + bytes > memory)
    return error("'" + name + "' is at byte " + llvm::Twine(address) +
                 " of a memory of " + llvm::Twine(memory) +
                 ", the copy ends at byte " +
                 llvm::Twine(address + offset + bytes));
  return address + offset;
}

llvm::Error Simulator::copyIn(llvm::StringRef symbol, int64_t x, int64_t y,
                              llvm::ArrayRef<uint8_t> data, uint64_t offset) {
  uint64_t bytes = data.size();
  auto address = addressOf(*wafer, symbol, x, y, offset, bytes, true);
  if (!address)
    return address.takeError();
  data = data.take_front(bytes);
  if (data.empty())
    return llvm::Error::success();
  Core &core = wafer->cores[y * wafer->program.width + x];
  std::memcpy(core.memory + *address, data.data(), data.size());
  wafer->define(core, static_cast<uint32_t>(*address),
                static_cast<uint32_t>(data.size()));
  return llvm::Error::success();
}

llvm::Expected<std::vector<uint8_t>> Simulator::copyOut(llvm::StringRef symbol,
                                                        int64_t x, int64_t y,
                                                        uint64_t bytes,
                                                        uint64_t offset) const {
  uint64_t held = bytes;
  auto address = addressOf(*wafer, symbol, x, y, offset, held, false);
  if (!address)
    return address.takeError();
  const uint8_t *data =
      wafer->cores[y * wafer->program.width + x].memory + *address;
  std::vector<uint8_t> copy(data, data + held);
  copy.resize(bytes);
  return copy;
}

static llvm::Expected<Wafer::HostStream *>
findStream(Wafer &wafer, llvm::StringRef name, bool toDevice) {
  for (Wafer::HostStream &stream : wafer.streams)
    if (stream.stream->name == name && stream.stream->toDevice == toDevice)
      return &stream;
  return error("the program has no stream '" + name + "' " +
               (toDevice ? "to" : "from") + " the device");
}

llvm::Error Simulator::send(llvm::StringRef name, int64_t x, int64_t y,
                            llvm::ArrayRef<uint32_t> words) {
  auto stream = findStream(*wafer, name, true);
  if (!stream)
    return stream.takeError();
  if (llvm::Error bad = inside(wafer->program, {x, y, 1, 1}))
    return bad;
  Core &core = wafer->cores[y * wafer->program.width + x];
  if (wafer->options.halo == Options::Halo::Fabric &&
      (*stream)->stream->kind == Stream::Kind::PerPe) {
    Wafer::HostStream::Row &link = (*stream)->rows[core.y];
    if (link.words.empty())
      link.entered = std::max(link.entered, wafer->now);
    for (uint32_t word : words)
      link.words.push_back({core.x, word});
    Core &first = *(&core - core.x);
    first.hostWords = true;
    wafer->wake(first, wafer->now + 1);
    return llvm::Error::success();
  }
  auto &queue = (*stream)->words[wafer->indexOf(core)];
  queue.insert(queue.end(), words.begin(), words.end());
  core.hostWords = true;
  wafer->wake(core, wafer->now + 1);
  return llvm::Error::success();
}

uint64_t Simulator::unsent(llvm::StringRef name, int64_t x, int64_t y) const {
  auto place = static_cast<uint32_t>(y * wafer->program.width + x);
  for (const Wafer::HostStream &stream : wafer->streams) {
    if (stream.stream->name != name || !stream.stream->toDevice)
      continue;
    auto words = stream.words.find(place);
    uint64_t count = words == stream.words.end() ? 0 : words->second.size();
    if (auto row = stream.rows.find(static_cast<uint32_t>(y));
        row != stream.rows.end())
      count += llvm::count_if(
          row->second.words, [&](const auto &word) { return word.first == x; });
    return count;
  }
  return 0;
}

llvm::Expected<std::vector<uint32_t>> Simulator::receive(llvm::StringRef name,
                                                         int64_t x, int64_t y) {
  auto stream = findStream(*wafer, name, false);
  if (!stream)
    return stream.takeError();
  if (llvm::Error bad = inside(wafer->program, {x, y, 1, 1}))
    return std::move(bad);
  auto &queue =
      (*stream)->words[static_cast<uint32_t>(y * wafer->program.width + x)];
  std::vector<uint32_t> words(queue.begin(), queue.end());
  queue.clear();
  if (wafer->options.halo == Options::Halo::Fabric && !words.empty() &&
      (*stream)->stream->kind == Stream::Kind::PerPe) {
    (*stream)->waiting[static_cast<uint32_t>(y)] -= words.size();
    for (int64_t i = 0; i < wafer->program.width; ++i) {
      Core &core = wafer->cores[y * wafer->program.width + i];
      if (core.outputBusy)
        wafer->wake(core, wafer->now + 1);
    }
  }
  return words;
}

llvm::ArrayRef<uint8_t> Simulator::memory(int64_t x, int64_t y) const {
  return {wafer->cores[y * wafer->program.width + x].memory,
          static_cast<size_t>(wafer->machine.memoryBytesPerPe)};
}
