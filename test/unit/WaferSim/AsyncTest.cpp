//===- AsyncTest.cpp - Microthreads, FIFOs and hangs ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Row.h"
#include "WaferBuilder.h"
#include "gmock/gmock.h"

using namespace sequin;
using namespace sequin::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

constexpr uint32_t kData = 1024, kOut = 4096, kFifo = 8192, kFlags = 0;

/// Two PEs, west to east on color 5. The codes are the caller's.
struct Pair {
  Program program;
  explicit Pair(llvm::StringRef target) : program(makeProgram(target, 2, 1)) {
    for (Routes routes : {Routes{R, E}, Routes{W, R}}) {
      program.routers.emplace_back();
      program.routers.back().colors[5] = route(routes.rx, routes.tx);
    }
    program.pes[1].setup = program.pes[1].router = 1;
  }
  bool wse2() const { return program.target == "wse2"; }

  /// Adds the code of the next PE; `write` gives its main task and may add
  /// others through the setup.
  template <typename F> void add(F write) {
    uint32_t number = static_cast<uint32_t>(program.codes.size());
    Code &code = program.codes.emplace_back();
    std::vector<uint32_t> data(512);
    for (uint32_t i = 0; i < 512; ++i)
      data[i] = 100 + i;
    code.variables = {
        variable("flags", kFlags, 2, 16), variable("data", kData, 4, 512),
        variable("out", kOut, 4, 512), variable("buffer", kFifo, 4, 64)};
    setData(code.variables[1], data);
    wafer::Setup setup = makeSetup(number, {{25, 0}}, wse2() ? 24 : 8);
    setup.inputQueues = {queue(0, 5)};
    setup.outputQueues = {
        queue(2, wse2() ? std::nullopt : std::optional<uint8_t>(5))};
    FunctionBuilder f(code, "main");
    write(f, code, setup);
    setup.tasks[0].function = f.finish();
    program.setups.push_back(setup);
  }
  void addSender(unsigned words, SimdMode simd = SimdMode::Default,
                 bool half = false) {
    add([&](FunctionBuilder &f, Code &, wafer::Setup &) {
      Descriptor out = fabout(2, 5, words, wse2());
      out.simd = simd;
      f.run(makeOp(half ? DsdOpcode::Mov16 : DsdOpcode::Mov32, f.operand(out),
                   f.operand(mem1d(kData, words))));
    });
  }
  static void bindLocal(wafer::Setup &setup, unsigned id, uint32_t function) {
    Task task;
    task.kind = TaskKind::Local;
    task.id = static_cast<uint8_t>(id);
    task.function = function;
    setup.tasks.push_back(task);
    setup.blockedTasks &= ~(1u << id);
  }
  /// A function that writes 1 to a flag.
  static uint32_t flag(Code &code, unsigned index) {
    FunctionBuilder g(code, "flag" + std::to_string(index));
    Register one = g.constant(1);
    g.store(one, kFlags + 2 * index, 16);
    return g.finish();
  }
};

std::vector<uint16_t> flags(const Simulator &s, int64_t x) {
  return readMemory<uint16_t>(s, x, 0, kFlags, 4);
}

TEST(Async, CompletionActivatesAndUnblocks) {
  for (Completion completion : {Completion::Activate, Completion::Unblock}) {
    Pair pair("wse3");
    pair.addSender(10);
    pair.add([&](FunctionBuilder &f, Code &code, wafer::Setup &setup) {
      Pair::bindLocal(setup, 26, Pair::flag(code, 0));
      if (completion == Completion::Unblock) {
        setup.blockedTasks |= 1u << 26;
        setup.activeTasks |= 1u << 26;
      }
      Operation op = makeOp(DsdOpcode::Mov32, f.operand(mem1d(kOut, 10)),
                            f.operand(fabin(0, 10)));
      op.options.async = true;
      op.options.completion = completion;
      op.options.completionTarget = f.constant(26);
      f.run(op);
      // The main thread goes on at once.
      Register two = f.constant(2);
      f.store(two, kFlags + 2, 16);
    });
    auto simulator = simulate(pair.program);
    ASSERT_EQ(simulator->run(), Outcome::Finished);
    EXPECT_EQ(flags(*simulator, 1)[0], 1);
    EXPECT_EQ(flags(*simulator, 1)[1], 2);
    EXPECT_EQ(readMemory<uint32_t>(*simulator, 1, 0, kOut, 10)[9], 109u);
  }
  SEQUIN_ROW("DOP-009");
  SEQUIN_ROW("ASY-001");
  SEQUIN_ROW("ASY-004");
  SEQUIN_ROW("ASY-005");
}

TEST(Async, OnControlEndsTheOperation) {
  Pair pair("wse2");
  pair.add([&](FunctionBuilder &f, Code &, wafer::Setup &) {
    for (bool control : {false, true}) {
      Descriptor out = fabout(2, 5, control ? 1 : 4);
      out.control = control;
      f.run(makeOp(DsdOpcode::Mov32, f.operand(out),
                   f.operand(mem1d(kData, control ? 1 : 4))));
    }
  });
  pair.add([&](FunctionBuilder &f, Code &code, wafer::Setup &setup) {
    Pair::bindLocal(setup, 26, Pair::flag(code, 0));
    Pair::bindLocal(setup, 27, Pair::flag(code, 1));
    Operation op = makeOp(DsdOpcode::Mov32, f.operand(mem1d(kOut, 100)),
                          f.operand(fabin(0, 100)));
    op.options.async = true;
    op.options.completion = Completion::Activate;
    op.options.completionTarget = f.constant(27);
    op.options.onControl = OnControl::Activate;
    op.options.onControlTarget = f.constant(26);
    f.run(op);
  });
  auto simulator = simulate(pair.program);
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_THAT(readMemory<uint32_t>(*simulator, 1, 0, kOut, 5),
              ElementsAre(100, 101, 102, 103, 0));
  EXPECT_THAT(flags(*simulator, 1), ElementsAre(1, 0, 0, 0));
  SEQUIN_ROW("ASY-009");
  SEQUIN_ROW("ASY-011");
  SEQUIN_ROW("TSK-039");
}

TEST(Async, AMicrothreadStartedTwiceTraps) {
  Pair pair("wse2");
  pair.addSender(1);
  pair.add([&](FunctionBuilder &f, Code &, wafer::Setup &) {
    for (int i = 0; i < 2; ++i) {
      Operation op = makeOp(DsdOpcode::Mov32, f.operand(mem1d(kOut, 9)),
                            f.operand(fabin(0, 9)));
      op.options.async = true;
      f.run(op);
    }
  });
  auto simulator = simulate(pair.program);
  ASSERT_EQ(simulator->run(), Outcome::Trapped);
  EXPECT_THAT(simulator->trap()->message,
              HasSubstr("microthread 0 is started again"));
  SEQUIN_ROW("ASY-027");
}

/// Which microthread a mov32 from a fabin on queue 0 to a fabout on queue 2
/// gets stuck on.
std::string stuckOn(llvm::StringRef target, std::optional<uint8_t> opThread,
                    std::optional<uint8_t> destThread,
                    std::optional<uint8_t> sourceThread = {}) {
  Pair pair(target);
  pair.add([&](FunctionBuilder &, Code &, wafer::Setup &) {});
  pair.add([&](FunctionBuilder &f, Code &, wafer::Setup &) {
    Descriptor out = fabout(2, 5, 4, pair.wse2());
    Operand dest = f.operand(out);
    if (destThread) {
      AsyncOptions options;
      options.async = true;
      options.microthread = destThread;
      f.loadDsr(DsrFile::Dest, 1, out, options);
      dest = f.dsr(DsrFile::Dest, 1);
    }
    Operand source = f.operand(fabin(0, 4));
    if (sourceThread) {
      AsyncOptions options;
      options.async = true;
      options.microthread = sourceThread;
      f.loadDsr(DsrFile::Source1, 2, fabin(0, 4), options);
      source = f.dsr(DsrFile::Source1, 2);
    }
    Operation op = makeOp(DsdOpcode::Mov32, dest, source);
    op.options.async = true;
    op.options.microthread = opThread;
    f.run(op);
  });
  auto simulator = simulate(pair.program);
  EXPECT_EQ(simulator->run(), Outcome::Hung);
  return simulator->hang().waits.front().who;
}

TEST(Async, WhichMicrothread) {
  EXPECT_EQ(stuckOn("wse2", {}, {}), "microthread 2");
  SEQUIN_ROW("ASY-020");
  EXPECT_EQ(stuckOn("wse3", {}, {}), "microthread 2");
  SEQUIN_ROW("ASY-024");
  EXPECT_EQ(stuckOn("wse3", 4, {}), "microthread 4");
  SEQUIN_ROW("ASY-022");
  EXPECT_EQ(stuckOn("wse3", 4, 6), "microthread 6");
  SEQUIN_ROW("ASY-023");
  SEQUIN_ROW("ASY-025");
  // The manual's three: a destination's register decides, then the operation.
  EXPECT_EQ(stuckOn("wse3", 4, 2), "microthread 2");
  EXPECT_EQ(stuckOn("wse3", 4, {}, 3), "microthread 4");
  EXPECT_EQ(stuckOn("wse3", {}, {}), "microthread 2");
  SEQUIN_ROW("WEX-023");
}

TEST(Async, ABlockedMicrothreadWaits) {
  Pair pair("wse3");
  pair.addSender(4);
  pair.add([&](FunctionBuilder &f, Code &, wafer::Setup &setup) {
    setup.blockedMicrothreads = 1u << 3;
    Operation op = makeOp(DsdOpcode::Mov32, f.operand(mem1d(kOut, 4)),
                          f.operand(fabin(0, 4)));
    op.options.async = true;
    op.options.microthread = 3;
    f.run(op);
  });
  auto simulator = simulate(pair.program);
  ASSERT_EQ(simulator->run(), Outcome::Hung);
  EXPECT_THAT(simulator->hang().str(pair.program),
              HasSubstr("the microthread was never unblocked"));
  SEQUIN_ROW("ASY-028");
}

TEST(Simd, TwoHalvesPerWavelet) {
  for (SimdMode mode : {SimdMode::Off, SimdMode::Simd32}) {
    Pair pair("wse2");
    pair.addSender(9, mode, true);
    pair.add([&](FunctionBuilder &f, Code &, wafer::Setup &) {
      Descriptor in = fabin(0, 9);
      in.simd = mode;
      f.run(makeOp(DsdOpcode::Mov16, f.operand(mem1d(kOut, 9)), f.operand(in)));
    });
    auto simulator = simulate(pair.program);
    ASSERT_EQ(simulator->run(), Outcome::Finished);
    // The data are 32-bit numbers: halves alternate with zeros.
    EXPECT_THAT(readMemory<uint16_t>(*simulator, 1, 0, kOut, 9),
                ElementsAre(100, 0, 101, 0, 102, 0, 103, 0, 104));
    EXPECT_EQ(simulator->counters().hops, mode == SimdMode::Off ? 9u : 5u);
  }
}

/// A PE that pushes what comes into a FIFO of 4 in a microthread, and pops from
/// it in the main thread.
TEST(Fifos, ProducerAndConsumer) {
  Pair pair("wse2");
  pair.addSender(20);
  pair.add([&](FunctionBuilder &f, Code &code, wafer::Setup &setup) {
    Fifo queueInMemory;
    queueInMemory.name = "f";
    queueInMemory.address = kFifo;
    queueInMemory.elements = 4;
    queueInMemory.elementBytes = 4;
    setup.fifos = {queueInMemory};
    Pair::bindLocal(setup, 26, 0);
    Operation push =
        makeOp(DsdOpcode::Mov32, f.operand(fifo(0)), f.operand(fabin(0, 20)));
    push.options.async = true;
    push.options.completion = Completion::Activate;
    push.options.completionTarget = f.constant(27);
    f.run(push);
    // Pops until 20 are there: each try stops at an empty FIFO with false.
    Register done = f.constant(0), limit = f.constant(20);
    Register one = f.constant(1);
    Register to = f.dsd(mem1d(kOut, 1));
    Register step = f.constant(4);
    Operand from = f.operand(fifo(0));
    uint32_t head = f.next();
    Register got =
        f.run(makeOp(DsdOpcode::Mov32, {Operand::Kind::Dsd, to, {}}, from));
    f.effect(Opcode::JumpIfNot, got, kNoRegister, head);
    f.into(to, Opcode::DsdAddBase, to, step);
    f.into(done, Opcode::Add, done, one, 0, 16);
    Register more = f.emit(Opcode::LessU, done, limit, 0, 16);
    f.effect(Opcode::JumpIf, more, kNoRegister, head);
    // Empty again: a scalar keeps its value (FIF-018).
    Register last = f.run(makeOp(DsdOpcode::Mov32, f.pointer(kOut), from));
    f.store(last, kFlags + 2, 16);
    Pair::bindLocal(setup, 27, Pair::flag(code, 0));
  });
  pair.program.setups[1].tasks.erase(pair.program.setups[1].tasks.begin() + 1);
  auto simulator = simulate(pair.program);
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  auto out = readMemory<uint32_t>(*simulator, 1, 0, kOut, 20);
  for (uint32_t i = 0; i < 20; ++i)
    EXPECT_EQ(out[i], 100 + i);
  EXPECT_THAT(flags(*simulator, 1), ElementsAre(1, 0, 0, 0));
  SEQUIN_ROW("FIF-009");
  SEQUIN_ROW("FIF-013");
  SEQUIN_ROW("FIF-018");
  SEQUIN_ROW("FIF-026");
  SEQUIN_ROW("FIF-029");
}

/// What a read of 5 from a FIFO of 3 elements does.
std::unique_ptr<Simulator> readEmpty(FifoAction action, Program &program) {
  Pair pair("wse3");
  pair.add([&](FunctionBuilder &f, Code &, wafer::Setup &setup) {
    Fifo queueInMemory;
    queueInMemory.name = "f";
    queueInMemory.address = kFifo;
    queueInMemory.elements = 8;
    queueInMemory.elementBytes = 4;
    queueInMemory.emptyAction = action;
    setup.fifos = {queueInMemory};
    f.run(makeOp(DsdOpcode::Mov32, f.operand(fifo(0)),
                 f.operand(mem1d(kData, 3))));
    Register five = f.constant(5);
    f.effect(Opcode::FifoReadLength, five, kNoRegister, 0);
    Register got = f.run(makeOp(DsdOpcode::Mov32, f.operand(mem1d(kOut, 5)),
                                f.operand(fifo(0))));
    f.store(got, kFlags, 16);
    Register two = f.constant(2);
    f.store(two, kFlags + 2, 16);
    // What is left of the read length decides how much the next one takes.
    f.run(makeOp(DsdOpcode::Mov32, f.operand(fifo(0)),
                 f.operand(mem1d(kData, 6))));
    f.run(makeOp(DsdOpcode::Mov32, f.operand(mem1d(kOut + 40, 6)),
                 f.operand(fifo(0))));
  });
  pair.add([&](FunctionBuilder &, Code &, wafer::Setup &) {});
  program = pair.program;
  return simulate(program);
}

TEST(Fifos, ActionsOnEmpty) {
  Program program;
  auto simulator = readEmpty(FifoAction::TestOrSuspend, program);
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_THAT(flags(*simulator, 0), ElementsAre(0, 2, 0, 0));
  EXPECT_THAT(readMemory<uint32_t>(*simulator, 0, 0, kOut, 4),
              ElementsAre(100, 101, 102, 0));
  // Two of the five were left.
  EXPECT_THAT(readMemory<uint32_t>(*simulator, 0, 0, kOut + 40, 3),
              ElementsAre(100, 101, 0));
  SEQUIN_ROW("FIF-017");
  SEQUIN_ROW("FIF-024");
  simulator = readEmpty(FifoAction::Terminate, program);
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_THAT(flags(*simulator, 0), ElementsAre(1, 2, 0, 0));
  SEQUIN_ROW("FIF-014");
  simulator = readEmpty(FifoAction::Suspend, program);
  ASSERT_EQ(simulator->run(), Outcome::Hung);
  EXPECT_THAT(simulator->hang().str(program),
              HasSubstr("waits for data in FIFO 'f'"));
  SEQUIN_ROW("FIF-015");
  simulator = readEmpty(FifoAction::Fault, program);
  ASSERT_EQ(simulator->run(), Outcome::Trapped);
  EXPECT_THAT(simulator->trap()->message, HasSubstr("FIFO 'f' is empty"));
  SEQUIN_ROW("FIF-016");
}

//===----------------------------------------------------------------------===//
// Hangs
//===----------------------------------------------------------------------===//

std::string hang(Program &program) {
  auto simulator = simulate(program);
  if (!simulator || simulator->run() != Outcome::Hung)
    return "no hang";
  return simulator->hang().str(program);
}

void receive(Pair &pair, unsigned count) {
  pair.add([&](FunctionBuilder &f, Code &, wafer::Setup &) {
    f.run(makeOp(DsdOpcode::Mov32, f.operand(mem1d(kOut, count)),
                 f.operand(fabin(0, count))));
  });
}

TEST(Hangs, ExtentsThatDoNotMatch) {
  Pair pair("wse2");
  pair.addSender(7);
  receive(pair, 9);
  std::string report = hang(pair.program);
  EXPECT_THAT(report, HasSubstr("PE (1, 0) main thread in local task 'main': "
                                "mov32 has 2 of 9 elements left and waits for "
                                "a wavelet on input queue 0, color 5, since"));
  EXPECT_THAT(report, HasSubstr("color 5 comes through PE (0, 0)\n"));
  EXPECT_THAT(report, HasSubstr("PE (0, 0) must send on color 5: idle, no task "
                                "is ready"));
  EXPECT_THAT(report,
              HasSubstr("the extents do not match: 7 of 9 elements came"));
  SEQUIN_ROW("DOP-008");
  SEQUIN_ROW("TSK-041");
}

TEST(Hangs, QueueBoundToAnotherColor) {
  Pair pair("wse3");
  pair.addSender(40);
  receive(pair, 40);
  pair.program.setups[1].inputQueues[0].color = 6;
  EXPECT_THAT(hang(pair.program),
              HasSubstr("wavelets of color 5 are there, but the queue is bound "
                        "to color 6"));
}

TEST(Hangs, SwitchNeverAdvanced) {
  Pair pair("wse2");
  pair.addSender(7);
  receive(pair, 7);
  ColorConfig config = route(R, W);
  config.positions[1] = Routes{R, E};
  config.hasSwitches = true;
  pair.program.routers[0].colors[5] = config;
  EXPECT_THAT(hang(pair.program),
              HasSubstr("the switch of color 5 at PE (0, 0) stands at position "
                        "0 and was never advanced"));
}

TEST(Hangs, BlockedTask) {
  Pair pair("wse2");
  pair.addSender(40);
  pair.add([&](FunctionBuilder &, Code &code, wafer::Setup &setup) {
    FunctionBuilder g(code, "on_data", 1);
    setup.tasks.push_back(dataTask(5, g.finish(), {32}));
    setup.blockedTasks |= 1u << 5;
  });
  EXPECT_THAT(hang(pair.program), HasSubstr("its data task is blocked"));
  pair.program.setups[1].blockedTasks &= ~(1u << 5);
  EXPECT_EQ(hang(pair.program), "no hang");
}

TEST(Hangs, BackPressureHoldsTheSender) {
  Pair pair("wse2");
  pair.addSender(40);
  pair.add([&](FunctionBuilder &, Code &, wafer::Setup &) {});
  std::string report = hang(pair.program);
  EXPECT_THAT(report, HasSubstr("nothing reads it"));
  EXPECT_THAT(report, HasSubstr("waits for room in output queue 2, color 5"));
  SEQUIN_ROW("FAB-020");
}

} // namespace
