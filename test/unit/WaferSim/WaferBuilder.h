//===- WaferBuilder.h - Wafer programs written by hand ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_WAFERSIM_WAFERBUILDER_H
#define SEQUIN_TEST_UNIT_WAFERSIM_WAFERBUILDER_H

#include "sequin/Machine/CslRegisters.h"
#include "sequin/WaferSim/Simulator.h"
#include <cstring>

namespace sequin::testing {

using namespace sequin::wafer;

/// Writes one function of a code; registers are handed out in order.
class FunctionBuilder {
public:
  FunctionBuilder(Code &code, std::string name, unsigned arguments = 0)
      : code(code) {
    function.name = std::move(name);
    function.arguments = function.registers = static_cast<uint16_t>(arguments);
  }

  Register fresh() { return function.registers++; }
  uint32_t next() const {
    return static_cast<uint32_t>(function.instructions.size());
  }
  Instruction &at(uint32_t index) { return function.instructions[index]; }

  Register emit(Opcode opcode, Register left = kNoRegister,
                Register right = kNoRegister, uint32_t immediate = 0,
                unsigned width = 32, bool result = true) {
    Register dest = result ? fresh() : kNoRegister;
    function.instructions.push_back(
        {opcode, static_cast<uint8_t>(width), dest, left, right, immediate});
    return dest;
  }
  void effect(Opcode opcode, Register left = kNoRegister,
              Register right = kNoRegister, uint32_t immediate = 0,
              unsigned width = 0) {
    emit(opcode, left, right, immediate, width, false);
  }
  void into(Register dest, Opcode opcode, Register left = kNoRegister,
            Register right = kNoRegister, uint32_t immediate = 0,
            unsigned width = 32) {
    function.instructions.push_back(
        {opcode, static_cast<uint8_t>(width), dest, left, right, immediate});
  }
  Register constant(uint32_t value) {
    return emit(Opcode::Constant, kNoRegister, kNoRegister, value);
  }
  Register load(uint32_t address, unsigned width) {
    return emit(Opcode::Load, kNoRegister, kNoRegister, address, width);
  }
  void store(Register value, uint32_t address, unsigned width) {
    into(value, Opcode::Store, kNoRegister, kNoRegister, address, width);
  }
  Register dsd(const Descriptor &descriptor) {
    code.descriptors.push_back(descriptor);
    return emit(Opcode::DsdConstant, kNoRegister, kNoRegister,
                static_cast<uint32_t>(code.descriptors.size() - 1), 0);
  }
  /// An operand from a DSD constant.
  Operand operand(const Descriptor &descriptor) {
    return {Operand::Kind::Dsd, dsd(descriptor), {}};
  }
  Operand scalar(uint32_t value) {
    return {Operand::Kind::Scalar, constant(value), {}};
  }
  Operand pointer(uint32_t address) {
    return {Operand::Kind::Pointer, constant(address), {}};
  }
  static Operand dsr(DsrFile file, unsigned number) {
    return {
        Operand::Kind::Dsr, kNoRegister, {file, static_cast<uint8_t>(number)}};
  }
  /// The register has the operation's bool.
  Register run(const Operation &operation) {
    code.operations.push_back(operation);
    return emit(Opcode::Dsd, kNoRegister, kNoRegister,
                static_cast<uint32_t>(code.operations.size() - 1), 0);
  }
  void loadDsr(DsrFile file, unsigned number, const Descriptor &descriptor,
               AsyncOptions options = {}, bool saveAddress = false) {
    Register value = dsd(descriptor);
    DsrLoad load;
    load.dsr = {file, static_cast<uint8_t>(number)};
    load.options = options;
    load.saveAddress = saveAddress;
    code.dsrLoads.push_back(load);
    effect(Opcode::LoadDsr, value, kNoRegister,
           static_cast<uint32_t>(code.dsrLoads.size() - 1));
  }
  /// The low words of the cycle counter, as a 16-bit value in `address`.
  void stamp(uint32_t address) {
    Register word = constant(getInfo(CslRegister::Tsc).address);
    Register time = emit(Opcode::GetConfig, word);
    store(time, address, 16);
  }
  void startCounter() {
    Register word = constant(getInfo(CslRegister::TscControl).address);
    Register on = constant(3);
    effect(Opcode::SetConfig, word, on);
  }
  void activate(unsigned task) {
    Register id = constant(task);
    effect(Opcode::Activate, id);
  }
  /// Ends the function, with a result or none; its number.
  uint32_t finish(Register result = kNoRegister) {
    effect(Opcode::Return, result);
    function.results = result != kNoRegister;
    function.locations.assign(function.instructions.size(), 0);
    code.functions.push_back(function);
    return static_cast<uint32_t>(code.functions.size() - 1);
  }

private:
  Code &code;
  Function function;
};

inline Descriptor mem1d(uint32_t address, unsigned extent, int stride = 1) {
  Descriptor d;
  d.kind = DescriptorKind::Mem1d;
  d.base = static_cast<uint16_t>(address);
  d.extent = static_cast<uint16_t>(extent);
  d.stride = static_cast<int8_t>(stride);
  return d;
}
inline Descriptor fabin(unsigned queue, unsigned extent) {
  Descriptor d;
  d.kind = DescriptorKind::FabricIn;
  d.queue = static_cast<uint8_t>(queue);
  d.extent = static_cast<uint16_t>(extent);
  return d;
}
inline Descriptor fabout(unsigned queue, unsigned color, unsigned extent,
                         bool wse2 = true) {
  Descriptor d;
  d.kind = DescriptorKind::FabricOut;
  d.queue = static_cast<uint8_t>(queue);
  if (wse2)
    d.color = static_cast<uint8_t>(color);
  d.extent = static_cast<uint16_t>(extent);
  return d;
}
inline Descriptor fifo(unsigned number) {
  Descriptor d;
  d.kind = DescriptorKind::Fifo;
  d.fifo = static_cast<uint16_t>(number);
  return d;
}

inline Variable variable(std::string name, uint32_t address, unsigned bytes,
                         int64_t elements) {
  Variable v;
  v.name = std::move(name);
  v.address = static_cast<uint16_t>(address);
  v.elementBytes = static_cast<uint16_t>(bytes);
  v.shape = {elements};
  return v;
}

/// An operation by opcode and operands.
inline Operation makeOp(DsdOpcode opcode, Operand dest, Operand source0,
                        Operand source1 = {}) {
  Operation op;
  op.opcode = opcode;
  op.dest = dest;
  op.source0 = source0;
  op.source1 = source1;
  return op;
}

constexpr Directions W = bit(Direction::West), E = bit(Direction::East),
                     S = bit(Direction::South), N = bit(Direction::North),
                     R = bit(Direction::Ramp);

inline ColorConfig route(Directions rx, Directions tx) {
  ColorConfig config;
  config.positions[0] = Routes{rx, tx};
  return config;
}

/// A program of `width` x `height` PEs with nothing in it.
inline Program makeProgram(llvm::StringRef target, int64_t width,
                           int64_t height) {
  Program program;
  program.target = target.str();
  program.width = program.fabricWidth = width;
  program.height = program.fabricHeight = height;
  program.pes.resize(width * height);
  return program;
}

/// A setup with local tasks: (id, function), the first one active.
inline Setup makeSetup(uint32_t code,
                       llvm::ArrayRef<std::pair<unsigned, uint32_t>> tasks,
                       unsigned dataIds = 24) {
  Setup setup;
  setup.code = code;
  for (auto [id, function] : tasks) {
    Task task;
    task.kind = TaskKind::Local;
    task.id = static_cast<uint8_t>(id);
    task.function = function;
    setup.tasks.push_back(task);
  }
  // Ids of data tasks without a task are blocked (TSK-032).
  for (unsigned id = 0; id < dataIds; ++id) {
    bool bound = false;
    for (auto [local, function] : tasks)
      bound |= local == id;
    if (!bound)
      setup.blockedTasks |= 1u << id;
  }
  if (!tasks.empty())
    setup.activeTasks = 1u << tasks.front().first;
  return setup;
}

inline Task dataTask(unsigned id, uint32_t function,
                     std::initializer_list<uint8_t> bits) {
  Task task;
  task.kind = TaskKind::Data;
  task.id = static_cast<uint8_t>(id);
  task.function = function;
  task.argumentBits = bits;
  return task;
}

inline Queue queue(unsigned id, std::optional<uint8_t> color) {
  Queue q;
  q.id = static_cast<uint8_t>(id);
  q.color = color;
  return q;
}

template <typename T>
std::vector<T> readMemory(const Simulator &simulator, int64_t x, int64_t y,
                          uint32_t address, size_t count) {
  std::vector<T> values(count);
  std::memcpy(values.data(), simulator.memory(x, y).data() + address,
              count * sizeof(T));
  return values;
}
template <typename T> void setData(Variable &v, const std::vector<T> &values) {
  v.data.resize(values.size() * sizeof(T));
  std::memcpy(v.data.data(), values.data(), v.data.size());
}

/// A simulator or a test failure with the reason.
inline std::unique_ptr<Simulator> simulate(const Program &program,
                                           const Options &options = {}) {
  auto simulator =
      Simulator::create(program, *lookupCslMachine(program.target), options);
  if (!simulator) {
    llvm::errs() << llvm::toString(simulator.takeError()) << '\n';
    return nullptr;
  }
  return std::move(*simulator);
}

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_WAFERSIM_WAFERBUILDER_H
