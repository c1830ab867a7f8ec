//===- HostTest.cpp - The host between runs -------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Row.h"
#include "WaferBuilder.h"

using namespace sequin;
using namespace sequin::testing;

namespace {

/// One PE whose task adds one to a word and activates itself.
Program spinningProgram() {
  Program program = makeProgram("wse3", 1, 1);
  program.routers.emplace_back();
  Code &code = program.codes.emplace_back();
  code.variables = {variable("count", 16, 4, 1)};
  FunctionBuilder f(code, "spin");
  Register count = f.load(16, 32);
  Register one = f.constant(1);
  f.store(f.emit(Opcode::Add, count, one), 16, 32);
  f.activate(25);
  program.setups.push_back(makeSetup(0, {{25, f.finish()}}, 8));
  return program;
}

/// One PE that takes words of stream "in" on color 4 by a data task, which adds
/// them up.
Program addingProgram() {
  Program program = makeProgram("wse2", 1, 1);
  program.routers.emplace_back();
  Code &code = program.codes.emplace_back();
  code.variables = {variable("sum", 16, 4, 1)};
  FunctionBuilder f(code, "add", 1);
  Register sum = f.load(16, 32);
  f.store(f.emit(Opcode::Add, sum, 0), 16, 32);
  wafer::Setup setup = makeSetup(0, {});
  setup.tasks.push_back(dataTask(4, f.finish(), {32}));
  setup.inputQueues = {queue(2, 4)};
  setup.blockedTasks &= ~(1u << 4);
  program.setups.push_back(setup);
  program.streams.push_back({.name = "in", .color = 4});
  return program;
}

} // namespace

// A run in pieces is the run.
TEST(Host, PausesAndGoesOn) {
  Program program = spinningProgram();
  auto pieces = simulate(program), whole = simulate(program);
  ASSERT_TRUE(pieces && whole);
  EXPECT_EQ(whole->run(3000), Outcome::Paused);
  uint64_t last = 0;
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(pieces->run(1000), Outcome::Paused);
    EXPECT_GE(pieces->now(), last + 1000);
    last = pieces->now();
  }
  while (pieces->now() > whole->now())
    whole->run(1);
  EXPECT_EQ(readMemory<uint32_t>(*pieces, 0, 0, 16, 1),
            readMemory<uint32_t>(*whole, 0, 0, 16, 1));
  EXPECT_GT(readMemory<uint32_t>(*pieces, 0, 0, 16, 1)[0], 100u);
}

TEST(Host, LimitOfCyclesComesBeforeThePause) {
  Program program = spinningProgram();
  Options options;
  options.maxCycles = 500;
  auto simulator = simulate(program, options);
  ASSERT_TRUE(simulator);
  EXPECT_EQ(simulator->run(100), Outcome::Paused);
  EXPECT_EQ(simulator->run(10000), Outcome::Exhausted);
}

TEST(Host, CountsWordsThatHaveNotEntered) {
  SEQUIN_ROW("HST-027");
  Program program = addingProgram();
  auto simulator = simulate(program);
  ASSERT_TRUE(simulator);
  std::vector<uint32_t> words(40, 3);
  ASSERT_FALSE(bool(simulator->send("in", 0, 0, words)));
  EXPECT_EQ(simulator->unsent("in", 0, 0), 40u);
  EXPECT_EQ(simulator->run(20), Outcome::Paused);
  EXPECT_GT(simulator->unsent("in", 0, 0), 0u);
  EXPECT_LT(simulator->unsent("in", 0, 0), 40u);
  EXPECT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_EQ(simulator->unsent("in", 0, 0), 0u);
  EXPECT_EQ(readMemory<uint32_t>(*simulator, 0, 0, 16, 1)[0], 120u);
}

// A launch that one of the PEs refuses has started nothing on the others.
TEST(Host, LaunchesOnAllOrNone) {
  Program program = makeProgram("wse3", 2, 1);
  program.routers.emplace_back();
  for (uint32_t pe : {0u, 1u}) {
    Code &code = program.codes.emplace_back();
    code.variables = {variable("count", 16, 4, 1)};
    FunctionBuilder f(code, "set");
    f.store(f.constant(7), 16, 32);
    f.finish();
    program.setups.push_back(makeSetup(pe, {}, 8));
    program.pes[pe].setup = pe;
  }
  Symbol symbol;
  symbol.name = "set";
  symbol.kind = Symbol::Kind::Function;
  symbol.places = {{0, 0}};
  program.symbols.push_back(symbol);
  auto simulator = simulate(program);
  ASSERT_TRUE(simulator);
  llvm::Error refused = simulator->launch("set", {0, 0, 2, 1}, {});
  EXPECT_EQ(llvm::toString(std::move(refused)),
            "PE (1, 0) has no function 'set'");
  EXPECT_FALSE(simulator->hasCommand(0, 0));
  EXPECT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_EQ(readMemory<uint32_t>(*simulator, 0, 0, 16, 1)[0], 0u);
  ASSERT_FALSE(bool(simulator->launch("set", {0, 0, 1, 1}, {})));
  EXPECT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_EQ(readMemory<uint32_t>(*simulator, 0, 0, 16, 1)[0], 7u);
}
