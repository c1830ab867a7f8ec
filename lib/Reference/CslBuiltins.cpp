//===- CslBuiltins.cpp - Ids, tasks, host, registers of csl programs ------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CslState.h"
#include "sequin/Support/DsdArithmetic.h"
#include "sequin/Support/PrintedValue.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

using Handler = Step::Handler;

//===----------------------------------------------------------------------===//
// Ids
//===----------------------------------------------------------------------===//

static void runConstant(CslMachineState &, Pe &, Activation &frame,
                        const Step &step) {
  result(frame, step) = {
      cast<csl::ConstantOp>(step.op).getValueAttr().getValue().getZExtValue()};
}

static void runGetParam(CslMachineState &, Pe &pe, Activation &frame,
                        const Step &step) {
  result(frame, step) = {pe.params[pe.code->paramNumbers.lookup(
      cast<csl::GetParamOp>(step.op).getParam())]};
}

static void runTruncate(CslMachineState &, Pe &, Activation &frame,
                        const Step &step) {
  result(frame,
         step) = {operand(frame, step, 0).bits & maskOf(step.resultWidth)};
}

static void runSame(CslMachineState &, Pe &, Activation &frame,
                    const Step &step) {
  result(frame,
         step) = {operand(frame, step, 0).bits == operand(frame, step, 1).bits};
}

static void runTaskId(CslMachineState &machine, Pe &pe, Activation &frame,
                      const Step &step) {
  StringRef name = cast<csl::TaskIdOp>(step.op).getTask();
  for (const auto &[id, task] : pe.tasks)
    if (task.function && task.function->name == name) {
      result(frame, step) = {id};
      return;
    }
  // A comptime block may bind it further down.
  std::optional<int64_t> later;
  step.op->getParentOfType<csl::ProgramOp>().walk([&](Operation *op) {
    if (!isa<csl::ComptimeOp>(op->getParentOp()) || later)
      return;
    if (auto local = dyn_cast<csl::BindLocalTaskOp>(op);
        local && local.getTask() == name)
      later = csl::getKnownId(local.getId());
    if (auto data = dyn_cast<csl::BindDataTaskOp>(op);
        data && data.getTask() == name)
      later = csl::getKnownId(data.getId());
  });
  if (later) {
    result(frame, step) = {static_cast<uint64_t>(*later)};
    return;
  }
  machine.trap(pe, "task '" + name + "' is bound to no id", step.op);
}

static void runGetFilterId(CslMachineState &machine, Pe &pe, Activation &frame,
                           const Step &step) {
  auto found =
      pe.colors.find(static_cast<uint8_t>(operand(frame, step, 0).bits));
  if (found == pe.colors.end() || found->second.filter < 0)
    return machine.trap(
        pe, "color " + Twine(operand(frame, step, 0).bits) + " has no filter",
        step.op);
  result(frame, step) = {static_cast<uint64_t>(found->second.filter)};
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

static void runActivate(CslMachineState &machine, Pe &pe, Activation &frame,
                        const Step &step) {
  machine.activate(pe, operand(frame, step, 0).bits);
}

template <bool On>
static void runBlock(CslMachineState &machine, Pe &pe, Activation &frame,
                     const Step &step) {
  uint64_t id = operand(frame, step, 0).bits;
  if (!isa<csl::UtIdType>(step.op->getOperand(0).getType()))
    return machine.block(pe, id, On);
  if (id >= machine.machine->microthreads)
    return machine.trap(pe,
                        "microthread " + Twine(id) +
                            " is blocked or unblocked, there are " +
                            Twine(machine.machine->microthreads),
                        step.op);
  uint8_t bit = static_cast<uint8_t>(1u << id);
  pe.blockedMicrothreads =
      On ? pe.blockedMicrothreads | bit : pe.blockedMicrothreads & ~bit;
  machine.ready(pe);
}

static void runQueueFlush(CslMachineState &machine, Pe &pe, Activation &frame,
                          const Step &step) {
  bool output = isa<csl::OutputQueueType>(step.op->getOperand(0).getType());
  int queue = static_cast<int>(
      std::min<uint64_t>(operand(frame, step, 0).bits, INT16_MAX));
  if (!machine.checkQueue(pe, queue,
                          output ? machine.machine->outputQueues()
                                 : machine.machine->inputQueues(),
                          step.op))
    return;
  uint8_t bit = static_cast<uint8_t>(1u << queue);
  if (output) {
    // What was handed to an output queue has left it.
    pe.flushedOutput |= bit;
    pe.handleOutput |= bit;
    machine.activate(pe, machine.machine->teardownTask);
  } else {
    pe.flushInput |= bit;
    machine.ready(pe);
  }
}

//===----------------------------------------------------------------------===//
// PE
//===----------------------------------------------------------------------===//

static void runRectangle(CslMachineState &machine, Pe &, Activation &frame,
                         const Step &step) {
  int64_t numbers[] = {machine.width,       machine.height,
                       machine.fabricWidth, machine.fabricHeight,
                       machine.offsetX,     machine.offsetY};
  for (auto [i, number] : llvm::enumerate(numbers))
    result(frame, step,
           static_cast<unsigned>(i)) = {static_cast<uint64_t>(number) & 0xffff};
}

static void runCoordinate(CslMachineState &, Pe &pe, Activation &frame,
                          const Step &step) {
  bool isX = cast<csl::CoordinateOp>(step.op).getAxis() == csl::Axis::X;
  result(frame, step) = {static_cast<uint64_t>(isX ? pe.x : pe.y)};
}

/// x^23 + x^18 + 1, 128 steps per number (BLT-064).
static void runRandom(CslMachineState &, Pe &pe, Activation &frame,
                      const Step &step) {
  uint32_t &state = pe.random[pe.prng];
  for (unsigned i = 0; i < 128; ++i)
    state = state << 1 | ((state >> 22 ^ state >> 17) & 1);
  result(frame, step) = {state & 0xffff};
}

static void runSetPrng(CslMachineState &machine, Pe &pe, Activation &frame,
                       const Step &step) {
  pe.prng = static_cast<unsigned>(
      operand(frame, step, 0).bits %
      std::min<uint64_t>(machine.machine->prngs, pe.random.size()));
}

static void runRegisterAddress(CslMachineState &, Pe &, Activation &frame,
                               const Step &step) {
  auto op = cast<csl::RegisterAddressOp>(step.op);
  uint64_t address = lookupCslRegister(op.getName())->address;
  if (op.getIndex())
    address += operand(frame, step, 0).bits;
  result(frame, step) = {address & 0xffff};
}

static void runGetConfig(CslMachineState &machine, Pe &pe, Activation &frame,
                         const Step &step) {
  uint16_t address = static_cast<uint16_t>(operand(frame, step, 0).bits);
  if (!pe.loading) {
    result(frame, step) = {machine.readConfig(pe, address)};
    return;
  }
  // Before the start it is what was written, or the default.
  for (auto [written, value] : llvm::reverse(pe.initialRegisters))
    if (written == address) {
      result(frame, step) = {value};
      return;
    }
  const CslRegisterInfo *info = lookupCslRegister(address);
  if (!info)
    return machine.trap(pe,
                        "register " + Twine(address) +
                            " was not written and has no default",
                        step.op);
  result(frame, step) = {info->reset};
}

static void runSetConfig(CslMachineState &machine, Pe &pe, Activation &frame,
                         const Step &step) {
  uint16_t address = static_cast<uint16_t>(operand(frame, step, 0).bits);
  uint16_t value = static_cast<uint16_t>(operand(frame, step, 1).bits);
  if (pe.loading)
    pe.initialRegisters.emplace_back(address, value);
  else
    machine.writeConfig(pe, address, value);
}

//===----------------------------------------------------------------------===//
// Host
//===----------------------------------------------------------------------===//

static void runUnblockCommands(CslMachineState &machine, Pe &pe, Activation &,
                               const Step &) {
  pe.commandBlocked = false;
  machine.ready(pe);
}

static void runGetSymbolId(CslMachineState &machine, Pe &pe, Activation &frame,
                           const Step &step) {
  StringRef symbol = cast<csl::GetSymbolIdOp>(step.op).getSymbol();
  for (auto [number, name] : llvm::enumerate(machine.exportNames))
    if (Operation *exported = pe.code->exports.lookup(name.getName()))
      if (SymbolTable::getSymbolName(exported) == symbol) {
        result(frame, step) = {number};
        return;
      }
  machine.trap(pe, "'" + symbol + "' is not exported", step.op);
}

/// The variable that is advertised under a number; null if there is none.
static csl::VarOp findSymbol(CslMachineState &machine, Pe &pe, uint64_t id) {
  if (id >= machine.exportNames.size())
    return {};
  return dyn_cast_or_null<csl::VarOp>(
      pe.code->exports.lookup(machine.exportNames[id].getName()));
}

static void runGetSymbolValue(CslMachineState &machine, Pe &pe,
                              Activation &frame, const Step &step) {
  Type type = step.op->getResult(0).getType();
  result(frame, step) = {0};
  csl::VarOp var = findSymbol(machine, pe, operand(frame, step, 0).bits);
  if (!var || var.getMemRefType().getRank() != 0 ||
      var.getMemRefType().getElementType() != type)
    return;
  const Object *object = pe.code->memory.find(var.getSymName());
  result(frame, step) = {
      pe.memory.load(object->begin, static_cast<unsigned>(sizeOf(type).bytes)) &
      maskOf(bitsOf(type))};
}

static void runGetTensorPtr(CslMachineState &machine, Pe &pe, Activation &frame,
                            const Step &step) {
  result(frame, step) = {0};
  csl::VarOp var = findSymbol(machine, pe, operand(frame, step, 0).bits);
  if (!var)
    return;
  const Object *object = pe.code->memory.find(var.getSymName());
  MemRefType type = var.getMemRefType();
  if (type.getRank() > 0)
    result(frame, step) = {object->begin};
  else if (isa<csl::PtrType>(type.getElementType()))
    result(frame, step) = {pe.memory.load(object->begin, 2)};
}

static void runPrint(CslMachineState &machine, Pe &pe, Activation &frame,
                     const Step &step) {
  StringRef format = cast<csl::SimPrintOp>(step.op).getFormat();
  llvm::raw_string_ostream os(pe.openLine);
  unsigned next = 0;
  while (!format.empty()) {
    size_t brace = format.find('{');
    os << format.take_front(brace);
    if (brace == StringRef::npos)
      break;
    format = format.drop_front(brace);
    if (format.consume_front("{{")) {
      os << '{';
      continue;
    }
    // {d}, {u}, {X}, {b} or {f}.
    char form = format[1];
    format = format.drop_front(3);
    Type type = step.op->getOperand(next).getType();
    uint64_t bits = operand(frame, step, next++).bits;
    unsigned width = bitsOf(type);
    if (type.isF32())
      os << printedFloat(dsd::decodeF32(static_cast<uint32_t>(bits)));
    else if (isa<FloatType, csl::CB16Type>(type))
      os << printedFloat(
          dsd::decodeFp16(machine.fp16(), static_cast<uint32_t>(bits)));
    else if (width == 1)
      os << (bits ? "true" : "false");
    else if (form == 'X')
      os << printedHex(bits, width);
    else if (form == 'b')
      os << printedBinary(bits, width);
    else if (isa<IntegerType>(type) && form != 'u')
      os << signedOf(bits, width);
    else
      os << bits;
  }
  if (!cast<csl::SimPrintOp>(step.op).getPartial())
    pe.openLine += '\n';
  StringRef rest = pe.openLine;
  while (rest.contains('\n')) {
    auto [line, after] = rest.split('\n');
    machine.printed.push_back(llvm::formatv("P{0}.{1}: {2}",
                                            pe.x + machine.offsetX,
                                            pe.y + machine.offsetY, line)
                                  .str());
    rest = after;
  }
  pe.openLine = rest.str();
}

Handler reference::findBuiltinHandler(Operation *op) {
  return llvm::TypeSwitch<Operation *, Handler>(op)
      .Case<csl::ConstantOp>([](auto) { return runConstant; })
      .Case<csl::GetParamOp>([](auto) { return runGetParam; })
      .Case<csl::MakeIdOp, csl::GetDataTaskIdOp, csl::GetIntOp>(
          [](auto) { return runTruncate; })
      .Case<csl::SameOp>([](auto) { return runSame; })
      .Case<csl::TaskIdOp>([](auto) { return runTaskId; })
      .Case<csl::GetFilterIdOp>([](auto) { return runGetFilterId; })
      .Case<csl::ActivateOp>([](auto) { return runActivate; })
      .Case<csl::BlockOp>([](auto) { return runBlock<true>; })
      .Case<csl::UnblockOp>([](auto) { return runBlock<false>; })
      .Case<csl::QueueFlushOp>([](auto) { return runQueueFlush; })
      .Case<csl::GetRectangleOp>([](auto) { return runRectangle; })
      .Case<csl::CoordinateOp>([](auto) { return runCoordinate; })
      .Case<csl::Random16Op>([](auto) { return runRandom; })
      .Case<csl::SetActivePrngOp>([](auto) { return runSetPrng; })
      .Case<csl::RegisterAddressOp>([](auto) { return runRegisterAddress; })
      .Case<csl::GetConfigOp>([](auto) { return runGetConfig; })
      .Case<csl::SetConfigOp>([](auto) { return runSetConfig; })
      .Case<csl::UnblockCmdStreamOp>([](auto) { return runUnblockCommands; })
      .Case<csl::GetSymbolIdOp>([](auto) { return runGetSymbolId; })
      .Case<csl::GetSymbolValueOp>([](auto) { return runGetSymbolValue; })
      .Case<csl::GetTensorPtrOp>([](auto) { return runGetTensorPtr; })
      .Case<csl::SimPrintOp>([](auto) { return runPrint; })
      .Default([](Operation *) { return Handler(nullptr); });
}
