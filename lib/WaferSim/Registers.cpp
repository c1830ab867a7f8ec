//===- Registers.cpp - Configuration registers of a running PE ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words of Machine/CslRegisters.def, each mapped to the state that it
// stands for.
//
//===----------------------------------------------------------------------===//

#include "Wafer.h"
#include "llvm/ADT/StringExtras.h"

using namespace sequin;
using namespace sequin::wafer;

/// W E S N R in the order of the hardware's words is that of Direction.
static uint16_t routeWord(const FlatColor &color, bool teardown) {
  const Routes &routes = color.positions[0];
  return static_cast<uint16_t>(
      (routes.tx & 31) | (routes.rx & 31) << 5 | (color.swap >> 1 & 1) << 10 |
      (color.swap & 1) << 11 | static_cast<unsigned>(color.pop) << 12 |
      unsigned(teardown) << 14);
}

/// WSE-2's switch register has four bits for each of the positions 1 to 3: a
/// direction or kInvalidPosition, and whether the input is the side given.
/// kOtherPosition: several directions; writing it changes nothing.
static constexpr unsigned kInvalidPosition = 5, kOtherPosition = 6,
                          kSelectInput = 8;

static unsigned positionCode(const FlatColor &color, unsigned position) {
  bool input = color.selects >> position & 1;
  unsigned select = input ? kSelectInput : 0;
  if (!(color.valid >> position & 1))
    return kInvalidPosition | select;
  const Routes &given = color.given[position];
  Directions side = input ? given.rx : given.tx;
  return (llvm::isPowerOf2_32(side) ? llvm::Log2_32(side) : kOtherPosition) |
         select;
}

static void setPositionCode(FlatColor &color, unsigned position,
                            unsigned code) {
  unsigned direction = code & ~kSelectInput;
  if (code == positionCode(color, position) || direction == kOtherPosition)
    return;
  uint8_t bit = static_cast<uint8_t>(1u << position);
  color.selects =
      code & kSelectInput ? color.selects | bit : color.selects & ~bit;
  if (direction >= kInvalidPosition) {
    color.valid &= ~bit;
    return;
  }
  auto side = static_cast<Directions>(1u << direction);
  color.given[position] =
      code & kSelectInput ? Routes{side, 0} : Routes{0, side};
  color.valid |= bit;
  color.hasSwitches = true;
}

/// Whether a color that came at run time is one; traps if not.
bool Stepper::checkColor(Core &core, unsigned color, Location location) {
  if (color < machine.colors)
    return true;
  trap(core,
       "color " + std::to_string(color) + (color == 31 ? " or above" : "") +
           " does not exist, " + machine.name.str() + " has 0 to " +
           std::to_string(machine.colors - 1),
       location);
  return false;
}

/// What a load or store reaches beyond the memory: whole words.
std::optional<uint16_t> Stepper::registerAt(uint64_t address,
                                            uint64_t bytes) const {
  if (bytes < 2 || address % std::min<uint64_t>(bytes, 4) ||
      !configWordAt(machine, address + bytes - 1))
    return std::nullopt;
  return configWordAt(machine, address);
}

void Stepper::accessRegisters(Core &core, bool write, uint16_t word,
                              uint64_t bytes, uint64_t &value) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < bytes / 2 && !stopped; ++i)
    if (write)
      writeConfig(core, static_cast<uint16_t>(word + i),
                  static_cast<uint16_t>(value >> 16 * i));
    else
      bits |= uint64_t(readConfig(core, static_cast<uint16_t>(word + i)))
              << 16 * i;
  if (!write)
    value = bits;
}

uint16_t Stepper::readConfig(Core &core, uint16_t address) {
  const CslRegisterInfo *info = lookupCslRegister(address);
  if (!info) {
    if (core.otherWords)
      if (auto found = core.otherWords->find(address);
          found != core.otherWords->end())
        return found->second;
    trap(core, "no configuration register is at word 0x" +
                   llvm::utohexstr(address, true));
    return 0;
  }
  unsigned word = address - info->address;
  auto half = [&](uint32_t bits) {
    return static_cast<uint16_t>(bits >> (16 * word));
  };
  // Empty queues in the low byte, full ones in the high one.
  auto status = [&](const std::array<uint8_t, 8> &rings) {
    uint16_t bits = 0;
    for (unsigned q = 0; q < 8; ++q) {
      bits |= (rings[q] == kNone || core.rings[rings[q]].empty()) << q;
      bits |= (rings[q] != kNone && core.rings[rings[q]].full()) << (8 + q);
    }
    return bits;
  };
  auto queue = [&](uint8_t ring, unsigned q, bool input) -> uint16_t {
    if (ring == kNone)
      return 0;
    return static_cast<uint16_t>(
        core.rings[ring].color | core.rings[ring].dense << 5 |
        (input ? uint16_t(core.controlTable[q]) << 8 : 0) | 0x8000);
  };
  switch (info->kind) {
  case CslRegister::TaskPriority:
    return half(core.highPriority);
  case CslRegister::ControlPriority:
    return half(core.highControl);
  case CslRegister::MainPriority:
    return core.mainRank == 5 ? 3 : core.mainRank - 1;
  case CslRegister::TeardownPending: {
    if (word == 0)
      core.teardownLatched = std::exchange(core.teardownPending, 0);
    return half(core.teardownLatched);
  }
  case CslRegister::FlushStatus:
    return word ? core.flushedOutput : core.flushedInput;
  case CslRegister::InputQueueStatus:
    return status(core.inputRing);
  case CslRegister::OutputQueueStatus:
    return status(core.outputRing);
  case CslRegister::InputQueue:
    return queue(core.inputRing[word], word, true);
  case CslRegister::OutputQueue:
    return queue(core.outputRing[word], word, false);
  case CslRegister::TransformMask:
    return core.transformMask;
  case CslRegister::ExceptionMask:
    return core.exceptionMask;
  case CslRegister::TscControl:
    return core.tscOn;
  case CslRegister::Tsc:
    if (word == 0)
      core.tscLatched = core.tscOn ? now - core.tscBase : core.tscBase;
    return static_cast<uint16_t>(core.tscLatched >> (16 * word));
  case CslRegister::FabricCoordinate:
    return static_cast<uint16_t>(word ? core.y + program.offsetY
                                      : core.x + program.offsetX);
  case CslRegister::MessageColors:
    return half(core.messageColors);
  case CslRegister::Prng:
    return half(static_cast<uint32_t>(core.random[core.prng]));
  case CslRegister::TaskBlocked:
    return half(core.blocked);
  case CslRegister::TaskActive:
    return half(core.active);
  case CslRegister::Filter: {
    unsigned number = word / 8;
    if (number >= core.filters.size())
      return 0;
    const wafer::Filter &filter = core.filters[number];
    const uint16_t values[8] = {
        static_cast<uint16_t>(static_cast<unsigned>(filter.kind) |
                              filter.countData << 2 | filter.countControl << 3 |
                              filter.filterControl << 4 |
                              !(core.filtersOff >> number & 1) << 15),
        filter.counter,
        filter.limit1.value_or(0),
        filter.limit2.value_or(0),
        filter.maxCounter,
        filter.minIndex,
        filter.maxIndex,
        0};
    return values[word % 8];
  }
  case CslRegister::SwitchPosition: {
    const FlatColor &color = core.router->colors[word % 24];
    unsigned position = word / 24 + 1;
    const Routes &routes = color.given[position];
    return static_cast<uint16_t>(routes.rx | routes.tx << 5 |
                                 (color.valid >> position & 1) << 15);
  }
  case CslRegister::Route:
    return routeWord(core.router->colors[word], core.teardown >> word & 1);
  case CslRegister::Switch: {
    const FlatColor &color = core.router->colors[word];
    unsigned value = core.position[word] << 13 | color.ring << 12;
    if (machine.generation == 2)
      for (unsigned p = 1; p <= 3; ++p)
        value |= positionCode(color, p) << (4 * (p - 1));
    return static_cast<uint16_t>(value);
  }
  case CslRegister::Dsr:
  case CslRegister::TaskTable:
    trap(core,
         "register '" + info->name.str() + "' has no meaning at run time");
    return 0;
  default:
    return info->reset;
  }
}

static void setHalf(uint32_t &bits, unsigned word, uint16_t value) {
  unsigned shift = 16 * word;
  bits = (bits & ~(uint32_t(0xffff) << shift)) | uint32_t(value) << shift;
}

/// The registers of a router's colors.
void Stepper::writeRoutes(Core &core, CslRegister kind, unsigned word,
                          uint16_t value) {
  switch (kind) {
  case CslRegister::SwitchPosition: {
    FlatColor &color = editRouter(core).colors[word % 24];
    unsigned position = word / 24 + 1;
    color.given[position] = {static_cast<Directions>(value & 31),
                             static_cast<Directions>(value >> 5 & 31)};
    uint8_t bit = static_cast<uint8_t>(1u << position);
    color.valid = value >> 15 ? color.valid | bit : color.valid & ~bit;
    color.hasSwitches = true;
    color.settle();
    break;
  }
  case CslRegister::Route: {
    RouterTable &table = editRouter(core);
    FlatColor &color = table.colors[word];
    color.configured = true;
    color.valid |= 1;
    color.given[0] = {static_cast<Directions>(value >> 5 & 31),
                      static_cast<Directions>(value & 31)};
    color.settle();
    color.swap = (value >> 11 & 1) | (value >> 10 & 1) << 1;
    color.pop = static_cast<PopMode>(value >> 12 & 3);
    uint32_t pair = 3u << (word & ~1u);
    table.swapped &= ~pair;
    if (color.swap | table.colors[word ^ 1].swap)
      table.swapped |= pair;
    core.teardown = (core.teardown & ~(1u << word)) | (value >> 14 & 1) << word;
    break;
  }
  case CslRegister::Switch: {
    core.position[word] = value >> 13 & 3;
    FlatColor &color = editRouter(core).colors[word];
    color.ring = value >> 12 & 1;
    if (machine.generation == 2)
      for (unsigned p = 1; p <= 3; ++p)
        setPositionCode(color, p, value >> (4 * (p - 1)) & 15);
    color.settle();
    break;
  }
  default:
    break;
  }
}

void Stepper::writeConfig(Core &core, uint16_t address, uint16_t value) {
  const CslRegisterInfo *info = lookupCslRegister(address);
  if (!info && address >= kFirstConfigAddress &&
      address <= kLastConfigAddress) {
    if (!core.otherWords)
      core.otherWords = std::make_unique<std::map<uint16_t, uint16_t>>();
    (*core.otherWords)[address] = value;
    return;
  }
  if (!info || !info->writable)
    return trap(core, "configuration word 0x" + llvm::utohexstr(address, true) +
                          (info ? " cannot be written" : " does not exist"));
  unsigned word = address - info->address;
  switch (info->kind) {
  case CslRegister::TaskPriority:
    setHalf(core.highPriority, word, value);
    break;
  case CslRegister::ControlPriority:
    setHalf(core.highControl, word, value);
    break;
  case CslRegister::MainPriority: {
    static constexpr uint8_t ranks[] = {1, 2, 3, 5};
    core.mainRank = ranks[value & 3];
    break;
  }
  case CslRegister::TeardownExit:
    if (value < kColors)
      leaveTeardown(core, static_cast<uint8_t>(value));
    break;
  case CslRegister::FlushExit:
    if (value < 8)
      core.flushedInput &= ~(1u << value);
    else if (value < 16)
      core.flushedOutput &= ~(1u << (value - 8));
    break;
  case CslRegister::InputQueue:
    if (!(value >> 15 & 1))
      break;
    if (!checkColor(core, value & 31))
      return;
    bindInputQueue(core, word, value & 31);
    core.controlTable[word] = value >> 8 & 7;
    break;
  case CslRegister::OutputQueue:
    if (!checkColor(core, value & 31))
      return;
    if (word < machine.outputQueues())
      core.rings[outputRingOfQueue(core, static_cast<uint8_t>(word))].color =
          value & 31;
    break;
  case CslRegister::TransformMask:
    core.transformMask = value;
    break;
  case CslRegister::ExceptionMask:
    setExceptionMask(core, value);
    break;
  case CslRegister::TscControl: {
    uint64_t count = core.tscOn ? now - core.tscBase : core.tscBase;
    if (value & 2)
      count = 0;
    core.tscOn = value & 1;
    core.tscBase = core.tscOn ? now - count : count;
    break;
  }
  case CslRegister::Prng: {
    auto state = static_cast<uint32_t>(core.random[core.prng]);
    setHalf(state, word, value);
    core.random[core.prng] = state;
    break;
  }
  case CslRegister::MessageColors: {
    if (!messagesOf(machine))
      return trap(core,
                  "routers of " + machine.name.str() + " pass no messages");
    uint32_t colors = core.messageColors;
    setHalf(colors, word, value);
    setMessageColors(core, colors);
    break;
  }
  case CslRegister::Filter: {
    unsigned number = word / 8;
    if (number >= core.filters.size())
      break;
    wafer::Filter &filter = core.filters[number];
    switch (word % 8) {
    case 0:
      if ((value & 3) < 3)
        filter.kind = static_cast<FilterKind>(value & 3);
      filter.countData = value >> 2 & 1;
      filter.countControl = value >> 3 & 1;
      filter.filterControl = value >> 4 & 1;
      core.filtersOff = value >> 15 & 1 ? core.filtersOff & ~(1u << number)
                                        : core.filtersOff | 1u << number;
      break;
    case 1:
      filter.counter = value;
      break;
    case 2:
      filter.limit1 = value;
      break;
    case 3:
      filter.limit2 = value;
      break;
    case 4:
      filter.maxCounter = value;
      break;
    case 5:
      filter.minIndex = value;
      break;
    case 6:
      filter.maxIndex = value;
      break;
    default:
      break;
    }
    break;
  }
  case CslRegister::SwitchPosition:
  case CslRegister::Route:
  case CslRegister::Switch:
    writeRoutes(core, info->kind, word, value);
    if (core.foreign)
      tellRoutes(core, address, value);
    break;
  default:
    return trap(core, "register '" + info->name.str() +
                          "' cannot be written at run time");
  }
  retry(core);
  if (wafer.started)
    wake(core, now + 1);
}
