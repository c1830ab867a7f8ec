//===- CheckProgram.cpp - What a reader of a wafer program relies on ------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Machine/CslRegisters.h"
#include "sequin/Wafer/Program.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace sequin;
using namespace sequin::wafer;
using llvm::Error;
using llvm::Twine;

namespace {
/// One program's check. Every method returns the first violation below it.
class Checker {
public:
  Checker(const Program &program, const CslMachine &machine)
      : program(program), machine(machine) {}

  Error run();

private:
  /// "code 'pe' function 'f' instruction 3: ...": where, then what.
  static Error fail(const Twine &where, const Twine &what) {
    return llvm::createStringError(where + ": " + what);
  }
  /// `value` counts into a table of `size` entries.
  static Error index(const Twine &where, llvm::StringRef what, uint64_t value,
                     uint64_t size) {
    if (value < size)
      return Error::success();
    return fail(where,
                what + " is " + Twine(value) + ", there are " + Twine(size));
  }
  Error location(const Twine &where, Location value) {
    return index(where, "location", value, program.locations.size());
  }

  Error checkMemory(const Code &code, const Twine &where);
  Error checkDescriptor(const Descriptor &descriptor, const Code &code,
                        const Twine &where);
  Error checkOptions(const AsyncOptions &options, const Function *function,
                     const Twine &where);
  Error checkDsr(DsrRef dsr, const Twine &where);
  Error checkLoad(const DsrLoad &load, const Function *function,
                  const Twine &where);
  Error checkOperation(const Operation &operation, const Function &function,
                       const Twine &where);
  Error checkInstruction(const Instruction &instruction, const Code &code,
                         const Function &function, const Twine &where);
  Error checkFunction(const Code &code, const Function &function,
                      const Twine &where);
  Error checkCode(const Code &code);
  Error checkTask(const Task &task, const Code &code, const Twine &where);
  Error checkSetup(const Setup &setup, const Twine &where);
  Error checkRouter(const Router &router, const Twine &where);
  Error checkPe(const Pe &pe, const Twine &where);
  Error checkSymbol(const Symbol &symbol);

  const Program &program;
  const CslMachine &machine;
};

/// Registers that an instruction reads or writes, as a number of consecutive
/// ones from each member on.
struct RegisterUse {
  unsigned dest = 0, left = 0, right = 0;
  bool immediate = false; ///< the immediate is a register
};
} // namespace

/// Whether control never goes on behind it.
static bool endsFunction(Opcode opcode) {
  return opcode == Opcode::Jump || opcode == Opcode::Return ||
         opcode == Opcode::Trap;
}

static bool isWidth(const Instruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::Load:
  case Opcode::Store:
    return llvm::is_contained({8, 16, 32, 64}, instruction.width);
  case Opcode::StepRead:
  case Opcode::StepWrite:
  case Opcode::FloatAdd:
  case Opcode::FloatSub:
  case Opcode::FloatMul:
  case Opcode::FloatDiv:
  case Opcode::FloatRem:
  case Opcode::FloatFma:
  case Opcode::FloatNeg:
  case Opcode::FloatAbs:
  case Opcode::FloatCopySign:
  case Opcode::FloatMinNum:
  case Opcode::FloatMaxNum:
  case Opcode::FloatMinimum:
  case Opcode::FloatMaximum:
  case Opcode::FloatCompare:
  case Opcode::FloatFromS:
  case Opcode::FloatFromU:
  case Opcode::FloatToS:
  case Opcode::FloatToU:
  case Opcode::FloatFunction:
    return instruction.width == 16 || instruction.width == 32;
  case Opcode::Add:
  case Opcode::Sub:
  case Opcode::Mul:
  case Opcode::MulHighS:
  case Opcode::MulHighU:
  case Opcode::DivS:
  case Opcode::DivU:
  case Opcode::RemS:
  case Opcode::RemU:
  case Opcode::And:
  case Opcode::Or:
  case Opcode::Xor:
  case Opcode::ShiftLeft:
  case Opcode::ShiftRightS:
  case Opcode::ShiftRightU:
  case Opcode::MinS:
  case Opcode::MaxS:
  case Opcode::MinU:
  case Opcode::MaxU:
  case Opcode::Equal:
  case Opcode::NotEqual:
  case Opcode::LessS:
  case Opcode::LessEqualS:
  case Opcode::LessU:
  case Opcode::LessEqualU:
  case Opcode::SignExtend:
  case Opcode::Truncate:
  case Opcode::LeadingZeros:
  case Opcode::TrailingZeros:
  case Opcode::PopCount:
    return instruction.width >= 1 && instruction.width <= 64;
  default:
    return true;
  }
}

static RegisterUse getUse(const Instruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::Constant:
  case Opcode::ConstantWide:
  case Opcode::Parameter:
  case Opcode::FrameAddress:
  case Opcode::FunctionAddress:
  case Opcode::DsdConstant:
  case Opcode::Random16:
    return {.dest = 1};
  case Opcode::Copy:
  case Opcode::SignExtend:
  case Opcode::Truncate:
  case Opcode::LeadingZeros:
  case Opcode::TrailingZeros:
  case Opcode::PopCount:
  case Opcode::FloatNeg:
  case Opcode::FloatAbs:
  case Opcode::FloatExtend:
  case Opcode::FloatTruncate:
  case Opcode::FloatFromS:
  case Opcode::FloatFromU:
  case Opcode::FloatToS:
  case Opcode::FloatToU:
  case Opcode::GetConfig:
    return {.dest = 1, .left = 1};
  case Opcode::FloatFunction: {
    auto function = static_cast<FloatFunction>(instruction.immediate);
    bool two =
        function == FloatFunction::Atan2 || function == FloatFunction::Pow;
    return {.dest = 1, .left = 1, .right = two};
  }
  case Opcode::Select:
  case Opcode::FloatFma:
    return {.dest = 1, .left = 1, .right = 1, .immediate = true};
  case Opcode::CopyMemory:
  case Opcode::SetConfig:
    return {.left = 1, .right = 1};
  case Opcode::Jump:
  case Opcode::Trap:
  case Opcode::Print:
  case Opcode::UnblockCommandStream:
    return {};
  case Opcode::JumpIf:
  case Opcode::JumpIfNot:
  case Opcode::Assert:
  case Opcode::LoadDsr:
  case Opcode::SetDsrBase:
  case Opcode::SetDsrLength:
  case Opcode::StepLoad:
  case Opcode::FifoReadLength:
  case Opcode::FifoWriteLength:
  case Opcode::Activate:
  case Opcode::Block:
  case Opcode::Unblock:
  case Opcode::QueueFlush:
  case Opcode::SetPrng:
    return {.left = 1};
  case Opcode::StepRead:
    return {.dest = 1, .right = 1};
  case Opcode::StepWrite:
    return {.left = 1, .right = 1};
  // Optional parts; these are looked at where they are checked.
  case Opcode::Load:
  case Opcode::Store:
    return {.dest = 1,
            .left = instruction.left != kNoRegister,
            .right = instruction.right != kNoRegister};
  case Opcode::Dsd:
    return {.dest = instruction.dest != kNoRegister};
  case Opcode::Call:
  case Opcode::Return:
    return {};
  // How many results there are is the callee's to say.
  case Opcode::CallIndirect:
    return {.dest = instruction.dest != kNoRegister,
            .left = instruction.immediate,
            .right = 1};
  default:
    return {.dest = 1, .left = 1, .right = 1};
  }
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

Error Checker::checkMemory(const Code &code, const Twine &where) {
  struct Piece {
    int64_t begin, end;
    std::string name;
  };
  std::vector<Piece> pieces;
  auto add = [&](int64_t address, int64_t bytes, const Twine &name) -> Error {
    if (bytes < 0 || address > machine.memoryBytesPerPe - bytes)
      return fail(where, name + " at " + Twine(address) + " with " +
                             Twine(bytes) + " bytes, " + machine.name +
                             " has " + Twine(machine.memoryBytesPerPe));
    if (bytes)
      pieces.push_back({address, address + bytes, name.str()});
    return Error::success();
  };
  for (const Variable &variable : code.variables) {
    if (!variable.elementBytes)
      return fail(where, "variable '" + variable.name + "' has no size");
    int64_t count = 1;
    for (int64_t size : variable.shape)
      if (size < 0 || size > machine.memoryBytesPerPe ||
          (count *= size) > machine.memoryBytesPerPe)
        return fail(where, "variable '" + variable.name +
                               "' is larger than the memory");
    if (Error error = add(variable.address, variable.bytes(),
                          "variable '" + variable.name + "'"))
      return error;
    if (!variable.data.empty() &&
        static_cast<int64_t>(variable.data.size()) != variable.bytes())
      return fail(where, "variable '" + variable.name + "' of " +
                             Twine(variable.bytes()) + " bytes has " +
                             Twine(variable.data.size()) + " bytes of data");
    if (Error error = location(where, variable.location))
      return error;
  }
  if (Error error = add(code.textAddress, code.textBytes, "the code"))
    return error;
  if (Error error = add(code.stackAddress, code.stackBytes, "the stack"))
    return error;
  llvm::sort(pieces,
             [](const Piece &a, const Piece &b) { return a.begin < b.begin; });
  for (size_t i = 1; i < pieces.size(); ++i)
    if (pieces[i].begin < pieces[i - 1].end)
      return fail(where, pieces[i].name + " at " + Twine(pieces[i].begin) +
                             " overlaps " + pieces[i - 1].name);
  return Error::success();
}

Error Checker::checkDescriptor(const Descriptor &descriptor, const Code &code,
                               const Twine &where) {
  if (descriptor.kind == DescriptorKind::Mem4d)
    return index(where, "shape", descriptor.shape, code.shapes.size());
  if (descriptor.kind == DescriptorKind::Circular && !descriptor.wraparound)
    return fail(where, "a circular buffer of no elements");
  if (descriptor.queue && descriptor.isFabric())
    if (Error error = index(where, "queue", *descriptor.queue,
                            descriptor.kind == DescriptorKind::FabricIn
                                ? machine.inputQueues()
                                : machine.outputQueues()))
      return error;
  if (descriptor.color)
    return index(where, "color", *descriptor.color, machine.colors);
  return Error::success();
}

Error Checker::checkDsr(DsrRef dsr, const Twine &where) {
  return index(where, "DSR", dsr.number, machine.dsrsPerFile);
}

Error Checker::checkOptions(const AsyncOptions &options,
                            const Function *function, const Twine &where) {
  auto target = [&](bool wanted, Register value) -> Error {
    if (!function)
      return Error::success();
    if (wanted)
      return index(where, "register", value, function->registers);
    return Error::success();
  };
  if (Error error = target(options.completion != Completion::None,
                           options.completionTarget))
    return error;
  if (Error error = target(options.onControl == OnControl::Activate ||
                               options.onControl == OnControl::Unblock,
                           options.onControlTarget))
    return error;
  if (options.microthread)
    return index(where, "microthread", *options.microthread,
                 machine.microthreads);
  return Error::success();
}

Error Checker::checkLoad(const DsrLoad &load, const Function *function,
                         const Twine &where) {
  if (Error error = checkDsr(load.dsr, where))
    return error;
  if (load.xdsr)
    if (Error error = index(where, "XDSR", *load.xdsr, machine.xdsrs))
      return error;
  for (uint8_t number : load.strideRegisters)
    if (Error error =
            index(where, "stride register", number, machine.strideRegisters))
      return error;
  return checkOptions(load.options, function, where);
}

Error Checker::checkOperation(const Operation &operation,
                              const Function &function, const Twine &where) {
  const DsdOpInfo &info = getInfo(operation.opcode);
  auto check = [&](const Operand &operand, bool wanted,
                   llvm::StringRef what) -> Error {
    if (wanted != (operand.kind != Operand::Kind::None))
      return fail(where, info.name + (wanted ? " has no " : " has a ") + what);
    if (operand.kind == Operand::Kind::None)
      return Error::success();
    if (operand.kind == Operand::Kind::Dsr)
      return checkDsr(operand.dsr, where);
    return index(where, "register", operand.value, function.registers);
  };
  bool filter = operation.opcode == DsdOpcode::Dfilt;
  if (Error error = check(operation.dest, !filter, "destination"))
    return error;
  if (Error error = check(operation.source0, true, "first source"))
    return error;
  if (Error error =
          check(operation.source1, info.sources() == 2, "second source"))
    return error;
  if (operation.dest.kind == Operand::Kind::Scalar)
    return fail(where, info.name + " writes to a value");
  for (const Operand *source : {&operation.source0, &operation.source1})
    if (source->kind == Operand::Kind::Pointer)
      return fail(where, info.name + " reads through a pointer");
  if (info.scalar != DsdElement::None)
    if (Error error =
            index(where, "register", operation.scalar, function.registers))
      return error;
  if (operation.index != kNoRegister)
    if (Error error =
            index(where, "register", operation.index, function.registers))
      return error;
  return checkOptions(operation.options, &function, where);
}

Error Checker::checkInstruction(const Instruction &instruction,
                                const Code &code, const Function &function,
                                const Twine &where) {
  RegisterUse use = getUse(instruction);
  std::pair<Register, unsigned> ranges[] = {{instruction.dest, use.dest},
                                            {instruction.left, use.left},
                                            {instruction.right, use.right}};
  for (auto [first, count] : ranges)
    if (count && uint64_t(first) + count > function.registers)
      return index(where, "register", uint64_t(first) + count - 1,
                   function.registers);
  if (use.immediate)
    if (Error error =
            index(where, "register", instruction.immediate, function.registers))
      return error;
  // A reader may fetch both operands of any instruction.
  for (Register operand : {instruction.left, instruction.right})
    if (operand != kNoRegister)
      if (Error error = index(where, "register", operand, function.registers))
        return error;
  if (!isWidth(instruction))
    return fail(where, "width is " + Twine(unsigned(instruction.width)));
  uint32_t immediate = instruction.immediate;
  switch (instruction.opcode) {
  case Opcode::ConstantWide:
    return index(where, "constant", immediate, code.constants.size());
  case Opcode::Parameter:
    return index(where, "parameter", immediate, code.parameters.size());
  case Opcode::DsdConstant:
    return index(where, "descriptor", immediate, code.descriptors.size());
  case Opcode::FunctionAddress:
    return index(where, "function", immediate, code.functions.size());
  case Opcode::FloatFunction:
    return index(where, "float function", immediate,
                 unsigned(FloatFunction::RoundEven) + 1);
  case Opcode::FloatCompare:
    return index(where, "relation", immediate, 16);
  case Opcode::SignExtend:
  case Opcode::Truncate:
  case Opcode::FloatFromS:
  case Opcode::FloatFromU:
  case Opcode::FloatToS:
  case Opcode::FloatToU:
    if (immediate < 1 || immediate > 64)
      return fail(where, "width is " + Twine(immediate));
    return Error::success();
  case Opcode::FrameAddress:
    return index(where, "stack offset", immediate, function.frameBytes);
  case Opcode::Jump:
  case Opcode::JumpIf:
  case Opcode::JumpIfNot:
    return index(where, "target", immediate, function.instructions.size());
  case Opcode::Assert:
  case Opcode::Trap:
    return index(where, "message", immediate, code.messages.size());
  case Opcode::Print:
    if (Error error = index(where, "print", immediate, code.prints.size()))
      return error;
    for (const Print::Value &value : code.prints[immediate].values)
      if (Error error =
              index(where, "register", value.value, function.registers))
        return error;
    return Error::success();
  case Opcode::Call: {
    if (Error error =
            index(where, "function", immediate, code.functions.size()))
      return error;
    const Function &callee = code.functions[immediate];
    if (callee.arguments &&
        uint64_t(instruction.left) + callee.arguments > function.registers)
      return index(where, "register",
                   uint64_t(instruction.left) + callee.arguments - 1,
                   function.registers);
    if (callee.results &&
        uint64_t(instruction.dest) + callee.results > function.registers)
      return index(where, "register",
                   uint64_t(instruction.dest) + callee.results - 1,
                   function.registers);
    return Error::success();
  }
  case Opcode::Return:
    if (function.results &&
        uint64_t(instruction.left) + function.results > function.registers)
      return index(where, "register",
                   uint64_t(instruction.left) + function.results - 1,
                   function.registers);
    return Error::success();
  case Opcode::LoadDsr:
    if (Error error = index(where, "DSR load", immediate, code.dsrLoads.size()))
      return error;
    return checkLoad(code.dsrLoads[immediate], &function, where);
  case Opcode::Dsd:
    if (Error error =
            index(where, "operation", immediate, code.operations.size()))
      return error;
    return checkOperation(code.operations[immediate], function, where);
  case Opcode::SetDsrBase:
  case Opcode::SetDsrLength:
    if (Error error = index(where, "DSR file", immediate >> 8, 3))
      return error;
    return index(where, "DSR", immediate & 0xff, machine.dsrsPerFile);
  case Opcode::StepLoad:
    return index(where, "step slot", immediate, code.stepSlots);
  case Opcode::StepRead:
  case Opcode::StepWrite:
    if (!(immediate & kStepDsr))
      return index(where, "step slot", immediate, code.stepSlots);
    if (Error error = index(where, "DSR file", (immediate & ~kStepDsr) >> 8, 3))
      return error;
    return index(where, "DSR", immediate & 0xff, machine.dsrsPerFile);
  case Opcode::Block:
  case Opcode::Unblock:
  case Opcode::QueueFlush:
    return index(where, "kind", immediate, 2);
  default:
    return Error::success();
  }
}

Error Checker::checkFunction(const Code &code, const Function &function,
                             const Twine &where) {
  if (function.instructions.empty() ||
      !endsFunction(function.instructions.back().opcode))
    return fail(where, "control runs off its end");
  if (function.arguments > function.registers)
    return fail(where, "has " + Twine(function.arguments) + " arguments and " +
                           Twine(function.registers) + " registers");
  if (function.locations.size() != function.instructions.size())
    return fail(where,
                "has " + Twine(function.locations.size()) + " locations for " +
                    Twine(function.instructions.size()) + " instructions");
  if (Error error = location(where, function.location))
    return error;
  for (Location place : function.locations)
    if (Error error = location(where, place))
      return error;
  for (auto [number, instruction] : llvm::enumerate(function.instructions))
    if (Error error =
            checkInstruction(instruction, code, function,
                             where + " instruction " + Twine(number) + " (" +
                                 getInfo(instruction.opcode).name + ")"))
      return error;
  return Error::success();
}

Error Checker::checkCode(const Code &code) {
  std::string where = "code '" + code.name + "'";
  if (Error error = checkMemory(code, where))
    return error;
  for (const Shape &shape : code.shapes)
    if (shape.extents.empty() || shape.extents.size() != shape.strides.size() ||
        shape.extents.size() > machine.dsd.mem4dDimensions)
      return fail(where, "a shape has " + Twine(shape.extents.size()) +
                             " extents and " + Twine(shape.strides.size()) +
                             " strides, " + machine.name + " allows 1 to " +
                             Twine(machine.dsd.mem4dDimensions));
  for (const Print &print : code.prints) {
    if (print.pieces.size() != print.values.size() + 1)
      return fail(where, "a print has " + Twine(print.values.size()) +
                             " values and " + Twine(print.pieces.size()) +
                             " pieces");
    for (const Print::Value &value : print.values)
      if (value.width == 0 || value.width > 64)
        return fail(where, "a print has a value of " +
                               Twine(unsigned(value.width)) +
                               " bits, 1 to 64 are allowed");
  }
  for (const Descriptor &descriptor : code.descriptors)
    if (Error error = checkDescriptor(descriptor, code, where))
      return error;
  unsigned loads = 0;
  for (const Function &function : code.functions)
    loads += llvm::count_if(function.instructions, [](const Instruction &i) {
      return i.opcode == Opcode::StepLoad;
    });
  if (code.stepSlots > loads)
    return fail(where, "has " + Twine(code.stepSlots) + " step slots and " +
                           Twine(loads) + " instructions that fill one");
  for (const Function &function : code.functions)
    if (Error error = checkFunction(
            code, function, where + " function '" + function.name + "'"))
      return error;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Setups, routers, PEs
//===----------------------------------------------------------------------===//

Error Checker::checkTask(const Task &task, const Code &code,
                         const Twine &where) {
  if (Error error =
          index(where, "function", task.function, code.functions.size()))
    return error;
  switch (task.kind) {
  case TaskKind::Data:
    if (Error error = index(where, "data task id", task.id, machine.dataTasks))
      return error;
    break;
  case TaskKind::Local:
    if (task.id < machine.firstLocalTask || task.id > machine.lastLocalTask)
      return fail(where, "local task id is " + Twine(unsigned(task.id)) + ", " +
                             machine.name + " allows " +
                             Twine(machine.firstLocalTask) + " to " +
                             Twine(machine.lastLocalTask));
    break;
  case TaskKind::Control:
    if (Error error =
            index(where, "control task id", task.id, machine.controlTasks))
      return error;
    break;
  }
  size_t count = task.argumentBits.size();
  bool legal = count <= 2 && (task.kind != TaskKind::Local || count == 0) &&
               (task.kind != TaskKind::Data || count > 0);
  for (uint8_t bits : task.argumentBits)
    legal &=
        bits == 16 || (bits == 32 && count == 1 && task.kind == TaskKind::Data);
  if (!legal)
    return fail(where, "a " + getName(task.kind) +
                           " task with arguments that no wavelet carries");
  const Function &function = code.functions[task.function];
  if (function.arguments != count || function.results)
    return fail(where, "task and function '" + function.name +
                           "' differ in their arguments");
  return location(where, task.location);
}

Error Checker::checkSetup(const Setup &setup, const Twine &where) {
  if (Error error = index(where, "code", setup.code, program.codes.size()))
    return error;
  const Code &code = program.codes[setup.code];
  std::vector<std::pair<unsigned, unsigned>> ids;
  for (const Task &task : setup.tasks) {
    if (Error error = checkTask(task, code, where))
      return error;
    bool control = task.kind == TaskKind::Control;
    std::pair<unsigned, unsigned> id(control ? 1 + task.table : 0, task.id);
    if (llvm::is_contained(ids, id))
      return fail(where, "two tasks have " + getName(task.kind) + " task id " +
                             Twine(unsigned(task.id)));
    ids.push_back(id);
  }
  for (const RotatingTask &task : setup.rotating) {
    if (Error error =
            index(where, "function", task.alternative, code.functions.size()))
      return error;
    if (!llvm::is_contained(ids, std::pair<unsigned, unsigned>(0, task.id)))
      return fail(where, "rotating task id " + Twine(unsigned(task.id)) +
                             " has no data task");
    // A control task, whatever started it: halves of the wavelet (TSK-024).
    const Function &alternative = code.functions[task.alternative];
    if (alternative.arguments > 2 || alternative.results)
      return fail(where, "rotating task '" + alternative.name + "' takes " +
                             Twine(alternative.arguments) +
                             " arguments, a wavelet carries 2 halves");
  }
  std::pair<const std::vector<Queue> *, unsigned> queues[] = {
      {&setup.inputQueues, machine.inputQueues()},
      {&setup.outputQueues, machine.outputQueues()}};
  for (auto [list, count] : queues) {
    uint32_t seen = 0;
    for (const Queue &queue : *list) {
      if (Error error = index(where, "queue", queue.id, count))
        return error;
      if (seen >> queue.id & 1)
        return fail(where, "queue " + Twine(unsigned(queue.id)) +
                               " is initialised twice");
      seen |= 1u << queue.id;
      if (queue.color)
        if (Error error = index(where, "color", *queue.color, machine.colors))
          return error;
      if (!queue.color &&
          (list == &setup.inputQueues || machine.outputQueueColor))
        return fail(where,
                    "queue " + Twine(unsigned(queue.id)) + " has no color");
      if (Error error = location(where, queue.location))
        return error;
    }
  }
  for (const Fifo &fifo : setup.fifos) {
    int64_t bytes = int64_t(fifo.elements) * fifo.elementBytes;
    if ((fifo.elementBytes != 2 && fifo.elementBytes != 4) || !fifo.elements)
      return fail(where, "FIFO '" + fifo.name +
                             "' has no elements of 16 or "
                             "32 bits");
    if (fifo.address + bytes > machine.memoryBytesPerPe)
      return fail(where, "FIFO '" + fifo.name + "' leaves the memory");
    for (std::optional<uint8_t> id : {fifo.activatePop, fifo.activatePush})
      if (id && (*id < machine.firstLocalTask || *id > machine.lastLocalTask))
        return fail(where, "FIFO '" + fifo.name + "' activates task id " +
                               Twine(unsigned(*id)));
    if (fifo.dsr)
      if (Error error = index(where, "DSR", *fifo.dsr, machine.dsrsPerFile))
        return error;
    if (Error error = location(where, fifo.location))
      return error;
  }
  for (const Descriptor &descriptor : code.descriptors)
    if (descriptor.kind == DescriptorKind::Fifo)
      if (Error error =
              index(where, "FIFO", descriptor.fifo, setup.fifos.size()))
        return error;
  for (const Function &function : code.functions)
    for (const Instruction &instruction : function.instructions)
      if (instruction.opcode == Opcode::FifoReadLength ||
          instruction.opcode == Opcode::FifoWriteLength)
        if (Error error =
                index(where, "FIFO", instruction.immediate, setup.fifos.size()))
          return error;
  for (const InitialDsr &dsr : setup.dsrs) {
    if (Error error = checkLoad(dsr.load, nullptr, where))
      return error;
    if (Error error = checkDescriptor(dsr.descriptor, code, where))
      return error;
  }
  struct Handlers {
    const std::map<uint8_t, uint32_t> &map;
    llvm::StringRef what;
    unsigned count;
  };
  Handlers handlers[] = {
      {setup.teardownHandlers, "color", machine.colors},
      {setup.emptyInputHandlers, "queue", machine.inputQueues()},
      {setup.emptyOutputHandlers, "queue", machine.outputQueues()}};
  for (const Handlers &entry : handlers)
    for (auto [key, function] : entry.map) {
      if (Error error = index(where, entry.what, key, entry.count))
        return error;
      if (Error error =
              index(where, "function", function, code.functions.size()))
        return error;
      if (code.functions[function].arguments ||
          code.functions[function].results)
        return fail(where, "handler '" + code.functions[function].name +
                               "' takes or returns something");
    }
  for (auto [address, value] : setup.registers)
    if (address < kFirstConfigAddress || address > kLastConfigAddress)
      return fail(where, "register address is " + Twine(unsigned(address)));
  if (uint64_t(setup.blockedTasks | setup.activeTasks) >>
      (machine.lastLocalTask + 1))
    return fail(where, "a task id beyond " + Twine(machine.lastLocalTask) +
                           " is blocked or active");
  if (setup.blockedMicrothreads && !machine.explicitMicrothreads)
    return fail(where,
                "blocks a microthread, which " + machine.name + " does not do");
  return Error::success();
}

Error Checker::checkRouter(const Router &router, const Twine &where) {
  if (router.filters.size() > machine.filters)
    return fail(where, "has " + Twine(router.filters.size()) + " filters, " +
                           machine.name + " has " + Twine(machine.filters));
  for (const auto &[color, config] : router.colors) {
    if (Error error = index(where, "color", color, machine.colors))
      return error;
    if (config.position >= config.positions.size() ||
        !config.positions[config.position])
      return fail(where, "color " + Twine(unsigned(color)) +
                             " starts at an invalid switch position");
    for (const std::optional<Routes> &position : config.positions)
      if (position && (position->rx | position->tx) >> kDirections)
        return fail(where, "color " + Twine(unsigned(color)) +
                               " has a direction that does not exist");
    if (!config.positions[0])
      return fail(where, "color " + Twine(unsigned(color)) + " has no routes");
    if (config.hasSwitches && !machine.isSwitchable(color))
      return fail(where, "color " + Twine(unsigned(color)) +
                             " has switches, which " + machine.name +
                             " does not have there");
    if ((config.swapX || config.swapY) && !machine.colorSwap)
      return fail(where, "color " + Twine(unsigned(color)) +
                             " is swapped, which " + machine.name +
                             " does not do");
    if (config.filter)
      if (Error error =
              index(where, "filter", *config.filter, router.filters.size()))
        return error;
    if (Error error = location(where, config.location))
      return error;
  }
  for (const Filter &filter : router.filters) {
    if (Error error = location(where, filter.location))
      return error;
    if (filter.kind != FilterKind::Range && filter.limit1.value_or(0) &&
        filter.counter > *filter.limit1)
      return fail(where,
                  "a filter's counter is " + Twine(unsigned(filter.counter)) +
                      ", its limit is " + Twine(unsigned(*filter.limit1)));
  }
  return Error::success();
}

Error Checker::checkPe(const Pe &pe, const Twine &where) {
  if (Error error = index(where, "setup", pe.setup, program.setups.size()))
    return error;
  if (Error error = index(where, "router", pe.router, program.routers.size()))
    return error;
  const Code &code = program.codeOf(pe);
  if (pe.parameters.size() != code.parameters.size())
    return fail(where, "has " + Twine(pe.parameters.size()) +
                           " parameters, code '" + code.name + "' has " +
                           Twine(code.parameters.size()));
  for (const Patch &patch : pe.patches)
    if (patch.address + static_cast<int64_t>(patch.data.size()) >
        machine.memoryBytesPerPe)
      return fail(where, "a patch leaves the memory");
  return Error::success();
}

Error Checker::checkSymbol(const Symbol &symbol) {
  std::string where = "symbol '" + symbol.name + "'";
  bool function = symbol.kind == Symbol::Kind::Function;
  if (function && symbol.argumentBits.size() != symbol.argumentKinds.size())
    return fail(where, "has " + Twine(symbol.argumentBits.size()) +
                           " argument sizes and " +
                           Twine(symbol.argumentKinds.size()) + " kinds");
  for (const Symbol::Definition &place : symbol.places) {
    if (Error error = index(where, "code", place.code, program.codes.size()))
      return error;
    const Code &code = program.codes[place.code];
    if (!function) {
      if (Error error =
              index(where, "variable", place.index, code.variables.size()))
        return error;
      continue;
    }
    if (Error error =
            index(where, "function", place.index, code.functions.size()))
      return error;
    if (code.functions[place.index].arguments != symbol.argumentBits.size())
      return fail(where, "function '" + code.functions[place.index].name +
                             "' takes other arguments");
  }
  return Error::success();
}

Error Checker::run() {
  std::string where = "wafer program";
  if (program.target != machine.name)
    return fail(where, "is for '" + program.target + "', not for '" +
                           machine.name + "'");
  int64_t pes;
  if (program.width < 1 || program.height < 1 ||
      __builtin_mul_overflow(program.width, program.height, &pes) ||
      pes != static_cast<int64_t>(program.pes.size()))
    return fail(where, "is " + Twine(program.width) + " x " +
                           Twine(program.height) + " and has " +
                           Twine(program.pes.size()) + " PEs");
  if (program.offsetX < 0 || program.offsetY < 0 ||
      program.fabricWidth < program.width ||
      program.fabricHeight < program.height ||
      program.offsetX > program.fabricWidth - program.width ||
      program.offsetY > program.fabricHeight - program.height)
    return fail(where, "does not fit on its fabric");
  if (program.locations.empty())
    return fail(where, "has no unknown location");
  for (const Code &code : program.codes)
    if (Error error = checkCode(code))
      return error;
  for (auto [number, setup] : llvm::enumerate(program.setups))
    if (Error error = checkSetup(setup, "setup " + Twine(number)))
      return error;
  for (auto [number, router] : llvm::enumerate(program.routers))
    if (Error error = checkRouter(router, "router " + Twine(number)))
      return error;
  for (auto [number, pe] : llvm::enumerate(program.pes))
    if (Error error =
            checkPe(pe, "PE (" + Twine(number % program.width) + ", " +
                            Twine(number / program.width) + ")"))
      return error;
  for (const Symbol &symbol : program.symbols)
    if (Error error = checkSymbol(symbol))
      return error;
  for (const Stream &stream : program.streams) {
    std::string place = "stream '" + stream.name + "'";
    if (Error error = index(place, "color", stream.color, machine.colors))
      return error;
    if (stream.kind == Stream::Kind::Edge &&
        (stream.x < 0 || stream.y < 0 || stream.x >= program.width ||
         stream.y >= program.height || stream.side == Direction::Ramp))
      return fail(place, "is at no link of the rectangle");
  }
  return Error::success();
}

Error wafer::check(const Program &program, const CslMachine &machine) {
  return Checker(program, machine).run();
}
