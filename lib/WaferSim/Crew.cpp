//===- Crew.cpp - A fabric that several ranks share -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Crew.h"
#include "CoreState.h"
#include "sequin/Support/Arithmetic.h"
#include "sequin/Wafer/RpcServer.h"

using namespace sequin;
using namespace sequin::wafer;

/// Bytes of orders that are sent together.
static constexpr size_t kBatch = 1 << 20;

/// A member of the crew that says what it should not: two programs of different
/// make, or memory that does not hold.
static void hold(bool holds) {
  if (!holds)
    llvm::report_fatal_error("ranks do not understand each other",
                             /*gen_crash_diag=*/false);
}

Crew::Crew(Wafer &wafer, Exchange &exchange)
    : wafer(wafer), exchange(exchange), rank(exchange.rank()),
      size(exchange.size()), orders(size) {
  if (rank == 0)
    commands.resize(wafer.program.pes.size());
}

Crew::~Crew() {
  if (rank != 0 || isDismissed)
    return;
  for (unsigned other = 1; other < size; ++other) {
    orderTo(other, Order::End);
    flush(other);
  }
}

int64_t Crew::firstRow(const Program &program, const Exchange *exchange,
                       unsigned after) {
  if (!exchange)
    return after ? program.height : 0;
  return program.height * (exchange->rank() + after) / exchange->size();
}

unsigned Crew::ownerOf(int64_t y) const {
  // The last whose first row is not behind it.
  return static_cast<unsigned>(((y + 1) * size - 1) / wafer.program.height);
}

//===----------------------------------------------------------------------===//
// Beginning
//===----------------------------------------------------------------------===//

template <typename A> static void transfer(A &a, Options &options) {
  a(options.maxCycles);
  a(options.maxSteps);
  a(options.seed);
  a(options.randomLatency);
  a(options.shallowQueues);
  a(options.highestTaskFirst);
  a.upTo(options.poison, Poison::Trap);
  a.upTo(options.halo, Options::Halo::Fabric);
  a(options.bankModulus);
  a(options.windowCycles);
  a(options.threads);
  a(options.teamSteps);
}

void Crew::begin(Exchange &exchange, const Options &options) {
  Saver saver;
  bool goesOn = true;
  saver(goesOn);
  Options given = options;
  transfer(saver, given);
  saver(options.observer != nullptr);
  saver(options.observer && options.observer->wantsInstructions());
  for (unsigned other = 1; other < exchange.size(); ++other)
    exchange.send(other, saver.bytes);
}

void Crew::end(Exchange &exchange) {
  Saver saver;
  saver(false);
  for (unsigned other = 1; other < exchange.size(); ++other)
    exchange.send(other, saver.bytes);
}

bool Crew::await(Exchange &exchange, Options &options, bool &isObserved,
                 bool &isTraced) {
  std::vector<uint8_t> bytes;
  exchange.receive(0, bytes);
  Loader loader(bytes);
  bool goesOn = false;
  loader(goesOn);
  if (!goesOn)
    return false;
  transfer(loader, options);
  loader(isObserved);
  loader(isTraced);
  hold(!loader.isBad());
  return true;
}

std::optional<unsigned> Crew::findFailure(Exchange &exchange, bool succeeds) {
  uint8_t mine = succeeds;
  std::vector<uint8_t> all(exchange.size());
  exchange.gather(mine, all);
  auto failed = llvm::find(all, 0);
  if (failed == all.end())
    return std::nullopt;
  return static_cast<unsigned>(failed - all.begin());
}

//===----------------------------------------------------------------------===//
// A run
//===----------------------------------------------------------------------===//

Agreement Crew::agree(const Agreement &mine) {
  std::vector<Agreement> all(size);
  exchange.gather(
      {reinterpret_cast<const uint8_t *>(&mine), sizeof mine},
      {reinterpret_cast<uint8_t *>(all.data()), size * sizeof mine});
  Agreement result;
  for (const Agreement &each : all) {
    result.next = std::min(result.next, each.next);
    result.steps += each.steps;
    result.instructions += each.instructions;
    result.lastStep = std::max(result.lastStep, each.lastStep);
    result.interrupted |= each.interrupted;
    result.trapped |= each.trapped;
    result.stopped |= each.stopped;
  }
  return result;
}

void Crew::cross(Stepper &stepper) {
  const std::pair<bool, unsigned> sides[] = {{false, rank - 1},
                                             {true, rank + 1}};
  auto isThere = [&](bool south) { return south ? rank + 1 < size : rank > 0; };
  for (auto [south, other] : sides)
    if (isThere(south)) {
      std::vector<Crossing> &crossings = stepper.crossings[south];
      exchange.send(other, {reinterpret_cast<const uint8_t *>(crossings.data()),
                            crossings.size() * sizeof(Crossing)});
      crossings.clear();
    }
  for (auto [south, other] : sides)
    if (isThere(south)) {
      exchange.receive(other, message);
      stepper.takeCrossings({reinterpret_cast<const Crossing *>(message.data()),
                             message.size() / sizeof(Crossing)},
                            south);
    }
}

void Crew::endWindow(uint64_t begin) {
  if (!wafer.relay)
    return;
  std::vector<uint8_t> mine = wafer.relay->take(begin);
  if (rank != 0)
    return exchange.send(0, mine);
  std::vector<std::vector<uint8_t>> all(size);
  all[0] = std::move(mine);
  for (unsigned other = 1; other < size; ++other)
    exchange.receive(other, all[other]);
  Relay::tell(all, wafer.program, *wafer.watcher);
}

bool Crew::anyPends() {
  return findFailure(exchange, !wafer.somethingPends()).has_value();
}

void Crew::beginRun(uint64_t cycles) {
  if (rank != 0)
    return;
  for (unsigned other = 1; other < size; ++other) {
    Saver &saver = orderTo(other, Order::Run);
    saver(cycles);
    saver(isFlushingSubnormals());
    flush(other);
  }
  fetched.clear();
  hangIsDue = false;
}

template <typename A> void wafer::transferCounters(A &a, Counters &counters) {
  for (auto member :
       {&Counters::cycles, &Counters::steps, &Counters::hops,
        &Counters::delivered, &Counters::elements, &Counters::macsF32,
        &Counters::macsMixed, &Counters::macsFp16, &Counters::instructions,
        &Counters::dropped, &Counters::filtered, &Counters::active,
        &Counters::firstWavelet, &Counters::lastElement})
    a(counters.*member);
}

template <typename A> void wafer::transferRaces(A &a, std::vector<Race> &list) {
  a.list(list, ~uint64_t(0), [&](Race &race) {
    a(race.x);
    a(race.y);
    a(race.cycle);
    a(race.message);
  });
}

template void wafer::transferCounters(Saver &, Counters &);
template void wafer::transferCounters(Loader &, Counters &);
template void wafer::transferRaces(Saver &, std::vector<Race> &);
template void wafer::transferRaces(Loader &, std::vector<Race> &);

template <typename A> static void transfer(A &a, std::optional<Trap> &trap) {
  bool has = trap.has_value();
  a(has);
  if (!has)
    return;
  if (!trap)
    trap.emplace();
  a(trap->x);
  a(trap->y);
  a(trap->cycle);
  a(trap->message);
  a(trap->location);
}

/// What this rank has counted and found, which rank 0 then has.
void Crew::saveNews(Saver &news) {
  transferCounters(news, wafer.counters);
  transfer(news, wafer.trapped);
  for (std::vector<Race> *list :
       {&wafer.races, &wafer.undefined, &wafer.lostControls}) {
    transferRaces(news, *list);
    list->clear();
  }
  news.list(wafer.newLines, ~uint64_t(0), [&](LogLine &line) {
    news(line.cycle);
    news(line.pe);
    news(line.order);
    news(line.text);
  });
  wafer.newLines.clear();
  for (HostStream &stream : wafer.streams) {
    if (stream.stream->toDevice)
      continue;
    for (int64_t y = wafer.firstRow; y < wafer.endRow; ++y)
      for (auto &[x, words] : stream.rows[y].words) {
        if (words.empty())
          continue;
        news(true);
        news(static_cast<uint32_t>(&stream - wafer.streams.data()));
        news(static_cast<uint32_t>(y * wafer.program.width + x));
        news.list(words, ~uint64_t(0), [&](uint32_t &word) { news(word); });
        words.clear();
      }
  }
  news(false);
  for (const Core &core : wafer.ownCores())
    if (uint8_t what = (core.commandBlocked ? kBlocked : 0) |
                       (core.launches.empty() ? 0 : kLaunched)) {
      news(what);
      news(wafer.indexOf(core));
    }
  news(uint8_t(0));
}

void Crew::takeNews(Loader &news) {
  Counters others;
  transferCounters(news, others);
  total += others;
  std::optional<Trap> trap;
  transfer(news, trap);
  if (trap && (!wafer.trapped || trap->isBefore(*wafer.trapped)))
    wafer.trapped = std::move(trap);
  auto append = [](auto &all, auto &more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  };
  for (std::vector<Race> *list :
       {&wafer.races, &wafer.undefined, &wafer.lostControls}) {
    std::vector<Race> more;
    transferRaces(news, more);
    append(*list, more);
  }
  std::vector<LogLine> lines;
  news.list(lines, ~uint64_t(0), [&](LogLine &line) {
    news(line.cycle);
    news(line.pe);
    news(line.order);
    news(line.text);
  });
  append(wafer.newLines, lines);
  const auto width = static_cast<uint32_t>(wafer.program.width);
  for (bool more = false; news(more), more;) {
    uint32_t stream = 0, pe = 0;
    news.below(stream, wafer.streams.size());
    news.below(pe, wafer.program.pes.size());
    std::vector<uint32_t> words;
    news.list(words, ~uint64_t(0), [&](uint32_t &word) { news(word); });
    auto &queue = wafer.streams[stream].rows[pe / width].words[pe % width];
    queue.insert(queue.end(), words.begin(), words.end());
  }
  for (uint8_t what = 0; news(what), what;) {
    uint32_t pe = 0;
    news.below(pe, commands.size());
    commands[pe] = what;
  }
  hold(!news.isBad());
}

Outcome Crew::endRun(Outcome outcome) {
  hangIsDue = outcome == Outcome::Hung || outcome == Outcome::Exhausted;
  if (rank != 0) {
    Saver news;
    saveNews(news);
    exchange.send(0, news.bytes);
    return outcome;
  }
  total = wafer.counters;
  std::fill(commands.begin(), commands.end(), 0);
  for (unsigned other = 1; other < size; ++other) {
    exchange.receive(other, message);
    Loader news(message);
    takeNews(news);
  }
  if (wafer.trapped)
    wafer.now = total.cycles = wafer.counters.cycles = wafer.trapped->cycle;
  llvm::sort(wafer.newLines);
  for (LogLine &line : wafer.newLines)
    if (!wafer.trapped || line.cycle <= wafer.trapped->cycle)
      wafer.log.push_back(std::move(line.text));
  wafer.newLines.clear();
  wafer.sortFindings();
  if (wafer.trapped)
    wafer.forgetAfter(wafer.now);
  return outcome;
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

Saver &Crew::orderTo(unsigned other, Order order) {
  Saver &saver = orders[other];
  if (saver.bytes.size() > kBatch)
    flush(other);
  saver(order);
  return saver;
}

Saver &Crew::orderFor(uint32_t pe, Order order) {
  Saver &saver = orderTo(ownerOf(pe / wafer.program.width), order);
  saver(pe);
  return saver;
}

void Crew::flush(unsigned other) {
  if (!orders[other].bytes.empty())
    exchange.send(other, orders[other].bytes);
  orders[other].bytes.clear();
}

void Crew::ask(unsigned other, std::vector<uint8_t> &answer) {
  flush(other);
  exchange.receive(other, answer);
}

void Crew::launch(uint32_t pe, uint32_t function,
                  llvm::ArrayRef<uint64_t> arguments) {
  Saver &saver = orderFor(pe, Order::Launch);
  saver(function);
  saver.list(arguments, ~uint64_t(0),
             [&](uint64_t argument) { saver(argument); });
  commands[pe] |= kLaunched;
}

void Crew::copyIn(uint32_t pe, uint32_t address, llvm::ArrayRef<uint8_t> data) {
  fetched.erase(pe / wafer.program.width);
  Saver &saver = orderFor(pe, Order::CopyIn);
  saver(address);
  saver(static_cast<uint64_t>(data.size()));
  saver.raw(data.data(), data.size());
}

void Crew::send(uint32_t stream, uint32_t pe, llvm::ArrayRef<uint32_t> words) {
  Saver &saver = orderFor(pe, Order::Send);
  saver(stream);
  saver.list(words, ~uint64_t(0), [&](uint32_t word) { saver(word); });
}

void Crew::taken(uint32_t stream, int64_t y, uint64_t words) {
  Saver &saver =
      orderFor(static_cast<uint32_t>(y * wafer.program.width), Order::Taken);
  saver(stream);
  saver(words);
}

uint64_t Crew::unsent(uint32_t stream, uint32_t pe) {
  Saver &saver = orderFor(pe, Order::Unsent);
  saver(stream);
  ask(ownerOf(pe / wafer.program.width), message);
  Loader answer(message);
  uint64_t words = 0;
  answer(words);
  hold(!answer.isBad());
  return words;
}

void Crew::fetch(int64_t y, uint32_t address, uint32_t bytes) {
  auto &ranges = fetched[y];
  for (auto [begin, end] : ranges)
    if (address >= begin && address + bytes <= end)
      return;
  ranges.push_back({address, address + bytes});
  const auto first = static_cast<uint32_t>(y * wafer.program.width);
  Saver &saver = orderFor(first, Order::Fetch);
  saver(address);
  saver(bytes);
  ask(ownerOf(y), message);
  hold(message.size() == size_t(bytes) * wafer.program.width);
  for (int64_t x = 0; x < wafer.program.width; ++x)
    std::memcpy(wafer.memoryOf(first + static_cast<uint32_t>(x)) + address,
                message.data() + x * bytes, bytes);
}

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

void Crew::saveRow(int64_t y, std::vector<uint8_t> &bytes) {
  orderFor(static_cast<uint32_t>(y * wafer.program.width), Order::SaveRow);
  ask(ownerOf(y), bytes);
}

void Crew::beginLoad() {
  for (unsigned other = 1; other < size; ++other) {
    Saver &saver = orderTo(other, Order::BeginLoad);
    saver(wafer.now);
    saver(wafer.started);
    saver(wafer.lastStep);
  }
}

void Crew::loadRow(int64_t y, llvm::ArrayRef<uint8_t> bytes) {
  Saver &saver =
      orderFor(static_cast<uint32_t>(y * wafer.program.width), Order::LoadRow);
  saver(static_cast<uint64_t>(bytes.size()));
  saver.raw(bytes.data(), bytes.size());
}

bool Crew::endLoad(bool bad) {
  for (unsigned other = 1; other < size; ++other) {
    orderTo(other, Order::EndLoad);
    flush(other);
  }
  total = wafer.counters;
  fetched.clear();
  return shareBorders(bad);
}

/// Makes images of what the PEs beyond the borders are now. Whether a rank
/// could not load its rows.
bool Crew::shareBorders(bool bad) {
  if (findFailure(exchange, !bad))
    return true;
  for (bool south : {false, true}) {
    if (south ? rank + 1 == size : rank == 0)
      continue;
    const int64_t y = south ? wafer.endRow - 1 : wafer.firstRow;
    const unsigned from =
        static_cast<unsigned>(south ? Direction::South : Direction::North);
    Saver border;
    for (const Core &core : wafer.rows(y, y + 1)) {
      border(core.ownRouter != nullptr);
      if (core.ownRouter)
        border.raw(core.ownRouter.get(), sizeof(RouterTable));
      for (unsigned color = 0; color < kColors; ++color) {
        uint8_t channel = core.channel[color][from];
        border(channel != kNone);
        if (channel != kNone)
          border.raw(&core.rings[channel], sizeof(Ring));
      }
    }
    exchange.send(south ? rank + 1 : rank - 1, border.bytes);
  }
  for (bool south : {false, true}) {
    if (south ? rank + 1 == size : rank == 0)
      continue;
    const int64_t y = south ? wafer.endRow : wafer.firstRow - 1;
    exchange.receive(south ? rank + 1 : rank - 1, message);
    Loader border(message);
    for (Core &image : wafer.rows(y, y + 1))
      wafer.firstStepper().takeImage(image, border, south);
    hold(!border.isBad() && border.atEnd());
  }
  return false;
}

/// What its PEs are at, without their memory.
void Crew::answerState() {
  Saver state;
  for (const Core &core : wafer.ownCores()) {
    saveCore(state, core, wafer);
    for (const Variable &variable : core.code->code->variables)
      if (variable.name == kRpcState)
        state.raw(core.memory + variable.address,
                  static_cast<size_t>(variable.bytes()));
  }
  for (HostStream &stream : wafer.streams) {
    if (!stream.stream->toDevice)
      continue;
    for (int64_t y = wafer.firstRow; y < wafer.endRow; ++y)
      saveStreamRow(state, stream.rows[y]);
  }
  exchange.send(0, state.bytes);
}

void Crew::describeHang() {
  if (!hangIsDue)
    return;
  hangIsDue = false;
  const bool exhausted = wafer.hangReport.exhausted;
  // The report follows routes through the whole fabric.
  Slab slab;
  wafer.borrowOthers([&] {
    for (unsigned other = 1; other < size; ++other) {
      orderTo(other, Order::State);
      ask(other, message);
      Loader state(message);
      int64_t first = wafer.program.height * other / size;
      int64_t end = wafer.program.height * (other + 1) / size;
      for (Core &core : wafer.rows(first, end)) {
        loadCore(state, core, wafer, slab);
        for (const Variable &variable : core.code->code->variables)
          if (variable.name == kRpcState)
            state.raw(core.memory + variable.address,
                      static_cast<size_t>(variable.bytes()));
      }
      for (HostStream &stream : wafer.streams)
        if (stream.stream->toDevice)
          for (int64_t y = first; y < end; ++y)
            loadStreamRow(state, stream.rows[y], wafer.program);
      hold(!state.isBad());
    }
    wafer.describeHang();
    for (HostStream &stream : wafer.streams)
      if (stream.stream->toDevice)
        for (int64_t y = wafer.endRow; y < wafer.program.height; ++y)
          stream.rows[y] = {};
  });
  wafer.hangReport.exhausted = exhausted;
}

//===----------------------------------------------------------------------===//
// Service
//===----------------------------------------------------------------------===//

bool Crew::carryOut(Loader &given) {
  Order order;
  given.upTo(order, Order::End);
  if (order == Order::Run) {
    uint64_t cycles = 0;
    bool flushes = false;
    given(cycles);
    given(flushes);
    FloatEnvironment environment(flushes);
    wafer.run(cycles);
    return true;
  }
  if (order == Order::State) {
    answerState();
    return true;
  }
  if (order == Order::BeginLoad) {
    given(wafer.now);
    given(wafer.started);
    given(wafer.lastStep);
    wafer.plan.clear();
    loadFailed = false;
    return true;
  }
  if (order == Order::EndLoad) {
    shareBorders(loadFailed);
    return true;
  }
  if (order == Order::End)
    return false;
  uint32_t pe = 0, stream = 0;
  given.below(pe, wafer.program.pes.size());
  Core &core = wafer.cores[pe];
  hold(owns(pe / wafer.program.width) && !given.isBad());
  switch (order) {
  case Order::Launch: {
    Core::Launch launch;
    given.below(launch.function, core.code->code->functions.size());
    given.list(launch.arguments, ~uint64_t(0),
               [&](uint64_t &argument) { given(argument); });
    wafer.launch(core, std::move(launch));
    break;
  }
  case Order::CopyIn: {
    uint32_t address = 0;
    given(address);
    wafer.write(core, address, given.view(given.length(1)));
    break;
  }
  case Order::Send: {
    given.below(stream, wafer.streams.size());
    std::vector<uint32_t> words;
    given.list(words, ~uint64_t(0), [&](uint32_t &word) { given(word); });
    wafer.send(wafer.streams[stream], core, words);
    break;
  }
  case Order::Taken: {
    uint64_t words = 0;
    given.below(stream, wafer.streams.size());
    given(words);
    wafer.taken(wafer.streams[stream], core.y, words);
    break;
  }
  case Order::Unsent: {
    given.below(stream, wafer.streams.size());
    Saver answer;
    answer(wafer.unsent(wafer.streams[stream], core));
    exchange.send(0, answer.bytes);
    break;
  }
  case Order::SaveRow: {
    Saver row;
    wafer.saveRow(core.y, row);
    exchange.send(0, row.bytes);
    break;
  }
  case Order::LoadRow: {
    Loader row(given.view(given.length(1)));
    loadFailed |= !wafer.loadRow(core.y, row);
    break;
  }
  default: { // Fetch
    uint32_t address = 0, bytes = 0;
    given(address);
    given(bytes);
    Saver answer;
    for (Core &each : wafer.rows(core.y, core.y + 1))
      answer.raw(each.memory + address, bytes);
    exchange.send(0, answer.bytes);
    break;
  }
  }
  hold(!given.isBad());
  return true;
}

void Crew::serve() {
  std::vector<uint8_t> given;
  for (;;) {
    exchange.receive(0, given);
    Loader loader(given);
    while (!loader.atEnd())
      if (!carryOut(loader))
        return;
  }
}
