//===- IntraSliceReduceTest.cpp - Tests of the reduction in a slice -------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/IntraSliceReduce.h"
#include "ReduceProgram.h"
#include <cmath>
#include <limits>

using namespace sequin;
using namespace sequin::testing;
using config::IntraSliceReduceOp;
using config::VectorOpcode;

static constexpr float kInfinity = std::numeric_limits<float>::infinity();
static constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
static constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

TEST(IntraSliceReduce, TreeAndAccumulator) {
  SEQUIN_ROW("ISR-02");
  // op(op(a, b), op(c, d)): 2^24 swallows a 1 but not a 2.
  ReduceProgram tree(1, VectorOpcode::TrimWay4, ElementType::F32);
  tree.values = {0x1p24, 0, 1, 1, 0, 0, 0, 0};
  tree.stage().tree = true;
  tree.loops({});
  EXPECT_EQ(tree.floats()[0], 0x1p24f + 2);
  tree.values = {0x1p24, 1, 1, 0, 0, 0, 0, 0};
  EXPECT_EQ(tree.floats()[0], 0x1p24f);
  // Lanes behind the result are no elements.
  EXPECT_EQ(tree.floats().size(), 4u);

  // Time order: packets are added one by one.
  ReduceProgram time(3, VectorOpcode::TrimWay4, ElementType::F32);
  time.stage().tree = true;
  time.loops({{3, 0, true}});
  time.values.assign(24, 0);
  time.values[0] = 0x1p24, time.values[8] = 1, time.values[16] = 1;
  EXPECT_EQ(time.floats()[0], 0x1p24f);
  std::swap(time.values[0], time.values[16]);
  EXPECT_EQ(time.floats()[0], 0x1p24f + 2);

  // Without the tree, four sums side by side.
  ReduceProgram lanes(2, VectorOpcode::TrimWay4);
  lanes.values = {1, 2, 3, 4, 9, 9, 9, 9, 10, 20, 30, 40, 9, 9, 9, 9};
  lanes.loops({{2, 0, true}});
  EXPECT_EQ(lanes.results(), (std::vector<int32_t>{11, 22, 33, 44}));
}

TEST(IntraSliceReduce, Operations) {
  SEQUIN_ROW("ISR-03");
  struct Case {
    IntraSliceReduceOp op;
    std::vector<double> values;
    double result, identity;
  };
  for (const Case &c : {
           Case{IntraSliceReduceOp::AddSat, {5, -7, 3, 2}, 3, 0},
           Case{IntraSliceReduceOp::Max, {5, -7, 3, 2}, 5, kMin},
           Case{IntraSliceReduceOp::Min, {5, -7, 3, 2}, -7, kMax},
           Case{IntraSliceReduceOp::AddF, {5, -7.5, 3, 2}, 2.5, 0},
           Case{IntraSliceReduceOp::MaxF, {5, -7.5, 3, 2}, 5, -kInfinity},
           Case{IntraSliceReduceOp::MinF, {5, -7.5, 3, 2}, -7.5, kInfinity},
       }) {
    ElementType type = sim::IntraSliceReducer::typeOf(c.op);
    ReduceProgram program(1, VectorOpcode::TrimWay4, type);
    std::copy_n(c.values.begin(), 4, program.values.begin());
    program.stage().op = c.op;
    program.stage().tree = true;
    auto first = [&] {
      return isFloat(type) ? static_cast<double>(program.floats()[0])
                           : static_cast<double>(program.results()[0]);
    };
    EXPECT_EQ(first(), c.result);
    // Nothing of the packet is data: what is left is the identity.
    program.generator.emplace();
    program.generator->packetValid = 0;
    EXPECT_EQ(first(), c.identity);
  }

  // Addition saturates at every step, not at the end.
  ReduceProgram program(3, VectorOpcode::TrimWay4);
  program.loops({{3, 0, true}});
  program.values.assign(24, 0);
  program.values[0] = kMax, program.values[8] = 1, program.values[16] = -1;
  EXPECT_EQ(program.results()[0], kMax - 1);
}

TEST(IntraSliceReduce, InvalidLanes) {
  SEQUIN_ROW("SIL-12");
  // vc 5: the split's second packet has one element.
  ReduceProgram program(1, VectorOpcode::Split);
  program.values = {1, 2, 3, 4, 5, 1000, 1000, 1000};
  program.stage().op = IntraSliceReduceOp::Max;
  program.stage().tree = true;
  program.loops({{2, 0, true}});
  program.generator.emplace();
  program.generator->counters = {{1, 0, 8}};
  program.generator->packetValid = 5;
  EXPECT_EQ(program.results()[0], 5);
}

TEST(IntraSliceReduce, PaddingStrategies) {
  // R = 5 in a packet of 8 whose other elements are anything.
  auto bitsOf = [](ElementType type, double value) -> int64_t {
    return isFloat(type) ? encodeFloat(type, static_cast<float>(value))
                         : static_cast<uint32_t>(static_cast<int32_t>(value));
  };
  enum class Strategy { None, Generator, PadValue };
  auto resultOf = [&](IntraSliceReduceOp op, Strategy strategy, double pad,
                      std::vector<VectorOpcode> between = {}) -> double {
    ElementType type = sim::IntraSliceReducer::typeOf(op);
    ReduceProgram program(1, VectorOpcode::Split, type);
    program.values = {3, -4, 2, 6, -1, 100, -100, 77};
    program.stage().op = op;
    program.stage().tree = true;
    program.loops({{2, 0, true}});
    program.between = std::move(between);
    if (strategy == Strategy::Generator) {
      program.generator.emplace();
      program.generator->counters = {{1, 0, 8}};
      program.generator->packetValid = 5;
    } else if (strategy == Strategy::PadValue) {
      program.mask.emplace();
      program.mask->validCounts = {5};
      program.mask->padValue = bitsOf(type, pad);
    }
    return isFloat(type) ? static_cast<double>(program.floats()[0])
                         : static_cast<double>(program.results()[0]);
  };
  SEQUIN_ROW("ISR-11");
  struct Row {
    IntraSliceReduceOp op;
    double identity, result;
  };
  for (const Row &row : {Row{IntraSliceReduceOp::AddSat, 0, 6},
                         Row{IntraSliceReduceOp::Max, kMin, 6},
                         Row{IntraSliceReduceOp::Min, kMax, -4},
                         Row{IntraSliceReduceOp::AddF, 0, 6},
                         Row{IntraSliceReduceOp::MaxF, -kInfinity, 6},
                         Row{IntraSliceReduceOp::MinF, kInfinity, -4}}) {
    EXPECT_EQ(resultOf(row.op, Strategy::Generator, 0), row.result);
    EXPECT_EQ(resultOf(row.op, Strategy::PadValue, row.identity), row.result);
    EXPECT_NE(resultOf(row.op, Strategy::None, 0), row.result);
  }
  SEQUIN_ROW("ERR-69");
  // A sum of exponentials: zero is no padding for it, minus infinity is
  // (ERR-69), and the generator needs none.
  auto sum = [&](Strategy strategy, double pad) {
    return resultOf(IntraSliceReduceOp::AddF, strategy, pad,
                    {VectorOpcode::FpExp});
  };
  double right = sum(Strategy::Generator, 0);
  EXPECT_NEAR(right,
              std::exp(3) + std::exp(-4) + std::exp(2) + std::exp(6) +
                  std::exp(-1),
              1e-3);
  EXPECT_EQ(sum(Strategy::PadValue, -kInfinity), right);
  EXPECT_NEAR(sum(Strategy::PadValue, 0), right + 3, 1e-3);
}

TEST(IntraSliceReduce, Prefilled) {
  // Min over R = 13 in Slice m![R # 32 / 8], Time m![R # 32 / 4 % 2], Packet
  // m![R # 32 % 4 # 8]: slice 1 has R = 8 to 12 and three elements of padding.
  auto least = [](double padding) {
    ReduceProgram program(2, VectorOpcode::TrimWay4);
    program.values = {50, 41,      60,      70,      0, 0, 0, 0,
                      90, padding, padding, padding, 0, 0, 0, 0};
    program.stage().op = IntraSliceReduceOp::Min;
    program.stage().tree = true;
    program.loops({{2, 0, true}});
    return program.results()[0];
  };
  SEQUIN_ROW("ISR-07");
  SEQUIN_ROW("ERR-68");
  EXPECT_EQ(least(kMax), 41);
  EXPECT_EQ(least(7), 7);
}

TEST(IntraSliceReduce, Slots) {
  // Time m![R / 2, A % 2, R % 2]: flits 0, 1, 4, 5 are A = 0.
  ReduceProgram program(8, VectorOpcode::TrimWay4);
  for (int i = 0; i < 8; ++i)
    program.values[i * 8] = 1 << i;
  program.loops({{2, 0, true}, {2, 1, false}, {2, 0, true}});
  std::vector<int32_t> found = program.results();
  SEQUIN_ROW("ISR-08");
  ASSERT_EQ(found.size(), 8u);
  EXPECT_EQ(found[0], 1 << 0 | 1 << 1 | 1 << 4 | 1 << 5);
  EXPECT_EQ(found[4], 1 << 2 | 1 << 3 | 1 << 6 | 1 << 7);

  // Slots are used again by what is outside of the outermost reduced loop.
  program.loops({{2, 0, false}, {2, 0, true}, {2, 1, false}});
  found = program.results();
  EXPECT_EQ(found[0], 1 << 0 | 1 << 2);
  EXPECT_EQ(found[4], 1 << 1 | 1 << 3);
  EXPECT_EQ(found[8], 1 << 4 | 1 << 6);
  EXPECT_EQ(found[12], 1 << 5 | 1 << 7);
}

TEST(IntraSliceReduce, SlotLimit) {
  auto errorOf = [](int64_t a, int64_t b) {
    ReduceProgram program(2 * a * b, VectorOpcode::TrimWay4);
    program.loops({{2, 0, true}, {a, b, false}, {b, 1, false}});
    return program.error();
  };
  SEQUIN_ROW("ISR-09");
  EXPECT_EQ(lookupTcpMachine("rngd")->reduceSlots, 8);
  EXPECT_EQ(errorOf(2, 4), "no error");
  EXPECT_NE(errorOf(3, 3).find("9 accumulator slots, machine 'rngd' has 8"),
            std::string::npos);
  EXPECT_NE(errorOf(3, 4).find("12 accumulator slots, machine 'rngd' has 8"),
            std::string::npos);
}

TEST(IntraSliceReduce, IllegalConfigurations) {
  auto expect = [](std::initializer_list<config::ReduceLoop> loops,
                   llvm::StringRef text) {
    ReduceProgram program(8, VectorOpcode::TrimWay4);
    program.loops(loops);
    std::string error = program.error();
    EXPECT_NE(error.find(text), std::string::npos) << error;
  };
  expect({{7, 0, true}}, "7 steps, the stream has 8 packets");
  expect({{0, 0, true}}, "size of loop 0 is 0");
  expect({{4, 0, true}, {2, 0, false}}, "loop 1 has slot stride 0, expected 1");
  expect({{4, 1, true}, {2, 1, false}}, "loop 0 has slot stride 1, expected 0");
  expect({{4, 1, false}, {2, 0, true}}, "loop 0 has slot stride 1, expected 0");
  expect({{int64_t(1) << 62, 0, true}, {4, 0, true}}, "size of loop 0");

  ReduceProgram type(1, VectorOpcode::TrimWay4);
  type.stage().op = IntraSliceReduceOp::AddF;
  EXPECT_NE(type.error().find("works on f32, the stream carries i32"),
            std::string::npos);
}

TEST(IntraSliceReduce, Latency) {
  // The result of n packets is n cycles late for what comes behind.
  auto cyclesOf = [](int64_t outer, int64_t n) {
    ReduceProgram program(outer * n, VectorOpcode::TrimWay4);
    program.loops({{outer, 0, false}, {n, 0, true}});
    SliceProgram slices = program.make();
    llvm::Expected<sim::Result> result = sim::run(
        slices.program, slices.machine, slices.inputs, {.timingOnly = true});
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return int64_t(-1);
    }
    for (const sim::CommandTiming &timing : result->report.commands)
      if (timing.name == "exec")
        return timing.end - timing.start;
    return int64_t(-1);
  };
  SEQUIN_ROW("ISR-12");
  // All of 64 packets are one result: one flit to commit, 64 cycles late.
  EXPECT_EQ(cyclesOf(1, 64), 64 + 1);
  // 16 results of four packets: 64 packets, no less; 16 flits 4 cycles late.
  EXPECT_EQ(cyclesOf(16, 4), 64);
}
