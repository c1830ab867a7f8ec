//===- Issue.cpp - Elements of DSD operations -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation on memory alone runs in one piece when it starts: its time is
// charged as a block. One on queues or FIFOs issues cycle by cycle.
//
//===----------------------------------------------------------------------===//

#include "Wafer.h"
#include <cstring>

using namespace sequin;
using namespace sequin::wafer;

//===----------------------------------------------------------------------===//
// Walks
//===----------------------------------------------------------------------===//

void Walk::advanceMemory() {
  switch (kind) {
  case Kind::Linear:
    address += step;
    return;
  case Kind::Circular:
    address += step;
    if (address >= end)
      address = begin;
    return;
  case Kind::Nest:
    for (size_t d = 0, last = shape->extents.size() - 1; d <= last; ++d) {
      // The outermost loop does not wrap: the address after the last visit is
      // where a saved address goes on.
      if (++at[d] < shape->extents[d] || d == last) {
        address += shape->strides[d] * int32_t(bytes);
        return;
      }
      at[d] = 0;
    }
    return;
  default:
    return;
  }
}

/// Elements from here on that follow with one step.
static uint32_t runOf(const Walk &walk) {
  switch (walk.kind) {
  case Walk::Kind::Circular:
    return std::max(1, (walk.end - walk.address) / walk.bytes);
  case Walk::Kind::Nest:
    return walk.shape->extents.size() == 1
               ? ~0u
               : std::max(1, walk.shape->extents[0] - walk.at[0]);
  default:
    return ~0u;
  }
}

static void skip(Walk &walk, uint32_t count) {
  if (walk.kind == Walk::Kind::Nest)
    walk.at[0] += count - 1;
  walk.address += walk.step * static_cast<int32_t>(count - 1);
  walk.advanceMemory();
}

uint32_t Stepper::readMemory(Core &core, Walk &walk) {
  if (walk.kind == Walk::Kind::Scalar)
    return walk.value;
  uint32_t value = 0;
  if (core.written)
    useMemory(core, static_cast<uint32_t>(walk.address), walk.bytes);
  std::memcpy(&value, core.memory + walk.address, walk.bytes);
  walk.advanceMemory();
  return value;
}

void Stepper::writeMemory(Core &core, Walk &walk, uint32_t value) {
  if (core.written)
    define(core, static_cast<uint32_t>(walk.address), walk.bytes);
  std::memcpy(core.memory + walk.address, &value, walk.bytes);
  walk.advanceMemory();
}

void Stepper::saveAddress(Core &core, const Walk &walk) {
  if (walk.dsrFile != kNone)
    dsrOf(core, walk.dsrFile, walk.dsr).head = walk.address;
}

static bool inside(const Core &core, const Walk &walk, int64_t limit) {
  return walk.address >= 0 && walk.address + walk.bytes <= limit &&
         core.code->mapped.test(walk.address / 2);
}

/// What was read is cleared, no more (DSD-057).
void Stepper::zeroSource(Core &core, LiveOp &op) {
  if (op.zero.kind == Walk::Kind::None || op.zero.kind == Walk::Kind::Scalar ||
      !op.zero.isMemory())
    return;
  Walk walk = op.zero;
  op.zero = {};
  uint32_t count = op.unbounded ? op.passed : op.length - op.remaining;
  for (uint32_t i = 0;
       i < count && inside(core, walk, machine.memoryBytesPerPe); ++i)
    writeMemory(core, walk, 0);
}

//===----------------------------------------------------------------------===//
// In one piece
//===----------------------------------------------------------------------===//

namespace {
struct Strided {
  uint8_t *data;
  int32_t step;
};
} // namespace

template <DsdElement E> static uint32_t get(const uint8_t *data) {
  if constexpr (getBytes(E) == 4) {
    uint32_t value;
    std::memcpy(&value, data, 4);
    return value;
  }
  if constexpr (getBytes(E) == 2) {
    uint16_t value;
    std::memcpy(&value, data, 2);
    return value;
  }
  return 0;
}

template <DsdOpcode Opcode, DsdElement Dest, DsdElement Source0,
          DsdElement Source1>
static void runStrided(Fp16Format format, uint32_t count, Strided dest,
                       Strided a, Strided b, uint32_t scalar, bool &carry) {
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t value = dsd::evaluate(Opcode, format, get<Source0>(a.data),
                                   get<Source1>(b.data), scalar, carry);
    std::memcpy(dest.data, &value, getBytes(Dest));
    dest.data += dest.step;
    a.data += a.step;
    b.data += b.step;
  }
}

static void runOpcode(DsdOpcode opcode, Fp16Format format, uint32_t count,
                      Strided dest, Strided a, Strided b, uint32_t scalar,
                      bool &carry) {
  switch (opcode) {
#define SEQUIN_DSD_OP(NAME, TEXT, DEST, SOURCE0, SOURCE1, SCALAR, FORMS)       \
  case DsdOpcode::NAME:                                                        \
    return runStrided<DsdOpcode::NAME, DsdElement::DEST, DsdElement::SOURCE0,  \
                      DsdElement::SOURCE1>(format, count, dest, a, b, scalar,  \
                                           carry);
#include "sequin/Support/DsdOps.def"
  }
}

/// Whether `count` elements of a walk may touch an element at `address`.
static bool mayVisit(const Walk &walk, uint32_t count, int32_t address) {
  if (walk.kind != Walk::Kind::Linear)
    return walk.isMemory();
  int64_t last = walk.address + int64_t(walk.step) * (count - 1);
  return address + 4 > std::min<int64_t>(walk.address, last) &&
         address < std::max<int64_t>(walk.address, last) + walk.bytes;
}

void Stepper::runBulk(Core &core, LiveOp &op) {
  uint32_t accumulator = op.source[0].value;
  uint32_t values[2] = {op.source[0].value, op.source[1].value};
  auto strided = [&](Walk &walk, unsigned i) -> Strided {
    if (walk.kind == Walk::Kind::Scalar || walk.kind == Walk::Kind::None)
      return {reinterpret_cast<uint8_t *>(&values[i]), 0};
    return {core.memory + walk.address, walk.step};
  };
  uint32_t left = op.remaining;
  if (core.written)
    useOperation(core, op);
  if (op.accumulate && mayVisit(op.source[1], left, op.dest.address)) {
    // Every sum is written (DSD-036), and this operation reads one of them.
    for (; left && !stopped; --left) {
      uint32_t value = readMemory(core, op.source[1]);
      accumulator = dsd::evaluate(op.opcode, program.fp16, accumulator, value,
                                  op.scalar, op.carry);
      std::memcpy(core.memory + op.dest.address, &accumulator, op.dest.bytes);
    }
    return;
  }
  while (left && !stopped) {
    uint32_t count = std::min(
        {left, runOf(op.dest), runOf(op.source[0]), runOf(op.source[1])});
    Strided dest = {core.memory + op.dest.address, op.dest.step};
    Strided a = strided(op.source[0], 0), b = strided(op.source[1], 1);
    if (op.accumulate) {
      dest = {reinterpret_cast<uint8_t *>(&accumulator), 0};
      a = dest;
    }
    runOpcode(op.opcode, program.fp16, count, dest, a, b, op.scalar, op.carry);
    for (Walk *walk : {&op.dest, &op.source[0], &op.source[1]})
      if (walk->kind != Walk::Kind::Scalar && walk->kind != Walk::Kind::None)
        skip(*walk, count);
    left -= count;
  }
  if (op.accumulate)
    std::memcpy(core.memory + op.dest.address, &accumulator, op.dest.bytes);
}

//===----------------------------------------------------------------------===//
// For logs
//===----------------------------------------------------------------------===//

static TracedOperand operandOf(const Core &core, const Walk &walk) {
  using Kind = TracedOperand::Kind;
  switch (walk.kind) {
  case Walk::Kind::None:
    return {};
  case Walk::Kind::Scalar:
    return {Kind::Scalar, 0};
  case Walk::Kind::Fifo:
    return {Kind::Fifo, walk.fifo};
  case Walk::Kind::FabricIn:
  case Walk::Kind::FabricOut:
    return {Kind::Queue, core.rings[walk.ring].id};
  default:
    return {Kind::Memory, static_cast<uint16_t>(walk.address)};
  }
}

/// The next element, before the walks go on to the one behind it.
TracedElement Stepper::traced(const Core &core, const LiveOp &op) const {
  TracedElement element;
  for (unsigned t = 0; t < core.ops.size(); ++t)
    if (core.ops[t] == &op)
      element.thread = static_cast<uint8_t>(t);
  element.task = op.task;
  element.opcode = op.opcode;
  element.number = op.unbounded ? 0 : op.length - op.remaining;
  element.operands = {operandOf(core, op.dest), operandOf(core, op.source[0]),
                      operandOf(core, op.source[1])};
  element.scalar = op.scalar;
  if (auto found = wafer.startedBy.find({indexOf(core), element.thread});
      found != wafer.startedBy.end())
    std::tie(element.function, element.instruction) = found->second;
  return element;
}

/// To be called while the instruction that starts an operation is executed.
void Stepper::traceStart(const Core &core, unsigned thread) {
  if (core.frames.empty())
    return;
  // The program counter is at the next one.
  const Frame &frame = core.frames.back();
  wafer.startedBy[{indexOf(core), thread}] = {frame.function, frame.pc - 1};
}

void Stepper::traceElement(const Core &core, TracedElement element,
                           uint64_t cycle, uint32_t x, uint32_t y,
                           uint32_t value) {
  element.source0 = x;
  element.source1 = y;
  element.value = value;
  tracer->element(momentOf(core, cycle), element);
}

void Stepper::traceWait(Core &core, const LiveOp &op, Stall stall) {
  unsigned thread = kMainThread;
  for (unsigned t = 0; t < core.ops.size(); ++t)
    if (core.ops[t] == &op)
      thread = t;
  tracer->waits(momentOf(core, now),
                stall == Stall::Input    ? WaitKind::Input
                : stall == Stall::Output ? WaitKind::Output
                                         : WaitKind::Fifo,
                thread);
}

/// What runBulk does, an element at a time; the first in cycle `start`.
void Stepper::runWatched(Core &core, LiveOp &op, uint64_t start) {
  Walk &a = op.source[0], &b = op.source[1], &dest = op.dest;
  uint32_t accumulator = a.value;
  auto read = [&](Walk &walk) {
    return walk.kind == Walk::Kind::None ? 0 : readMemory(core, walk);
  };
  for (; op.remaining && !stopped; --op.remaining) {
    TracedElement element;
    if (tracer)
      element = traced(core, op);
    uint32_t x = op.accumulate ? accumulator : read(a);
    uint32_t y = read(b);
    uint32_t value =
        dsd::evaluate(op.opcode, program.fp16, x, y, op.scalar, op.carry);
    accumulator = value;
    if (tracer)
      traceElement(core, element, start + element.number / op.rate, x, y,
                   value);
    if (raises(core, op, x, y, value))
      return;
    if (dest.kind != Walk::Kind::None && dest.kind != Walk::Kind::Scalar)
      writeMemory(core, dest, value);
  }
}

//===----------------------------------------------------------------------===//
// FIFOs
//===----------------------------------------------------------------------===//

uint32_t Stepper::popFifo(Core &core, unsigned number) {
  const Fifo &fifo = core.setup->setup->fifos[number];
  FifoState &state = core.fifos[number];
  uint32_t value = 0;
  std::memcpy(&value,
              core.memory + fifo.address + state.head * fifo.elementBytes,
              fifo.elementBytes);
  state.head = (state.head + 1) % fifo.elements;
  --state.count;
  if (state.wantedSpace && fifo.elements - state.count >= state.wantedSpace) {
    state.wantedSpace = 0;
    if (fifo.activatePop)
      activate(core, *fifo.activatePop);
  }
  return value;
}

void Stepper::pushFifo(Core &core, unsigned number, uint32_t value) {
  const Fifo &fifo = core.setup->setup->fifos[number];
  FifoState &state = core.fifos[number];
  unsigned slot = (state.head + state.count) % fifo.elements;
  std::memcpy(core.memory + fifo.address + slot * fifo.elementBytes, &value,
              fifo.elementBytes);
  define(core, fifo.address + slot * fifo.elementBytes, fifo.elementBytes);
  ++state.count;
  if (state.wantedData && state.count >= state.wantedData) {
    state.wantedData = 0;
    if (fifo.activatePush)
      activate(core, *fifo.activatePush);
  }
}

/// A FIFO is empty (full) under an operation: FIF-013 to FIF-020.
Stepper::Gate Stepper::fifoStops(Core &core, LiveOp &op, unsigned number,
                                 unsigned needed, bool write) {
  const Fifo &fifo = core.setup->setup->fifos[number];
  FifoState &state = core.fifos[number];
  // What a later pop (push) activates a task for: that this operation could go
  // on (FIF-019, FIF-020).
  (write ? state.wantedSpace : state.wantedData) =
      static_cast<uint16_t>(needed);
  FifoAction action = write ? fifo.fullAction : fifo.emptyAction;
  if (action == FifoAction::Fault) {
    trap(core,
         "FIFO '" + fifo.name + "' is " + (write ? "full" : "empty") +
             " and its action is fault",
         op.location);
    return Gate::Ended;
  }
  if (action == FifoAction::Suspend ||
      (action == FifoAction::TestOrSuspend && op.async))
    return Gate::Closed;
  (write ? state.writeLength : state.readLength) =
      static_cast<uint16_t>(op.remaining);
  if (!write && op.dest.pointer) {
    Walk walk = op.dest;
    writeMemory(core, walk, op.pointerOld);
  }
  complete(core, op, action == FifoAction::Terminate);
  return Gate::Ended;
}

//===----------------------------------------------------------------------===//
// Cycle by cycle
//===----------------------------------------------------------------------===//

static std::string outside(const LiveOp &op, const Walk &walk,
                           llvm::StringRef role) {
  return (getInfo(op.opcode).name + ": the " + role + " is at address " +
          llvm::Twine(walk.address) + ", which no variable holds")
      .str();
}

/// Whether `count` elements, or as many free places, are enough for the next
/// element after `done` in this cycle (FIF-022): simd_32 moves 32 bits in a
/// cycle, simd_64 starts with 64 or what is left.
Stepper::Gate Stepper::fifoGate(Core &core, LiveOp &op, unsigned number,
                                unsigned count, unsigned done, bool write) {
  const Fifo &fifo = core.setup->setup->fifos[number];
  unsigned needed = 1;
  if (fifo.simd == SimdMode::Simd32 && done * fifo.elementBytes >= 4)
    return Gate::Closed;
  if (fifo.simd == SimdMode::Simd64 && !done)
    needed = std::min<uint32_t>(
        {8u / fifo.elementBytes, op.remaining, fifo.elements, op.rate});
  return count >= needed ? Gate::Open
                         : fifoStops(core, op, number, needed, write);
}

Stepper::Gate Stepper::gateOfSource(Core &core, LiveOp &op, Walk &walk,
                                    unsigned taken, unsigned done) {
  switch (walk.kind) {
  case Walk::Kind::None:
  case Walk::Kind::Scalar:
    return Gate::Open;
  case Walk::Kind::Fifo: {
    unsigned count = core.fifos[walk.fifo].count;
    return fifoGate(core, op, walk.fifo, count, done, false);
  }
  case Walk::Kind::FabricIn: {
    if (walk.half)
      return Gate::Open;
    Ring &ring = core.rings[walk.ring];
    unsigned needed = 1;
    if (walk.allWavelets && !taken)
      needed = std::min<uint32_t>(walk.wavelets, (op.remaining + 1) / 2);
    if (taken >= walk.wavelets || !ring.ready(now, needed - 1))
      return Gate::Closed;
    if (op.onControl != OnControl::None && ring.front().control) {
      if (taken)
        return Gate::Closed;
      popInput(core, ring);
      finishOnControl(core, op);
      wake(core, now + 1);
      return Gate::Ended;
    }
    return Gate::Open;
  }
  default:
    if (inside(core, walk, machine.memoryBytesPerPe))
      return Gate::Open;
    trap(core, outside(op, walk, "source"), op.location);
    return Gate::Ended;
  }
}

Stepper::Gate Stepper::gateOfDest(Core &core, LiveOp &op, unsigned sent,
                                  unsigned done) {
  Walk &walk = op.dest;
  switch (walk.kind) {
  case Walk::Kind::None:
  case Walk::Kind::Scalar:
    return Gate::Open;
  case Walk::Kind::Fifo: {
    const Fifo &fifo = core.setup->setup->fifos[walk.fifo];
    unsigned space = fifo.elements - core.fifos[walk.fifo].count;
    return fifoGate(core, op, walk.fifo, space, done, true);
  }
  case Walk::Kind::FabricOut: {
    bool sends = walk.perWavelet == 1 || walk.half || op.remaining == 1;
    if (!sends)
      return Gate::Open;
    return sent < walk.wavelets && !core.rings[walk.ring].full() ? Gate::Open
                                                                 : Gate::Closed;
  }
  default:
    if (inside(core, walk, machine.memoryBytesPerPe))
      return Gate::Open;
    trap(core, outside(op, walk, "destination"), op.location);
    return Gate::Ended;
  }
}

/// What a fabin DSD makes of a wavelet (DSD-059, DSD-061).
uint32_t Stepper::elementOf(const Core &core, const Walk &walk,
                            const Wavelet &wavelet) const {
  if (!walk.transform || !wavelet.control)
    return wavelet.data;
  return (wavelet.data ^ uint32_t(core.transformMask & 0x3f) << 16) |
         uint32_t(3) << 30;
}

/// Puts what a fabout DSD makes of `value` into its queue. `last`: no element
/// follows.
void Stepper::putWavelet(Core &core, Walk &walk, uint32_t value, bool last) {
  if (walk.hasIndex)
    value = (value & 0xffff) | uint32_t(walk.index) << 16;
  bool control = walk.control;
  if (walk.transform && value >> 30 == 3) {
    control = true;
    value &= 0x3fffffff;
  }
  Ring &ring = core.rings[walk.ring];
  if (tracer)
    tracer->queued(momentOf(core, now), ring.id, value);
  ring.push({value, control, walk.advance && last, walk.color, walk.dense},
            now + 1);
  core.outputBusy |= 1u << ring.id;
}

uint32_t Stepper::fetch(Core &core, LiveOp &op, Walk &walk, unsigned &taken) {
  switch (walk.kind) {
  case Walk::Kind::None:
    return 0;
  case Walk::Kind::Fifo:
    return popFifo(core, walk.fifo);
  case Walk::Kind::FabricIn: {
    if (walk.half) {
      walk.half = false;
      return walk.value;
    }
    Ring &ring = core.rings[walk.ring];
    Wavelet wavelet = ring.front();
    popInput(core, ring);
    ++taken;
    // The last word of a message has the bit.
    if (wavelet.control && !walk.transform &&
        !carriesMessages(core, ring.color))
      loseControl(core, op);
    uint32_t data = elementOf(core, walk, wavelet);
    if (walk.bytes == 4)
      return data;
    if (walk.perWavelet == 2 && op.remaining > 1 && !wavelet.control &&
        !wavelet.half) {
      walk.half = true;
      walk.value = data >> 16;
    }
    return data & 0xffff;
  }
  default:
    return readMemory(core, walk);
  }
}

void Stepper::store(Core &core, LiveOp &op, uint32_t value, unsigned &sent) {
  Walk &walk = op.dest;
  switch (walk.kind) {
  case Walk::Kind::None:
  case Walk::Kind::Scalar:
    return;
  case Walk::Kind::Fifo:
    return pushFifo(core, walk.fifo, value);
  case Walk::Kind::FabricOut: {
    bool last = op.remaining == 1 && !op.unbounded;
    if (walk.perWavelet == 2 && !walk.half && !last) {
      walk.half = true;
      walk.value = value;
      return;
    }
    if (walk.half) {
      value = walk.value | value << 16;
      walk.half = false;
    }
    putWavelet(core, walk, value, last);
    ++sent;
    return;
  }
  default:
    return writeMemory(core, walk, value);
  }
}

/// The next element of an operation that moves words.
template <bool Watched> bool Stepper::issueWord(Core &core, LiveOp &op) {
  Walk &a = op.source[0], &b = op.source[1], &dest = op.dest;
  Ring *inputs[2] = {
      a.kind == Walk::Kind::FabricIn ? &core.rings[a.ring] : nullptr,
      b.kind == Walk::Kind::FabricIn ? &core.rings[b.ring] : nullptr};
  Ring *output =
      dest.kind == Walk::Kind::FabricOut ? &core.rings[dest.ring] : nullptr;
  Stall stall = Stall::None;
  if ((inputs[0] && !inputs[0]->ready(now)) ||
      (inputs[1] && !inputs[1]->ready(now)))
    stall = Stall::Input;
  else if (output && output->full())
    stall = Stall::Output;
  if (stall != Stall::None) {
    if (op.stall == Stall::None || op.stall == Stall::Blocked)
      op.since = now;
    if (Watched && tracer && op.stall != stall)
      traceWait(core, op, stall);
    op.stall = stall;
    return false;
  }
  auto read = [&](Walk &walk, Ring *input) -> uint32_t {
    if (input) {
      uint32_t data = input->front().data;
      if (LLVM_UNLIKELY(input->front().control) &&
          !carriesMessages(core, input->color))
        loseControl(core, op);
      popInput(core, *input);
      return data;
    }
    return walk.kind == Walk::Kind::None ? 0 : readMemory(core, walk);
  };
  TracedElement element;
  if (Watched && tracer)
    element = traced(core, op);
  uint32_t x = read(a, inputs[0]), y = read(b, inputs[1]);
  uint32_t value =
      dsd::evaluate(op.opcode, program.fp16, x, y, op.scalar, op.carry);
  if constexpr (Watched) {
    if (tracer)
      traceElement(core, element, now, x, y, value);
    if (raises(core, op, x, y, value))
      return true;
  }
  bool last = op.remaining == 1 && !op.unbounded;
  if (output) {
    if (dest.hasIndex)
      value = (value & 0xffff) | uint32_t(dest.index) << 16;
    if (Watched && tracer)
      tracer->queued(momentOf(core, now), output->id, value);
    output->push({value, dest.control, dest.advance && last, dest.color},
                 now + 1);
    core.outputBusy |= 1u << output->id;
  } else {
    writeMemory(core, dest, value);
  }
  ++counters.elements;
  counters.lastElement = std::max(counters.lastElement, now);
  op.stall = Stall::None;
  if (op.unbounded)
    return true;
  --op.remaining;
  if (last) {
    complete(core, op, true);
    wake(core, now + 1);
  }
  return true;
}

/// Does what `op` can do in this cycle; false if that is nothing.
bool Stepper::issue(Core &core, LiveOp &op) {
  if (op.words)
    return op.watched ? issueWord<true>(core, op) : issueWord<false>(core, op);
  if (core.messageColors && dropHeader(core, op))
    return true;
  if (op.opcode == DsdOpcode::Dfilt) {
    Ring &ring = core.rings[op.source[0].ring];
    if (!ring.ready(now)) {
      if (op.stall == Stall::None)
        op.since = now;
      op.stall = Stall::Input;
      return false;
    }
    op.stall = Stall::None;
    bool control = ring.front().control;
    popInput(core, ring);
    if (control && --op.remaining == 0)
      complete(core, op, true);
    wake(core, now + 1);
    return true;
  }
  unsigned taken0 = 0, taken1 = 0, sent = 0, done = 0;
  Stall stall = Stall::None;
  Walk &a = op.source[0], &b = op.source[1];
  bool conflict = bankModulus && bankConflict(op);
  for (; done < op.rate; ++done) {
    const Walk *source = &a;
    Gate gate = gateOfSource(core, op, a, taken0, done);
    if (gate == Gate::Open) {
      source = &b;
      gate = gateOfSource(core, op, b, taken1, done);
    }
    if (gate == Gate::Ended)
      return true;
    if (gate == Gate::Closed) {
      stall =
          source->kind == Walk::Kind::Fifo ? Stall::FifoEmpty : Stall::Input;
      break;
    }
    gate = gateOfDest(core, op, sent, done);
    if (gate == Gate::Ended)
      return true;
    if (gate == Gate::Closed) {
      stall =
          op.dest.kind == Walk::Kind::Fifo ? Stall::FifoFull : Stall::Output;
      break;
    }
    bool ends = core.messageColors && endsMessage(core, op);
    TracedElement element;
    if (op.watched && tracer)
      element = traced(core, op);
    uint32_t x = fetch(core, op, a, taken0);
    uint32_t y = fetch(core, op, b, taken1);
    uint32_t value =
        dsd::evaluate(op.opcode, program.fp16, x, y, op.scalar, op.carry);
    if (op.watched) {
      if (tracer)
        traceElement(core, element, now, x, y, value);
      if (raises(core, op, x, y, value))
        return true;
    }
    if (op.accumulate)
      a.value = value;
    store(core, op, value, sent);
    ++counters.elements;
    counters.lastElement = std::max(counters.lastElement, now);
    if (op.unbounded)
      ++op.passed;
    else
      --op.remaining;
    if (ends || (!op.unbounded && op.remaining == 0)) {
      complete(core, op, true);
      wake(core, now + 1);
      return true;
    }
  }
  if (done) {
    op.stall = Stall::None;
    if (conflict) {
      // The second of the two reads takes a cycle of its own.
      op.start = now + 2;
      wake(core, op.start);
    }
    return true;
  }
  if (op.stall == Stall::None || op.stall == Stall::Blocked)
    op.since = now;
  if (tracer && op.stall != stall)
    traceWait(core, op, stall);
  op.stall = stall;
  return false;
}
