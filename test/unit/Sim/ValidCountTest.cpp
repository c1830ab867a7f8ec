//===- ValidCountTest.cpp - Tests of the valid count generator ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/ValidCount.h"
#include "ReduceProgram.h"
#include "Stream/ValidCountFormula.h"
#include <random>

using namespace sequin;
using namespace sequin::testing;
using config::ValidCountGenerator;
using Counter = ValidCountGenerator::Counter;
using Gate = ValidCountGenerator::Gate;
using Row = std::vector<int>;

static constexpr int64_t kLanes = 8;
static constexpr int64_t kPacket = ValidCountGenerator::kPacketDim;
static constexpr int64_t kGate0 = ValidCountGenerator::kFirstGate;
static constexpr int64_t kNone = ValidCountGenerator::kUnassigned;

static ValidCountGenerator generator(std::initializer_list<Counter> counters,
                                     int64_t packetValid,
                                     std::initializer_list<Gate> gates = {}) {
  ValidCountGenerator result;
  result.counters = counters;
  result.packetValid = packetValid;
  result.gates = gates;
  return result;
}

/// The counts of one slice.
static Row countsOf(const ValidCountGenerator &generator, int64_t slice,
                    int64_t flits) {
  sim::ValidCounter counter(generator, kLanes);
  counter.begin(slice);
  std::vector<uint8_t> counts(flits);
  counter.next(counts);
  return Row(counts.begin(), counts.end());
}

/// Which of `flits` steps are valid in each of `slices` slices.
static std::vector<Row> validSteps(const ValidCountGenerator &generator,
                                   std::initializer_list<int64_t> slices,
                                   int64_t flits) {
  std::vector<Row> rows;
  for (int64_t slice : slices) {
    rows.push_back(countsOf(generator, slice, flits));
    for (int &count : rows.back()) {
      EXPECT_TRUE(count == 0 || count == kLanes);
      count /= kLanes;
    }
  }
  return rows;
}

TEST(ValidCounter, Sequencer) {
  // The value of one counter shows in the packet dim: vc = 8 - c.
  auto valuesOf = [](int shown) {
    ValidCountGenerator config = generator({{1, kPacket, 8}}, 8);
    for (int i = 0; i < 3; ++i)
      config.counters.push_back(
          {i == 0 ? 3 : 2, i == shown ? kPacket : kNone, i == shown ? 1 : 0});
    Row values = countsOf(config, 0, 12);
    for (int &value : values)
      value = 8 - value;
    return values;
  };
  SEQUIN_ROW("VCG-23");
  EXPECT_EQ(valuesOf(0), (Row{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(valuesOf(1), (Row{0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(valuesOf(2), (Row{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
}

TEST(ValidCounter, OriginalDims) {
  // At t = 4 idx_p is 8, idx_g0 1 and idx_g1 0: thresholds on both sides.
  auto at4 = [](int64_t packetValid, int64_t valid0, int64_t valid1) {
    return countsOf(generator({{3, kPacket, 8}, {2, kGate0, 1}, {2, 2, 1}},
                              packetValid,
                              {{0, 0, valid0, false}, {0, 0, valid1, false}}),
                    0, 12)[4];
  };
  SEQUIN_ROW("VCG-24");
  EXPECT_EQ(at4(11, 2, 1), 3);
  EXPECT_EQ(at4(9, 2, 1), 1);
  EXPECT_EQ(at4(8, 2, 1), 0);
  EXPECT_EQ(at4(11, 1, 1), 0);
  EXPECT_EQ(at4(11, 2, 0), 0);
}

TEST(ValidCounter, PacketDim) {
  SEQUIN_ROW("VCG-25");
  for (int64_t slice : {0, 5, 15}) {
    EXPECT_EQ(countsOf(generator({{3, kPacket, 8}}, 19), slice, 3),
              (Row{8, 8, 3}));
    EXPECT_EQ(countsOf(generator({{3, kPacket, 4}}, 11), slice, 3),
              (Row{4, 4, 3}));
  }
  SEQUIN_ROW("VCG-32");
  EXPECT_EQ(countsOf(generator({{3, kPacket, 8}, {3, kPacket, 24}}, 50), 0, 9),
            (Row{8, 8, 8, 8, 8, 8, 2, 0, 0}));
  // Without a counter on it: whole flits, or none.
  EXPECT_EQ(countsOf(generator({{2, kNone, 0}}, 8), 0, 2), (Row{8, 8}));
  EXPECT_EQ(countsOf(generator({{2, kNone, 0}}, 0), 0, 2), (Row{0, 0}));
}

TEST(ValidCounter, GateRule) {
  // Slices 4, 8 and 12 are below, at and above match 8 of mask 0b1100; the low
  // bits do not matter.
  auto with = [](bool transposed) {
    return generator({{2, kGate0, 1}}, 8, {{0b1100, 0b1000, 1, transposed}});
  };
  SEQUIN_ROW("VCG-26");
  EXPECT_EQ(validSteps(with(false), {4, 7, 8, 11, 12, 15}, 2),
            (std::vector<Row>{{1, 1}, {1, 1}, {1, 0}, {1, 0}, {0, 0}, {0, 0}}));
  EXPECT_EQ(validSteps(with(true), {4, 7, 8, 11, 12, 15}, 2),
            (std::vector<Row>{{1, 1}, {1, 1}, {1, 0}, {1, 0}, {1, 0}, {1, 0}}));

  // Unshifted: match 2 would cut below Ho = 1 (ERR-75).
  SEQUIN_ROW("VCG-27");
  SEQUIN_ROW("ERR-75");
  EXPECT_EQ(validSteps(with(false), {0, 4, 8, 12}, 2),
            (std::vector<Row>{{1, 1}, {1, 1}, {1, 0}, {0, 0}}));
  EXPECT_EQ(validSteps(generator({{2, kGate0, 1}}, 8, {{0b1100, 2, 1, false}}),
                       {0, 4, 8, 12}, 2),
            (std::vector<Row>{{1, 1}, {0, 0}, {0, 0}, {0, 0}}));

  SEQUIN_ROW("VCG-28");
  EXPECT_EQ(validSteps(generator({{2, kGate0, 1}}, 8, {{0b11, 1, 1, true}}),
                       {0, 1, 2, 3}, 2),
            (std::vector<Row>{{1, 1}, {1, 0}, {1, 0}, {1, 0}}));

  auto steps = [](const ValidCountGenerator &config) {
    Row sums;
    for (const Row &row : validSteps(config, {0, 1, 2, 3, 4, 5, 6, 7}, 3))
      sums.push_back(row[0] + row[1] + row[2]);
    return sums;
  };
  SEQUIN_ROW("VCG-30");
  EXPECT_EQ(steps(generator({{3, kGate0, 1}}, 8, {{0b111, 4, 2, false}})),
            (Row{3, 3, 3, 3, 2, 0, 0, 0}));
  SEQUIN_ROW("VCG-31");
  SEQUIN_ROW("ERR-76");
  EXPECT_EQ(steps(generator({{3, kGate0, 1}}, 8, {{0b111, 3, 2, true}})),
            (Row{3, 3, 3, 2, 2, 2, 2, 2}));
  // match 0 makes every slice a boundary (ERR-76).
  EXPECT_EQ(steps(generator({{3, kGate0, 1}}, 8, {{0b111, 0, 2, true}})),
            (Row{2, 2, 2, 2, 2, 2, 2, 2}));
}

TEST(ValidCounter, ThreeAxes) {
  ValidCountGenerator config =
      generator({{3, kPacket, 8}, {2, kGate0, 1}, {2, 2, 1}}, 19,
                {{0b0011, 2, 1, false}, {0b1100, 0b1000, 1, false}});
  // The manual's heatmap: one line per time step, slices from left to right.
  const char *heatmap[] = {
      "8880888088800000", "8880888088800000", "3330333033300000",
      "8800880088000000", "8800880088000000", "3300330033000000",
      "8880888000000000", "8880888000000000", "3330333000000000",
      "8800880000000000", "8800880000000000", "3300330000000000",
  };
  SEQUIN_ROW("VCG-29");
  for (int64_t slice = 0; slice < 16; ++slice) {
    Row found = countsOf(config, slice, 12);
    for (int t = 0; t < 12; ++t)
      EXPECT_EQ(found[t], heatmap[t][slice] - '0') << slice << " " << t;
  }
}

TEST(ValidCounter, Formula) {
  // Counters advanced one by one against the closed form, on random
  // configurations; in blocks of any size.
  uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
  SEQUIN_ROW("VCG-21");
  for (int round = 0; round < 300; ++round) {
    ValidCountGenerator config;
    int64_t gates = below(4), flits = 1;
    for (int64_t i = 0; i < gates; ++i)
      config.gates.push_back(
          {below(256), below(256), below(20), below(2) == 0});
    for (int64_t i = below(9); i > 0; --i) {
      config.counters.push_back(
          {1 + below(4), below(gates + 2) - 1, 1 + below(8)});
      flits *= config.counters.back().limit;
    }
    config.packetValid = below(40);
    sim::ValidCounter counter(config, kLanes);
    for (int64_t slice : {below(256), below(256)}) {
      counter.begin(slice);
      for (int64_t t = 0; t < std::min<int64_t>(flits, 500);) {
        std::vector<uint8_t> counts(std::min(flits - t, 1 + below(50)));
        counter.next(counts);
        for (uint8_t count : counts)
          ASSERT_EQ(count, countAt(config, kLanes, slice, t++));
      }
    }
  }
}

TEST(ValidCounter, FourWay) {
  SEQUIN_ROW("VCG-36");
  std::vector<uint8_t> flits = {0, 3, 4, 5, 8}, packets(10), joined(5);
  sim::splitCounts(flits, 4, packets);
  EXPECT_EQ(packets, (std::vector<uint8_t>{0, 0, 3, 0, 4, 0, 4, 1, 4, 4}));
  sim::concatCounts(packets, joined);
  EXPECT_EQ(joined, flits);
  // A trimmed packet keeps its count; of a whole flit whose upper half is
  // nobody's, the lower half is whole.
  std::vector<uint8_t> trimmed(5);
  sim::trimCounts({0, 1, 3, 4, 8}, 4, trimmed);
  EXPECT_EQ(trimmed, (std::vector<uint8_t>{0, 1, 3, 4, 4}));
  // More than four valid elements of a packet cannot be trimmed.
  auto withPacket = [](int64_t stride) {
    ReduceProgram program(4, config::VectorOpcode::TrimWay4);
    program.generator = generator({{4, kPacket, stride}}, 13);
    program.loops({{4, 0, true}});
    return program.error();
  };
  EXPECT_EQ(withPacket(4), "no error");
  EXPECT_NE(withPacket(5).find("packets of up to 5 valid elements are trimmed "
                               "to 4"),
            std::string::npos);
}

TEST(ValidCounter, Prefix) {
  // Element p is data if p < vc: eight elements 2^p, sums of the prefixes.
  SEQUIN_ROW("VCG-20");
  for (int vc = 0; vc <= 8; ++vc) {
    ReduceProgram program(1, config::VectorOpcode::Split);
    program.values = {1, 2, 4, 8, 16, 32, 64, 128};
    program.generator = generator({{1, kPacket, 8}}, vc);
    program.stage().tree = true;
    program.loops({{2, 0, true}});
    EXPECT_EQ(program.results()[0], (1 << vc) - 1);
  }
}

TEST(ValidCounter, IllegalConfigurations) {
  auto errorOf = [](const ValidCountGenerator &generator) {
    ReduceProgram program(8, config::VectorOpcode::TrimWay4);
    program.generator = generator;
    program.loops({{8, 0, true}});
    return program.error();
  };
  auto contains = [&](const ValidCountGenerator &generator,
                      llvm::StringRef text) {
    std::string error = errorOf(generator);
    EXPECT_NE(error.find(text), std::string::npos) << error;
    EXPECT_NE(error.find("valid_count"), std::string::npos) << error;
  };
  const ValidCountLimits &limits = limitsOfRngd();
  SEQUIN_ROW("VCG-22");
  EXPECT_EQ(limits.maxCounters, 8);
  EXPECT_EQ(limits.maxGates, 3);
  // A gate with mask 0 and match 1 is always open, whatever the slice.
  EXPECT_EQ(
      countsOf(generator({{3, kGate0, 1}}, 8, {{0, 1, 0, false}}), 200, 3),
      (Row{8, 8, 8}));
  // Eight counters and three gates, and one more of each.
  ValidCountGenerator full = generator({}, 8);
  for (int64_t i = 0; i < limits.maxCounters; ++i)
    full.counters.push_back({i < 3 ? 2 : 1, kNone, 0});
  full.gates.assign(limits.maxGates, Gate());
  EXPECT_EQ(errorOf(full), "no error");
  ValidCountGenerator more = full;
  more.counters.push_back(Counter());
  contains(more, "number of counters is 9");
  more = full;
  more.gates.push_back(Gate());
  contains(more, "number of gates is 4");

  contains(generator({{7, kNone, 0}}, 8), "7 steps, a slice has 8 flits");
  contains(generator({{0, kNone, 0}}, 8), "limit of counter 0 is 0");
  contains(generator({{limits.maxSize + 1, kNone, 0}}, 8),
           "limit of counter 0 is 65537");
  contains(generator({{8, kGate0, 1}}, 8), "dim of counter 0 is 1");
  contains(generator({{8, -2, 1}}, 8), "dim of counter 0 is -2");
  contains(generator({{8, kNone, -1}}, 8), "stride of counter 0 is -1");
  contains(generator({{8, kNone, limits.maxIndex + 1}}, 8),
           "stride of counter 0 is");
  contains(generator({{8, kPacket, 9}}, 8), "the innermost of the packet dim");
  contains(generator({{8, kPacket, 0}}, 8), "the innermost of the packet dim");
  contains(generator({{8, kNone, 0}}, -1), "packet_valid is -1");
  contains(generator({{8, kNone, 0}}, 8, {{256, 0, 0, false}}),
           "mask of gate 0 is 256");
  contains(generator({{8, kNone, 0}}, 8, {{0, 256, 0, false}}),
           "match of gate 0 is 256");
  contains(generator({{8, kNone, 0}}, 8, {{0, 1, -1, false}}),
           "valid of gate 0 is -1");
}

TEST(ValidCounter, JsonRoundTrip) {
  ReduceProgram program(4, config::VectorOpcode::TrimWay4);
  program.generator = generator({{2, kPacket, 4}, {2, kGate0, 1}}, 7,
                                {{0b101, 0b100, 1, true}});
  program.stage().op = config::IntraSliceReduceOp::Min;
  program.stage().tree = true;
  program.loops({{2, 0, true}, {2, 1, false}});
  config::Program given = program.make().program;
  llvm::Expected<config::Program> read =
      config::fromJSON(config::toJSON(given));
  ASSERT_TRUE(static_cast<bool>(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(config::toJSON(*read), config::toJSON(given));
  for (const config::Command &command : read->commands)
    if (const auto *exec = std::get_if<config::ExecCommand>(&command.body)) {
      EXPECT_EQ(exec->vector->validCount, program.generator);
      const config::IntraSliceReduceStage &stage =
          *exec->vector->intraSliceReduce;
      EXPECT_EQ(stage.op, config::IntraSliceReduceOp::Min);
      EXPECT_TRUE(stage.tree);
      ASSERT_EQ(stage.loops.size(), 2u);
      EXPECT_EQ(stage.loops[1].slotStride, 1);
      EXPECT_FALSE(stage.loops[1].reduced);
    }
}
