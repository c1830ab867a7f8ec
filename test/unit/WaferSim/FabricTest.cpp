//===- FabricTest.cpp - Tasks, routes, switches, filters ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Row.h"
#include "WaferBuilder.h"
#include "sequin/Wafer/ControlWord.h"
#include "gmock/gmock.h"

using namespace sequin;
using namespace sequin::testing;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

namespace {

constexpr uint32_t kCount = 0, kData = 1024, kLog = 4096;
constexpr uint8_t kColor = 5;

/// A receiver: a data task that appends each wavelet to `log` (32 bits) and
/// counts in `count`; control task 40 appends its argument plus 0x10000.
struct Receiver {
  Code code;
  wafer::Setup setup;
};
Receiver makeReceiver(llvm::StringRef target, uint32_t codeIndex) {
  Receiver r;
  r.code.variables = {variable("count", kCount, 2, 2),
                      variable("log", kLog, 4, 256)};
  auto append = [&](std::string name, bool control) {
    FunctionBuilder f(r.code, name, 1);
    Register n = f.load(kCount, 16);
    Register value = 0;
    if (control) {
      Register mark = f.constant(0x10000);
      value = f.emit(Opcode::Add, 0, mark);
    }
    f.into(value, Opcode::Store, kNoRegister, n, kLog, 32);
    Register one = f.constant(1);
    Register more = f.emit(Opcode::Add, n, one, 0, 16);
    f.store(more, kCount, 16);
    return f.finish();
  };
  uint32_t data = append("on_data", false),
           control = append("on_control", true);
  r.setup = makeSetup(codeIndex, {}, target == "wse2" ? 24 : 8);
  unsigned id = target == "wse2" ? kColor : 2;
  r.setup.tasks.push_back(dataTask(id, data, {32}));
  r.setup.blockedTasks &= ~(1u << id);
  Task task;
  task.kind = TaskKind::Control;
  task.id = 40;
  task.function = control;
  task.argumentBits = {16};
  r.setup.tasks.push_back(task);
  r.setup.inputQueues = {queue(2, kColor)};
  return r;
}

/// A sender that runs the operations `write` adds.
template <typename F>
void addSender(Program &program, const std::vector<uint32_t> &words, F write) {
  Code &code = program.codes.emplace_back();
  code.variables = {variable("data", kData, 4, 256)};
  std::vector<uint32_t> data = words;
  data.resize(256);
  setData(code.variables[0], data);
  FunctionBuilder f(code, "send");
  write(f);
  uint32_t send = f.finish();
  bool wse2 = program.target == "wse2";
  program.setups.push_back(
      makeSetup(static_cast<uint32_t>(program.codes.size() - 1), {{25, send}},
                wse2 ? 24 : 8));
  program.setups.back().outputQueues = {
      queue(2, wse2 ? std::nullopt : std::optional<uint8_t>(kColor))};
}

void addReceiver(Program &program) {
  Receiver r =
      makeReceiver(program.target, static_cast<uint32_t>(program.codes.size()));
  program.codes.push_back(r.code);
  program.setups.push_back(r.setup);
}

uint32_t addRouter(Program &program, const ColorConfig &config) {
  program.routers.emplace_back();
  program.routers.back().colors[kColor] = config;
  return static_cast<uint32_t>(program.routers.size() - 1);
}

void sendWords(FunctionBuilder &f, unsigned first, unsigned count,
               bool control = false, bool wse2 = true, bool advance = false) {
  Descriptor out = fabout(2, kColor, count, wse2);
  out.control = control;
  out.advanceSwitch = advance;
  f.run(makeOp(DsdOpcode::Mov32, f.operand(out),
               f.operand(mem1d(kData + 4 * first, count))));
}

std::vector<uint32_t> received(const Simulator &simulator, int64_t x,
                               int64_t y = 0) {
  uint16_t count = readMemory<uint16_t>(simulator, x, y, kCount, 1)[0];
  return readMemory<uint32_t>(simulator, x, y, kLog, count);
}

/// A control word of one command.
uint32_t command(SwitchCommand first, unsigned entry, unsigned data = 0,
                 bool ceIgnore = false) {
  return (static_cast<unsigned>(first) | ceIgnore << 2) << 22 | entry << 16 |
         data;
}

TEST(Tasks, DataTasksOnBothMachines) {
  for (const char *target : {"wse2", "wse3"}) {
    bool wse2 = llvm::StringRef(target) == "wse2";
    Program program = makeProgram(target, 3, 1);
    addSender(program, {10, 11, 12, 13, 14, 15},
              [&](FunctionBuilder &f) { sendWords(f, 0, 6, false, wse2); });
    addReceiver(program);
    addRouter(program, route(R, E));
    addRouter(program, route(W, E | R));
    addRouter(program, route(W, R));
    for (uint32_t x = 0; x < 3; ++x) {
      program.pes[x].setup = x != 0;
      program.pes[x].router = x;
    }
    auto simulator = simulate(program);
    ASSERT_EQ(simulator->run(), Outcome::Finished);
    for (int x : {1, 2})
      EXPECT_THAT(received(*simulator, x), ElementsAre(10, 11, 12, 13, 14, 15));
    EXPECT_EQ(simulator->counters().hops, 12u);
  }
  SEQUIN_ROW("TSK-006");
  SEQUIN_ROW("TSK-007");
  SEQUIN_ROW("TSK-027");
}

TEST(Tasks, ControlTasksAndCeIgnore) {
  Program program = makeProgram("wse2", 2, 1);
  addSender(program,
            {7, command(SwitchCommand::Nop, 40, 99),
             command(SwitchCommand::Nop, 40, 98, true),
             command(SwitchCommand::Nop, 31), 8},
            [](FunctionBuilder &f) {
              sendWords(f, 0, 1);
              sendWords(f, 1, 3, true);
              sendWords(f, 4, 1);
            });
  addReceiver(program);
  addRouter(program, route(R, E));
  addRouter(program, route(W, R));
  program.pes[1] = program.pes[0];
  program.pes[1].setup = program.pes[1].router = 1;
  auto simulator = simulate(program);
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_THAT(received(*simulator, 1), ElementsAre(7, 0x10000 + 99, 8));
  SEQUIN_ROW("TSK-024");
  SEQUIN_ROW("TSK-035");
  SEQUIN_ROW("TSK-038");
  SEQUIN_ROW("FAB-045");
  SEQUIN_ROW("FAB-048");
  // An entry without a task.
  program.codes[0].variables[0].data[4 + 2] = 41;
  simulator = simulate(program);
  ASSERT_EQ(simulator->run(), Outcome::Trapped);
  EXPECT_THAT(simulator->trap()->message, HasSubstr("control task 41"));
  SEQUIN_ROW("TSK-037");
}

TEST(Tasks, BlockedTasksKeepTheirActivation) {
  Program program = makeProgram("wse2", 1, 1);
  Code &code = program.codes.emplace_back();
  code.variables = {variable("x", 0, 2, 4)};
  FunctionBuilder f(code, "main");
  // Two activations of a blocked task, then unblock: one run.
  f.activate(26);
  f.activate(26);
  f.activate(27);
  uint32_t main = f.finish();
  auto count = [&](uint32_t address) {
    FunctionBuilder g(code, "count");
    Register n = g.load(address, 16);
    Register one = g.constant(1);
    Register more = g.emit(Opcode::Add, n, one, 0, 16);
    g.store(more, address, 16);
    if (address == 2) {
      Register id = g.constant(26);
      g.effect(Opcode::Unblock, id);
    }
    return g.finish();
  };
  uint32_t blocked = count(0), unblocker = count(2);
  program.setups.push_back(
      makeSetup(0, {{25, main}, {26, blocked}, {27, unblocker}}));
  program.setups[0].blockedTasks |= 1u << 26;
  program.routers.emplace_back();
  auto simulator = simulate(program);
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_THAT(readMemory<uint16_t>(*simulator, 0, 0, 0, 2), ElementsAre(1, 1));
  SEQUIN_ROW("TSK-029");
  SEQUIN_ROW("TSK-031");
  SEQUIN_ROW("TSK-034");
}

/// Sender west of a switch PE, receivers at the switch PE (RAMP) and east of
/// it. Position 0: WEST to RAMP; position 1: WEST to EAST.
Program makeSwitch(const std::vector<uint32_t> &words, bool ring,
                   PopMode pop = PopMode::NoPop) {
  Program program = makeProgram("wse2", 3, 1);
  addSender(program, words, [&](FunctionBuilder &f) {
    for (unsigned i = 0; i < words.size(); ++i)
      sendWords(f, i, 1, words[i] >= 1u << 16);
  });
  addReceiver(program);
  addRouter(program, route(R, E));
  ColorConfig config = route(W, R);
  config.positions[1] = Routes{W, E};
  config.hasSwitches = true;
  config.ring = ring;
  config.pop = pop;
  addRouter(program, config);
  addRouter(program, route(W, R));
  for (uint32_t x = 0; x < 3; ++x) {
    program.pes[x].setup = x != 0;
    program.pes[x].router = x;
  }
  return program;
}

TEST(Switches, AdvanceStayRingReset) {
  uint32_t advance = command(SwitchCommand::Advance, 31);
  uint32_t reset = command(SwitchCommand::Reset, 31);
  // Past the last position: stays.
  Program program = makeSwitch({1, advance, 2, advance, 3, reset, 4}, false);
  auto simulator = simulate(program);
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_THAT(received(*simulator, 1), ElementsAre(1, 4));
  EXPECT_THAT(received(*simulator, 2), ElementsAre(2, 3));
  SEQUIN_ROW("FAB-026");
  SEQUIN_ROW("FAB-029");
  SEQUIN_ROW("FAB-032");
  // In ring mode back to position 0; the positions 2 and 3 are not valid.
  program = makeSwitch({1, advance, 2, advance, 3}, true);
  simulator = simulate(program);
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_THAT(received(*simulator, 1), ElementsAre(1, 3));
  EXPECT_THAT(received(*simulator, 2), ElementsAre(2));
  SEQUIN_ROW("FAB-027");
  SEQUIN_ROW("FAB-034");
}

TEST(Switches, PopShiftsCommandsForTheNextRouter) {
  // The published constant (AMB-019).
  EXPECT_EQ(ControlWord{0x09DF9249}.popped().payload, 0x091F9249u);
  SEQUIN_ROW("FAB-047");
  SEQUIN_ROW("WEX-048");
  // Position 1 leads on; the control wavelet after the advance carries what is
  // left to PE 2, whose control task sees its data.
  uint32_t advance = command(SwitchCommand::Advance, 31);
  uint32_t nop = command(SwitchCommand::Nop, 40, 5);
  for (PopMode mode : {PopMode::NoPop, PopMode::AlwaysPop}) {
    Program program = makeSwitch({advance, nop}, false, mode);
    auto simulator = simulate(program);
    ASSERT_EQ(simulator->run(), Outcome::Finished);
    // After a pop the eight commands have moved down by one; the first of what
    // was data (5 >> 1 in command 2) makes the low half another.
    uint32_t data = mode == PopMode::NoPop
                        ? 5u
                        : ControlWord{nop}.popped().payload & 0xffff;
    EXPECT_THAT(received(*simulator, 2), ElementsAre(0x10000 + data));
  }
  SEQUIN_ROW("FAB-035");
}

TEST(Switches, AdvanceAfterTheLastWavelet) {
  Program program = makeProgram("wse2", 3, 1);
  addSender(program, {1, 2, 3}, [](FunctionBuilder &f) {
    sendWords(f, 0, 2, false, true, true);
    sendWords(f, 2, 1);
  });
  addReceiver(program);
  ColorConfig config = route(R, W);
  config.positions[1] = Routes{R, E};
  config.hasSwitches = true;
  addRouter(program, config);
  addRouter(program, route(E, R));
  addRouter(program, route(W, R));
  program.pes[0] = {1, 1, {}, {}};
  program.pes[1] = {0, 0, {}, {}};
  program.pes[2] = {1, 2, {}, {}};
  auto simulator = simulate(program);
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_THAT(received(*simulator, 0), ElementsAre(1, 2));
  EXPECT_THAT(received(*simulator, 2), ElementsAre(3));
  SEQUIN_ROW("DSD-058");
}

/// What gets through a filter of 15 data wavelets 0, 1, ....
std::vector<uint32_t> filtered(const Filter &filter,
                               std::vector<uint32_t> words = {}) {
  if (words.empty())
    for (uint32_t i = 0; i < 15; ++i)
      words.push_back(i);
  Program program = makeProgram("wse2", 2, 1);
  addSender(program, words, [&](FunctionBuilder &f) {
    sendWords(f, 0, static_cast<unsigned>(words.size()));
  });
  addReceiver(program);
  addRouter(program, route(R, E));
  ColorConfig config = route(W, R);
  config.filter = 0;
  addRouter(program, config);
  program.routers.back().filters = {filter};
  program.pes[1].setup = program.pes[1].router = 1;
  auto simulator = simulate(program);
  EXPECT_EQ(simulator->run(), Outcome::Finished);
  return received(*simulator, 1);
}

TEST(Filters, Counter) {
  Filter filter;
  filter.countData = true;
  filter.limit1 = 14;
  filter.maxCounter = 1;
  EXPECT_THAT(filtered(filter), ElementsAre(0, 1));
  SEQUIN_ROW("FAB-054");
  // The period is limit1 + 1.
  filter.limit1 = 5;
  filter.maxCounter = 4;
  EXPECT_THAT(filtered(filter),
              ElementsAre(0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 12, 13, 14));
  SEQUIN_ROW("FAB-051");
  SEQUIN_ROW("FAB-052");
  SEQUIN_ROW("FAB-053");
  // The start decides which brick of the period.
  filter.limit1 = 14;
  filter.maxCounter = 4;
  filter.counter = 10;
  EXPECT_THAT(filtered(filter), ElementsAre(5, 6, 7, 8, 9));
  SEQUIN_ROW("FAB-055");
}

TEST(Filters, SparseCounterAndRange) {
  Filter filter;
  filter.kind = FilterKind::SparseCounter;
  filter.countData = true;
  filter.limit1 = 3;
  filter.limit2 = 5;
  filter.maxCounter = 0;
  // Passes at 0; a period of 4, then one of 6, then all.
  EXPECT_THAT(filtered(filter), ElementsAre(0, 4, 10, 11, 12, 13, 14));
  SEQUIN_ROW("FAB-058");
  filter.limit1.reset();
  filter.limit2.reset();
  EXPECT_EQ(filtered(filter).size(), 15u);
  SEQUIN_ROW("FAB-059");
  Filter range;
  range.kind = FilterKind::Range;
  range.minIndex = 3;
  range.maxIndex = 5;
  std::vector<uint32_t> words;
  for (uint32_t i = 0; i < 12; ++i)
    words.push_back(i << 16 | (10 + i));
  EXPECT_THAT(filtered(range, words),
              ElementsAre(3 << 16 | 13, 4 << 16 | 14, 5 << 16 | 15));
  SEQUIN_ROW("FAB-060");
  SEQUIN_ROW("FAB-061");
}

TEST(Routes, UnconfiguredColorTraps) {
  Program program = makeProgram("wse2", 2, 1);
  addSender(program, {1}, [](FunctionBuilder &f) { sendWords(f, 0, 1); });
  addReceiver(program);
  addRouter(program, route(R, E));
  program.routers.emplace_back();
  program.pes[1].setup = program.pes[1].router = 1;
  auto simulator = simulate(program);
  ASSERT_EQ(simulator->run(), Outcome::Trapped);
  EXPECT_EQ(simulator->trap()->x, 1);
  EXPECT_THAT(simulator->trap()->message,
              HasSubstr("from WEST on color 5, which has no route here"));
  SEQUIN_ROW("FAB-019");
}

TEST(Routes, TwoInputsAtOnceAreARace) {
  Program program = makeProgram("wse2", 3, 1);
  addSender(program, {1, 2, 3}, [](FunctionBuilder &f) { sendWords(f, 0, 3); });
  addReceiver(program);
  addRouter(program, route(R, E));
  addRouter(program, route(W | E, R));
  addRouter(program, route(R, W));
  for (uint32_t x = 0; x < 3; ++x) {
    program.pes[x].setup = x == 1;
    program.pes[x].router = x;
  }
  auto simulator = simulate(program);
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_EQ(received(*simulator, 1).size(), 6u);
  ASSERT_EQ(simulator->races().size(), 1u);
  EXPECT_EQ(simulator->races()[0].x, 1);
  SEQUIN_ROW("FAB-014");
}

TEST(Routes, TeardownHoldsAndExits) {
  Program program = makeProgram("wse2", 2, 1);
  addSender(program, {1, command(SwitchCommand::Teardown, 31), 2},
            [](FunctionBuilder &f) {
              sendWords(f, 0, 1);
              sendWords(f, 1, 1, true);
              sendWords(f, 2, 1);
            });
  addReceiver(program);
  addRouter(program, route(R, E));
  addRouter(program, route(W, R));
  program.pes[1].setup = program.pes[1].router = 1;
  // Without a handler: the sender's own router is in teardown for good.
  auto simulator = simulate(program);
  ASSERT_EQ(simulator->run(), Outcome::Hung);
  EXPECT_THAT(received(*simulator, 1), ElementsAre(1));
  EXPECT_THAT(
      simulator->hang().str(program),
      HasSubstr("color 5 is in teardown here and nothing has ended it"));
  // With handlers that exit on both PEs.
  for (uint32_t c : {0, 1}) {
    FunctionBuilder f(program.codes[c], "on_teardown");
    Register word = f.constant(getInfo(CslRegister::TeardownExit).address);
    Register color = f.constant(kColor);
    f.effect(Opcode::SetConfig, word, color);
    program.setups[c].teardownHandlers[kColor] = f.finish();
  }
  simulator = simulate(program);
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_THAT(received(*simulator, 1), ElementsAre(1, 2));
  SEQUIN_ROW("FAB-030");
  SEQUIN_ROW("FAB-064");
  SEQUIN_ROW("FAB-065");
}

TEST(Host, StreamsLaunchesAndCopies) {
  Program program = makeProgram("wse2", 1, 1);
  program.memcpy = true;
  addReceiver(program);
  program.routers.emplace_back();
  Code &code = program.codes[0];
  FunctionBuilder f(code, "twice", 1);
  Register sum = f.emit(Opcode::Add, 0, 0, 0, 32);
  f.store(sum, kLog, 32);
  f.effect(Opcode::UnblockCommandStream);
  uint32_t twice = f.finish();
  Stream stream;
  stream.name = "in";
  stream.color = kColor;
  program.streams = {stream};
  Symbol function, log;
  function.name = "twice";
  function.kind = Symbol::Kind::Function;
  function.argumentBits = {32};
  function.argumentKinds = {ElementKind::Unsigned};
  function.places = {{0, twice}};
  log.name = "log";
  log.elementBytes = 4;
  log.places = {{0, 1}};
  program.symbols = {function, log};
  auto simulator = simulate(program);
  ASSERT_TRUE(simulator);
  llvm::cantFail(simulator->send("in", 0, 0, {5, 6, 7}));
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_THAT(received(*simulator, 0), ElementsAre(5, 6, 7));
  llvm::cantFail(simulator->launch("twice", {}, {21}));
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_THAT(llvm::cantFail(simulator->copyOut("log", 0, 0, 4)),
              ElementsAre(42, 0, 0, 0));
  EXPECT_EQ(llvm::toString(simulator->launch("once", {})),
            "no PE exports a symbol 'once'");
  // A kernel that does not unblock.
  Function &body = code.functions[twice];
  body.instructions.erase(body.instructions.end() - 2);
  body.locations.pop_back();
  simulator = simulate(program);
  ASSERT_TRUE(simulator);
  llvm::cantFail(simulator->launch("twice", {}, {21}));
  ASSERT_EQ(simulator->run(), Outcome::Hung);
  EXPECT_THAT(simulator->hang().str(program),
              HasSubstr("the kernel never called unblock_cmd_stream"));
}

} // namespace

//===----------------------------------------------------------------------===//
// Latency
//===----------------------------------------------------------------------===//

namespace {
/// When the operation is started and when its first wavelet is at the router.
class Injection : public Observer {
public:
  bool wantsInstructions() const override { return true; }
  void instruction(const Moment &at, const TracedInstruction &traced) override {
    if (traced.opcode == Opcode::Dsd)
      started = at.cycle;
  }
  void hop(const Moment &at, const Hop &hop) override {
    if (!arrived && hop.from == Direction::Ramp)
      arrived = at.cycle;
  }
  std::optional<uint64_t> started, arrived;
};
} // namespace

// An operation on registers: nothing is loaded between dispatch and start.
TEST(Latency, OfTheFirstWavelet) {
  SEQUIN_ROW("SIM-005");
  Program program = makeProgram("wse3", 2, 1);
  addSender(program, {1, 2, 3, 4}, [](FunctionBuilder &f) {
    f.loadDsr(DsrFile::Dest, 0, fabout(2, kColor, 4, /*wse2=*/false));
    f.loadDsr(DsrFile::Source1, 0, mem1d(kData, 4));
    Operand dest = FunctionBuilder::dsr(DsrFile::Dest, 0);
    f.run(makeOp(DsdOpcode::Mov32, dest,
                 FunctionBuilder::dsr(DsrFile::Source1, 0)));
  });
  addReceiver(program);
  program.pes[0].router = addRouter(program, route(R, E));
  program.pes[1].router = addRouter(program, route(W, R));
  program.pes[1].setup = 1;
  Injection injection;
  Options options;
  options.observer = &injection;
  auto simulator = simulate(program, options);
  ASSERT_TRUE(simulator);
  EXPECT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_THAT(received(*simulator, 1), ElementsAre(1, 2, 3, 4));
  ASSERT_TRUE(injection.started && injection.arrived);
  // Dispatch 2, start 1, queue 1, ramp 2, and the cycle in which it is seen.
  EXPECT_EQ(*injection.arrived - *injection.started + 1, 7u);
}
