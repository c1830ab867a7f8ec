//===- MixtureProgram.h - A program of everything, and others like it -----===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_WAFERSIM_MIXTUREPROGRAM_H
#define SEQUIN_TEST_UNIT_WAFERSIM_MIXTUREPROGRAM_H

#include "WaferBuilder.h"
#include <random>

namespace sequin::testing {

/// Two PEs that use something of everything: a FIFO, filters, switches,
/// teardown, registers, steps of @map, calls, prints.
inline Program makeMixture(const char *target) {
  bool wse2 = llvm::StringRef(target) == "wse2";
  Program program = makeProgram(target, 2, 1);
  for (int64_t x = 0; x < 2; ++x) {
    Code &code = program.codes.emplace_back();
    code.variables = {variable("a", 16, 4, 16), variable("b", 128, 2, 32),
                      variable("buffer", 256, 4, 8)};
    setData(code.variables[0], std::vector<uint32_t>(16, 7));
    code.stackAddress = 1024;
    code.stackBytes = 64;
    code.shapes.push_back({{2, 2}, {1, 2}});
    code.messages = {"asserted"};
    code.prints.push_back(
        {{"n = ", ", ", ""},
         {{0, Print::Form::Signed, 16}, {0, Print::Form::Float, 32}}});
    code.stepSlots = 1;
    code.constants = {0x123456789abcdef0};
    FunctionBuilder g(code, "callee", 1);
    Register frame = g.emit(Opcode::FrameAddress);
    g.into(0, Opcode::Store, frame, kNoRegister, 0, 32);
    Register back = g.emit(Opcode::Load, frame, kNoRegister, 0, 32);
    uint32_t callee = g.finish(back);
    code.functions[callee].frameBytes = 8;
    FunctionBuilder h(code, "handler");
    h.finish();
    FunctionBuilder d(code, "data", 1);
    d.store(0, 16, 32);
    uint32_t data = d.finish();
    FunctionBuilder f(code, "main");
    f.startCounter();
    f.stamp(20);
    Register n = f.constant(3);
    Register result = f.emit(Opcode::Call, n);
    Register pointer =
        f.emit(Opcode::FunctionAddress, kNoRegister, kNoRegister, callee);
    result = f.emit(Opcode::CallIndirect, result, pointer, 1);
    f.effect(Opcode::Print, kNoRegister, kNoRegister, 0);
    f.effect(Opcode::Assert, result, kNoRegister, 0);
    f.emit(Opcode::ConstantWide, kNoRegister, kNoRegister, 0, 64);
    Descriptor box;
    box.kind = DescriptorKind::Mem4d;
    box.base = 16;
    Descriptor ring;
    ring.kind = DescriptorKind::Circular;
    ring.base = 16;
    ring.extent = 6;
    ring.wraparound = 4;
    f.loadDsr(DsrFile::Source1, 3, ring, {}, true);
    f.run(makeOp(DsdOpcode::Mov32, f.operand(mem1d(32, 4)),
                 FunctionBuilder::dsr(DsrFile::Source1, 3)));
    f.run(makeOp(DsdOpcode::Mov32, f.operand(fifo(0)), f.operand(box)));
    Operation mac = makeOp(DsdOpcode::Fmacs, f.operand(mem1d(32, 4)),
                           f.operand(mem1d(16, 4)), f.operand(mem1d(16, 4)));
    mac.scalar = f.constant(0x40000000);
    f.run(mac);
    if (x == 0) {
      Operation send =
          makeOp(DsdOpcode::Mov32, f.operand(fabout(2, 5, 4, wse2)),
                 f.operand(fifo(0)));
      send.options.async = true;
      f.run(send);
      Descriptor control = fabout(2, 5, 1, wse2);
      control.control = true;
      f.run(makeOp(DsdOpcode::Mov32, f.operand(control), f.scalar(6225920)));
      f.run(makeOp(DsdOpcode::Mov16, f.operand(fabout(2, 5, 5, wse2)),
                   f.operand(mem1d(128, 5))));
    } else {
      Operation take = makeOp(DsdOpcode::Mov32, f.operand(mem1d(16, 2)),
                              f.operand(fabin(2, 2)));
      take.options.async = true;
      take.options.onControl = OnControl::Terminate;
      f.run(take);
    }
    Register slot = f.dsd(mem1d(128, 4));
    f.effect(Opcode::StepLoad, slot, kNoRegister, 0);
    Register more = f.fresh();
    Register value = f.fresh();
    f.into(value, Opcode::StepRead, kNoRegister, more, 0, 16);
    wafer::Setup setup =
        makeSetup(static_cast<uint32_t>(x), {{25, f.finish()}}, wse2 ? 24 : 8);
    unsigned id = wse2 ? 5 : 2;
    setup.tasks.push_back(dataTask(id, data, {32}));
    setup.blockedTasks &= ~(1u << id);
    setup.inputQueues = {queue(2, 5)};
    setup.outputQueues = {
        queue(2, wse2 ? std::nullopt : std::optional<uint8_t>(5))};
    setup.teardownHandlers[5] = 1;
    Fifo words;
    words.name = "f";
    words.address = 256;
    words.elements = 8;
    words.elementBytes = 4;
    setup.fifos.push_back(words);
    program.setups.push_back(setup);
    Router router;
    router.colors[5] = route(x ? W : R, x ? R : E);
    if (x) {
      Filter filter;
      filter.countData = true;
      filter.limit1 = 3;
      filter.maxCounter = 2;
      router.filters.push_back(filter);
      router.colors[5].filter = 0;
    } else {
      router.colors[5].hasSwitches = true;
      router.colors[5].positions[1] = Routes{R, R};
      router.colors[5].ring = true;
      router.colors[5].pop = PopMode::AlwaysPop;
    }
    program.routers.push_back(router);
    program.pes[x].setup = program.pes[x].router = static_cast<uint32_t>(x);
  }
  program.streams.push_back({.name = "in", .color = 9});
  return program;
}

/// Replaces some numbers of `value`.
class Mutator {
public:
  explicit Mutator(unsigned seed) : random(seed) {}

  void run(llvm::json::Value &value) {
    count(value);
    unsigned changes = 1 + random() % 3;
    for (unsigned i = 0; i < changes; ++i) {
      left = random() % numbers;
      change(value);
    }
  }

private:
  template <typename F> static void forEach(llvm::json::Value &value, F visit) {
    if (llvm::json::Object *object = value.getAsObject())
      for (auto &entry : *object)
        visit(entry.second);
    else if (llvm::json::Array *array = value.getAsArray())
      for (llvm::json::Value &entry : *array)
        visit(entry);
  }
  void count(llvm::json::Value &value) {
    if (value.kind() == llvm::json::Value::Number)
      ++numbers;
    forEach(value, [&](llvm::json::Value &entry) { count(entry); });
  }
  void change(llvm::json::Value &value) {
    if (value.kind() == llvm::json::Value::Number && left-- == 0) {
      static constexpr int64_t kValues[] = {
          0,   1,    2,     3,     5,     7,          8,         9,
          15,  16,   23,    24,    31,    32,         63,        64,
          127, 255,  256,   4095,  32767, 32768,      49151,     49152,
          -1,  -128, 65535, 65536, 1000,  0x7fffffff, 4294967295};
      value = kValues[random() % std::size(kValues)];
      return;
    }
    forEach(value, [&](llvm::json::Value &entry) { change(entry); });
  }

  std::mt19937 random;
  uint64_t numbers = 0;
  int64_t left = 0;
};

/// The same with rows and columns exchanged.
inline Program transpose(Program program) {
  auto turn = [](Directions &links) {
    static constexpr Directions turned[] = {N, S, E, W, R};
    Directions before = links;
    links = 0;
    for (unsigned d = 0; d < kDirections; ++d)
      if (before >> d & 1)
        links |= turned[d];
  };
  for (Router &router : program.routers)
    for (auto &entry : router.colors)
      for (std::optional<Routes> &routes : entry.second.positions)
        if (routes) {
          turn(routes->rx);
          turn(routes->tx);
        }
  std::vector<Pe> pes;
  for (int64_t x = 0; x < program.width; ++x)
    for (int64_t y = 0; y < program.height; ++y)
      pes.push_back(program.at(x, y));
  program.pes = std::move(pes);
  std::swap(program.width, program.height);
  std::swap(program.fabricWidth, program.fabricHeight);
  std::swap(program.offsetX, program.offsetY);
  return program;
}

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_WAFERSIM_MIXTUREPROGRAM_H
