//===- CslElements.cpp - DSD operations of csl programs -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One element at a time: element i is read before it is written and before
// element i + 1 is read (DOP-012). An operation on memory alone runs in one
// piece; one on queues or FIFOs goes as far as these let it.
//
//===----------------------------------------------------------------------===//

#include "CslState.h"
#include "sequin/Support/DsdArithmetic.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static StringRef nameOf(Dsd::Kind kind) {
  switch (kind) {
  case Dsd::Kind::None:
    return "no DSD";
  case Dsd::Kind::Mem1d:
    return "mem1d_dsd";
  case Dsd::Kind::Mem4d:
    return "mem4d_dsd";
  case Dsd::Kind::Circbuf:
    return "circbuf_dsd";
  case Dsd::Kind::Fabin:
    return "fabin_dsd";
  case Dsd::Kind::Fabout:
    return "fabout_dsd";
  case Dsd::Kind::Fifo:
    return "FIFO";
  }
  llvm_unreachable("unknown kind");
}

/// Whether a queue that came at run time is one; negative: none was given.
bool CslMachineState::checkQueue(Pe &pe, int queue, unsigned queues,
                                 Operation *at) {
  if (queue < int(queues))
    return true;
  trap(pe,
       "queue " + Twine(queue) + " does not exist, there are " + Twine(queues),
       at);
  return false;
}

/// The same for a color.
bool CslMachineState::checkColor(Pe &pe, int color, Operation *at) {
  if (color < int(machine->colors))
    return true;
  trap(pe,
       "color " + Twine(color) + (color == 31 ? " or above" : "") +
           " does not exist, " + machine->name + " has 0 to " +
           Twine(machine->colors - 1),
       at);
  return false;
}

/// What an operand starts with. False if there was a trap.
bool CslMachineState::latch(Pe &pe, Walk &walk, const Dsd &dsd, unsigned bytes,
                            uint16_t index, uint32_t &length, Operation *at) {
  walk.dsd = dsd;
  walk.bytes = static_cast<uint8_t>(bytes);
  length = dsd.extent;
  switch (dsd.kind) {
  case Dsd::Kind::None:
    trap(pe, "an operand is a DSD or DSR that nothing was put into", at);
    return false;
  case Dsd::Kind::Mem1d:
  case Dsd::Kind::Mem4d:
  case Dsd::Kind::Circbuf:
    walk.kind = Walk::Kind::Memory;
    // `.index` counts words of 16 bits (DSD-034).
    walk.address = dsd.base + (dsd.indexOffset ? 2 * int64_t(index) : 0);
    if (dsd.kind == Dsd::Kind::Mem4d) {
      length = 1;
      for (unsigned d = 0; d < dsd.rank; ++d)
        length *= dsd.extents[d];
    }
    return true;
  case Dsd::Kind::Fifo:
    walk.kind = Walk::Kind::Fifo;
    length = 0; // the caller knows the side
    return true;
  case Dsd::Kind::Fabin: {
    walk.kind = Walk::Kind::Fabin;
    if (!checkQueue(pe, dsd.queue, machine->inputQueues(), at))
      return false;
    if (machine->generation == 2) {
      // The queue stands for its color; without one the DSD names it.
      int color = dsd.queue >= 0 ? pe.queueColor[dsd.queue] : -1;
      if (color < 0)
        color = dsd.color;
      if (!checkColor(pe, color, at))
        return false;
      walk.queue = static_cast<int8_t>(color);
    } else if (dsd.queue >= 0 &&
               pe.inputs[static_cast<uint8_t>(dsd.queue)].bound) {
      walk.queue = dsd.queue;
    }
    if (walk.queue >= 0)
      break;
    trap(pe, "input queue " + Twine(int(dsd.queue)) + " is not initialised",
         at);
    return false;
  }
  case Dsd::Kind::Fabout: {
    walk.kind = Walk::Kind::Fabout;
    if (!checkQueue(pe, dsd.queue, machine->outputQueues(), at))
      return false;
    walk.queue = dsd.queue;
    walk.index = index;
    int color = dsd.color;
    if (machine->outputQueueColor)
      color = dsd.queue >= 0 && pe.outputBound[dsd.queue]
                  ? pe.outputColor[dsd.queue]
                  : -1;
    if (!checkColor(pe, color, at))
      return false;
    if (color >= 0) {
      walk.color = static_cast<uint8_t>(color);
      break;
    }
    trap(pe, "output queue " + Twine(int(dsd.queue)) + " is not initialised",
         at);
    return false;
  }
  }
  // Two values of 16 bits share a wavelet where a mode is given, unless the
  // index half is needed for something else (DSD-055, DSD-056).
  walk.packed = bytes == 2 && dsd.simd && *dsd.simd != csl::SimdMode::Off &&
                !dsd.control && !dsd.transform && !dsd.indexOffset;
  walk.pair = walk.packed && *dsd.simd == csl::SimdMode::Simd64;
  walk.dense = dsd.kind == Dsd::Kind::Fabout && bytes == 2 && dsd.queue >= 0 &&
               pe.outputDense[dsd.queue];
  walk.packed &= !walk.dense;
  return true;
}

InputQueue *CslMachineState::inputOf(Pe &pe, const Walk &walk) {
  return &pe.inputs[static_cast<uint8_t>(walk.queue)];
}

/// The next address of a memory operand.
static void advance(Walk &walk) {
  const Dsd &dsd = walk.dsd;
  if (walk.pointer)
    return;
  switch (dsd.kind) {
  case Dsd::Kind::Mem1d:
    walk.address += dsd.strides[0] * int64_t(walk.bytes);
    return;
  case Dsd::Kind::Circbuf:
    walk.address += walk.bytes;
    if (walk.address >= dsd.base + dsd.wraparound * int64_t(walk.bytes))
      walk.address = dsd.base;
    return;
  default:
    break;
  }
  // The innermost loop that is not at its end advances, the faster ones start
  // again (DSD-029). The outermost goes on for ever.
  unsigned d = 0;
  while (d + 1 < dsd.rank && ++walk.at[d] >= dsd.extents[d])
    walk.at[d++] = 0;
  walk.address += dsd.strides[d] * int64_t(walk.bytes);
}

/// Whether the next element of a memory operand is where the operand began: in
/// one variable.
bool CslMachineState::checkPlace(Pe &pe, Walk &walk, Operation *at,
                                 StringRef what) {
  int object = pe.memory.objectAt(walk.address, walk.bytes);
  if (object >= 0 && (walk.object < 0 || object == walk.object)) {
    walk.object = object;
    return true;
  }
  trap(pe,
       at->getName().getStringRef() + ": the " + what +
           (walk.pointer ? Twine(" (a pointer)")
                         : " (a " + nameOf(walk.dsd.kind) + ")") +
           " is at address " + Twine(walk.address) + ", " +
           pe.memory.describe(walk.address),
       at);
  return false;
}

void CslMachineState::saveAddress(Pe &pe, const Walk &walk) {
  if (walk.dsr >= 0)
    pe.dsrs[walk.dsr].head = walk.address;
}

//===----------------------------------------------------------------------===//
// FIFOs
//===----------------------------------------------------------------------===//

uint32_t CslMachineState::popFifo(Pe &pe, unsigned number) {
  const FifoInfo &info = pe.code->fifos[number];
  FifoState &fifo = pe.fifos[number];
  uint32_t value = static_cast<uint32_t>(
      pe.memory.load(info.address + fifo.head * info.bytes, info.bytes));
  fifo.head = static_cast<uint16_t>((fifo.head + 1) % info.elements);
  --fifo.count;
  if (fifo.wantedSpace && info.elements - fifo.count >= fifo.wantedSpace) {
    fifo.wantedSpace = 0;
    if (fifo.activatePop >= 0)
      activate(pe, fifo.activatePop);
  }
  return value;
}

void CslMachineState::pushFifo(Pe &pe, unsigned number, uint32_t value) {
  const FifoInfo &info = pe.code->fifos[number];
  FifoState &fifo = pe.fifos[number];
  unsigned slot = (fifo.head + fifo.count) % info.elements;
  pe.memory.store(info.address + slot * info.bytes, info.bytes, value);
  ++fifo.count;
  if (fifo.wantedData && fifo.count >= fifo.wantedData) {
    fifo.wantedData = 0;
    if (fifo.activatePush >= 0)
      activate(pe, fifo.activatePush);
  }
}

/// The FIFO is empty (full). Always false: no element now.
bool CslMachineState::fifoStops(Pe &pe, Running &op, unsigned number,
                                unsigned needed, bool write, bool &ended,
                                bool &result) {
  FifoInfo &info = pe.code->fifos[number];
  FifoState &fifo = pe.fifos[number];
  // What makes a later pop (push) activate a task: as many places (elements)
  // as the operation needs to go on (FIF-019, FIF-020).
  (write ? fifo.wantedSpace : fifo.wantedData) = static_cast<uint16_t>(needed);
  std::optional<csl::FifoAction> given =
      write ? info.op.getFullAction() : info.op.getEmptyAction();
  csl::FifoAction action = given.value_or(csl::FifoAction::TestOrSuspend);
  if (action == csl::FifoAction::Fault) {
    trap(pe,
         "FIFO '" + info.op.getSymName() + "' is " +
             (write ? "full" : "empty") + " and its action is fault",
         op.step->op);
    return false;
  }
  if (action == csl::FifoAction::Suspend ||
      (action == csl::FifoAction::TestOrSuspend && op.async)) {
    op.waits = ("FIFO '" + info.op.getSymName() + "', which is " +
                (write ? "full" : "empty"))
                   .str();
    return false;
  }
  (write ? fifo.writeLength : fifo.readLength) =
      static_cast<uint16_t>(op.remaining);
  // FIF-018.
  if (!write && op.dest.pointer)
    pe.memory.store(op.dest.address, op.dest.bytes, op.old);
  ended = true;
  result = action == csl::FifoAction::Terminate;
  return false;
}

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

/// Elements, or places, without which a FIFO counts as empty or full: simd_64
/// takes 64 bits at a time, or what is left (FIF-022).
static unsigned fifoNeeds(Pe &pe, const Running &op, const Walk &walk) {
  FifoInfo &info = pe.code->fifos[walk.dsd.fifo];
  if (info.op.getSimdMode() != csl::SimdMode::Simd64)
    return 1;
  unsigned group =
      std::min<unsigned>({8u / info.bytes, info.elements, op.width});
  if ((op.length - op.remaining) % group)
    return 1;
  return std::min<uint32_t>(group, op.remaining);
}

/// Whether a source has its next element. `ended`: the operation is over.
bool CslMachineState::readable(Pe &pe, Running &op, Walk &walk, bool &ended,
                               bool &result) {
  switch (walk.kind) {
  case Walk::Kind::None:
  case Walk::Kind::Scalar:
  case Walk::Kind::Fabout:
    return true;
  case Walk::Kind::Memory:
    return checkPlace(pe, walk, op.step->op, "source");
  case Walk::Kind::Fifo: {
    unsigned needed = fifoNeeds(pe, op, walk);
    return pe.fifos[walk.dsd.fifo].count >= needed ||
           fifoStops(pe, op, walk.dsd.fifo, needed, false, ended, result);
  }
  case Walk::Kind::Fabin:
    break;
  }
  if (walk.half)
    return true;
  std::deque<Wavelet> &words = inputOf(pe, walk)->words;
  // Headers of messages are for tasks.
  while (!words.empty() && words.front().head)
    words.pop_front();
  // simd_64: both wavelets, or none moves.
  size_t needed = 1;
  if (walk.pair && walk.at[0] % 2 == 0)
    needed = std::min<size_t>(2, (size_t(op.remaining) + 1) / 2);
  if (words.size() < needed) {
    op.waits =
        ((op.endless ? Twine("wavelets") : Twine(op.remaining) + " elements") +
         (machine->generation == 2 ? " of color " : " of input queue ") +
         Twine(int(walk.queue)))
            .str();
    return false;
  }
  if (op.onControl && words.front().control) {
    words.pop_front();
    ended = true;
    result = true;
    // What is given for a control wavelet takes the place of what is given for
    // the end (ASY-011); termination alone is an end like any other.
    if (*op.onControl == csl::OnControl::Terminate)
      return false;
    op.activate =
        *op.onControl == csl::OnControl::Activate ? op.controlTarget : -1;
    op.unblock =
        *op.onControl == csl::OnControl::Unblock ? op.controlTarget : -1;
    return false;
  }
  return true;
}

bool CslMachineState::writable(Pe &pe, Running &op, bool &ended, bool &result) {
  if (op.dest.kind == Walk::Kind::Memory)
    return checkPlace(pe, op.dest, op.step->op, "destination");
  if (op.dest.kind != Walk::Kind::Fifo)
    return true;
  unsigned fifo = op.dest.dsd.fifo;
  unsigned needed = fifoNeeds(pe, op, op.dest);
  return pe.fifos[fifo].count + needed <= pe.code->fifos[fifo].elements ||
         fifoStops(pe, op, fifo, needed, true, ended, result);
}

/// The next element of an operand; what readable() says is there.
uint32_t CslMachineState::fetch(Pe &pe, Walk &walk, uint32_t remaining,
                                bool endless) {
  switch (walk.kind) {
  case Walk::Kind::None:
  case Walk::Kind::Fabout:
    return 0;
  case Walk::Kind::Scalar:
    return walk.value;
  case Walk::Kind::Fifo:
    return popFifo(pe, walk.dsd.fifo);
  case Walk::Kind::Memory: {
    uint32_t value =
        static_cast<uint32_t>(pe.memory.load(walk.address, walk.bytes));
    advance(walk);
    return value;
  }
  case Walk::Kind::Fabin:
    break;
  }
  if (walk.half) {
    walk.half = false;
    return walk.value;
  }
  std::deque<Wavelet> &words = inputOf(pe, walk)->words;
  Wavelet wavelet = words.front();
  words.pop_front();
  ++walk.at[0];
  uint32_t data = wavelet.data;
  // A mark in the two highest bits of the index, and the mask on the six lowest
  // (DSD-059, DSD-061).
  if (walk.dsd.transform && wavelet.control)
    data = (data ^ uint32_t(pe.transformMask & 0x3f) << 16) | 0xc0000000u;
  if (walk.bytes == 4)
    return data;
  if (walk.packed && !wavelet.control && !wavelet.half &&
      (endless || remaining > 1)) {
    walk.half = true;
    walk.value = data >> 16;
  }
  return data & 0xffff;
}

/// `last`: no element follows.
void CslMachineState::store(Pe &pe, Walk &walk, uint32_t value, bool last) {
  switch (walk.kind) {
  case Walk::Kind::None:
  case Walk::Kind::Scalar:
  case Walk::Kind::Fabin:
    return;
  case Walk::Kind::Fifo:
    return pushFifo(pe, walk.dsd.fifo, value);
  case Walk::Kind::Memory:
    pe.memory.store(walk.address, walk.bytes, value);
    advance(walk);
    return;
  case Walk::Kind::Fabout:
    break;
  }
  if (walk.packed && !walk.half && !last) {
    walk.half = true;
    walk.value = value;
    return;
  }
  if (walk.half) {
    value = walk.value | value << 16;
    walk.half = false;
  }
  Wavelet wavelet;
  wavelet.data = value;
  if (walk.dsd.indexOffset)
    wavelet.data = (value & 0xffff) | uint32_t(walk.index) << 16;
  wavelet.control = walk.dsd.control;
  if (walk.dsd.transform && wavelet.data >> 30 == 3) {
    wavelet.control = true;
    wavelet.data &= 0x3fffffff;
  }
  wavelet.flip = walk.dsd.advance && last;
  wavelet.half = walk.dense;
  sendUp(pe, walk.color, wavelet);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Whether the next element is the last word of a message.
bool CslMachineState::endsMessage(Pe &pe, Running &op) {
  for (Walk &walk : op.source)
    if (walk.kind == Walk::Kind::Fabin && !walk.half) {
      InputQueue *queue = inputOf(pe, walk);
      if ((pe.messageColors >> queue->color & 1) && !queue->words.empty() &&
          queue->words.front().control)
        return true;
    }
  return false;
}

/// Does what can be done now; false if that is nothing.
bool CslMachineState::progress(Pe &pe, Running &op, bool &ended, bool &result) {
  bool moved = false;
  ended = false;
  op.waits.clear();
  if (op.opcode == DsdOpcode::Dfilt) {
    std::deque<Wavelet> &words = inputOf(pe, op.source[0])->words;
    while (!words.empty() && !ended) {
      ended = words.front().control && --op.remaining == 0;
      words.pop_front();
      ++steps;
      moved = true;
    }
    op.waits = std::to_string(op.remaining) + " control wavelets";
    result = true;
    return moved;
  }
  while (!ended && !hasTrapped && steps < options.maxSteps) {
    if (!readable(pe, op, op.source[0], ended, result) ||
        !readable(pe, op, op.source[1], ended, result) ||
        !writable(pe, op, ended, result))
      return moved || ended || hasTrapped;
    ++steps;
    moved = true;
    bool isLast = endsMessage(pe, op);
    uint32_t x = fetch(pe, op.source[0], op.remaining, op.endless);
    uint32_t y = fetch(pe, op.source[1], op.remaining, op.endless);
    uint32_t value =
        dsd::evaluate(op.opcode, format, x, y, op.scalar, op.carry);
    if (!checkElement(pe, op, x, y, value))
      return true;
    if (op.accumulate)
      op.source[0].value = value;
    store(pe, op.dest, value, !op.endless && op.remaining == 1);
    if (op.endless)
      ++op.passed;
    else
      --op.remaining;
    if (isLast || (!op.endless && op.remaining == 0)) {
      ended = true;
      result = true;
    }
  }
  return moved;
}

/// What the end of an operation leaves behind.
void CslMachineState::complete(Pe &pe, Running &op) {
  for (Walk *walk : {&op.source[0], &op.source[1], &op.dest}) {
    if (walk->kind == Walk::Kind::Fabin)
      --inputOf(pe, *walk)->users;
    saveAddress(pe, *walk);
  }
  // The source is cleared as far as it was read (DSD-057).
  if (op.zero.kind == Walk::Kind::Memory) {
    uint32_t count = op.endless ? op.passed : op.length - op.remaining;
    for (uint32_t i = 0; i < count; ++i) {
      pe.memory.store(op.zero.address, op.zero.bytes, 0);
      advance(op.zero);
    }
  }
  if (op.activate >= 0)
    activate(pe, op.activate);
  if (op.unblock >= 0)
    block(pe, op.unblock, false);
}

/// Elements per cycle, on which the activation of tasks by FIFOs depends.
static unsigned widthOf(const CslMachine &machine, const Running &op) {
  unsigned width = machine.simdWidth(op.opcode);
  for (const Walk *walk : {&op.dest, &op.source[0], &op.source[1]})
    if (walk->kind == Walk::Kind::Memory)
      width = simdWidthAtStride(width, walk->pointer ? 0
                                       : walk->dsd.kind == Dsd::Kind::Circbuf
                                           ? 1
                                           : walk->dsd.strides[0]);
  return std::max(width, 1u);
}

void CslMachineState::startOperation(Pe &pe, Activation &frame,
                                     const Step &step) {
  auto dsdOp = cast<csl::DsdOpInterface>(step.op);
  const DsdOpInfo &info = getInfo(dsdOp.getOpcode());
  Running op;
  op.opcode = dsdOp.getOpcode();
  op.step = &step;
  op.async = dsdOp.getAsync();
  auto idOf = [&](Value id) {
    return id ? static_cast<int>(find(frame, step, id)->bits) : -1;
  };
  op.activate = idOf(dsdOp.getActivate());
  op.unblock = idOf(dsdOp.getUnblock());
  op.onControl = dsdOp.getOnControl();
  op.controlTarget = idOf(dsdOp.getControlTarget());
  uint16_t index = 0;
  if (Value given = dsdOp.getIndex())
    index = static_cast<uint16_t>(find(frame, step, given)->bits);

  // Operands: destination, first source, second source.
  Value values[3] = {dsdOp.getDestination(), {}, {}};
  OperandRange sources = dsdOp.getSources();
  unsigned count = std::max(info.sources(), 1u);
  for (unsigned i = 0; i < count; ++i)
    values[1 + i] = sources[i];
  if (info.scalar != DsdElement::None)
    op.scalar = static_cast<uint32_t>(find(frame, step, sources[count])->bits);
  auto isNumber = [](Value value) {
    return value &&
           !isa<csl::DsdType, csl::DsrType, csl::FifoType, csl::PtrType>(
               value.getType());
  };
  bool toPointer = values[0] && isa<csl::PtrType>(values[0].getType());
  // A value in front of a mixed sum is its fp16 side, except where the result
  // is a pointer's (AMB-011); the f32 side is the first in dsd::evaluate().
  if (op.opcode == DsdOpcode::Faddhs && isNumber(values[1]) && !toPointer)
    std::swap(values[1], values[2]);

  Walk *walks[3] = {&op.dest, &op.source[0], &op.source[1]};
  unsigned bytes[3] = {getBytes(info.dest), getBytes(info.source0),
                       getBytes(info.source1)};
  if (op.opcode == DsdOpcode::Dfilt)
    bytes[1] = 4;
  uint32_t lengths[3] = {0, 0, 0};
  std::optional<unsigned> thread;
  bool fabric = false, fifo = false;
  for (unsigned i = 0; i < 3; ++i) {
    Value value = values[i];
    Walk &walk = *walks[i];
    walk.bytes = static_cast<uint8_t>(bytes[i]);
    if (!value)
      continue;
    uint64_t bits = find(frame, step, value)->bits;
    std::optional<unsigned> threadOfOperand;
    if (isNumber(value)) {
      walk.kind = Walk::Kind::Scalar;
      walk.value = static_cast<uint32_t>(bits);
      continue;
    }
    if (isa<csl::PtrType>(value.getType())) {
      walk.kind = Walk::Kind::Memory;
      walk.pointer = true;
      walk.address = static_cast<int64_t>(bits);
      continue;
    }
    if (isa<csl::DsrType>(value.getType())) {
      unsigned number = dsrNumber(*this, value.getType(), bits);
      Dsr &dsr = pe.dsrs[number];
      if (!latch(pe, walk, dsr.dsd, bytes[i], index, lengths[i], step.op))
        return;
      if (dsr.save) {
        walk.dsr = static_cast<int8_t>(number);
        if (dsr.head >= 0)
          walk.address = dsr.head;
      }
      op.async |= dsr.async;
      if (op.activate < 0 && op.unblock < 0) {
        op.activate = dsr.activate;
        op.unblock = dsr.unblock;
      }
      if (!op.onControl) {
        op.onControl = dsr.onControl;
        op.controlTarget = dsr.controlTarget;
      }
      threadOfOperand = dsr.microthread;
    } else {
      if (!latch(pe, walk, dsd(bits), bytes[i], index, lengths[i], step.op))
        return;
      threadOfOperand = dsdOp.getUtId();
    }
    fabric |= walk.kind == Walk::Kind::Fabin || walk.kind == Walk::Kind::Fabout;
    if (walk.kind == Walk::Kind::Fifo) {
      fifo = true;
      const FifoState &state = pe.fifos[walk.dsd.fifo];
      lengths[i] = i == 0 ? state.writeLength : state.readLength;
    }
    // The first of destination, first and second source (ASY-023).
    if (!thread)
      thread = threadOfOperand;
  }

  // The first length that is not zero (DOP-007).
  op.length = 1;
  for (uint32_t length : {lengths[1], lengths[2], lengths[0]})
    if (length) {
      op.length = length;
      break;
    }
  op.remaining = op.length;
  op.endless = fabric && op.length == kEndless;
  op.accumulate = toPointer && op.source[0].kind == Walk::Kind::Scalar &&
                  op.source[1].kind != Walk::Kind::None &&
                  op.source[1].kind != Walk::Kind::Scalar;
  op.width = widthOf(*machine, op);
  if (op.dest.kind == Walk::Kind::Fabout && op.dest.dsd.zero)
    op.zero = *op.dest.dsd.zero == csl::ZeroSource::Second &&
                      op.source[1].kind != Walk::Kind::None
                  ? op.source[1]
                  : op.source[0];
  if (toPointer && fifo &&
      pe.memory.objectAt(op.dest.address, op.dest.bytes) >= 0)
    op.old =
        static_cast<uint32_t>(pe.memory.load(op.dest.address, op.dest.bytes));
  for (Walk *walk : walks)
    if (walk->kind == Walk::Kind::Fabin)
      ++inputOf(pe, *walk)->users;

  uint32_t slot = step.results.empty() ? ~0u : step.results.front();
  if (!op.async) {
    pe.mainOperation = std::move(op);
    pe.mainResult = slot;
    pe.main = MainAt::Operation;
    return;
  }
  if (!thread)
    for (Walk *walk : walks) {
      if (walk->kind == Walk::Kind::Fabout)
        thread = static_cast<unsigned>(walk->queue) & 7;
      else if (walk->kind == Walk::Kind::Fabin)
        thread = walk->dsd.queue >= 0
                     ? static_cast<unsigned>(walk->dsd.queue) & 7
                     : static_cast<unsigned>(walk->queue) & 7;
      if (thread)
        break;
    }
  if (!thread)
    return trap(pe, "an asynchronous operation without a fabric operand",
                step.op);
  if (pe.microthreads[*thread & 7])
    return trap(pe,
                "microthread " + Twine(*thread & 7) +
                    " is started again while it is at work (ASY-027)",
                step.op);
  if (slot != ~0u)
    frame.slots[slot] = {1};
  pe.microthreads[*thread & 7] = std::make_unique<Running>(std::move(op));
}
