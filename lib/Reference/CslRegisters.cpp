//===- CslRegisters.cpp - Configuration registers of the csl reference ----===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words of Machine/CslRegisters.def, each made from the state that it
// stands for. Output queues are always empty; cycles are steps.
//
//===----------------------------------------------------------------------===//

#include "CslState.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

static uint16_t halfOf(uint32_t value, unsigned word) {
  return static_cast<uint16_t>(value >> (16 * word));
}
static void setHalf(uint32_t &value, unsigned word, uint16_t half) {
  value = word ? (value & 0xffff) | uint32_t(half) << 16
               : (value & 0xffff0000u) | half;
}

/// The color's state without making one.
static const ColorState &colorOf(const Pe &pe, unsigned number) {
  static const ColorState none;
  auto found = pe.colors.find(static_cast<uint8_t>(number));
  return found == pe.colors.end() ? none : found->second;
}

/// The nibble of a position in WSE-2's switch register: direction, plus 8 for
/// the input; 5 invalid, 6 what has no nibble of its own.
static unsigned nibbleOf(const ColorState &color, unsigned position) {
  const ColorState::Side &side = color.positions[position];
  unsigned code = 6, given = side.input ? side.rx : side.tx;
  for (unsigned direction = 0; direction < 5; ++direction)
    if (given == 1u << direction)
      code = direction;
  return (side.valid ? code : 5) + (side.input ? 8 : 0);
}

static void setNibble(ColorState &color, unsigned position, unsigned nibble) {
  ColorState::Side &side = color.positions[position];
  if (nibble == nibbleOf(color, position) || nibble % 8 == 6)
    return;
  side.input = nibble >= 8;
  side.valid = nibble % 8 < 5;
  if (!side.valid)
    return;
  side.rx = side.tx = 0;
  (side.input ? side.rx : side.tx) = static_cast<uint8_t>(1 << (nibble % 8));
  color.hasSwitches = true;
}

uint16_t CslMachineState::readConfig(Pe &pe, uint16_t address) {
  const CslRegisterInfo *info = lookupCslRegister(address);
  if (!info) {
    auto found = pe.otherWords.find(address);
    if (found != pe.otherWords.end())
      return found->second;
    trap(pe, "no configuration register is at word 0x" +
                 llvm::utohexstr(address, true));
    return 0;
  }
  unsigned word = address - info->address;
  uint64_t count = pe.tscOn ? steps - pe.tscBase : pe.tscBase;
  switch (info->kind) {
  case CslRegister::TaskPriority:
    return halfOf(pe.taskPriority, word);
  case CslRegister::ControlPriority:
    return halfOf(pe.controlPriority, word);
  case CslRegister::MainPriority:
    return pe.mainPriority;
  case CslRegister::TeardownPending: {
    if (!word)
      pe.teardownLatched = std::exchange(pe.teardownPending, 0);
    return halfOf(pe.teardownLatched, word);
  }
  case CslRegister::FlushStatus:
    return word ? pe.flushedOutput : pe.flushedInput;
  case CslRegister::InputQueueStatus: {
    uint16_t empty = 0;
    for (unsigned queue = 0; queue < 8; ++queue) {
      int number = machine->generation == 2 ? pe.queueColor[queue] : int(queue);
      auto found = pe.inputs.find(static_cast<uint8_t>(number));
      bool has = number >= 0 && found != pe.inputs.end() &&
                 !found->second.words.empty();
      empty |= !has << queue;
    }
    return empty;
  }
  case CslRegister::OutputQueueStatus:
    return 0xff;
  case CslRegister::InputQueue: {
    if (machine->generation == 2)
      return pe.queueColor[word] < 0
                 ? 0
                 : static_cast<uint16_t>(0x8000 | pe.queueColor[word]);
    auto found = pe.inputs.find(static_cast<uint8_t>(word));
    return found == pe.inputs.end() || !found->second.bound
               ? 0
               : static_cast<uint16_t>(0x8000 | found->second.color |
                                       found->second.dense << 5 |
                                       found->second.table << 8);
  }
  case CslRegister::OutputQueue:
    return pe.outputBound[word]
               ? static_cast<uint16_t>(0x8000 | pe.outputColor[word] |
                                       pe.outputDense[word] << 5)
               : 0;
  case CslRegister::MessageColors:
    return halfOf(pe.messageColors, word);
  case CslRegister::Prng:
    return halfOf(pe.random[pe.prng], word);
  case CslRegister::TransformMask:
    return pe.transformMask;
  case CslRegister::ExceptionMask:
    return pe.exceptionMask;
  case CslRegister::TscControl:
    return pe.tscOn;
  case CslRegister::Tsc:
    if (word == 0)
      pe.tscLatched = count;
    return static_cast<uint16_t>(pe.tscLatched >> (16 * word));
  case CslRegister::FabricCoordinate:
    return static_cast<uint16_t>(word ? pe.y + offsetY : pe.x + offsetX);
  case CslRegister::TaskBlocked:
    return halfOf(pe.blocked, word);
  case CslRegister::TaskActive:
    return halfOf(pe.active, word);
  case CslRegister::Filter: {
    if (word / 8 >= pe.filters.size())
      return 0;
    const FilterState &filter = pe.filters[word / 8];
    switch (word % 8) {
    case 0:
      return static_cast<uint16_t>(
          static_cast<unsigned>(filter.kind) | filter.countData << 2 |
          filter.countControl << 3 | filter.onlyControl << 4 |
          filter.enabled << 15);
    case 1:
      return filter.counter;
    case 2:
      return filter.limit1.value_or(0);
    case 3:
      return filter.limit2.value_or(0);
    case 4:
      return filter.maxCounter;
    case 5:
      return filter.minIndex;
    case 6:
      return filter.maxIndex;
    default:
      return 0;
    }
  }
  case CslRegister::SwitchPosition: {
    const ColorState::Side &side =
        colorOf(pe, word % 24).positions[word / 24 + 1];
    return static_cast<uint16_t>(side.rx | side.tx << 5 | side.valid << 15);
  }
  case CslRegister::Route: {
    const ColorState &color = colorOf(pe, word);
    return static_cast<uint16_t>(
        color.positions[0].tx | color.positions[0].rx << 5 | color.swapY << 10 |
        color.swapX << 11 | static_cast<unsigned>(color.pop) << 12 |
        color.teardown << 14);
  }
  case CslRegister::Switch: {
    const ColorState &color = colorOf(pe, word);
    unsigned value = color.position << 13 | color.ring << 12;
    if (machine->generation == 2)
      for (unsigned position = 1; position < 4; ++position)
        value |= nibbleOf(color, position) << (4 * position - 4);
    return static_cast<uint16_t>(value);
  }
  case CslRegister::Dsr:
  case CslRegister::TaskTable:
    trap(pe, "register '" + info->name + "' has no meaning at run time");
    return 0;
  case CslRegister::TeardownExit:
  case CslRegister::FlushExit:
    return info->reset;
  }
  llvm_unreachable("unknown register");
}

void CslMachineState::writeConfig(Pe &pe, uint16_t address, uint16_t value) {
  const CslRegisterInfo *info = lookupCslRegister(address);
  if (!info && address >= kFirstConfigAddress &&
      address <= kLastConfigAddress) {
    pe.otherWords[address] = value;
    return;
  }
  if (!info || !info->writable)
    return trap(pe, "configuration word 0x" + llvm::utohexstr(address, true) +
                        (info ? " cannot be written" : " does not exist"));
  unsigned word = address - info->address;
  uint8_t number = static_cast<uint8_t>(word % 24);
  ready(pe);
  switch (info->kind) {
  case CslRegister::TaskPriority:
    return setHalf(pe.taskPriority, word, value);
  case CslRegister::ControlPriority:
    return setHalf(pe.controlPriority, word, value);
  case CslRegister::MainPriority:
    pe.mainPriority = value & 3;
    return;
  case CslRegister::TeardownExit:
    if (value < kColorCount)
      leaveTeardown(pe, static_cast<uint8_t>(value));
    return;
  case CslRegister::FlushExit:
    if (value < 8)
      pe.flushedInput &= ~(1u << value);
    else if (value < 16)
      pe.flushedOutput &= ~(1u << (value - 8));
    return;
  case CslRegister::InputQueue: {
    if (!(value >> 15 & 1))
      return;
    uint8_t color = value & 31;
    if (!checkColor(pe, color, nullptr))
      return;
    if (machine->generation == 2) {
      pe.queueColor[word] = static_cast<int8_t>(color);
    } else {
      InputQueue &queue = pe.inputs[static_cast<uint8_t>(word)];
      queue.bound = true;
      queue.color = color;
      queue.table = value >> 8 & 7;
    }
    return wakeColor(pe, color);
  }
  case CslRegister::OutputQueue:
    if (checkColor(pe, value & 31, nullptr)) {
      pe.outputBound[word] = true;
      pe.outputColor[word] = value & 31;
    }
    return;
  case CslRegister::MessageColors:
    if (!messagesOf(*machine))
      return trap(pe, "routers of " + machine->name + " pass no messages");
    return setHalf(pe.messageColors, word, value);
  case CslRegister::Prng:
    return setHalf(pe.random[pe.prng], word, value);
  case CslRegister::TransformMask:
    pe.transformMask = value;
    return;
  case CslRegister::ExceptionMask:
    pe.exceptionMask = value;
    return;
  case CslRegister::TscControl: {
    uint64_t count = pe.tscOn ? steps - pe.tscBase : pe.tscBase;
    if (value & 2)
      count = 0;
    pe.tscOn = value & 1;
    pe.tscBase = pe.tscOn ? steps - count : count;
    return;
  }
  case CslRegister::Filter: {
    if (word / 8 >= pe.filters.size())
      return;
    FilterState &filter = pe.filters[word / 8];
    switch (word % 8) {
    case 0:
      if ((value & 3) < 3)
        filter.kind = static_cast<csl::FilterKind>(value & 3);
      filter.countData = value >> 2 & 1;
      filter.countControl = value >> 3 & 1;
      filter.onlyControl = value >> 4 & 1;
      filter.enabled = value >> 15;
      return;
    case 1:
      filter.counter = value;
      return;
    case 2:
      filter.limit1 = value;
      return;
    case 3:
      filter.limit2 = value;
      return;
    case 4:
      filter.maxCounter = value;
      return;
    case 5:
      filter.minIndex = value;
      return;
    case 6:
      filter.maxIndex = value;
      return;
    default:
      return;
    }
  }
  case CslRegister::SwitchPosition: {
    ColorState &color = pe.colors[number];
    ColorState::Side &side = color.positions[word / 24 + 1];
    side = {static_cast<uint8_t>(value & 31),
            static_cast<uint8_t>(value >> 5 & 31), (value >> 15 & 1) != 0,
            side.input};
    color.hasSwitches = true;
    return wakeColor(pe, number);
  }
  case CslRegister::Route: {
    ColorState &color = pe.colors[number];
    color.configured = true;
    color.positions[0] = {static_cast<uint8_t>(value >> 5 & 31),
                          static_cast<uint8_t>(value & 31), true, false};
    color.teardown = value >> 14 & 1;
    color.swapY = value >> 10 & 1;
    color.swapX = value >> 11 & 1;
    color.pop = static_cast<csl::PopMode>(value >> 12 & 3);
    return wakeColor(pe, number);
  }
  case CslRegister::Switch: {
    ColorState &color = pe.colors[number];
    color.position = value >> 13 & 3;
    color.ring = value >> 12 & 1;
    if (machine->generation == 2)
      for (unsigned position = 1; position < 4; ++position)
        setNibble(color, position, value >> (4 * position - 4) & 15);
    return wakeColor(pe, number);
  }
  default:
    trap(pe, "register '" + info->name + "' cannot be written at run time");
  }
}
