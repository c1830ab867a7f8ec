//===- Latch.cpp - What a DSD operation takes at its start ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stepper.h"

using namespace sequin;
using namespace sequin::wafer;

llvm::MutableArrayRef<DsrState> wafer::newDsrs(const CslMachine &machine,
                                               Slab &slab) {
  size_t count = 3 * machine.dsrsPerFile;
  auto *first =
      static_cast<DsrState *>(slab.allocate(count * sizeof(DsrState)));
  for (size_t i = 0; i < count; ++i)
    new (first + i) DsrState();
  return {first, count};
}

DsrState &Stepper::dsrOf(Core &core, unsigned file, unsigned number) {
  if (core.dsrs.empty())
    core.dsrs = newDsrs(machine, slab);
  return core.dsrs[file * machine.dsrsPerFile + number];
}

LiveOp &Stepper::opOf(Core &core, unsigned thread) {
  if (!core.ops[thread])
    core.ops[thread] = new (slab.allocate(sizeof(LiveOp))) LiveOp();
  return *core.ops[thread];
}

void Stepper::loadDsr(Core &core, const DsrLoad &load, uint64_t descriptor,
                      uint8_t completion, uint8_t onControl) {
  DsrState &state =
      dsrOf(core, static_cast<unsigned>(load.dsr.file), load.dsr.number);
  state = {};
  state.descriptor = descriptor;
  state.async = load.options.async;
  state.save = load.saveAddress;
  state.singleStep = load.singleStep;
  state.completion = load.options.completion;
  state.onControl = load.options.onControl;
  state.completionTarget = completion;
  state.onControlTarget = onControl;
  state.microthread = load.options.microthread;
}

int64_t wafer::strideOf(const Walk &walk) {
  return walk.bytes ? walk.step / walk.bytes : 0;
}

/// The priority of a microthread as a rank; the main thread's are 1, 2, 3, 5
/// (ASY-030 to ASY-033).
static uint8_t rankOf(Priority priority, unsigned generation) {
  switch (priority) {
  case Priority::Default:
    return generation == 2 ? 0 : 4;
  case Priority::Low:
    return 0;
  case Priority::Medium:
    return 2;
  case Priority::High:
    return 4;
  }
  return 0;
}

bool Stepper::latch(Core &core, Walk &walk, const Descriptor &descriptor,
                    unsigned bytes, uint32_t &length, uint16_t index,
                    Location location) {
  walk.bytes = static_cast<uint8_t>(bytes);
  int32_t base = descriptor.base;
  if (descriptor.indexOffset && descriptor.isMemory())
    base += 2 * index;
  switch (descriptor.kind) {
  case DescriptorKind::None:
    trap(core, "an operand's register holds no DSD", location);
    return false;
  case DescriptorKind::Mem1d:
    walk.kind = Walk::Kind::Linear;
    walk.address = base;
    walk.step = descriptor.stride * static_cast<int32_t>(bytes);
    length = descriptor.extent;
    return true;
  case DescriptorKind::Circular:
    walk.kind = Walk::Kind::Circular;
    walk.address = walk.begin = base;
    walk.end = base + descriptor.wraparound * static_cast<int32_t>(bytes);
    walk.step = static_cast<int32_t>(bytes);
    length = descriptor.extent;
    return true;
  case DescriptorKind::Mem4d: {
    if (descriptor.shape >= core.code->code->shapes.size()) {
      trap(core, "a mem4d_dsd has no shape", location);
      return false;
    }
    const Shape &shape = core.code->code->shapes[descriptor.shape];
    walk.kind = Walk::Kind::Nest;
    walk.shape = &shape;
    walk.address = base;
    walk.step = shape.strides.front() * static_cast<int32_t>(bytes);
    length = 1;
    for (uint16_t extent : shape.extents)
      length *= extent;
    return true;
  }
  case DescriptorKind::Fifo:
    if (descriptor.fifo >= core.fifos.size()) {
      trap(core, "a FIFO that this PE does not have", location);
      return false;
    }
    walk.kind = Walk::Kind::Fifo;
    walk.fifo = descriptor.fifo;
    length = 0; // set by the caller: read or write length
    return true;
  case DescriptorKind::FabricIn:
  case DescriptorKind::FabricOut:
    break;
  }

  bool out = descriptor.kind == DescriptorKind::FabricOut;
  walk.kind = out ? Walk::Kind::FabricOut : Walk::Kind::FabricIn;
  walk.control = descriptor.control;
  walk.transform = descriptor.controlTransform;
  walk.advance = descriptor.advanceSwitch;
  walk.zero = descriptor.zero;
  walk.hasIndex = descriptor.indexOffset;
  walk.index = index;
  length = descriptor.extent;
  if (unsigned queues = out ? machine.outputQueues() : machine.inputQueues();
      descriptor.queue.value_or(0) >= queues) {
    trap(core,
         (out ? "output queue " : "input queue ") +
             std::to_string(*descriptor.queue) + " does not exist, there are " +
             std::to_string(queues),
         location);
    return false;
  }
  if (out) {
    unsigned queue = descriptor.queue.value_or(0);
    // Where a queue has its color from @initialize_queue it needs one.
    if (!machine.outputQueueColor ||
        (queue < 8 && core.outputRing[queue] != kNone))
      walk.ring = outputRingOfQueue(core, static_cast<uint8_t>(queue));
    if (walk.ring != kNone)
      walk.color = machine.outputQueueColor
                       ? core.rings[walk.ring].color
                       : descriptor.color.value_or(core.rings[walk.ring].color);
  } else if (descriptor.queue) {
    walk.ring = core.inputRing[*descriptor.queue];
  }
  // Without @initialize_queue a WSE-2 queue may still name its color here.
  if (!out && walk.ring == kNone && descriptor.color) {
    if (!checkColor(core, *descriptor.color, location))
      return false;
    walk.ring = inputRingOfColor(core, *descriptor.color);
  }
  if (walk.ring == kNone) {
    trap(core,
         (out ? "output queue " : "input queue ") +
             std::to_string(descriptor.queue.value_or(0)) +
             " is not initialised",
         location);
    return false;
  }
  if (!out)
    walk.color = core.rings[walk.ring].color;
  walk.queue = descriptor.queue.value_or(core.rings[walk.ring].id);
  if (!checkColor(core, walk.color, location))
    return false;
  walk.wavelets = 1;
  walk.perWavelet = 1;
  walk.dense = out && bytes == 2 && core.rings[walk.ring].dense;
  if (bytes == 2 && !descriptor.control && !descriptor.indexOffset &&
      !descriptor.controlTransform) {
    SimdMode mode = descriptor.simd;
    if (mode == SimdMode::Default)
      mode = machine.generation == 2 ? SimdMode::Simd32 : SimdMode::Max;
    // Nothing shares a wavelet that does not ask for it.
    walk.perWavelet =
        descriptor.simd == SimdMode::Default || mode == SimdMode::Off ? 1 : 2;
    walk.wavelets = mode == SimdMode::Off || mode == SimdMode::Simd32 ? 1 : 2;
    walk.allWavelets = mode == SimdMode::Simd64;
    if (walk.dense)
      walk.perWavelet = 1;
  }
  return true;
}

bool Stepper::latchOperand(Core &core, LiveOp &op, Walk &walk,
                           const Operand &operand, unsigned bytes,
                           const uint64_t *registers, uint16_t index,
                           uint32_t &length, bool isDest) {
  length = 0;
  walk = {};
  walk.bytes = static_cast<uint8_t>(bytes);
  switch (operand.kind) {
  case Operand::Kind::None:
    return true;
  case Operand::Kind::Scalar:
    walk.kind = Walk::Kind::Scalar;
    walk.value = static_cast<uint32_t>(registers[operand.value]);
    return true;
  case Operand::Kind::Pointer:
    walk.kind = Walk::Kind::Linear;
    walk.pointer = true;
    walk.address = static_cast<int32_t>(registers[operand.value] & 0xffff);
    return true;
  case Operand::Kind::Dsd:
    if (!latch(core, walk, Descriptor::unpack(registers[operand.value]), bytes,
               length, index, op.location))
      return false;
    break;
  case Operand::Kind::Dsr: {
    unsigned file = static_cast<unsigned>(operand.dsr.file);
    DsrState &state = dsrOf(core, file, operand.dsr.number);
    if (!latch(core, walk, Descriptor::unpack(state.descriptor), bytes, length,
               index, op.location))
      return false;
    if (state.save) {
      walk.dsrFile = static_cast<uint8_t>(file);
      walk.dsr = operand.dsr.number;
      if (state.head >= 0)
        walk.address = state.head;
    }
    op.async |= state.async;
    if (op.completion == Completion::None &&
        state.completion != Completion::None) {
      op.completion = state.completion;
      op.completionTarget = state.completionTarget;
    }
    if (op.onControl == OnControl::None && state.onControl != OnControl::None) {
      op.onControl = state.onControl;
      op.onControlTarget = state.onControlTarget;
    }
    break;
  }
  }
  if (walk.kind == Walk::Kind::Fifo)
    length = isDest ? core.fifos[walk.fifo].writeLength
                    : core.fifos[walk.fifo].readLength;
  return true;
}

/// Whether an operand is of a kind that belongs in its place; a register may
/// hold any descriptor. Traps if not.
bool Stepper::checkRole(Core &core, const Walk &walk, bool isDest,
                        Location location) {
  if (walk.kind != (isDest ? Walk::Kind::FabricIn : Walk::Kind::FabricOut))
    return true;
  trap(core,
       isDest ? "an operation writes to a fabin_dsd"
              : "an operation reads from a fabout_dsd",
       location);
  return false;
}

/// Whether the next elements of both sources are in banks that cannot be read
/// in one cycle (DOP-016).
bool Stepper::bankConflict(const LiveOp &op) const {
  auto reads = [](const Walk &walk) {
    return walk.kind == Walk::Kind::Linear || walk.kind == Walk::Kind::Nest ||
           walk.kind == Walk::Kind::Circular;
  };
  const Walk &a = op.source[0], &b = op.source[1];
  return reads(a) && reads(b) &&
         static_cast<uint32_t>(a.address) / 2 % bankModulus ==
             static_cast<uint32_t>(b.address) / 2 % bankModulus;
}

/// Cycles of an operation on memory alone.
int64_t Stepper::bulkCycles(const LiveOp &op) const {
  int64_t cycles = (op.remaining + op.rate - 1) / op.rate;
  if (!bankModulus)
    return cycles;
  LiveOp walking = op;
  for (uint32_t i = 0; i < op.remaining; ++i) {
    if (i % op.rate == 0)
      cycles += bankConflict(walking);
    walking.source[0].advanceMemory();
    walking.source[1].advanceMemory();
  }
  return cycles;
}

/// Whether the `count` elements of a walk over memory are in places that the
/// program has; traps if not.
bool Stepper::checkRange(Core &core, const Walk &walk, uint32_t count,
                         Location location) {
  int64_t low = walk.address, high = low;
  switch (walk.kind) {
  case Walk::Kind::Linear:
    (walk.step < 0 ? low : high) += int64_t(walk.step) * (count - 1);
    break;
  case Walk::Kind::Circular:
    low = walk.begin;
    high = walk.end - walk.bytes;
    if (walk.begin + int64_t(count) * walk.bytes < walk.end &&
        walk.address == walk.begin)
      high = walk.begin + int64_t(count - 1) * walk.bytes;
    break;
  case Walk::Kind::Nest: {
    // Absolute strides; the outermost loop goes on if the count asks for more.
    int64_t inner = 1, travel = 0;
    for (uint16_t extent : walk.shape->extents)
      inner *= extent;
    if (count < inner) {
      // Not all loops run to their ends, or they are under way (@map).
      Walk ahead = walk;
      for (uint32_t i = 0; i < count; ++i) {
        low = std::min<int64_t>(low, ahead.address);
        high = std::max<int64_t>(high, ahead.address);
        ahead.advanceMemory();
      }
      break;
    }
    inner = 1;
    for (size_t d = 0; d < walk.shape->extents.size(); ++d) {
      int64_t extent = walk.shape->extents[d];
      if (d + 1 == walk.shape->extents.size())
        extent = inner ? std::max<int64_t>(1, (count + inner - 1) / inner) : 1;
      int64_t absolute = walk.shape->strides[d] * int64_t(walk.bytes) + travel;
      int64_t reach = absolute * (extent - 1);
      (reach < 0 ? low : high) += reach;
      travel += absolute * (extent - 1);
      inner *= extent;
    }
    break;
  }
  default:
    return true;
  }
  const llvm::BitVector &mapped = core.code->mapped;
  bool good = low >= 0 && high + walk.bytes <= machine.memoryBytesPerPe &&
              mapped.test(low / 2) && mapped.test((high + walk.bytes - 1) / 2);
  if (!good)
    trap(core,
         "a DSD of " + std::to_string(count) + " elements from address " +
             std::to_string(walk.address) + " covers " + std::to_string(low) +
             " to " + std::to_string(high + walk.bytes - 1) +
             ", which no variable holds",
         location);
  return good;
}

/// Whether `op` is of the most frequent form (LiveOp::words).
bool Stepper::movesWords(const Core &core, const LiveOp &op) const {
  if (op.opcode == DsdOpcode::Dfilt || op.accumulate || bankModulus ||
      op.onControl != OnControl::None)
    return false;
  for (const Walk *walk : {&op.dest, &op.source[0], &op.source[1]}) {
    if (walk->kind == Walk::Kind::Scalar || walk->kind == Walk::Kind::None)
      continue;
    if (walk->bytes != 4 || walk->transform)
      return false;
    if (walk->kind == Walk::Kind::FabricIn &&
        carriesMessages(core, core.rings[walk->ring].color))
      return false;
    if (walk->isFabric())
      continue;
    if (walk->kind != Walk::Kind::Linear || op.unbounded)
      return false;
    int64_t low = walk->address, high = low;
    (walk->step < 0 ? low : high) += int64_t(walk->step) * (op.remaining - 1);
    if (low < 0 || high + 4 > machine.memoryBytesPerPe ||
        core.code->mapped.find_first_unset_in(
            static_cast<unsigned>(low / 2),
            static_cast<unsigned>((high + 3) / 2 + 1)) != -1)
      return false;
  }
  return op.dest.kind != Walk::Kind::None;
}

/// Elements per cycle that unit and strides allow; queues come on top.
unsigned Stepper::rateOf(const LiveOp &op) const {
  unsigned rate = machine.simdWidth(op.opcode);
  for (const Walk *walk : {&op.dest, &op.source[0], &op.source[1]})
    if (walk->kind == Walk::Kind::Linear || walk->kind == Walk::Kind::Nest ||
        walk->kind == Walk::Kind::Circular)
      rate = simdWidthAtStride(rate, strideOf(*walk));
  return std::max(rate, 1u);
}

Stepper::Machine Stepper::startDsd(Core &core, const Operation &operation,
                                   uint64_t *registers, Register result,
                                   Location location) {
  const DsdOpInfo &info = getInfo(operation.opcode);
  LiveOp op;
  op.opcode = operation.opcode;
  op.location = location;
  op.async = operation.options.async;
  const AsyncOptions &options = operation.options;
  if (options.completion != Completion::None) {
    op.completion = options.completion;
    op.completionTarget =
        static_cast<uint8_t>(registers[options.completionTarget]);
  }
  if (options.onControl != OnControl::None) {
    op.onControl = options.onControl;
    if (options.onControlTarget != kNoRegister)
      op.onControlTarget =
          static_cast<uint8_t>(registers[options.onControlTarget]);
  }
  uint16_t index = operation.index == kNoRegister
                       ? 0
                       : static_cast<uint16_t>(registers[operation.index]);
  uint32_t lengths[3];
  const Operand *operands[3] = {&operation.source0, &operation.source1,
                                &operation.dest};
  Walk *walks[3] = {&op.source[0], &op.source[1], &op.dest};
  unsigned bytes[3] = {getBytes(info.source0), getBytes(info.source1),
                       getBytes(info.dest)};
  if (operation.opcode == DsdOpcode::Dfilt)
    bytes[0] = 4;
  int64_t setup = 0;
  for (unsigned i = 0; i < 3; ++i) {
    if (!latchOperand(core, op, *walks[i], *operands[i], bytes[i], registers,
                      index, lengths[i], i == 2))
      return Machine::Stop;
    if (!checkRole(core, *walks[i], i == 2, location))
      return Machine::Stop;
    if (operands[i]->kind == Operand::Kind::Dsd)
      setup += machine.dsrLoadCycles;
  }
  if (operation.opcode == DsdOpcode::Dfilt &&
      op.source[0].kind != Walk::Kind::FabricIn) {
    trap(core, "dfilt on an operand that is no fabin_dsd", location);
    return Machine::Stop;
  }
  if (operation.scalar != kNoRegister)
    op.scalar = static_cast<uint32_t>(registers[operation.scalar]);

  // Length: the first that is not zero (DOP-007).
  op.remaining = 1;
  for (uint32_t length : lengths)
    if (length) {
      op.remaining = length;
      break;
    }
  op.length = op.remaining;
  bool fabric =
      op.dest.isFabric() || op.source[0].isFabric() || op.source[1].isFabric();
  bool fifo = op.dest.kind == Walk::Kind::Fifo ||
              op.source[0].kind == Walk::Kind::Fifo ||
              op.source[1].kind == Walk::Kind::Fifo;
  op.unbounded = fabric && op.length == kUnboundedExtent;
  op.rate = static_cast<uint8_t>(rateOf(op));
  // A pointer and a value in front: the sum goes round (DOP-013).
  op.accumulate = op.dest.pointer && op.source[0].kind == Walk::Kind::Scalar &&
                  operation.source1.kind != Operand::Kind::None &&
                  op.source[1].kind != Walk::Kind::Scalar;
  if (op.dest.zero != ZeroSource::None) {
    op.zero = op.dest.zero == ZeroSource::Second &&
                      op.source[1].kind != Walk::Kind::None
                  ? op.source[1]
                  : op.source[0];
  }

  int64_t lead = machine.cycles(ScalarClass::Machine) + setup;
  if (!fabric && !fifo) {
    for (Walk *walk : walks)
      if (!checkRange(core, *walk, op.remaining, location))
        return Machine::Stop;
    int64_t cycles = machine.fmacsStartCycles + bulkCycles(op);
    counters.elements += op.remaining;
    countMacs(op.opcode, op.remaining);
    op.task = core.taskNumber;
    if (tracer)
      traceStart(core, kMain);
    if (tracer || core.unmaskedFloats())
      runWatched(core, op, now + static_cast<uint64_t>(lead));
    else
      runBulk(core, op);
    if (stopped)
      return Machine::Stop;
    saveAddress(core, op.dest);
    saveAddress(core, op.source[0]);
    saveAddress(core, op.source[1]);
    if (result != kNoRegister)
      registers[result] = 1;
    if (Observer *observer = this->options.observer) {
      observer->operationStarts(momentOf(core, now), kMainThread, op.opcode,
                                op.length, location);
      observer->operationEnds(
          momentOf(core, now + static_cast<uint64_t>(lead + cycles)),
          kMainThread);
    }
    busy(core, lead + cycles);
    core.bulk = true;
    return Machine::Stop;
  }

  unsigned thread = kMain;
  if (op.async) {
    // Which microthread (ASY-020 to ASY-025).
    std::optional<uint8_t> chosen;
    for (unsigned i : {2u, 0u, 1u}) {
      std::optional<uint8_t> given;
      if (operands[i]->kind == Operand::Kind::Dsr)
        given = dsrOf(core, static_cast<unsigned>(operands[i]->dsr.file),
                      operands[i]->dsr.number)
                    .microthread;
      else if (operands[i]->kind == Operand::Kind::Dsd)
        given = options.microthread;
      if (given && !chosen)
        chosen = given;
    }
    // The priority is that of the first queue or FIFO that has one.
    Priority priority = Priority::Default;
    for (unsigned i : {2u, 0u, 1u}) {
      Priority own = Priority::Default;
      if (walks[i]->kind == Walk::Kind::Fifo)
        own = core.setup->setup->fifos[walks[i]->fifo].priority;
      if (walks[i]->isFabric()) {
        if (!chosen)
          chosen = walks[i]->queue & 7;
        uint64_t bits =
            operands[i]->kind == Operand::Kind::Dsr
                ? dsrOf(core, static_cast<unsigned>(operands[i]->dsr.file),
                        operands[i]->dsr.number)
                      .descriptor
                : registers[operands[i]->value];
        own = Descriptor::unpack(bits).priority;
      }
      if (priority == Priority::Default)
        priority = own;
    }
    if (!chosen) {
      trap(core, "an asynchronous operation without a fabric operand",
           location);
      return Machine::Stop;
    }
    if (machine.generation == 2)
      priority = operation.priority;
    op.rank = rankOf(priority, machine.generation);
    thread = *chosen & 7;
    if (core.live >> thread & 1) {
      trap(core,
           "microthread " + std::to_string(thread) +
               " is started again while its " +
               getInfo(core.ops[thread]->opcode).name.str() +
               " is at work (ASY-027)",
           location);
      return Machine::Stop;
    }
  } else {
    op.rank = core.mainRank;
    op.result = result;
  }
  for (Walk *walk : walks)
    if (walk->ring != kNone) {
      Ring &ring = core.rings[walk->ring];
      if (ring.users && machine.generation == 2)
        race(core,
             std::string(walk->kind == Walk::Kind::FabricOut ? "output queue "
                                                             : "input queue ") +
                 std::to_string(ring.id) +
                 " is used by two operations at once");
      ++ring.users;
      core.usedWord(walk->ring / 64) |= uint64_t(1) << walk->ring % 64;
    }
  op.live = true;
  op.task = core.taskNumber;
  op.words = movesWords(core, op);
  op.watched = tracer || core.unmaskedFloats();
  op.start = now + lead + machine.fmacsStartCycles;
  op.since = op.start;
  if (op.dest.pointer && fifo && op.dest.address >= 0 &&
      op.dest.address + op.dest.bytes <= machine.memoryBytesPerPe) {
    Walk peek = op.dest;
    op.pointerOld = readMemory(core, peek);
  }
  if (tracer)
    traceStart(core, thread);
  opOf(core, thread) = op;
  core.ranks[thread] = op.rank;
  core.waitRing[thread] = kNone;
  core.live |= 1u << thread;
  wake(core, op.start);
  if (Observer *observer = this->options.observer)
    observer->operationStarts(momentOf(core, op.start), thread, op.opcode,
                              op.length, location);
  if (thread == kMain) {
    core.main = MainState::Op;
    return Machine::Stop;
  }
  if (result != kNoRegister)
    registers[result] = 1;
  busy(core, lead);
  return Machine::Stop;
}
