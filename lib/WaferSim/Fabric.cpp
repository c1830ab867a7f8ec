//===- Fabric.cpp - Routers and queues of the fabric simulator ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wafer.h"

using namespace sequin;
using namespace sequin::wafer;

static unsigned opposite(unsigned direction) { return direction ^ 1; }

Core *Wafer::neighbour(Core &core, unsigned direction) const {
  int64_t x = core.x, y = core.y;
  switch (static_cast<Direction>(direction)) {
  case Direction::West:
    return x > 0 ? &core - 1 : nullptr;
  case Direction::East:
    return x + 1 < program.width ? &core + 1 : nullptr;
  case Direction::South:
    return y + 1 < program.height ? &core + program.width : nullptr;
  case Direction::North:
    return y > 0 ? &core - program.width : nullptr;
  case Direction::Ramp:
    break;
  }
  return nullptr;
}

uint8_t Stepper::newRing(Core &core, unsigned capacity, uint8_t color,
                         uint8_t id) {
  assert(core.rings.size() < kRingWords * 64);
  Ring ring;
  ring.capacity = static_cast<uint8_t>(std::min(capacity, Ring::kSlots));
  ring.color = color;
  ring.id = id;
  core.rings.push(slab, ring);
  return static_cast<uint8_t>(core.rings.size() - 1);
}

void Stepper::newChannel(Core &core, uint8_t color, unsigned from) {
  // Below what is under way on the link a buffer would leave gaps.
  int64_t latency = from == kRamp ? machine.rampCycles : machine.hopCycles;
  unsigned words = options.shallowQueues
                       ? 1
                       : std::max<unsigned>(machine.routerWords, latency + 1);
  core.channel[color][from] =
      newRing(core, words, color, static_cast<uint8_t>(from));
}

/// The buffers of a router come with the first wavelet; their order, which
/// decides who goes first, must not depend on which that is.
uint8_t Stepper::findChannel(Core &core, uint8_t color, unsigned from) {
  // One of another rank, which has its own buffers.
  if (!core.pe) [[unlikely]] {
    newChannel(core, color, from);
    crossingsTo(core).push_back({0, core.x, Crossing::Kind::Probe, color});
    return core.channel[color][from];
  }
  if (!core.hasChannels) {
    core.hasChannels = true;
    for (unsigned c = 0; c < kColors; ++c) {
      const FlatColor &config = core.router->colors[c];
      Directions rx = 0;
      for (unsigned p = 0; p < 4; ++p)
        if (config.valid >> p & 1)
          rx |= config.positions[p].rx;
      for (unsigned d = 0; d < kDirections; ++d)
        if ((rx >> d & 1) || carriesMessages(core, c))
          newChannel(core, static_cast<uint8_t>(c), d);
    }
  }
  if (core.channel[color][from] == kNone)
    newChannel(core, color, from);
  return core.channel[color][from];
}

/// Whether an input is a color's own and not a queue.
static bool isOfColor(const Core &core, uint8_t index) {
  uint8_t id = core.rings[index].id;
  return id >= core.inputRing.size() || core.inputRing[id] != index;
}

/// While the program runs. What has come on the color and waits follows.
void Stepper::bindInputQueue(Core &core, unsigned queue, uint8_t color) {
  uint8_t &index = core.inputRing[queue];
  if (index == kNone) {
    unsigned words = options.shallowQueues ? 1 : machine.inputQueueWords[queue];
    index = newRing(core, words + machine.rampCycles, color,
                    static_cast<uint8_t>(queue));
    core.inputs.push_back(index);
  }
  uint8_t waiting = core.inputOfColor[color];
  for (uint8_t &bound : core.inputOfColor)
    if (bound == index)
      bound = kNone;
  core.inputOfColor[color] = index;
  Ring &ring = core.rings[index];
  ring.color = color;
  if (waiting == kNone || waiting == index || !isOfColor(core, waiting) ||
      core.rings[waiting].users)
    return;
  ring.takeOver(core.rings[waiting], now);
  if (ring.empty())
    return;
  core.filledWord(index / 64) |= uint64_t(1) << index % 64;
  core.mayStart = true;
  // What waits may have come long ago: an operation takes it from the next
  // cycle on.
  wake(core, std::max(ring.lastArrival(), now + 1));
}

uint8_t Stepper::inputRingOfColor(Core &core, uint8_t color) {
  uint8_t &ring = core.inputOfColor[color];
  // A color that a queue was bound to has its own again.
  if (ring == kNone && machine.generation == 2)
    for (uint8_t index : core.inputs)
      if (isOfColor(core, index) && core.rings[index].color == color)
        ring = index;
  if (ring == kNone && machine.generation == 2) {
    unsigned words = options.shallowQueues ? 1 : machine.colorQueueWords;
    ring = newRing(core, words + machine.rampCycles, color, color);
    core.inputs.push_back(ring);
  }
  return ring;
}

uint8_t Stepper::outputRingOfQueue(Core &core, uint8_t queue) {
  if (queue >= machine.outputQueues())
    return kNone;
  uint8_t &ring = core.outputRing[queue];
  if (ring == kNone) {
    unsigned words =
        options.shallowQueues ? 1 : machine.outputQueueWords[queue];
    ring = newRing(core, words, 0, queue);
  }
  return ring;
}

/// When a wavelet that is sent now is there. Random latency keeps the order; it
/// is a function of place and time, so that it does not depend on the order in
/// which PEs are stepped.
uint64_t Stepper::arrival(const Core &core, uint8_t index, uint64_t latency) {
  uint64_t at = now + latency;
  if (options.randomLatency) {
    uint64_t mixed = randomSeed ^ (uint64_t(indexOf(core)) << 8 | index) *
                                      0x9e3779b97f4a7c15u;
    mixed = (mixed ^ now) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    at += mixed >> 40 & 7;
    at = std::max(at, core.rings[index].lastArrival() + 1);
  }
  return at;
}

void Stepper::sendTo(Core &core, uint8_t ring, Wavelet wavelet,
                     uint64_t latency) {
  uint64_t at = arrival(core, ring, latency);
  Ring &to = core.rings[ring];
  to.push(wavelet, at);
  to.pushTime = static_cast<uint32_t>(now);
  core.filledWord(ring / 64) |= uint64_t(1) << ring % 64;
  wake(core, at);
}

/// To an input queue, down the ramp.
void Stepper::sendDown(Core &core, uint8_t queue, Wavelet wavelet) {
  core.mayStart |= !core.rings[queue].users;
  sendTo(core, queue, wavelet, machine.rampCycles);
}

Hearers wafer::hearersOf(const RouterTable &table, uint8_t tag, unsigned from) {
  Hearers result;
  auto swaps = [&](unsigned color) {
    uint8_t swap = table.colors[color].swap;
    if (from == kRamp)
      return swap == 3;
    return (swap >> (from >= 2) & 1) != 0;
  };
  auto takes = [&](unsigned color) {
    const FlatColor &config = table.colors[color];
    for (unsigned p = 0; p < 4; ++p)
      if ((config.valid >> p & 1) && (config.positions[p].rx >> from & 1))
        return true;
    return false;
  };
  uint8_t partner = tag ^ 1;
  bool other = swaps(partner) && takes(partner);
  if (!swaps(tag) && (takes(tag) || !other))
    result.colors[result.count++] = tag;
  if (other)
    result.colors[result.count++] = partner;
  return result;
}

//===----------------------------------------------------------------------===//
// Filters
//===----------------------------------------------------------------------===//

bool wafer::passes(const Core &core, const FlatColor &color,
                   const Wavelet &wavelet) {
  if (color.filter == kNone || (core.filtersOff >> color.filter & 1))
    return true;
  const Filter &filter = core.filters[color.filter];
  if (filter.kind == FilterKind::Range) {
    uint32_t index = wavelet.data >> 16;
    return wavelet.control ||
           (index >= filter.minIndex && index <= filter.maxIndex);
  }
  if (filter.kind == FilterKind::SparseCounter && !filter.limit1)
    return true;
  if (filter.kind == FilterKind::Counter && filter.filterControl)
    return wavelet.control && filter.counter == filter.maxCounter;
  return filter.counter <= filter.maxCounter;
}

void Stepper::countWavelet(Core &core, uint8_t number, const Wavelet &wavelet) {
  Filter &filter = core.filters[number];
  if (filter.kind == FilterKind::Range || (core.filtersOff >> number & 1) ||
      !(wavelet.control ? filter.countControl : filter.countData))
    return;
  if (filter.counter < filter.limit1.value_or(0)) {
    ++filter.counter;
    return;
  }
  filter.counter = 0;
  if (filter.kind != FilterKind::SparseCounter)
    return;
  filter.limit1 = std::exchange(filter.limit2, std::nullopt);
  if (!filter.limit1)
    core.filtersOff |= 1u << number;
}

//===----------------------------------------------------------------------===//
// Switches and teardown
//===----------------------------------------------------------------------===//

RouterTable &Stepper::editRouter(Core &core) {
  if (!core.ownRouter) {
    core.ownRouter = std::make_unique<RouterTable>(*core.router);
    core.router = core.ownRouter.get();
  }
  return *core.ownRouter;
}

void Stepper::applyCommand(Core &core, uint8_t number, SwitchCommand command,
                           const Wavelet &wavelet, bool &advanced) {
  const FlatColor &color = core.router->colors[number];
  advanced = false;
  if (command == SwitchCommand::Teardown)
    return enterTeardown(core, number);
  if (!color.hasSwitches)
    return;
  uint8_t &position = core.position[number];
  uint8_t before = position;
  // What waits on a link that the new position takes from tries again.
  wake(core, now + 1);
  if (command == SwitchCommand::Reset)
    position = 0;
  if (command == SwitchCommand::Advance) {
    // An invalid next position is the end (AMB-018).
    uint8_t next = position + 1;
    if (next >= 4 || !(color.valid >> next & 1))
      next = color.ring ? 0 : position;
    advanced = next != position;
    position = next;
  }
  if (options.observer && command != SwitchCommand::Nop)
    options.observer->switchMoves(
        momentOf(core, now),
        {number, before, position, command, wavelet.control, wavelet.data,
         color.positions[before], color.positions[position]});
}

void Stepper::enterTeardown(Core &core, uint8_t color) {
  core.teardown |= 1u << color;
  core.teardownPending |= 1u << color;
  activate(core, machine.teardownTask);
  wake(core, now + 1);
}

void Stepper::leaveTeardown(Core &core, uint8_t color) {
  core.teardown &= ~(1u << color);
  retry(core);
  wake(core, now + 1);
}

//===----------------------------------------------------------------------===//
// Router
//===----------------------------------------------------------------------===//

int Wafer::hostStreamOf(uint8_t color, bool toDevice) const {
  for (size_t i = 0; i < streams.size(); ++i)
    if (streams[i].stream->kind == Stream::Kind::PerPe &&
        streams[i].stream->color == color &&
        streams[i].stream->toDevice == toDevice)
      return static_cast<int>(i);
  return -1;
}

/// Words that the way of a row to the host holds: the buffers of its routers
/// outside of the rectangle. Behind them the PEs wait until the host receives.
uint64_t Wafer::mostWaitingWords() const {
  return uint64_t(machine.routerWords) * Options::kHaloColumns;
}

int Wafer::edgeStreamOf(const Core &core, uint8_t color, unsigned side,
                        bool toDevice) const {
  auto found = edgeStreams.find({indexOf(core), color, side, toDevice});
  return found == edgeStreams.end() ? -1 : found->second;
}

/// The first wavelet of a router buffer moves on.
void Stepper::popChannel(Core &core, uint8_t ringIndex) {
  Ring &ring = core.rings[ringIndex];
  bool wasFull = ring.sizeBefore(now) >= ring.capacity;
  ring.pop(now);
  core.acted = true;
  if (ring.empty())
    core.busyWord(ringIndex / 64) &= ~(uint64_t(1) << ringIndex % 64);
  if (core.foreign >> ring.id & 1) [[unlikely]]
    crossingsTo(*neighbour(core, ring.id))
        .push_back({0, core.x, Crossing::Kind::Pop, ring.color});
  else if (wasFull && ring.id != kRamp)
    if (Core *before = neighbour(core, ring.id)) {
      retryNext(*before);
    }
}

/// Tries to move the first wavelet of a router buffer on. Returns whether the
/// router must look again in the next cycle for a reason of its own: a link was
/// taken.
bool Stepper::forward(Core &core, uint8_t ringIndex, uint8_t &usedLinks,
                      uint32_t &movedColors) {
  uint8_t number = core.rings[ringIndex].color;
  uint8_t from = core.rings[ringIndex].id;
  auto rest = [&] {
    core.stuckWord(ringIndex / 64) |= uint64_t(1) << ringIndex % 64;
    return false;
  };
  auto stuck = [&] {
    if (tracer)
      tracer->waits(momentOf(core, now), WaitKind::Link, number);
    return rest();
  };
  if (core.teardown >> number & 1)
    return stuck();
  if (carriesMessages(core, number))
    return forwardMessage(core, ringIndex, usedLinks, movedColors);
  const FlatColor &color = core.router->colors[number];
  if (!color.configured) {
    trap(core,
         "a wavelet came from " + getName(static_cast<Direction>(from)).str() +
             " on color " + std::to_string(number) +
             ", which has no route here",
         0);
    return false;
  }
  const Routes &routes = color.positions[core.position[number]];
  if (!(routes.rx >> from & 1))
    return stuck();
  if (movedColors >> number & 1) {
    // A second input of the color in one cycle (FAB-014), unless the switch
    // has just moved.
    if (!color.hasSwitches)
      race(core, "wavelets of color " + std::to_string(number) +
                     " came from two links at once");
    return true;
  }
  if (usedLinks & routes.tx)
    return true;

  // All outputs must accept (FAB-015).
  const Wavelet wavelet = core.rings[ringIndex].front();
  bool ramp = routes.tx >> kRamp & 1;
  // What ce_ignore keeps from the RAMP does not meet its filter either.
  bool down =
      ramp && !(wavelet.control && ControlWord{wavelet.data}.ignoredByCe());
  bool pass = false;
  uint8_t input = kNone;
  if (down) {
    pass = passes(core, color, wavelet);
    if (pass) {
      input = inputRingOfColor(core, number);
      if (input == kNone || core.rings[input].full())
        return stuck();
      if (wavelet.half && !core.rings[input].dense) {
        trap(core, "a half wavelet of color " + std::to_string(number) +
                       " came to input queue " +
                       std::to_string(core.rings[input].id) +
                       ", which is not in dense mode");
        return false;
      }
    }
  }
  struct Target {
    Core *core;
    uint8_t channel, direction;
  };
  std::array<Target, 8> targets;
  unsigned count = 0;
  for (unsigned links = routes.tx & ((1u << kRamp) - 1); links;
       links &= links - 1) {
    unsigned d = llvm::countr_zero(links);
    Core *next = neighbour(core, d);
    if (!next) {
      targets[count++] = {nullptr, kNone, static_cast<uint8_t>(d)};
      continue;
    }
    Hearers heard;
    heard.colors[heard.count++] = number;
    if (next->router->swapped >> number & 1)
      heard = hearersOf(*next->router, number, opposite(d));
    for (unsigned i = 0; i < heard.count; ++i) {
      uint8_t channel = channelOf(*next, heard.colors[i], opposite(d));
      const Ring &buffer = next->rings[channel];
      // One that was taken in this cycle leaves room in the next, in which this
      // one is tried again.
      if (!buffer.hasSpaceAt(now))
        return buffer.popTime == now ? rest() : stuck();
      targets[count++] = {next, channel, static_cast<uint8_t>(d)};
    }
  }

  popChannel(core, ringIndex);
  usedLinks |= routes.tx;
  movedColors |= 1u << number;
  if (options.observer)
    options.observer->hop(
        momentOf(core, now),
        {number, static_cast<Direction>(from),
         static_cast<Directions>(input != kNone || !ramp
                                     ? routes.tx
                                     : routes.tx & ~bit(Direction::Ramp)),
         wavelet.control, wavelet.data, wavelet.half, wavelet.flip});

  Wavelet onward = wavelet;
  onward.flip = false;
  bool advanced = false;
  // A copy: teardown and registers may change the tables.
  PopMode pop = color.pop;
  bool hasSwitches = color.hasSwitches;
  uint8_t filter = color.filter;
  if (wavelet.flip || wavelet.control)
    retry(core);
  if (wavelet.flip)
    applyCommand(core, number, SwitchCommand::Advance, wavelet, advanced);
  if (wavelet.control) {
    ControlWord word{wavelet.data};
    SwitchCommand command = word.command();
    applyCommand(core, number, command, wavelet, advanced);
    if (hasSwitches &&
        (pop == PopMode::AlwaysPop || (pop == PopMode::OnAdvance && advanced) ||
         (pop == PopMode::OnAdvanceNop &&
          (advanced || command == SwitchCommand::Nop))))
      onward.data = word.popped().payload;
  }
  if (ramp) {
    if (input != kNone) {
      ++counters.delivered;
      // As received, before the pop (AMB-020).
      Wavelet down{wavelet.data, wavelet.control};
      down.half = wavelet.half;
      sendDown(core, input, down);
    } else if (!pass) {
      ++counters.filtered;
    }
    if (down && filter != kNone)
      countWavelet(core, filter, wavelet);
  }
  for (unsigned i = 0; i < count; ++i) {
    auto [next, channel, direction] = targets[i];
    if (!next) {
      int stream = wafer.edgeStreamOf(core, number, direction, false);
      if (stream < 0)
        ++counters.dropped;
      else if (!onward.control) // which are no data for the host
        wafer.streams[stream].rows[core.y].words[core.x].push_back(onward.data);
      continue;
    }
    ++counters.hops;
    if (core.foreign >> direction & 1) [[unlikely]] {
      pushOver(core, *next, channel, onward);
      continue;
    }
    next->busyWord(channel / 64) |= uint64_t(1) << channel % 64;
    sendTo(*next, channel, onward, machine.hopCycles);
  }
  return core.rings[ringIndex].sizeBefore(now) != 0;
}

void Stepper::stepRouter(Core &core) {
  uint8_t usedLinks = 0;
  uint32_t movedColors = 0;
  bool again = false;
  // Round robin over the buffers: first those from nextChannel on.
  uint8_t first = core.nextChannel;
  auto visit = [&](unsigned low, unsigned high) {
    for (unsigned word = low / 64; word <= (high - 1) / 64; ++word) {
      uint64_t bits = core.busyWord(word) & ~core.stuckWord(word);
      unsigned begin = word * 64;
      if (low > begin)
        bits &= ~uint64_t(0) << (low - begin);
      if (high < begin + 64)
        bits &= (uint64_t(1) << (high - begin)) - 1;
      while (bits) {
        unsigned ring = begin + llvm::countr_zero(bits);
        bits &= bits - 1;
        if (!core.rings[ring].ready(now))
          continue;
        uint32_t moved = movedColors;
        again |=
            forward(core, static_cast<uint8_t>(ring), usedLinks, movedColors);
        if (moved != movedColors)
          core.nextChannel =
              static_cast<uint8_t>((ring + 1) % (kRingWords * 64));
      }
    }
  };
  if (core.rings.size() <= 64) {
    // One word, beginning behind the buffer that was served last.
    uint64_t busy = core.busyRings[0] & ~core.stuckRings[0];
    uint64_t low = first < 64 ? (uint64_t(1) << first) - 1 : ~uint64_t(0);
    for (uint64_t part : {busy & ~low, busy & low})
      for (uint64_t bits = part; bits; bits &= bits - 1) {
        unsigned ring = llvm::countr_zero(bits);
        if (!core.rings[ring].ready(now))
          continue;
        uint32_t moved = movedColors;
        again |=
            forward(core, static_cast<uint8_t>(ring), usedLinks, movedColors);
        if (moved != movedColors)
          core.nextChannel = static_cast<uint8_t>(ring + 1);
      }
  } else {
    visit(first, kRingWords * 64);
    if (first > 0)
      visit(0, first);
  }
  if (again)
    wake(core, now + 1);
}

/// One wavelet per cycle goes from the output queues up the ramp.
void Stepper::stepOutputs(Core &core) {
  bool again = false;
  bool sent = false;
  // Round robin: the queues from nextOutput on, then those below it.
  unsigned busy = core.outputBusy;
  busy |= busy << 8;
  busy &= 0xffu << core.nextOutput;
  for (; busy; busy &= busy - 1) {
    unsigned queue = llvm::countr_zero(busy) % 8;
    uint8_t index = core.outputRing[queue];
    if (!core.rings[index].ready(now))
      continue;
    if (sent) {
      again = true;
      break;
    }
    Wavelet wavelet = core.rings[index].front();
    uint8_t color = wavelet.color;
    const FlatColor &config = core.router->colors[color];
    int stream = config.configured ? -1 : wafer.hostStreamOf(color, false);
    if (stream >= 0 && wavelet.control) {
      // Control wavelets are no data for the host.
    } else if (stream >= 0) {
      HostStream::Row &row = wafer.streams[stream].rows[core.y];
      if (options.halo == Options::Halo::Fabric) {
        if (row.waiting >= wafer.mostWaitingWords())
          continue; // receive() wakes the row
        ++row.waiting;
      }
      row.words[core.x].push_back(wavelet.data);
    } else {
      Hearers heard;
      heard.colors[heard.count++] = color;
      if (core.router->swapped >> color & 1)
        heard = hearersOf(*core.router, color, kRamp);
      std::array<uint8_t, 2> channels;
      bool room = true;
      for (unsigned i = 0; i < heard.count; ++i) {
        channels[i] = channelOf(core, heard.colors[i], kRamp);
        room &= !core.rings[channels[i]].full();
      }
      if (!room)
        continue; // the router's pop leads to a step of this PE
      if (carriesMessages(core, color) && !labelWavelet(core, wavelet))
        return;
      for (unsigned i = 0; i < heard.count; ++i) {
        core.busyWord(channels[i] / 64) |= uint64_t(1) << channels[i] % 64;
        sendTo(core, channels[i], wavelet, machine.rampCycles);
      }
    }
    Ring &ring = core.rings[index];
    ring.pop(now);
    sent = core.acted = true;
    if (tracer)
      tracer->sent(momentOf(core, now), queue, wavelet.data);
    if (!counters.firstWavelet || now < counters.firstWavelet)
      counters.firstWavelet = now;
    core.nextOutput = static_cast<uint8_t>((queue + 1) % 8);
    if (ring.empty())
      core.outputBusy &= ~(1u << queue);
    else
      again = true;
    if (core.live || core.main != MainState::Idle || core.flushOutput)
      again = true;
  }
  if (again)
    wake(core, now + 1);
}

/// What the host sends: one word per stream and cycle.
void Stepper::stepHost(Core &core) {
  core.hostWords = false;
  auto entering = wafer.enteringStreams.find(indexOf(core));
  for (unsigned number : entering == wafer.enteringStreams.end()
                             ? llvm::ArrayRef<unsigned>(wafer.perPeStreams)
                             : llvm::ArrayRef<unsigned>(entering->second)) {
    HostStream &stream = wafer.streams[number];
    HostStream::Row &row = stream.rows[core.y];
    if (core.x == 0)
      stepHalo(core, stream, row);
    auto found = row.words.find(core.x);
    if (found == row.words.end() || found->second.empty())
      continue;
    core.hostWords = true;
    uint8_t color = stream.stream->color;
    uint8_t ring;
    bool edge = stream.stream->kind == Stream::Kind::Edge;
    if (edge)
      ring = channelOf(core, color, static_cast<unsigned>(stream.stream->side));
    else
      ring = inputRingOfColor(core, color);
    if (ring == kNone || core.rings[ring].full())
      continue; // whoever takes a word wakes this PE
    if (edge) {
      core.busyWord(ring / 64) |= uint64_t(1) << ring % 64;
      sendTo(core, ring, {found->second.front()}, machine.hopCycles);
    } else {
      sendDown(core, ring, {found->second.front()});
    }
    found->second.pop_front();
    if (!found->second.empty())
      wake(core, now + 1);
  }
}

/// Halo::Fabric: the next word of a row goes to its PE, or holds up the row.
void Stepper::stepHalo(Core &first, HostStream &stream, HostStream::Row &row) {
  if (row.link.empty())
    return;
  first.hostWords = true;
  auto [x, word] = row.link.front();
  uint64_t due = std::max(row.entered + 1 +
                              machine.hopCycles * (Options::kHaloColumns + x),
                          row.delivered + 1);
  if (now < due)
    return wake(first, due);
  Core &core = *(&first + x);
  uint8_t ring = inputRingOfColor(core, stream.stream->color);
  if (ring == kNone || !core.rings[ring].hasSpaceAt(now)) {
    core.haloWaits = true;
    return;
  }
  sendDown(core, ring, {word});
  row.link.pop_front();
  ++row.entered;
  row.delivered = now;
  if (!row.link.empty())
    wake(first, now + 1);
}
