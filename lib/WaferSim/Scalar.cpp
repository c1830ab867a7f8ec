//===- Scalar.cpp - The register interpreter of a PE's bytecode -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that touch nothing but registers and memory run at once, and the
// PE is busy for their cycles. A machine instruction waits until that time has
// passed.
//
//===----------------------------------------------------------------------===//

#include "ScalarFloat.h"
#include "Stepper.h"
#include "sequin/Support/PrintedValue.h"
#include <cstring>

using namespace sequin;
using namespace sequin::wafer;

/// Cycles after which scalar code gives way to the rest of the fabric, so that
/// a loop that waits for memory sees what comes in.
static constexpr uint64_t kSlice = 512;

/// Registers of all frames of a PE, about.
static constexpr uint32_t kMostRegisters = 1 << 20;

/// What takes no cycle of its own: constants and parameters, which the
/// instructions that use them hold, and the low part of a register.
static bool isImmediate(Opcode opcode) {
  switch (opcode) {
  case Opcode::Constant:
  case Opcode::ConstantWide:
  case Opcode::Parameter:
  case Opcode::DsdConstant:
  case Opcode::FunctionAddress:
  case Opcode::Truncate:
    return true;
  default:
    return false;
  }
}

static uint64_t maskOf(unsigned width) {
  return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
}
static int64_t extend(uint64_t value, unsigned width) {
  return llvm::SignExtend64(value, width ? width : 64);
}

static uint64_t divide(Opcode opcode, uint64_t a, uint64_t b, unsigned width) {
  bool isSigned = opcode == Opcode::DivS || opcode == Opcode::RemS;
  bool quotient = opcode == Opcode::DivS || opcode == Opcode::DivU;
  if (b == 0)
    return quotient ? ~uint64_t(0) : a;
  if (!isSigned)
    return quotient ? a / b : a % b;
  int64_t x = extend(a, width), y = extend(b, width);
  if (y == -1)
    return quotient ? 0 - static_cast<uint64_t>(x) : 0;
  return static_cast<uint64_t>(quotient ? x / y : x % y);
}

static uint64_t multiplyHigh(Opcode opcode, uint64_t a, uint64_t b,
                             unsigned width) {
  if (opcode == Opcode::MulHighU)
    return static_cast<uint64_t>((static_cast<unsigned __int128>(a) * b) >>
                                 width);
  return static_cast<uint64_t>(
      (static_cast<__int128>(extend(a, width)) * extend(b, width)) >> width);
}

/// Integer instructions of two registers; cut to `width` by the caller.
static uint64_t integer(Opcode opcode, uint64_t a, uint64_t b, unsigned width) {
  int64_t x = extend(a, width), y = extend(b, width);
  switch (opcode) {
  case Opcode::Add:
    return a + b;
  case Opcode::Sub:
    return a - b;
  case Opcode::Mul:
    return a * b;
  case Opcode::MulHighS:
  case Opcode::MulHighU:
    return multiplyHigh(opcode, a, b, width);
  case Opcode::DivS:
  case Opcode::DivU:
  case Opcode::RemS:
  case Opcode::RemU:
    return divide(opcode, a, b, width);
  case Opcode::And:
    return a & b;
  case Opcode::Or:
    return a | b;
  case Opcode::Xor:
    return a ^ b;
  case Opcode::ShiftLeft:
    return b >= width ? 0 : a << b;
  case Opcode::ShiftRightU:
    return b >= width ? 0 : a >> b;
  case Opcode::ShiftRightS:
    return static_cast<uint64_t>(x >> (b >= width ? 63 : b));
  case Opcode::MinS:
    return x < y ? a : b;
  case Opcode::MaxS:
    return x > y ? a : b;
  case Opcode::MinU:
    return a < b ? a : b;
  case Opcode::MaxU:
    return a > b ? a : b;
  case Opcode::Equal:
    return a == b;
  case Opcode::NotEqual:
    return a != b;
  case Opcode::LessS:
    return x < y;
  case Opcode::LessEqualS:
    return x <= y;
  case Opcode::LessU:
    return a < b;
  case Opcode::LessEqualU:
    return a <= b;
  default:
    return 0;
  }
}

/// Ids of queues and colors are looked at when an operation latches them
/// (BLT-032); one past the field stays one that does not exist.
static uint64_t setDescriptor(Opcode opcode, uint64_t bits, uint64_t value) {
  Descriptor descriptor = Descriptor::unpack(bits);
  switch (opcode) {
  case Opcode::DsdSetBase:
    descriptor.base = static_cast<uint16_t>(value);
    break;
  case Opcode::DsdAddBase:
    descriptor.base = static_cast<uint16_t>(descriptor.base + value);
    break;
  case Opcode::DsdSetExtent:
    descriptor.extent = static_cast<uint16_t>(value);
    break;
  case Opcode::DsdSetStride:
    descriptor.stride = static_cast<int8_t>(value);
    break;
  case Opcode::DsdSetQueue:
    descriptor.queue = static_cast<uint8_t>(std::min<uint64_t>(value, 15));
    break;
  default:
    descriptor.color = static_cast<uint8_t>(std::min<uint64_t>(value, 31));
    break;
  }
  return descriptor.pack();
}

/// Whether `next` may read register `r`; calls may read any.
static bool mayRead(const Instruction &next, Register r) {
  if (next.left == r || next.right == r)
    return true;
  switch (next.opcode) {
  case Opcode::Store:
    return next.dest == r;
  case Opcode::Select:
  case Opcode::FloatFma:
    return next.immediate == r;
  case Opcode::Call:
  case Opcode::CallIndirect:
  case Opcode::Return:
    return true;
  default:
    return getInfo(next.opcode).machine;
  }
}

void Stepper::runMain(Core &core) {
  uint64_t cost = 0;
  const Code &code = *core.code->code;
  uint64_t memory = static_cast<uint64_t>(machine.memoryBytesPerPe);
  uint8_t unmasked = core.unmaskedFloats();
  for (;;) {
    Frame *frame = &core.frames.back();
    const Function *function = &code.functions[frame->function];
    const Instruction *instructions = function->instructions.data();
    uint64_t *r = core.registers.data() + frame->registers;
    bool switched = false;
    while (!switched) {
      const Instruction &i = instructions[frame->pc];
      const OpcodeInfo &info = getInfo(i.opcode);
      if (info.machine) {
        if (cost)
          return busy(core, cost);
        ++counters.instructions;
        if (tracer)
          tracer->instruction(
              momentOf(core, now),
              {core.taskNumber, i.opcode, frame->function, frame->pc});
        ++frame->pc;
        if (runMachine(core, *frame, i) == Machine::Stop || stopped)
          return;
        cost += i.opcode == Opcode::Print ? 0 : machine.cycles(info.kind);
        unmasked = core.unmaskedFloats();
        continue;
      }
      if (cost >= kSlice)
        return busy(core, cost);
      ++counters.instructions;
      // One is issued in a cycle (SIM-007): immediates are part of another.
      if (LLVM_UNLIKELY(tracer != nullptr) && !isImmediate(i.opcode) &&
          !std::exchange(core.isTraced, false))
        traceInstruction(core, now + cost, i);
      // Another instruction may come before the result is there (SIM-008).
      if (info.kind == ScalarClass::Float && !mayRead((&i)[1], i.dest))
        cost += independentFloatCycles;
      else if (!isImmediate(i.opcode))
        cost += machine.cycles(info.kind);
      if (i.width > 32)
        cost += machine.cycles(ScalarClass::Wide);
      ++frame->pc;
      uint64_t a = i.left == kNoRegister ? 0 : r[i.left];
      uint64_t b = i.right == kNoRegister ? 0 : r[i.right];
      switch (i.opcode) {
      case Opcode::Constant:
        r[i.dest] = i.immediate;
        break;
      case Opcode::ConstantWide:
        r[i.dest] = code.constants[i.immediate];
        break;
      case Opcode::Parameter:
        r[i.dest] = core.pe->parameters[i.immediate];
        break;
      case Opcode::Copy:
        r[i.dest] = a;
        break;
      case Opcode::Select:
        r[i.dest] = a ? b : r[i.immediate];
        break;
      case Opcode::SignExtend:
        r[i.dest] =
            static_cast<uint64_t>(extend(a, i.width)) & maskOf(i.immediate);
        break;
      case Opcode::Truncate:
        r[i.dest] = a & maskOf(i.immediate);
        break;
      case Opcode::LeadingZeros:
        r[i.dest] = llvm::countl_zero(a) - (64 - i.width);
        break;
      case Opcode::TrailingZeros:
        r[i.dest] = a ? llvm::countr_zero(a) : i.width;
        break;
      case Opcode::PopCount:
        r[i.dest] = llvm::popcount(a);
        break;
      case Opcode::FloatAdd:
      case Opcode::FloatSub:
      case Opcode::FloatMul:
      case Opcode::FloatDiv:
      case Opcode::FloatRem:
      case Opcode::FloatNeg:
      case Opcode::FloatAbs:
      case Opcode::FloatCopySign:
      case Opcode::FloatMinNum:
      case Opcode::FloatMaxNum:
      case Opcode::FloatMinimum:
      case Opcode::FloatMaximum:
      case Opcode::FloatCompare:
      case Opcode::FloatExtend:
      case Opcode::FloatTruncate:
      case Opcode::FloatFromS:
      case Opcode::FloatFromU:
      case Opcode::FloatToS:
      case Opcode::FloatToU:
      case Opcode::FloatFunction:
      case Opcode::FloatFma: {
        uint64_t third = i.opcode == Opcode::FloatFma ? r[i.immediate] : 0;
        uint64_t value = evaluateFloat(i, program.fp16, a, b, third);
        if (LLVM_UNLIKELY(unmasked) && raises(core, i, a, b, third, value))
          return;
        r[i.dest] = value;
        break;
      }
      case Opcode::Load:
      case Opcode::Store: {
        uint64_t bytes = i.width / 8;
        uint64_t address = (i.immediate + a + b * bytes) & 0xffffffff;
        if (LLVM_UNLIKELY(address + bytes > memory))
          if (auto word = registerAt(address, bytes)) {
            // Reached at its time, like a machine instruction's.
            uint64_t own = machine.cycles(info.kind) +
                           (bytes > 4 ? machine.cycles(ScalarClass::Wide) : 0);
            if (cost > own) {
              --frame->pc;
              --counters.instructions;
              core.isTraced = true;
              return busy(core, cost - own);
            }
            accessRegisters(core, i.opcode == Opcode::Store, *word, bytes,
                            r[i.dest]);
            if (stopped)
              return;
            unmasked = core.unmaskedFloats();
            break;
          }
        if (address + bytes > memory || address % std::min<uint64_t>(bytes, 2))
          return trap(
              core,
              std::string(i.opcode == Opcode::Load ? "load from" : "store to") +
                  " address " + std::to_string(address) + " of " +
                  std::to_string(bytes) +
                  (address + bytes <= memory ? " bytes is not aligned"
                   : address / 2 >= kFirstConfigAddress &&
                           machine.generation != 2
                       ? " bytes is beyond the PE's memory; registers of " +
                             machine.name.str() +
                             " are reached by @get_config and @set_config"
                       : " bytes is beyond the PE's memory"));
        if (core.written) {
          if (i.opcode == Opcode::Store)
            define(core, static_cast<uint32_t>(address),
                   static_cast<uint32_t>(bytes));
          else
            useMemory(core, static_cast<uint32_t>(address),
                      static_cast<uint32_t>(bytes));
        }
        if (i.opcode == Opcode::Load) {
          uint64_t value = 0;
          std::memcpy(&value, core.memory + address, bytes);
          r[i.dest] = value;
        } else {
          std::memcpy(core.memory + address, &r[i.dest], bytes);
        }
        break;
      }
      case Opcode::CopyMemory: {
        uint64_t bytes = i.immediate;
        if (a > memory || b > memory || a + bytes > memory ||
            b + bytes > memory)
          return trap(core, "a copy of " + std::to_string(bytes) +
                                " bytes from " + std::to_string(b) + " to " +
                                std::to_string(a) +
                                " is beyond the PE's memory");
        std::memmove(core.memory + a, core.memory + b, bytes);
        moveDefined(core, static_cast<uint32_t>(a), static_cast<uint32_t>(b),
                    static_cast<uint32_t>(bytes));
        cost += machine.cycles(info.kind) * ((bytes + 3) / 4);
        cost -= machine.cycles(info.kind);
        break;
      }
      case Opcode::FrameAddress:
        r[i.dest] = frame->stack + i.immediate;
        break;
      case Opcode::Jump:
        frame->pc = i.immediate;
        break;
      case Opcode::JumpIf:
      case Opcode::JumpIfNot:
        if ((a != 0) == (i.opcode == Opcode::JumpIf))
          frame->pc = i.immediate;
        else
          cost += machine.cycles(ScalarClass::Fall) -
                  machine.cycles(ScalarClass::Branch);
        break;
      case Opcode::FunctionAddress:
        r[i.dest] = uint64_t(i.immediate) + 1;
        break;
      case Opcode::Call:
      case Opcode::CallIndirect: {
        uint64_t callee = i.opcode == Opcode::Call ? i.immediate : b - 1;
        if (callee >= code.functions.size())
          return trap(core, "a call through a pointer to no function");
        const Function &target = code.functions[callee];
        // Whom a pointer leads to is not known before.
        if (i.opcode == Opcode::CallIndirect &&
            (target.arguments != i.immediate ||
             (i.dest != kNoRegister &&
              i.dest + target.results > function->registers)))
          return trap(core,
                      "a call through a pointer with " +
                          std::to_string(i.immediate) +
                          " arguments leads to '" + target.name +
                          "', which takes " + std::to_string(target.arguments) +
                          " and returns " + std::to_string(target.results));
        uint32_t stack = frame->stack + function->frameBytes;
        if (stack + target.frameBytes >
                uint32_t(code.stackAddress) + code.stackBytes &&
            target.frameBytes)
          return trap(core, "the stack of " + std::to_string(code.stackBytes) +
                                " bytes is full in a call of '" + target.name +
                                "'");
        uint32_t base = frame->registers + function->registers;
        if (core.frames.size() >= 1024 || base > kMostRegisters)
          return trap(core, "calls nest deeper than 1024");
        if (core.registers.size() < base + target.registers)
          core.registers.resize(base + target.registers);
        r = core.registers.data() + frame->registers;
        uint64_t *fresh = core.registers.data() + base;
        std::fill(fresh, fresh + target.registers, 0);
        if (target.arguments)
          std::copy(r + i.left, r + i.left + target.arguments, fresh);
        core.frames.push_back({static_cast<uint32_t>(callee), 0, base, stack});
        std::memset(core.memory + stack, 0, target.frameBytes);
        define(core, stack, target.frameBytes, false);
        switched = true;
        break;
      }
      case Opcode::Return: {
        // Call has paid for both.
        cost -= machine.cycles(info.kind);
        unsigned results = function->results;
        Register first = i.left;
        core.frames.pop_back();
        if (core.frames.empty()) {
          // The next task is picked when the last instruction is over.
          core.main = MainState::Idle;
          wake(core, now + std::max<uint64_t>(cost, 1));
          core.until = now + cost;
          counters.active += cost;
          if (options.observer) {
            options.observer->works(momentOf(core, now), cost);
            options.observer->taskEnds(momentOf(core, core.until));
          }
          return;
        }
        Frame &caller = core.frames.back();
        const Instruction &call =
            code.functions[caller.function].instructions[caller.pc - 1];
        uint64_t *to = core.registers.data() + caller.registers;
        for (unsigned n = 0; n < results && call.dest != kNoRegister; ++n)
          to[call.dest + n] = r[first + n];
        switched = true;
        break;
      }
      case Opcode::DsdConstant:
        r[i.dest] = code.descriptors[i.immediate].pack();
        break;
      case Opcode::DsdSetBase:
      case Opcode::DsdAddBase:
      case Opcode::DsdSetExtent:
      case Opcode::DsdSetStride:
      case Opcode::DsdSetQueue:
      case Opcode::DsdSetColor:
        r[i.dest] = setDescriptor(i.opcode, a, b);
        break;
      default:
        r[i.dest] = integer(i.opcode, a, b, i.width) & maskOf(i.width);
        break;
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Machine instructions
//===----------------------------------------------------------------------===//

/// Bytes of a PE's buffer for prints, which is put out when it is full (the
/// manual does not say how large it is).
static constexpr size_t kLineBuffer = 256;

void Stepper::print(Core &core, const Print &print, const uint64_t *registers) {
  if (!core.openLine)
    core.openLine = std::make_unique<std::string>();
  std::string &text = *core.openLine;
  llvm::raw_string_ostream os(text);
  for (size_t i = 0; i < print.pieces.size(); ++i) {
    os << print.pieces[i];
    if (i >= print.values.size())
      break;
    const Print::Value &value = print.values[i];
    uint64_t bits = registers[value.value] & maskOf(value.width);
    switch (value.form) {
    case Print::Form::Unsigned:
      os << bits;
      break;
    case Print::Form::Signed:
      os << extend(bits, value.width);
      break;
    case Print::Form::Hex:
      os << printedHex(bits, value.width);
      break;
    case Print::Form::Binary:
      os << printedBinary(bits, value.width);
      break;
    case Print::Form::Float:
      os << printedFloat(
          value.width == 16
              ? dsd::decodeFp16(program.fp16, static_cast<uint32_t>(bits))
              : dsd::decodeF32(static_cast<uint32_t>(bits)));
      break;
    case Print::Form::Bool:
      os << (bits ? "true" : "false");
      break;
    }
  }
  if (!print.partial)
    text += '\n';
  auto put = [&](llvm::StringRef line) {
    std::string entry;
    llvm::raw_string_ostream(entry)
        << '@' << now << " P" << core.x + program.offsetX << '.'
        << core.y + program.offsetY << ": " << line;
    lines.push_back({now, indexOf(core), static_cast<uint32_t>(lines.size()),
                     std::move(entry)});
  };
  llvm::StringRef rest = text;
  while (rest.contains('\n')) {
    auto [line, next] = rest.split('\n');
    put(line);
    rest = next;
  }
  if (rest.size() >= kLineBuffer) {
    put(rest);
    rest = "";
  }
  if (rest.empty())
    core.openLine.reset();
  else
    text = rest.str();
}

/// x^23 + x^18 + 1, 128 steps for 16 bits (BLT-064).
static uint16_t nextRandom(uint64_t &state) {
  for (unsigned i = 0; i < 128; ++i) {
    uint64_t bit = (state >> 22 ^ state >> 17) & 1;
    state = (state << 1 | bit) & 0xffffffff;
  }
  return static_cast<uint16_t>(state);
}

Stepper::Machine Stepper::runMachine(Core &core, Frame &frame,
                                     const Instruction &i) {
  const Code &code = *core.code->code;
  const Function &function = code.functions[frame.function];
  uint64_t *r = core.registers.data() + frame.registers;
  uint64_t a = i.left == kNoRegister ? 0 : r[i.left];
  Location location = frame.pc - 1 < function.locations.size()
                          ? function.locations[frame.pc - 1]
                          : 0;
  switch (i.opcode) {
  case Opcode::Assert:
    if (!a)
      trap(core, code.messages[i.immediate], location);
    break;
  case Opcode::Trap:
    trap(core, code.messages[i.immediate], location);
    break;
  case Opcode::Print:
    print(core, code.prints[i.immediate], r);
    break;
  case Opcode::LoadDsr: {
    const DsrLoad &load = code.dsrLoads[i.immediate];
    auto target = [&](Register reg) {
      return reg == kNoRegister ? uint8_t(0) : static_cast<uint8_t>(r[reg]);
    };
    loadDsr(core, load, a, target(load.options.completionTarget),
            target(load.options.onControlTarget));
    break;
  }
  case Opcode::SetDsrBase:
  case Opcode::SetDsrLength: {
    DsrState &state = dsrOf(core, i.immediate >> 8, i.immediate & 0xff);
    Descriptor descriptor = Descriptor::unpack(state.descriptor);
    if (i.opcode == Opcode::SetDsrBase) {
      descriptor.base = static_cast<uint16_t>(a);
      state.head = -1;
    } else {
      descriptor.extent = static_cast<uint16_t>(a);
    }
    state.descriptor = descriptor.pack();
    state.stepping.reset();
    break;
  }
  case Opcode::Dsd:
    return startDsd(core, code.operations[i.immediate], r, i.dest, location);
  case Opcode::StepLoad:
  case Opcode::StepRead:
  case Opcode::StepWrite:
    return runStep(core, i, r, location);
  case Opcode::FifoReadLength:
    core.fifos[i.immediate].readLength = static_cast<uint16_t>(a);
    break;
  case Opcode::FifoWriteLength:
    core.fifos[i.immediate].writeLength = static_cast<uint16_t>(a);
    break;
  case Opcode::Activate:
    activate(core, a);
    break;
  case Opcode::Block:
  case Opcode::Unblock:
    block(core, static_cast<BlockKind>(i.immediate), a,
          i.opcode == Opcode::Block);
    break;
  case Opcode::QueueFlush:
    queueFlush(core, static_cast<unsigned>(a), i.immediate != 0);
    break;
  case Opcode::GetConfig:
    r[i.dest] = readConfig(core, static_cast<uint16_t>(a));
    break;
  case Opcode::SetConfig:
    writeConfig(core, static_cast<uint16_t>(a),
                static_cast<uint16_t>(r[i.right]));
    break;
  case Opcode::Random16:
    r[i.dest] = nextRandom(core.random[core.prng]);
    break;
  case Opcode::SetPrng:
    core.prng = static_cast<uint8_t>(a % std::min(machine.prngs, 4u));
    break;
  case Opcode::UnblockCommandStream:
    core.commandBlocked = false;
    core.mayStart = true;
    wake(core, now + 1);
    break;
  default:
    break;
  }
  return Machine::Continue;
}

/// @map: one element at a time (BLT-061). A slot, or a DSR that was loaded with
/// single_step (BLT-060), keeps its place from one step to the next.
Stepper::Machine Stepper::runStep(Core &core, const Instruction &i,
                                  uint64_t *registers, Location location) {
  bool write = i.opcode == Opcode::StepWrite;
  bool isDsr = i.immediate & kStepDsr;
  unsigned bytes = i.width / 8;
  auto begin = [&](StepSlot &slot, uint64_t bits, unsigned elementBytes) {
    uint32_t length = 0;
    slot = {};
    if (!latch(core, slot.walk, Descriptor::unpack(bits), elementBytes, length,
               0, location))
      return false;
    if (slot.walk.kind == Walk::Kind::Fifo) {
      trap(core, "an @map over a FIFO", location);
      return false;
    }
    slot.walk.perWavelet = 1;
    slot.remaining = length;
    slot.unbounded = slot.walk.isFabric() && length == kUnboundedExtent;
    return true;
  };
  if (i.opcode == Opcode::StepLoad) {
    uint64_t bits = i.left == kNoRegister ? 0 : registers[i.left];
    // The element size is that of the steps.
    return begin(core.steps[i.immediate], bits, 2) ? Machine::Continue
                                                   : Machine::Stop;
  }
  StepSlot *slot;
  if (isDsr) {
    unsigned file = (i.immediate & ~kStepDsr) >> 8, number = i.immediate & 0xff;
    DsrState &state = dsrOf(core, file, number);
    if (!state.singleStep) {
      trap(core,
           "an @map over " + getName(static_cast<DsrFile>(file)).str() + " " +
               std::to_string(number) +
               ", which was not loaded with single_step",
           location);
      return Machine::Stop;
    }
    if (!state.stepping) {
      state.stepping = std::make_unique<StepSlot>();
      if (!begin(*state.stepping, state.descriptor, bytes))
        return Machine::Stop;
    }
    slot = state.stepping.get();
  } else {
    slot = &core.steps[i.immediate];
  }
  Walk &walk = slot->walk;
  if (walk.kind == Walk::Kind::None ||
      (walk.isFabric() && write != (walk.kind == Walk::Kind::FabricOut))) {
    trap(core, "an @map over an operand of another kind", location);
    return Machine::Stop;
  }
  if (walk.kind == Walk::Kind::Linear)
    walk.step = walk.step / walk.bytes * static_cast<int>(bytes);
  if (walk.kind == Walk::Kind::Circular) {
    walk.end = walk.begin +
               (walk.end - walk.begin) / walk.bytes * static_cast<int>(bytes);
    walk.step = static_cast<int>(bytes);
  }
  walk.bytes = static_cast<uint8_t>(bytes);
  walk.dense &= bytes == 2;
  if (!slot->remaining) {
    if (i.right != kNoRegister)
      registers[i.right] = 0;
    return Machine::Continue;
  }
  auto wait = [&](Stall stall) {
    --core.frames.back().pc;
    if (core.main != MainState::Step)
      core.mainSince = now;
    core.main = MainState::Step;
    core.stepStall = stall;
    core.stepRing = walk.ring;
    return Machine::Stop;
  };
  uint64_t value = 0;
  if (walk.kind == Walk::Kind::FabricIn) {
    Ring &ring = core.rings[walk.ring];
    if (!ring.ready(now))
      return wait(Stall::Input);
    value = elementOf(core, walk, ring.front()) & maskOf(i.width);
    popInput(core, ring);
    wake(core, now + 1);
  } else if (walk.kind == Walk::Kind::FabricOut) {
    Ring &ring = core.rings[walk.ring];
    if (ring.full())
      return wait(Stall::Output);
    putWavelet(core, walk,
               static_cast<uint32_t>(registers[i.left] & maskOf(i.width)),
               slot->remaining == 1);
    wake(core, now + 1);
  } else {
    if (!checkRange(core, walk, 1, location))
      return Machine::Stop;
    if (write)
      writeMemory(core, walk, static_cast<uint32_t>(registers[i.left]));
    else
      value = readMemory(core, walk);
    if (stopped)
      return Machine::Stop;
  }
  core.main = MainState::Busy;
  if (!slot->unbounded)
    --slot->remaining;
  if (!write)
    registers[i.dest] = value;
  if (i.right != kNoRegister)
    registers[i.right] = 1;
  return Machine::Continue;
}
