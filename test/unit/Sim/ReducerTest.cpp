//===- ReducerTest.cpp - Shift-reuse, reduce-max, latency -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionProgram.h"
#include <limits>

using namespace sequin;
using namespace sequin::testing;
using config::AccumulationKind;
using config::ReduceOp;
using ::testing::HasSubstr;
using enum ElementType;

namespace {

/// Windows of `type`: `groups` groups of flits, every packet for two weights.
Contraction shifted(ElementType type, int64_t collectFlits, int64_t shifts,
                    int64_t stride, int64_t groups = 3) {
  Contraction c;
  c.type = type;
  c.flits = collectFlits * groups;
  c.bytesPerRow = 64 * (shifts + 1) * 2;
  c.stage.collectFlits = collectFlits;
  c.stage.shifts = shifts;
  c.stage.shiftStride = stride;
  c.stage.timeBroadcast = 2;
  c.stage.depth = 1;
  c.stage.columns = std::min<int64_t>(c.lanes() / 2, 32);
  c.stage.kind = AccumulationKind::Sequential;
  c.stage.trf.entries = {
      {groups, 0}, {shifts + 1, 2 * c.lanes()}, {2, c.lanes()}};
  c.stage.loops = {{groups, 0, false}, {shifts + 1, 0, true}, {2, 1, false}};
  return c;
}

/// Cycles from start to end of the command called `name`.
int64_t cyclesOf(SliceProgram &program, llvm::StringRef name) {
  program.outputs();
  for (const sim::CommandTiming &timing : program.report.commands)
    if (timing.name == name)
      return timing.end - timing.start;
  return -1;
}

int64_t counter(SliceProgram &program, llvm::StringRef command,
                llvm::StringRef name) {
  program.outputs();
  for (const sim::CommandTiming &timing : program.report.commands)
    if (timing.name == command)
      for (const auto &[key, count] : timing.counters)
        if (key == name)
          return count;
  return -1;
}

} // namespace

// CON-06 to CON-10: shift by stride or dilation, of one to three flits.
TEST(Reducer, ShiftsOfEveryType) {
  for (ElementType type : {BF16, I8, I4, F8E4M3})
    for (auto [flits, shifts, stride] :
         {std::tuple{2, 2, 1}, {2, 1, 2}, {3, 1, 2}, {2, 2, 2}, {1, 3, 5}}) {
      SCOPED_TRACE(getName(type).str() + " " + std::to_string(flits) + " " +
                   std::to_string(shifts) + " " + std::to_string(stride));
      shifted(type, flits, shifts, stride).check();
    }
  SEQUIN_ROW("ALN-02");
}

// More windows than a block of the simulator has steps.
TEST(Reducer, ManyShifts) {
  shifted(I4, 3, 191, 1, 2).error();
  Contraction c = shifted(I8, 3, 31, 3, 5);
  c.bytesPerRow = 4096;
  c.check();
}

TEST(Reducer, ShiftLimits) {
  SEQUIN_ROW("ALN-02");
  auto errorOf = [](int64_t flits, int64_t shifts, int64_t stride) {
    Contraction c = shifted(BF16, flits, shifts, stride);
    c.bytesPerRow = 4096;
    return c.error();
  };
  // The last window begins inside the 32 or 48 elements collected.
  EXPECT_EQ(errorOf(2, 1, 30), "no error");
  EXPECT_EQ(errorOf(2, 1, 31), "no error");
  EXPECT_THAT(errorOf(2, 1, 32),
              HasSubstr("shift stride is 32, allowed are 1 to 31"));
  EXPECT_EQ(errorOf(3, 1, 47), "no error");
  EXPECT_THAT(errorOf(3, 1, 48),
              HasSubstr("shift stride is 48, allowed are 1 to 47"));
  EXPECT_THAT(errorOf(3, 2, 24), HasSubstr("allowed are 1 to 23"));
  EXPECT_THAT(errorOf(2, 1, 0), HasSubstr("shift stride is 0"));
  EXPECT_THAT(errorOf(2, -1, 1), HasSubstr("number of shifts is -1"));
  EXPECT_THAT(errorOf(2, 32, 1), HasSubstr("number of shifts is 32"));

  Contraction plain = shifted(BF16, 3, 0, 0);
  EXPECT_THAT(plain.error(),
              HasSubstr("collects 96 bytes without shifts, a packet takes 64"));
  plain = shifted(BF16, 2, 0, 1);
  EXPECT_THAT(plain.error(),
              HasSubstr("shift_stride without shifts means nothing there"));
}

TEST(Reducer, MaxOfEveryType) {
  for (ElementType type : {BF16, F8E4M3, F8E5M2, I8, I4})
    for (AccumulationKind kind :
         {AccumulationKind::Interleaved, AccumulationKind::Sequential}) {
      Contraction c;
      c.type = type;
      c.flits = 12;
      c.bytesPerRow = 192;
      c.stage.reduceOp = ReduceOp::Max;
      c.stage.rows = 1;
      c.stage.kind = kind;
      int64_t lanes = c.lanes();
      for (int64_t depth = 0; int64_t(1) << depth <= lanes; ++depth) {
        c.stage.depth = depth;
        c.stage.columns = std::min<int64_t>(lanes >> depth, 32);
        c.stage.trf.entries = {{2, 0}, {3, lanes}};
        c.stage.loops = {{2, 0, false}, {3, 0, true}};
        SCOPED_TRACE(getName(type).str() + " depth " + std::to_string(depth));
        c.check();
      }
    }
  SEQUIN_ROW("RED-06");
  SEQUIN_ROW("SIL-29");
}

TEST(Reducer, MaxUsesRowZero) {
  SEQUIN_ROW("RED-06");
  Contraction c;
  c.stage.reduceOp = ReduceOp::Max;
  c.stage.trf.entries = {{1, 0}};
  c.stage.loops = {{1, 0, false}};
  c.stage.rows = 1;
  EXPECT_EQ(c.error(), "no error");
  c.stage.rows = 2;
  EXPECT_THAT(c.error(), HasSubstr("number of rows of reduce-max is 2, allowed "
                                   "are 1 to 1"));
}

// As Min and Max of the vector engine: a number before NaN, +0 before -0.
TEST(Reducer, MaxOfNanAndZeros) {
  Contraction c;
  c.stage.reduceOp = ReduceOp::Max;
  c.stage.rows = 1;
  c.stage.trf.entries = {{1, 0}};
  c.stage.loops = {{1, 0, false}};
  float nan = std::numeric_limits<float>::quiet_NaN();
  auto largest = [&](std::vector<float> values) {
    SliceProgram program = c.build();
    values.resize(32, values.back());
    program.inputs[0] = arrayOf(BF16, values);
    program.inputs[1] = arrayOf(BF16, std::vector<float>(32, 1.0f));
    return loadElement(F32, program.outputs()[0].data.data(), 0);
  };
  EXPECT_EQ(largest({nan, -3.0f, nan}), 0xc0400000u);
  EXPECT_EQ(largest({nan}), 0x7fc00000u);
  EXPECT_EQ(largest({-0.0f, 0.0f, -0.0f}), 0u);
  EXPECT_EQ(largest({-0.0f}), 0x80000000u);
  EXPECT_EQ(largest({-1.0f, -0.0f}), 0x80000000u);
}

// What follows a reduction of N packets waits for N packets and the tree.
TEST(Reducer, Latency) {
  auto cycles = [](ElementType type, int64_t depth, int64_t reduced,
                   int64_t kept) {
    Contraction c;
    c.type = type;
    c.stage.depth = depth;
    c.stage.timeBroadcast = reduced * kept;
    c.stage.trf.entries = {{reduced * kept, 0}};
    c.stage.loops = {{kept, 0, false}, {reduced, 0, true}};
    SliceProgram program = c.build();
    EXPECT_EQ(program.stage("contract", "tree"), depth);
    EXPECT_EQ(program.stage("contract", "contract"), reduced * kept);
    return cyclesOf(program, "contract");
  };
  // N packets, the tree, one flit that leaves.
  EXPECT_EQ(cycles(BF16, 5, 256, 1), 5 + 256 + 1);
  EXPECT_EQ(cycles(BF16, 5, 512, 1), 5 + 512 + 1);
  EXPECT_EQ(cycles(I8, 6, 256, 1), 6 + 256 + 1);
  EXPECT_EQ(cycles(F8E4M3, 6, 256, 1), 6 + 256 + 1);
  EXPECT_EQ(cycles(I4, 7, 256, 1), 7 + 256 + 1);
  SEQUIN_ROW("RED-17");
  SEQUIN_ROW("CON-13");
  // A shallow tree is faster; without a reduction over time nothing waits.
  EXPECT_EQ(cycles(BF16, 5, 1, 256), 5 + 256);
  // Many sums: the last one ends as soon as its last packet is in.
  EXPECT_EQ(cycles(BF16, 5, 4, 256), 5 + 1024);
}

// RED-03: 5 levels, 8 packets; the slices are added in 256 more cycles.
TEST(Reducer, InSliceReduction) {
  Contraction c;
  c.flits = 16;
  c.stage.trf.entries = {{8, 0}};
  c.stage.loops = {{8, 0, true}};
  c.stage.rows = 1;
  SliceProgram program = c.build();
  int64_t tree = program.stage("contract", "tree");
  int64_t packets = program.stage("contract", "contract");
  EXPECT_EQ(tree, 5);
  EXPECT_EQ(packets, 8);
  int64_t slices = program.machine.slicesPerCluster;
  EXPECT_EQ(tree + packets + slices, 269);
  SEQUIN_ROW("RED-03");
}

TEST(Reducer, AccumulatorUse) {
  auto counters = [](AccumulationKind kind, int64_t rows, int64_t columns,
                     int64_t slots) {
    Contraction c;
    c.flits = 4 * slots;
    c.stage.rows = rows;
    c.stage.depth = 5 - llvm::Log2_64_Ceil(columns);
    c.stage.columns = columns;
    c.stage.kind = kind;
    c.stage.trf.entries = {{2 * slots, 0}};
    c.stage.loops = {{2, 0, true}, {slots, 1, false}};
    SliceProgram program = c.build();
    return std::tuple(counter(program, "contract", "accumulator_used"),
                      counter(program, "contract", "accumulator_taken"),
                      counter(program, "contract", "accumulator_slots"));
  };
  using Counters = std::tuple<int64_t, int64_t, int64_t>;
  // Interleaved: all eight rows are taken, whatever their number.
  EXPECT_EQ(counters(AccumulationKind::Interleaved, 8, 1, 128),
            Counters(1024, 1024, 1024));
  EXPECT_EQ(counters(AccumulationKind::Interleaved, 1, 1, 128),
            Counters(128, 1024, 1024));
  EXPECT_EQ(counters(AccumulationKind::Interleaved, 4, 2, 16),
            Counters(128, 256, 1024));
  SEQUIN_ROW("RED-10");
  // Sequential: all 32 columns are taken; one of them leaves 31 / 32 unused.
  EXPECT_EQ(counters(AccumulationKind::Sequential, 8, 1, 4),
            Counters(32, 1024, 1024));
  EXPECT_EQ(counters(AccumulationKind::Sequential, 8, 32, 4),
            Counters(1024, 1024, 1024));
  SEQUIN_ROW("RED-09");
}

// One more than the buffer holds, in both modes (RED-09, RED-14, RED-15).
TEST(Reducer, BufferLimits) {
  auto errorOf = [](AccumulationKind kind, int64_t rows, int64_t columns,
                    int64_t slots) {
    Contraction c;
    c.flits = 4 * slots;
    c.stage.rows = rows;
    c.stage.depth = 5 - llvm::Log2_64_Ceil(columns);
    c.stage.columns = columns;
    c.stage.kind = kind;
    c.stage.trf.entries = {{2 * slots, 0}};
    c.stage.loops = {{2, 0, true}, {slots, 1, false}};
    return c.error();
  };
  for (int64_t rows : {1, 2, 4, 8}) {
    EXPECT_EQ(errorOf(AccumulationKind::Interleaved, rows, 1, 127), "no error");
    EXPECT_EQ(errorOf(AccumulationKind::Interleaved, rows, 1, 128), "no error");
    EXPECT_THAT(errorOf(AccumulationKind::Interleaved, rows, 1, 129),
                HasSubstr("need 129 columns, allowed are 128"));
    EXPECT_EQ(errorOf(AccumulationKind::Sequential, rows, 32, 32 / rows),
              "no error");
    EXPECT_THAT(errorOf(AccumulationKind::Sequential, rows, 32, 32 / rows + 1),
                HasSubstr("vectors, allowed are 32"));
  }
  EXPECT_EQ(errorOf(AccumulationKind::Sequential, 1, 8, 31), "no error");
  SEQUIN_ROW("RED-09");
  SEQUIN_ROW("RED-14");
  SEQUIN_ROW("RED-15");
}

TEST(Reducer, RowCounts) {
  SEQUIN_ROW("ALN-03");
  SEQUIN_ROW("CON-12");
  for (int64_t rows : {1, 2, 4, 8}) {
    Contraction c;
    c.stage.rows = rows;
    c.stage.trf.entries = {{1, 0}};
    c.stage.loops = {{1, 0, false}};
    c.check();
  }
  for (int64_t rows : {3, 9, 16}) {
    Contraction c;
    c.stage.rows = rows;
    c.stage.trf.entries = {{1, 0}};
    c.stage.loops = {{1, 0, false}};
    EXPECT_THAT(c.error(),
                HasSubstr("number of rows is " + std::to_string(rows)));
  }
}

// The operand types, and those that the contraction engine refuses by name.
TEST(Reducer, OperandTypes) {
  SEQUIN_ROW("CON-12");
  for (ElementType type : {I16, I32, F16, F32}) {
    Contraction c;
    c.type = type;
    c.stage.trf.entries = {{1, 0}};
    c.stage.loops = {{1, 0, false}};
    EXPECT_THAT(c.error(), HasSubstr("machine 'rngd' cannot contract " +
                                     getName(type).str()));
  }
}

// i5 and i9, which the fetch engine makes of i4 and i8 with a zero-point.
TEST(Reducer, WidenedOperands) {
  SEQUIN_ROW("SIL-28");
  SEQUIN_ROW("TRF-06");
  for (auto [from, to, low, zeroX, zeroW] :
       {std::tuple{I8, I9, -128, -128, 100}, {I4, I5, -8, -8, 6}}) {
    constexpr int64_t kWeights = 1 << 17, kOut = 1 << 18;
    int64_t lanes = 512 / getBitWidth(from), perFlit = lanes / 2;
    std::vector<int> x(lanes), w(8 * lanes);
    uint32_t seed = 3;
    for (std::vector<int> *values : {&x, &w})
      for (int &value : *values) {
        seed = seed * 1664525u + 1013904223u;
        value = low + static_cast<int>(seed >> 16) % (-2 * low);
      }
    SliceProgram program;
    program.input(arrayOf(from, x), 0);
    program.input(arrayOf(from, w), kWeights);
    config::ExecCommand load =
        makeExec({kWeights, {{16, perFlit}, {perFlit, 1}}, 1}, from, to, 8);
    load.context = config::Context::Sub;
    load.fetch.zeroPoints = {zeroW};
    load.sink = config::ToTrfStage{config::TrfAddress::SecondHalf, 8, 64};
    program.exec(load, "weights");
    config::ExecCommand exec =
        makeExec({0, {{2, perFlit}, {perFlit, 1}}, 1}, from, to, 8);
    exec.fetch.zeroPoints = {zeroX};
    config::ContractStage &stage = exec.contract.emplace();
    stage.type = to;
    stage.trfAddress = config::TrfAddress::SecondHalf;
    stage.trf.entries = {{1, 0}};
    stage.depth = llvm::Log2_64(lanes);
    stage.loops = {{1, 0, false}};
    exec.sink = config::CommitStage{I32, {kOut, {{1, 8}, {8, 1}}, 1}, 32, 32};
    program.exec(exec, "contract");
    program.output(I32, 8, kOut);
    std::vector<int32_t> found = intsOf(program.outputs()[0]);
    ASSERT_EQ(found.size(), 8u);
    for (int row = 0; row < 8; ++row) {
      int sum = 0;
      for (int lane = 0; lane < lanes; ++lane)
        sum += (x[lane] - zeroX) * (w[row * lanes + lane] - zeroW);
      EXPECT_EQ(found[row], sum) << getName(to).str();
    }
  }
}

TEST(Reducer, KeysOfTheConfiguration) {
  Contraction c = shifted(BF16, 3, 1, 2);
  c.stage.reduceOp = ReduceOp::Max;
  SliceProgram program = c.build();
  llvm::json::Value json = config::toJSON(program.program);
  llvm::Expected<config::Program> read = config::fromJSON(json);
  ASSERT_TRUE(static_cast<bool>(read));
  EXPECT_EQ(config::toJSON(*read), json);
  for (const config::Command &command : read->commands)
    if (const auto *exec = std::get_if<config::ExecCommand>(&command.body);
        exec && exec->contract) {
      EXPECT_EQ(exec->contract->shifts, 1);
      EXPECT_EQ(exec->contract->shiftStride, 2);
      EXPECT_EQ(exec->contract->collectFlits, 3);
      EXPECT_EQ(exec->contract->reduceOp, ReduceOp::Max);
    }
}
