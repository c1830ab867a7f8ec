//===- CslNetwork.cpp - Routers between the PEs of the csl reference ------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every color of a router has a queue per link. Where two links of a color have
// wavelets at a time and the routes take both, they alternate.
//
//===----------------------------------------------------------------------===//

#include "CslState.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

enum Link : unsigned { West, East, South, North, Ramp };

static unsigned oppositeOf(unsigned link) {
  switch (link) {
  case West:
    return East;
  case East:
    return West;
  case South:
    return North;
  default:
    return South;
  }
}

Pe *CslMachineState::neighbour(Pe &pe, unsigned link) {
  int64_t x = pe.x + (link == East) - (link == West);
  int64_t y = pe.y + (link == South) - (link == North);
  if (x < 0 || y < 0 || x >= width || y >= height)
    return nullptr;
  return pes[y * width + x].get();
}

//===----------------------------------------------------------------------===//
// Configuration
//===----------------------------------------------------------------------===//

void CslMachineState::configureColor(Pe &pe, Operation *op, uint64_t number,
                                     csl::RoutesAttr routes,
                                     csl::SwitchesAttr switches,
                                     csl::FilterAttr filter, bool teardown) {
  ColorState &color = pe.colors[static_cast<uint8_t>(number)];
  if (color.configured)
    return trap(
        pe, "color " + Twine(number) + " is configured a second time (FAB-017)",
        op);
  color.configured = true;
  color.op = op;
  color.teardown = teardown;
  color.swapX = routes.getSwapX();
  color.swapY = routes.getSwapY();
  color.filterAttr = filter;
  color.positions[0] = {static_cast<uint8_t>(routes.getRx()),
                        static_cast<uint8_t>(routes.getTx()), true};
  if (!switches)
    return;
  color.hasSwitches = true;
  color.ring = switches.getRing();
  color.pop = switches.getPop();
  color.position = static_cast<uint8_t>(switches.getCurrent());
  csl::PositionAttr given[] = {switches.getPos1(), switches.getPos2(),
                               switches.getPos3()};
  uint32_t rx = routes.getRx(), tx = routes.getTx();
  for (auto [index, position] : llvm::enumerate(given)) {
    if (!position)
      continue;
    std::optional<uint32_t> newRx = position.getRx(), newTx = position.getTx();
    // One side of a switch that has one: what it repeats is not given.
    if (!machine->switchRxAndTx && newRx && newTx)
      (newRx == rx ? newRx : newTx).reset();
    color.positions[index + 1] = {static_cast<uint8_t>(newRx.value_or(0)),
                                  static_cast<uint8_t>(newTx.value_or(0)), true,
                                  newRx && !newTx};
    rx = newRx.value_or(rx);
    tx = newTx.value_or(tx);
  }
}

//===----------------------------------------------------------------------===//
// Host
//===----------------------------------------------------------------------===//

HostStream *CslMachineState::hostStream(uint8_t color, bool toDevice) {
  for (HostStream &stream : streams)
    if (!stream.op.getX() && stream.op.getColor() == color &&
        (stream.op.getDirection() == csl::StreamDirection::ToDevice) ==
            toDevice)
      return &stream;
  return nullptr;
}

HostStream *CslMachineState::edgeStream(const Pe &pe, uint8_t color,
                                        unsigned side) {
  for (HostStream &stream : streams)
    if (stream.op.getX() && stream.op.getColor() == color &&
        stream.op.getDirection() == csl::StreamDirection::ToHost &&
        static_cast<int64_t>(*stream.op.getX()) == pe.x &&
        static_cast<int64_t>(*stream.op.getY()) == pe.y &&
        static_cast<unsigned>(*stream.op.getSide()) == side)
      return &stream;
  return nullptr;
}

/// What the host has sent to a PE goes where it belongs.
void CslMachineState::hostWords(Pe &pe) {
  for (HostStream &stream : streams) {
    auto found = stream.words.find(pe.number);
    if (stream.op.getDirection() != csl::StreamDirection::ToDevice ||
        found == stream.words.end() || found->second.empty())
      continue;
    uint8_t color = static_cast<uint8_t>(stream.op.getColor());
    std::deque<uint32_t> &words = found->second;
    if (stream.op.getX()) {
      for (uint32_t word : words)
        arrive(pe, color, static_cast<unsigned>(*stream.op.getSide()), {word});
    } else if (InputQueue *queue = queueOfColor(pe, color)) {
      for (uint32_t word : words)
        queue->words.push_back({word});
      ready(pe);
    } else {
      continue;
    }
    words.clear();
  }
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

/// The queue of the compute element that a color's wavelets go to: the color's
/// own on WSE-2, the one that is bound to it on WSE-3.
InputQueue *CslMachineState::queueOfColor(Pe &pe, uint8_t color) {
  if (machine->generation == 2)
    return &pe.inputs[color];
  for (auto &[number, queue] : pe.inputs)
    if (queue.bound && queue.color == color)
      return &queue;
  return nullptr;
}

/// Control wavelets are no data for the host.
static void toHost(HostStream &stream, const Pe &pe, const Wavelet &wavelet) {
  if (!wavelet.control)
    stream.words[pe.number].push_back(wavelet.data);
}

/// A wavelet leaves the compute element.
void CslMachineState::sendUp(Pe &pe, uint8_t color, const Wavelet &wavelet) {
  auto found = pe.colors.find(color);
  if (found == pe.colors.end() || !found->second.configured)
    if (HostStream *stream = hostStream(color, false)) {
      toHost(*stream, pe, wavelet);
      return;
    }
  Wavelet labelled = wavelet;
  if ((pe.messageColors >> color & 1) && !label(pe, color, labelled))
    return;
  arrive(pe, color, Ramp, labelled);
}

void CslMachineState::wakeColor(Pe &pe, uint8_t color) {
  auto found = pe.colors.find(color);
  if (found == pe.colors.end() || found->second.queued)
    return;
  found->second.queued = true;
  colorWork.emplace_back(pe.number, color);
}

/// A wavelet is at a link of a router. With color swap a color listens to the
/// other one of its pair, c ^ 1, on the links of the swapped axis, so that a
/// wavelet may be heard by both or by none (FAB-072 to FAB-074).
void CslMachineState::arrive(Pe &pe, uint8_t color, unsigned link,
                             const Wavelet &wavelet) {
  auto swaps = [&](uint8_t number) {
    auto found = pe.colors.find(number);
    if (found == pe.colors.end() || !found->second.configured)
      return false;
    const ColorState &state = found->second;
    return link == Ramp                   ? state.swapX && state.swapY
           : link == West || link == East ? state.swapX
                                          : state.swapY;
  };
  uint8_t other = color ^ 1;
  bool toSelf = !swaps(color), toOther = swaps(other);
  auto receives = [&](uint8_t number) {
    for (const ColorState::Side &side : pe.colors[number].positions)
      if (side.valid && (side.rx >> link & 1))
        return true;
    return false;
  };
  if (toSelf && !(toOther && !receives(color))) {
    pe.colors[color].links[link].push_back(wavelet);
    wakeColor(pe, color);
  }
  if (toOther && receives(other)) {
    pe.colors[other].links[link].push_back(wavelet);
    wakeColor(pe, other);
  }
}

//===----------------------------------------------------------------------===//
// Filters
//===----------------------------------------------------------------------===//

static bool passes(const FilterState &filter, const Wavelet &wavelet) {
  if (!filter.enabled)
    return true;
  switch (filter.kind) {
  case csl::FilterKind::Range: {
    uint32_t index = wavelet.data >> 16;
    return wavelet.control ||
           (index >= filter.minIndex && index <= filter.maxIndex);
  }
  case csl::FilterKind::SparseCounter:
    // Without a limit there is no filter (FAB-059).
    return !filter.limit1 || filter.counter <= filter.maxCounter;
  case csl::FilterKind::Counter:
    if (filter.onlyControl)
      return wavelet.control && filter.counter == filter.maxCounter;
    return filter.counter <= filter.maxCounter;
  }
  llvm_unreachable("unknown filter");
}

static void count(FilterState &filter, const Wavelet &wavelet) {
  bool counts = wavelet.control ? filter.countControl : filter.countData;
  if (filter.kind == csl::FilterKind::Range || !filter.enabled || !counts)
    return;
  if (filter.counter < filter.limit1.value_or(0)) {
    ++filter.counter;
    return;
  }
  // The limit itself is counted to; then it begins again (AMB-022).
  filter.counter = 0;
  if (filter.kind != csl::FilterKind::SparseCounter)
    return;
  filter.limit1 = filter.limit2;
  filter.limit2.reset();
  filter.enabled = filter.limit1.has_value();
}

//===----------------------------------------------------------------------===//
// Switches
//===----------------------------------------------------------------------===//

enum Command : unsigned { Nop, Advance, Reset, Teardown };

/// The commands of a control wavelet, three bits each, the first lowest: bits
/// 13:6 of the index half, then the data half (FAB-043, FAB-044).
static uint32_t commandsOf(uint32_t payload) {
  uint32_t index = payload >> 16, data = payload & 0xffff;
  return (index >> 6 & 0xff) | data << 8;
}

/// The payload without its first command; the last slot becomes NOP, not for
/// the compute element (FAB-047).
static uint32_t withoutFirst(uint32_t payload) {
  uint32_t commands = commandsOf(payload) >> 3 | 4u << 21;
  uint32_t index = (payload >> 16 & ~(0xffu << 6)) | (commands & 0xff) << 6;
  return index << 16 | (commands >> 8 & 0xffff);
}

/// Whether the position changed.
bool CslMachineState::applyCommand(Pe &pe, uint8_t number, unsigned command) {
  ColorState &color = pe.colors[number];
  if (command == Teardown) {
    color.teardown = true;
    pe.teardownPending |= 1u << number;
    activate(pe, machine->teardownTask);
    return false;
  }
  if (!color.hasSwitches)
    return false;
  if (command == Reset)
    color.position = 0;
  if (command != Advance)
    return false;
  uint8_t before = color.position;
  if (before + 1 < 4 && color.positions[before + 1].valid)
    color.position = before + 1;
  else if (color.ring)
    color.position = 0;
  return color.position != before;
}

void CslMachineState::leaveTeardown(Pe &pe, uint8_t number) {
  auto found = pe.colors.find(number);
  if (found == pe.colors.end())
    return;
  found->second.teardown = false;
  wakeColor(pe, number);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// What leaves the compute element is a header or one of the words that it
/// counts; the last of them has the control bit.
bool CslMachineState::label(Pe &pe, uint8_t number, Wavelet &wavelet) {
  ColorState &color = pe.colors[number];
  wavelet.head = !color.left;
  wavelet.control = wavelet.flip = false;
  if (!wavelet.head) {
    wavelet.control = --color.left == 0;
    return true;
  }
  MessageHeader header = MessageHeader::unpack(wavelet.data);
  unsigned most = messagesOf(*machine)->maxWords;
  if (!header.words || header.words > most) {
    trap(pe, "a message has " + Twine(int(header.words)) +
                 " words, allowed are 1 to " + Twine(most));
    return false;
  }
  if (header.column >= width || header.row >= height) {
    trap(pe, "a message is for column " + Twine(header.column) + ", row " +
                 Twine(header.row) + ", and the rectangle has " + Twine(width) +
                 " columns and " + Twine(height) + " rows");
    return false;
  }
  color.left = header.words;
  return true;
}

/// moveOne() for a color in message mode: along the row, then along the column;
/// a message that has begun to leave over a link has it to its end.
bool CslMachineState::moveMessage(Pe &pe, uint8_t number, unsigned link) {
  ColorState &color = pe.colors[number];
  Wavelet wavelet = color.links[link].front();
  if (wavelet.head) {
    MessageHeader header = MessageHeader::unpack(wavelet.data);
    unsigned to = Ramp;
    if (header.column != pe.x)
      to = header.column > pe.x ? East : West;
    else if (header.row != pe.y)
      to = header.row > pe.y ? South : North;
    if (color.leaving[to])
      return false;
    color.towards[link] = to;
  }
  if (!color.towards[link]) {
    trap(pe, "a wavelet without a header came on color " + Twine(int(number)) +
                 ", which carries messages");
    return false;
  }
  unsigned to = *color.towards[link];
  InputQueue *queue = nullptr;
  if (to == Ramp && !(queue = queueOfColor(pe, number)))
    return false;
  color.leaving[to] = !wavelet.control;
  if (wavelet.control)
    color.towards[link].reset();
  color.links[link].pop_front();
  ++steps;
  if (queue) {
    queue->words.push_back(wavelet);
    ready(pe);
  } else {
    arrive(*neighbour(pe, to), number, oppositeOf(to), wavelet);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Routing
//===----------------------------------------------------------------------===//

/// Moves the first wavelet of a link on, if it can.
bool CslMachineState::moveOne(Pe &pe, uint8_t number, unsigned link) {
  ColorState &color = pe.colors[number];
  if (color.links[link].empty() || color.teardown)
    return false;
  if (pe.messageColors >> number & 1)
    return moveMessage(pe, number, link);
  static constexpr StringLiteral names[] = {"WEST", "EAST", "SOUTH", "NORTH",
                                            "RAMP"};
  if (!color.configured) {
    trap(pe, "a wavelet came from " + names[link] + " on color " +
                 Twine(int(number)) + ", which has no route here (FAB-019)");
    return false;
  }
  ColorState::Side side = color.current();
  if (!(side.rx >> link & 1))
    return false;
  Wavelet wavelet = color.links[link].front();
  bool isIgnored = wavelet.control && (commandsOf(wavelet.data) & 4);
  bool down = (side.tx >> Ramp & 1) && !isIgnored;
  FilterState *filter = color.filter >= 0 ? &pe.filters[color.filter] : nullptr;
  bool enters = down && (!filter || passes(*filter, wavelet));
  InputQueue *queue = enters ? queueOfColor(pe, number) : nullptr;
  // Nobody takes it: it stays, and with it what is behind.
  if (enters && !queue)
    return false;
  if (enters && wavelet.half && !queue->dense) {
    trap(pe, "a half wavelet of color " + Twine(int(number)) +
                 " came to an input queue that is not in dense mode "
                 "(BLT-054)");
    return false;
  }

  color.links[link].pop_front();
  ++steps;
  if (down && filter)
    count(*filter, wavelet);
  if (enters) {
    // As it came, before a command is taken out (AMB-020).
    queue->words.push_back(
        {wavelet.data, wavelet.control, false, wavelet.half});
    ready(pe);
  }
  // Routed by the position that it found, then the switch moves (FAB-032).
  if (wavelet.flip)
    applyCommand(pe, number, Advance);
  Wavelet onward{wavelet.data, wavelet.control, false, wavelet.half};
  if (wavelet.control) {
    unsigned command = commandsOf(wavelet.data) & 3;
    bool advanced = applyCommand(pe, number, command);
    bool pops = false;
    switch (color.pop) {
    case csl::PopMode::NoPop:
      break;
    case csl::PopMode::AlwaysPop:
      pops = true;
      break;
    case csl::PopMode::OnAdvance:
      pops = advanced;
      break;
    case csl::PopMode::OnAdvanceNop:
      pops = advanced || command == Nop;
      break;
    }
    if (pops && color.hasSwitches)
      onward.data = withoutFirst(wavelet.data);
  }
  for (unsigned to = 0; to < Ramp; ++to) {
    if (!(side.tx >> to & 1))
      continue;
    if (Pe *next = neighbour(pe, to))
      arrive(*next, number, oppositeOf(to), onward);
    else if (HostStream *stream = edgeStream(pe, number, to))
      toHost(*stream, pe, onward);
  }
  return true;
}

void CslMachineState::moveColor(Pe &pe, uint8_t number) {
  bool moved = true;
  while (moved && !hasTrapped && steps < options.maxSteps) {
    moved = false;
    for (unsigned i = 0; i < kLinks; ++i)
      moved |= moveOne(pe, number, options.otherOrder ? kLinks - 1 - i : i);
  }
}

void CslMachineState::moveWavelets() {
  while (!colorWork.empty() && !hasTrapped && steps < options.maxSteps) {
    auto [pe, color] = colorWork.front();
    colorWork.pop_front();
    pes[pe]->colors[color].queued = false;
    moveColor(*pes[pe], color);
  }
}
