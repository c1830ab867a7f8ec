//===- ReduceTest.cpp - Published timings of reduces and broadcasts -------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReduceProgram.h"
#include "Row.h"
#include "gmock/gmock.h"

using namespace sequin;
using namespace sequin::testing;

namespace {

/// Leaves a published number of cycles and ours in the results, from which
/// docs/validation.md is made.
void recordPublished(const std::string &name, double published, double ours) {
  ::testing::Test::RecordProperty("published: " + name,
                                  std::to_string(int64_t(published)) + " " +
                                      std::to_string(int64_t(ours)));
}

/// Cycles of a reduce of `elements` f32 over `pes` PEs in groups of `group`,
/// checked against the sum.
uint64_t reduce(int64_t pes, int64_t group, unsigned elements,
                const Options &options = {}) {
  Program program = makeReduce(pes, group, elements);
  auto simulator = simulate(program, options);
  if (!simulator)
    return 0;
  Outcome outcome = simulator->run();
  EXPECT_EQ(outcome, Outcome::Finished)
      << (simulator->trap() ? simulator->trap()->message
                            : simulator->hang().str(program));
  EXPECT_TRUE(simulator->races().empty());
  auto sum = readMemory<float>(*simulator, 0, 0, kReduceData, elements);
  for (unsigned i = 0; i < elements; ++i)
    EXPECT_EQ(sum[i], expectedSum(pes, i)) << i;
  // From the first injection until the last element is in memory.
  return simulator->counters().lastElement + 1 -
         simulator->counters().firstWavelet;
}

TEST(Reduce, PublishedChainAndTwoPhase) {
  // 4096 f32 on 512 x 1 PEs, vendor's simulator, by group size.
  const std::pair<int64_t, double> published[] = {
      {2, 10055}, {4, 9421},   {8, 9117},   {16, 8989}, {32, 8973},
      {64, 9061}, {128, 9297}, {256, 9800}, {512, 7218}};
  for (auto [group, cycles] : published) {
    double ours = static_cast<double>(reduce(512, group, 4096));
    EXPECT_NEAR(ours, cycles, 0.02 * cycles) << "group " << group;
    recordPublished((group == 512 ? "chain reduce"
                                  : "two-phase reduce, groups of " +
                                        std::to_string(group)) +
                        ", 4096 f32 on 512 x 1 PEs",
                    cycles, ours);
  }
  SEQUIN_ROW("SIM-002");
}

TEST(Reduce, TheModelHoldsForOtherSizes) {
  // chain B + 6 (P - 1); two phases 2B + (P - 1) + 5 ((S - 1) + (P / S - 1)).
  for (int64_t pes : {64, 128})
    for (unsigned elements : {256u, 1024u}) {
      double chain = elements + 6.0 * (pes - 1);
      EXPECT_NEAR(static_cast<double>(reduce(pes, pes, elements)), chain,
                  0.02 * chain + 40);
      double two = 2.0 * elements + (pes - 1) + 5.0 * ((8 - 1) + pes / 8 - 1);
      EXPECT_NEAR(static_cast<double>(reduce(pes, 8, elements)), two,
                  0.02 * two + 60);
    }
}

TEST(Reduce, AnalyticModel) {
  // T = max(C, E / N + L) + (2 T_R + 1) D with T_R about 2: a chain of P PEs
  // has contention B, energy B (P - 1) over P - 1 links, distance P - 1 and
  // depth P - 1 (SIM-029).
  constexpr double kRampCycles = 2;
  for (int64_t pes : {32, 128})
    for (unsigned elements : {512u, 2048u}) {
      double distance = static_cast<double>(pes - 1);
      double model = std::max<double>(elements, elements + distance) +
                     (2 * kRampCycles + 1) * distance;
      EXPECT_NEAR(static_cast<double>(reduce(pes, pes, elements)), model,
                  0.03 * model + 20);
    }
  SEQUIN_ROW("SIM-029");
}

TEST(Reduce, SameSumUnderPerturbation) {
  uint64_t plain = reduce(32, 8, 64);
  Options options;
  options.randomLatency = options.shallowQueues = options.highestTaskFirst =
      true;
  for (uint64_t seed : {1, 2, 3}) {
    options.seed = seed;
    EXPECT_NE(reduce(32, 8, 64, options), plain);
  }
}

TEST(Reduce, BroadcastOf196Words) {
  // PE 0 sends, the others store; published: 201 cycles.
  Program program = makeProgram("wse2", 4, 1);
  for (bool root : {true, false}) {
    Code &code = program.codes.emplace_back();
    code.variables = {variable("stamps", 0, 2, 16),
                      variable("data", kReduceData, 4, 196)};
    std::vector<uint32_t> data(196, 0);
    for (uint32_t i = 0; root && i < 196; ++i)
      data[i] = 1000 + i;
    setData(code.variables[1], data);
    FunctionBuilder f(code, "main");
    Operation op =
        root ? makeOp(DsdOpcode::Mov32, f.operand(fabout(2, 5, 196)),
                      f.operand(mem1d(kReduceData, 196)))
             : makeOp(DsdOpcode::Mov32, f.operand(mem1d(kReduceData, 196)),
                      f.operand(fabin(0, 196)));
    op.options.async = true;
    op.options.completion = Completion::Activate;
    op.options.completionTarget = f.constant(26);
    f.startCounter();
    f.stamp(0);
    f.run(op);
    uint32_t main = f.finish();
    FunctionBuilder done(code, "done");
    done.stamp(2);
    uint32_t doneFunction = done.finish();
    wafer::Setup setup =
        makeSetup(root ? 0 : 1, {{25, main}, {26, doneFunction}});
    if (!root)
      setup.inputQueues.push_back(queue(0, 5));
    program.setups.push_back(setup);
  }
  for (Routes routes : {Routes{R, E}, Routes{W, R | E}, Routes{W, R}}) {
    program.routers.emplace_back();
    program.routers.back().colors[5] = route(routes.rx, routes.tx);
  }
  for (uint32_t x = 0; x < 4; ++x) {
    program.pes[x].setup = x != 0;
    program.pes[x].router = x == 0 ? 0 : x < 3 ? 1 : 2;
  }
  auto simulator = simulate(program);
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  for (int x = 1; x < 4; ++x)
    for (uint32_t i = 0; i < 196; ++i)
      EXPECT_EQ(readMemory<uint32_t>(*simulator, x, 0, kReduceData, 196)[i],
                1000 + i);
  // From the call's first cycle of work to the completion task, on the sender:
  // what the call itself and the descriptors take is not in the published
  // figure.
  auto t = readMemory<uint16_t>(*simulator, 0, 0, 0, 2);
  const CslMachine &machine = *lookupCslMachine("wse2");
  int64_t overhead =
      2 * machine.dsrLoadCycles + machine.cycles(ScalarClass::Machine);
  double cycles = static_cast<double>(t[1] - t[0] - overhead);
  EXPECT_NEAR(cycles, 201.0, 0.02 * 201);
  recordPublished("asynchronous mov32 broadcast of 196 words", 201, cycles);
  EXPECT_EQ(simulator->counters().hops, 3u * 196);
  SEQUIN_ROW("FAB-015");
  SEQUIN_ROW("ASY-004");
}

} // namespace
