//===- Relay.cpp - An observer of several ranks ---------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Relay.h"
#include "Wafer.h"

using namespace sequin;
using namespace sequin::wafer;

enum class Relay::Kind : uint8_t {
  Hop,
  SwitchMoves,
  Element,
  Instruction,
  Waits,
  Queued,
  Sent,
  TaskStarts,
  TaskEnds,
  OperationStarts,
  OperationEnds,
  Issues,
  Works
};

namespace {
/// Where an event belongs among those of a window.
struct Place {
  uint32_t block, round;
  uint16_t cycle, x;
  size_t order; ///< in which it came
  bool operator<(const Place &other) const {
    return std::tie(block, round, cycle, x, order) <
           std::tie(other.block, other.round, other.cycle, other.x,
                    other.order);
  }
};
} // namespace

/// Before each event: its place, its kind and the bytes behind them.
struct Relay::Event {
  Place place;
  uint32_t bytes;
  Moment at;
  Kind kind;
  const uint8_t *what;
};

// Ranks are processes of one program, so that structs are told as they are.
template <typename... T>
void Relay::keep(Kind kind, const Moment &at, const T &...what) {
  const uint64_t now = of->firstStepper().now;
  kept(now);
  kept(at.y);
  kept(at.x);
  kept(at.cycle);
  kept(kind);
  kept(static_cast<uint32_t>((0 + ... + sizeof what)));
  (kept.raw(&what, sizeof what), ...);
  ++count;
}

std::vector<uint8_t> Relay::take(uint64_t begin) {
  Saver result;
  result(begin);
  result(count);
  result(static_cast<uint64_t>(of->blockColumns));
  result.raw(kept.bytes.data(), kept.bytes.size());
  kept.bytes.clear();
  count = 0;
  return std::move(result.bytes);
}

/// The function of a PE by its number in the code.
static const Function &functionOf(const Program &program, const Moment &at,
                                  uint32_t number) {
  return program.codeOf(program.at(at.x, at.y)).functions[number];
}

template <typename T> static T takeAs(const uint8_t *&from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  from += sizeof value;
  return value;
}

void Relay::tell(llvm::ArrayRef<std::vector<uint8_t>> all,
                 const Program &program, Observer &to) {
  std::vector<Event> events;
  for (const std::vector<uint8_t> &bytes : all) {
    Loader loader(bytes);
    uint64_t begin, count, columns;
    loader(begin);
    loader(count);
    loader(columns);
    for (uint64_t i = 0; i < count; ++i) {
      Event event;
      uint64_t now;
      loader(now);
      loader(event.at.y);
      loader(event.at.x);
      loader(event.at.cycle);
      loader.upTo(event.kind, Kind::Works);
      loader(event.bytes);
      event.what = loader.view(event.bytes).data();
      auto cycle = static_cast<uint16_t>(now - begin);
      event.place = {static_cast<uint32_t>((event.at.x + cycle) / columns),
                     uint32_t(event.at.y) + cycle, cycle, event.at.x,
                     events.size()};
      events.push_back(event);
    }
  }
  llvm::sort(events,
             [](const Event &a, const Event &b) { return a.place < b.place; });
  for (const Event &event : events) {
    const Moment &at = event.at;
    const uint8_t *from = event.what;
    switch (event.kind) {
    case Kind::Hop:
      to.hop(at, takeAs<wafer::Hop>(from));
      break;
    case Kind::SwitchMoves:
      to.switchMoves(at, takeAs<SwitchMove>(from));
      break;
    case Kind::Element:
      to.element(at, takeAs<TracedElement>(from));
      break;
    case Kind::Instruction:
      to.instruction(at, takeAs<TracedInstruction>(from));
      break;
    case Kind::Waits: {
      auto why = takeAs<WaitKind>(from);
      to.waits(at, why, takeAs<unsigned>(from));
      break;
    }
    case Kind::Queued: {
      auto queue = takeAs<unsigned>(from);
      to.queued(at, queue, takeAs<uint32_t>(from));
      break;
    }
    case Kind::Sent: {
      auto queue = takeAs<unsigned>(from);
      to.sent(at, queue, takeAs<uint32_t>(from));
      break;
    }
    case Kind::TaskStarts: {
      auto kind = takeAs<uint32_t>(from);
      to.taskStarts(at, kTaskKinds[kind],
                    functionOf(program, at, takeAs<uint32_t>(from)));
      break;
    }
    case Kind::TaskEnds:
      to.taskEnds(at);
      break;
    case Kind::OperationStarts: {
      auto thread = takeAs<unsigned>(from);
      auto opcode = takeAs<DsdOpcode>(from);
      auto length = takeAs<uint32_t>(from);
      to.operationStarts(at, thread, opcode, length, takeAs<Location>(from));
      break;
    }
    case Kind::OperationEnds:
      to.operationEnds(at, takeAs<unsigned>(from));
      break;
    case Kind::Issues:
      to.issues(at, takeAs<unsigned>(from));
      break;
    case Kind::Works:
      to.works(at, takeAs<uint64_t>(from));
      break;
    }
  }
}

void Relay::hop(const Moment &at, const wafer::Hop &hop) {
  keep(Kind::Hop, at, hop);
}
void Relay::switchMoves(const Moment &at, const SwitchMove &move) {
  keep(Kind::SwitchMoves, at, move);
}
void Relay::element(const Moment &at, const TracedElement &element) {
  keep(Kind::Element, at, element);
}
void Relay::instruction(const Moment &at, const TracedInstruction &traced) {
  keep(Kind::Instruction, at, traced);
}
void Relay::waits(const Moment &at, WaitKind why, unsigned number) {
  keep(Kind::Waits, at, why, number);
}
void Relay::queued(const Moment &at, unsigned queue, uint32_t data) {
  keep(Kind::Queued, at, queue, data);
}
void Relay::sent(const Moment &at, unsigned queue, uint32_t data) {
  keep(Kind::Sent, at, queue, data);
}
void Relay::taskStarts(const Moment &at, llvm::StringRef kind,
                       const Function &function) {
  const Program &program = of->program;
  const Code &code = program.codeOf(program.at(at.x, at.y));
  auto number =
      static_cast<uint32_t>(llvm::find(kTaskKinds, kind) - kTaskKinds);
  keep(Kind::TaskStarts, at, number,
       static_cast<uint32_t>(&function - code.functions.data()));
}
void Relay::taskEnds(const Moment &at) { keep(Kind::TaskEnds, at); }
void Relay::operationStarts(const Moment &at, unsigned thread, DsdOpcode opcode,
                            uint32_t length, Location location) {
  keep(Kind::OperationStarts, at, thread, opcode, length, location);
}
void Relay::operationEnds(const Moment &at, unsigned thread) {
  keep(Kind::OperationEnds, at, thread);
}
void Relay::issues(const Moment &at, unsigned thread) {
  keep(Kind::Issues, at, thread);
}
void Relay::works(const Moment &at, uint64_t cycles) {
  keep(Kind::Works, at, cycles);
}
