//===- PrintProgram.cpp - A wafer program as text -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Wafer/Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace sequin;
using namespace sequin::wafer;
using llvm::raw_ostream;

static void printRegister(raw_ostream &os, Register value) {
  if (value == kNoRegister)
    os << '-';
  else
    os << 'r' << value;
}

static void printOperand(raw_ostream &os, const Operand &operand) {
  switch (operand.kind) {
  case Operand::Kind::None:
    os << '-';
    return;
  case Operand::Kind::Dsd:
    os << "dsd ";
    break;
  case Operand::Kind::Dsr:
    os << getName(operand.dsr.file) << ' ' << unsigned(operand.dsr.number);
    return;
  case Operand::Kind::Scalar:
    break;
  case Operand::Kind::Pointer:
    os << '*';
    break;
  }
  printRegister(os, operand.value);
}

static void printOptions(raw_ostream &os, const AsyncOptions &options) {
  if (options.async)
    os << " async";
  if (options.completion != Completion::None) {
    os << (options.completion == Completion::Activate ? " activate "
                                                      : " unblock ");
    printRegister(os, options.completionTarget);
  }
  switch (options.onControl) {
  case OnControl::None:
    break;
  case OnControl::Terminate:
    os << " on_control terminate";
    break;
  case OnControl::Activate:
  case OnControl::Unblock:
    os << (options.onControl == OnControl::Activate ? " on_control activate "
                                                    : " on_control unblock ");
    printRegister(os, options.onControlTarget);
    break;
  }
  if (options.microthread)
    os << " ut " << unsigned(*options.microthread);
}

static void printOperation(raw_ostream &os, const Operation &operation) {
  os << getInfo(operation.opcode).name << ' ';
  printOperand(os, operation.dest);
  os << " = ";
  printOperand(os, operation.source0);
  if (operation.source1.kind != Operand::Kind::None) {
    os << ", ";
    printOperand(os, operation.source1);
  }
  if (operation.scalar != kNoRegister) {
    os << ", ";
    printRegister(os, operation.scalar);
  }
  if (operation.index != kNoRegister) {
    os << " index ";
    printRegister(os, operation.index);
  }
  if (operation.priority != Priority::Default)
    os << " priority " << getName(operation.priority);
  printOptions(os, operation.options);
}

static void printDescriptor(raw_ostream &os, const Descriptor &descriptor) {
  os << getName(descriptor.kind);
  if (descriptor.isMemory())
    os << " base " << descriptor.base;
  if (descriptor.kind == DescriptorKind::Mem4d)
    os << " shape " << descriptor.shape;
  else if (descriptor.kind != DescriptorKind::Fifo)
    os << " extent " << descriptor.extent;
  if (descriptor.kind == DescriptorKind::Mem1d && descriptor.stride != 1)
    os << " stride " << int(descriptor.stride);
  if (descriptor.kind == DescriptorKind::Circular)
    os << " wraparound " << descriptor.wraparound;
  if (descriptor.kind == DescriptorKind::Fifo)
    os << ' ' << descriptor.fifo;
  if (descriptor.queue)
    os << " queue " << unsigned(*descriptor.queue);
  if (descriptor.color)
    os << " color " << unsigned(*descriptor.color);
  if (descriptor.priority != Priority::Default)
    os << " priority " << getName(descriptor.priority);
  if (descriptor.simd != SimdMode::Default)
    os << ' ' << getName(descriptor.simd);
  if (descriptor.zero != ZeroSource::None)
    os << (descriptor.zero == ZeroSource::First ? " zero first"
                                                : " zero second");
  if (descriptor.control)
    os << " control";
  if (descriptor.indexOffset)
    os << " index_offset";
  if (descriptor.advanceSwitch)
    os << " advance_switch";
  if (descriptor.controlTransform)
    os << " control_transform";
}

static void printInstruction(raw_ostream &os, const Code &code,
                             const Instruction &instruction) {
  os << getInfo(instruction.opcode).name;
  if (instruction.width)
    os << '.' << unsigned(instruction.width);
  llvm::ListSeparator comma;
  os << ' ';
  for (Register value :
       {instruction.dest, instruction.left, instruction.right}) {
    os << llvm::StringRef(comma);
    printRegister(os, value);
  }
  os << ", " << instruction.immediate;
  switch (instruction.opcode) {
  case Opcode::Dsd:
    os << "  ; ";
    printOperation(os, code.operations[instruction.immediate]);
    break;
  case Opcode::DsdConstant:
    os << "  ; ";
    printDescriptor(os, code.descriptors[instruction.immediate]);
    break;
  case Opcode::Call:
  case Opcode::FunctionAddress:
    os << "  ; " << code.functions[instruction.immediate].name;
    break;
  case Opcode::Parameter:
    os << "  ; " << code.parameters[instruction.immediate];
    break;
  case Opcode::LoadDsr: {
    const DsrLoad &load = code.dsrLoads[instruction.immediate];
    os << "  ; " << getName(load.dsr.file) << ' ' << unsigned(load.dsr.number);
    printOptions(os, load.options);
    if (load.saveAddress)
      os << " save_address";
    if (load.singleStep)
      os << " single_step";
    break;
  }
  case Opcode::Assert:
  case Opcode::Trap:
    os << "  ; \"";
    llvm::printEscapedString(code.messages[instruction.immediate], os);
    os << '"';
    break;
  default:
    break;
  }
}

void wafer::print(raw_ostream &os, const Code &code) {
  os << "code '" << code.name << "'\n";
  for (const Variable &variable : code.variables) {
    os << "  " << llvm::format("%5u", unsigned(variable.address)) << ' '
       << variable.name << ": ";
    for (int64_t size : variable.shape)
      os << size << 'x';
    os << getName(variable.kind) << 8 * variable.elementBytes
       << (variable.constant ? " const" : "")
       << (variable.data.empty() ? "" : " initialised") << '\n';
  }
  os << "  " << llvm::format("%5u", unsigned(code.stackAddress)) << " stack of "
     << code.stackBytes << " bytes\n  "
     << llvm::format("%5u", unsigned(code.textAddress)) << " code of "
     << code.textBytes << " bytes\n";
  for (const Function &function : code.functions) {
    os << "  function '" << function.name << "' arguments "
       << function.arguments << " results " << function.results << " registers "
       << function.registers << '\n';
    for (auto [number, instruction] : llvm::enumerate(function.instructions)) {
      os << llvm::format("%8u: ", unsigned(number));
      printInstruction(os, code, instruction);
      os << '\n';
    }
  }
}

static void printDirections(raw_ostream &os, Directions set) {
  llvm::ListSeparator space(" ");
  for (unsigned d = 0; d < kDirections; ++d)
    if (set >> d & 1)
      os << llvm::StringRef(space) << getName(static_cast<Direction>(d));
}

static void printRoutes(raw_ostream &os, const Routes &routes) {
  os << '[';
  printDirections(os, routes.rx);
  os << " -> ";
  printDirections(os, routes.tx);
  os << ']';
}

static void printQueue(raw_ostream &os, const Queue &queue,
                       llvm::StringRef what) {
  os << "  " << what << " queue " << unsigned(queue.id);
  if (queue.color)
    os << " color " << unsigned(*queue.color);
  if (queue.priority != Priority::Default)
    os << " priority " << getName(queue.priority);
  if (queue.controlTable)
    os << " control table " << unsigned(queue.controlTable);
  os << (queue.dense ? " dense\n" : "\n");
}

void wafer::print(raw_ostream &os, const Program &program) {
  os << "wafer program for " << program.target << ", " << program.width << " x "
     << program.height << " PEs, " << getName(program.fp16) << '\n';
  for (const Code &code : program.codes)
    print(os, code);
  for (auto [number, setup] : llvm::enumerate(program.setups)) {
    os << "setup " << number << " of code " << setup.code << '\n';
    const Code &code = program.codes[setup.code];
    for (const Task &task : setup.tasks)
      os << "  " << getName(task.kind) << " task " << unsigned(task.id) << ": "
         << code.functions[task.function].name << '\n';
    for (const Queue &queue : setup.inputQueues)
      printQueue(os, queue, "input");
    for (const Queue &queue : setup.outputQueues)
      printQueue(os, queue, "output");
    for (const Fifo &fifo : setup.fifos)
      os << "  fifo " << fifo.name << " at " << fifo.address << ", "
         << fifo.elements << " elements of " << unsigned(fifo.elementBytes)
         << " bytes\n";
    os << "  blocked " << llvm::format_hex(setup.blockedTasks, 10) << " active "
       << llvm::format_hex(setup.activeTasks, 10) << '\n';
    for (auto [address, value] : setup.registers)
      os << "  register " << llvm::format_hex(address, 6) << " = " << value
         << '\n';
  }
  for (auto [number, router] : llvm::enumerate(program.routers)) {
    os << "router " << number << '\n';
    for (const auto &[color, config] : router.colors) {
      os << "  color " << unsigned(color) << ':';
      for (unsigned position = 0; position < config.positions.size();
           ++position)
        if (config.positions[position]) {
          os << ' ' << position << ' ';
          printRoutes(os, config.routesAt(position));
        }
      if (config.position)
        os << " at " << unsigned(config.position);
      if (config.ring)
        os << " ring";
      if (config.pop != PopMode::NoPop)
        os << ' ' << getName(config.pop);
      if (config.teardown)
        os << " teardown";
      if (config.filter)
        os << " filter " << unsigned(*config.filter);
      os << '\n';
    }
  }
  for (const Symbol &symbol : program.symbols)
    os << "symbol '" << symbol.name << "'\n";
}
