//===- Poison.cpp - Memory that nothing has written -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bit per byte of a PE's memory: written since the start, or since the call
// whose frame it is in. A copy of memory takes the bits along and reads
// nothing, so that structs with padding can be passed around.
//
//===----------------------------------------------------------------------===//

#include "Stepper.h"

using namespace sequin;
using namespace sequin::wafer;

namespace {
/// The bits of bytes `address` to `address + bytes - 1`, word by word.
template <typename F>
bool forEachWord(uint32_t address, uint32_t bytes, F visit) {
  while (bytes) {
    uint32_t word = address / 64, first = address % 64;
    uint32_t count = std::min(bytes, 64 - first);
    uint64_t mask = (count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1)
                    << first;
    if (!visit(word, mask))
      return false;
    address += count;
    bytes -= count;
  }
  return true;
}
} // namespace

void Stepper::define(Core &core, uint32_t address, uint32_t bytes, bool on) {
  if (!core.written)
    return;
  forEachWord(address, bytes, [&](uint32_t word, uint64_t mask) {
    core.written[word] =
        on ? core.written[word] | mask : core.written[word] & ~mask;
    return true;
  });
}

void Stepper::useMemory(Core &core, uint32_t address, uint32_t bytes) {
  if (!core.written ||
      forEachWord(address, bytes, [&](uint32_t word, uint64_t mask) {
        return (core.written[word] & mask) == mask;
      }))
    return;
  if (options.poison == Poison::Report && core.readUndefined)
    return;
  while (core.written[address / 64] >> address % 64 & 1)
    ++address;
  std::string what = "address " + std::to_string(address);
  for (const Variable &variable : core.code->code->variables)
    if (address >= variable.address &&
        address < variable.address + variable.bytes()) {
      what = "'" + variable.name + "'";
      if (variable.elements() > 1)
        what += " element " + std::to_string((address - variable.address) /
                                             variable.elementBytes);
    }
  const Code &code = *core.code->code;
  if (address >= code.stackAddress &&
      address < uint32_t(code.stackAddress) + code.stackBytes)
    what = "a local variable";
  std::string message = what + " is read and nothing has written it";
  if (options.poison == Poison::Trap)
    return trap(core, std::move(message));
  core.readUndefined = true;
  undefined.push_back({core.x, core.y, now, std::move(message)});
}

/// The elements that an operation on memory is going to read or write.
void Stepper::useWalk(Core &core, Walk walk, uint32_t count, bool write) {
  if (!walk.isMemory() || walk.kind == Walk::Kind::Scalar ||
      walk.kind == Walk::Kind::None)
    return;
  if (walk.pointer || (walk.kind == Walk::Kind::Linear && !walk.step))
    count = 1;
  bool dense = walk.kind == Walk::Kind::Linear && walk.step == walk.bytes;
  uint32_t bytes = dense ? count * walk.bytes : walk.bytes;
  if (dense)
    count = 1;
  for (uint32_t i = 0; i < count && !stopped; ++i) {
    uint32_t address = static_cast<uint32_t>(walk.address);
    if (write)
      define(core, address, bytes);
    else
      useMemory(core, address, bytes);
    walk.advanceMemory();
  }
}

static bool overlap(const Walk &dest, const Walk &source, uint32_t count) {
  auto range = [&](const Walk &walk) {
    int64_t low = walk.address, high = low;
    if (walk.kind == Walk::Kind::Linear)
      (walk.step < 0 ? low : high) += int64_t(walk.step) * count;
    else
      high = low = -1; // not worth finding out
    return std::pair(low, high + walk.bytes);
  };
  if (!source.isMemory() || source.kind == Walk::Kind::Scalar ||
      source.kind == Walk::Kind::None || dest.kind == Walk::Kind::None)
    return false;
  auto [a, b] = range(dest);
  auto [c, d] = range(source);
  if (a < 0 || c < 0)
    return true;
  return a < d && c < b &&
         (dest.address != source.address || dest.step != source.step);
}

/// An operation on memory that runs in one piece. Where it may read what it has
/// written itself, element by element.
void Stepper::useOperation(Core &core, const LiveOp &op) {
  if (op.dest.pointer || (!overlap(op.dest, op.source[0], op.remaining) &&
                          !overlap(op.dest, op.source[1], op.remaining))) {
    useWalk(core, op.source[0], op.remaining, false);
    useWalk(core, op.source[1], op.remaining, false);
    useWalk(core, op.dest, op.remaining, true);
    return;
  }
  Walk dest = op.dest, a = op.source[0], b = op.source[1];
  for (uint32_t i = 0; i < op.remaining && !stopped; ++i) {
    useWalk(core, a, 1, false);
    useWalk(core, b, 1, false);
    useWalk(core, dest, 1, true);
    for (Walk *walk : {&dest, &a, &b})
      walk->advanceMemory();
  }
}

void Stepper::moveDefined(Core &core, uint32_t to, uint32_t from,
                          uint32_t bytes) {
  if (!core.written)
    return;
  auto get = [&](uint32_t at) { return core.written[at / 64] >> at % 64 & 1; };
  auto set = [&](uint32_t at, bool on) {
    uint64_t bit = uint64_t(1) << at % 64;
    uint64_t &word = core.written[at / 64];
    word = on ? word | bit : word & ~bit;
  };
  if (to < from)
    for (uint32_t i = 0; i < bytes; ++i)
      set(to + i, get(from + i));
  else
    for (uint32_t i = bytes; i--;)
      set(to + i, get(from + i));
}
