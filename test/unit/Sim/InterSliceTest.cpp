//===- InterSliceTest.cpp - The inter-slice block -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RingProgram.h"
#include <limits>

using namespace sequin;
using namespace sequin::testing;
using config::InterSliceOpcode;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum ElementType;

/// Groups of `ring` slices in which everybody gets the reduction of all.
static config::VectorStage reduction(int64_t ring, int64_t flits,
                                     InterSliceOpcode opcode,
                                     ElementType type = I32) {
  config::InterSliceStage stage;
  stage.opcode = opcode;
  stage.type = type;
  stage.routing.ringSize = ring;
  stage.routing.routers = {{ring, lowBits(ring), 0}};
  stage.routing.packets = {{flits, 1}};
  config::VectorStage vector;
  vector.type = type;
  vector.interSlice = std::move(stage);
  return vector;
}

/// What slice 0 has after a reduction of `values`, one slice each.
template <class T>
static T reduced(InterSliceOpcode opcode, const std::vector<T> &values) {
  bool isFloat = std::is_same_v<T, float>;
  RingProgram program(values.size(), 1);
  program.input.clear();
  for (T value : values)
    program.input.insert(program.input.end(), 8,
                         llvm::bit_cast<int32_t>(value));
  // Floats travel as their bits and are fetched as what they are.
  if (isFloat)
    program.exec.fetch.from = program.exec.fetch.to = F32;
  program.exec.vector =
      reduction(values.size(), 1, opcode, isFloat ? F32 : I32);
  program.commitType = isFloat ? F32 : I32;
  std::vector<std::vector<int32_t>> found = program.runWords();
  for (const std::vector<int32_t> &stream : found)
    EXPECT_THAT(stream, Each(found[0][0]));
  return llvm::bit_cast<T>(found[0][0]);
}

TEST(InterSlice, FoldsIntegers) {
  constexpr int32_t most = std::numeric_limits<int32_t>::max();
  constexpr int32_t least = std::numeric_limits<int32_t>::min();
  using Ints = std::vector<int32_t>;
  EXPECT_EQ(reduced(InterSliceOpcode::Add, Ints{1, 2, 3, 4}), 10);
  // Add wraps, AddSat saturates at every step, in ascending order.
  EXPECT_EQ(reduced(InterSliceOpcode::Add, Ints{most, 1, 0, 0}), least);
  EXPECT_EQ(reduced(InterSliceOpcode::AddSat, Ints{most, 1, -5, 0}), most - 5);
  EXPECT_EQ(reduced(InterSliceOpcode::AddSat, Ints{-5, most, 1, 1}), most - 3);
  EXPECT_EQ(reduced(InterSliceOpcode::AddSat, Ints{least, -1, 0, 7}),
            least + 7);
  EXPECT_EQ(reduced(InterSliceOpcode::Max, Ints{-3, 5, -9, 4}), 5);
  EXPECT_EQ(reduced(InterSliceOpcode::Min, Ints{-3, 5, -9, 4}), -9);
  SEQUIN_ROW("INT-02");
}

TEST(InterSlice, FoldsFloats) {
  using Floats = std::vector<float>;
  EXPECT_EQ(reduced(InterSliceOpcode::Mul, Floats{2, 3, 0.5f, -1}), -3.0f);
  EXPECT_EQ(reduced(InterSliceOpcode::Max, Floats{-2, 3, 0.5f, -1}), 3.0f);
  EXPECT_EQ(reduced(InterSliceOpcode::Min, Floats{-2, 3, 0.5f, -1}), -2.0f);
  // Ascending: ((1e8 + -1e8) + 1) + 1, where any other grouping loses a one.
  EXPECT_EQ(reduced(InterSliceOpcode::Add, Floats{1e8f, -1e8f, 1, 1}), 2.0f);
  EXPECT_EQ(reduced(InterSliceOpcode::Add, Floats{1e8f, 1, -1e8f, 1}), 1.0f);
  EXPECT_EQ(reduced(InterSliceOpcode::Add, Floats{1, 1, 1e8f, -1e8f}), 0.0f);
}

TEST(InterSlice, EverySliceTakesItsOwnPackets) {
  // Promotion: of four flits, slice t of a group of four gets flit t.
  RingProgram program(8, 4);
  program.exec.vector = reduction(4, 1, InterSliceOpcode::Add);
  config::Routing &routing = program.exec.vector->interSlice->routing;
  routing.routers.clear();
  for (int64_t i = 0; i < 4; ++i)
    routing.routers.push_back({1, lowBits(4), i});
  std::vector<std::vector<int>> found = program.run();
  // Packet p of slice s is 10 s + p; slices 0 to 3, then 4 to 7.
  for (int64_t slice = 0; slice < 8; ++slice)
    EXPECT_THAT(found[slice],
                ElementsAre((slice < 4 ? 60 : 220) + 4 * (slice % 4)));
}

TEST(InterSlice, TakesLoopsOverPackets) {
  // [T0 = 2, T2 = 2, T1 = 2] where T2 goes to the two slices.
  RingProgram program(2, 8);
  program.exec.vector = reduction(2, 8, InterSliceOpcode::Max);
  config::Routing &routing = program.exec.vector->interSlice->routing;
  routing.routers = {{1, {3}, 0}, {1, {3}, 2}};
  routing.packets = {{2, 4}, {2, 1}};
  std::vector<std::vector<int>> found = program.run();
  EXPECT_THAT(found[0], ElementsAre(10, 11, 14, 15));
  EXPECT_THAT(found[1], ElementsAre(12, 13, 16, 17));
}

/// Four slices of four packets that fold `sources` by slice.
static RingProgram foldingSlices(std::vector<std::vector<uint64_t>> sources) {
  RingProgram program(4, 4);
  program.exec.vector = reduction(4, 2, InterSliceOpcode::Add);
  config::Routing &routing = program.exec.vector->interSlice->routing;
  routing.packets = {{2, 2}};
  routing.routers.clear();
  for (int64_t i = 0; i < 4; ++i)
    routing.routers.push_back({1, sources[i], i / 2});
  return program;
}

TEST(InterSlice, GroupsAreBlocksOfNeighbours) {
  SEQUIN_ROW("INT-03");
  // Packet p of slice s is 10 s + p.
  std::vector<std::vector<int>> found =
      foldingSlices({{0b0011}, {0b0011}, {0b1100}, {0b1100}}).run();
  EXPECT_THAT(found[0], ElementsAre(10, 14));
  EXPECT_THAT(found[1], ElementsAre(10, 14));
  EXPECT_THAT(found[2], ElementsAre(52, 56));
  EXPECT_THAT(found[3], ElementsAre(52, 56));
  auto error = [](std::vector<std::vector<uint64_t>> sources) {
    return foldingSlices(std::move(sources)).error();
  };
  // Stride 2.
  EXPECT_THAT(error({{0b0101}, {0b1010}, {0b0101}, {0b1010}}),
              HasSubstr("stage 'inter_slice': slice 0 reduces slice 0 and then "
                        "slice 2; the reduced factors of Slice are the "
                        "innermost ones, contiguous, with stride 1 (INT-03)"));
  // Blocks that overlap.
  EXPECT_THAT(error({{0b0011}, {0b0110}, {0b1100}, {0b1100}}),
              HasSubstr("slice 0 reduces slices 0 to 1, and blocks of slices "
                        "begin 1 apart"));
  // Results in the block of others.
  EXPECT_THAT(error({{0b1100}, {0b1100}, {0b0011}, {0b0011}}),
              HasSubstr("slice 0 reduces slices 2 to 3 and is not in their "
                        "block"));
}

TEST(InterSlice, SlicesWithoutAResultGiveTheirPart) {
  // A dummy: only slice 0 of four commits, all of them are read.
  RingProgram program(4, 2);
  program.exec.vector = reduction(4, 2, InterSliceOpcode::Add);
  program.exec.sliceMask = firstSlices(1);
  EXPECT_THAT(program.run()[0], ElementsAre(60, 64));
}

TEST(InterSlice, ComesBehindASwitch) {
  // Both of two neighbours get what the second one has, and then the sum of
  // both.
  RingProgram program(4, 2);
  config::SwitchStage stage;
  stage.routing.ringSize = 2;
  stage.routing.routers = {{2, {2}, 0}};
  stage.routing.packets = {{2, 1}};
  stage.groupSlices = 2;
  stage.writesBitmaps = true;
  program.exec.switching = stage;
  program.exec.vector = reduction(4, 2, InterSliceOpcode::Add);
  program.exec.vector->interSlice->routing.routers = {{2, {0b0011}, 0},
                                                      {2, {0b1100}, 0}};
  EXPECT_THAT(program.run()[3], ElementsAre(60, 62));
}

TEST(InterSlice, OperationsStandBeforeOrBehind) {
  config::VectorOp add;
  add.opcode = config::VectorOpcode::FxpAdd;
  add.operand.kind = config::VectorOperand::Kind::Constant;
  add.operand.constant = 100;
  // sum + 100 and the sum of four (x + 100).
  RingProgram behind(4, 1);
  behind.exec.vector = reduction(4, 1, InterSliceOpcode::AddSat);
  behind.exec.vector->opsAfter = {add};
  EXPECT_THAT(behind.run()[2], ElementsAre(160));
  SEQUIN_ROW("INT-07");
  RingProgram before(4, 1);
  before.exec.vector = reduction(4, 1, InterSliceOpcode::AddSat);
  before.exec.vector->ops = {add};
  EXPECT_THAT(before.run()[2], ElementsAre(460));
  SEQUIN_ROW("INT-08");

  before.exec.vector->opsAfter = {add};
  EXPECT_THAT(before.error(), HasSubstr("through the intra-slice block once"));
  before.exec.vector->interSlice.reset();
  EXPECT_THAT(before.error(), HasSubstr("no such block"));
}

TEST(InterSlice, TheTailIsOneTraversalOfTheGroup) {
  using Cycles = std::pair<int64_t, int64_t>;
  auto cycles = [](int64_t group, int64_t flits) {
    RingProgram program(group, flits);
    program.exec.vector = reduction(group, flits, InterSliceOpcode::Add);
    return Cycles(program.stage("inter_slice"), program.stage("fill"));
  };
  // Streaming the flits in, then the slices of the group, whatever else the
  // stream waits for.
  EXPECT_EQ(cycles(4, 64), Cycles(64, 4));
  EXPECT_EQ(cycles(64, 64), Cycles(64, 64));
  EXPECT_EQ(cycles(256, 1), Cycles(1, 256));
  SEQUIN_ROW("INT-10");
}

TEST(InterSlice, LinksMayHaveALimit) {
  auto cycles = [](int64_t group, int64_t flits, int64_t perCycle,
                   bool promotes = false) {
    RingProgram program(group, flits);
    program.machine.reduceLinkFlitsPerCycle = perCycle;
    program.exec.vector = reduction(group, promotes ? flits / group : flits,
                                    InterSliceOpcode::Add);
    if (promotes) {
      config::Routing &routing = program.exec.vector->interSlice->routing;
      routing.routers.clear();
      for (int64_t i = 0; i < group; ++i)
        routing.routers.push_back({1, lowBits(group), flits / group * i});
    }
    return program.stage("inter_slice");
  };
  EXPECT_EQ(cycles(4, 64, 0), 64);
  // The sums on their way to the last slice, then the result on its way to the
  // two slices in the middle: of two slices, none is.
  EXPECT_EQ(cycles(4, 64, 1), 64 + 64);
  EXPECT_EQ(cycles(2, 64, 1), 64);
  EXPECT_EQ(cycles(4, 64, 2), 64);
  // Each slice takes a part of the flits.
  EXPECT_EQ(cycles(4, 64, 1, true), 64 + 2 * 16);
}

//===----------------------------------------------------------------------===//
// Configurations that the machine cannot carry out
//===----------------------------------------------------------------------===//

TEST(InterSlice, TrapsOnWhatTheBlockCannotDo) {
  auto error = [](config::VectorStage stage) {
    RingProgram program(4, 4);
    program.exec.vector = std::move(stage);
    return program.error();
  };
  EXPECT_EQ(error(reduction(4, 4, InterSliceOpcode::Add)), "no error");
  EXPECT_THAT(error(reduction(4, 4, InterSliceOpcode::Mul)),
              HasSubstr("command 'exec' stage 'inter_slice': the inter-slice "
                        "block has no mul of i32"));
  config::VectorStage stage = reduction(4, 4, InterSliceOpcode::Add);
  stage.interSlice->type = F32;
  EXPECT_THAT(error(stage), HasSubstr("type is f32, the stream carries i32"));
  stage = reduction(4, 4, InterSliceOpcode::Add);
  stage.interSlice->routing.ringSize = 2;
  EXPECT_THAT(error(stage), HasSubstr("slice 0 listens to slice 2, its ring "
                                      "has slices 0 to 1"));
  // One cluster: no ring is larger.
  EXPECT_THAT(error(reduction(512, 4, InterSliceOpcode::Add)),
              HasSubstr("ring size is 512"));
  SEQUIN_ROW("INT-09");
  EXPECT_THAT(error(reduction(4, 5, InterSliceOpcode::Add)),
              HasSubstr("size of a loop over packets is 5"));
  stage = reduction(4, 2, InterSliceOpcode::Add);
  stage.interSlice->routing.routers[0].firstPacket = 3;
  EXPECT_THAT(error(stage), HasSubstr("first packet is 3"));
}

TEST(InterSlice, AloneHasNoIntraSliceBlock) {
  auto errorOf = [](auto change) {
    RingProgram program(4, 4);
    program.exec.vector = reduction(4, 4, InterSliceOpcode::Add);
    change(*program.exec.vector);
    return program.error();
  };
  using Stage = config::VectorStage;
  EXPECT_EQ(errorOf([](Stage &) {}), "no error");
  EXPECT_THAT(errorOf([](Stage &stage) { stage.unzip = true; }),
              HasSubstr("stage 'vector': unzip of a pass without an operation "
                        "means nothing there"));
  EXPECT_THAT(errorOf([](Stage &stage) {
                stage.branch.mode = config::BranchMode::Comparison;
              }),
              HasSubstr("branch of a pass without an operation"));
  EXPECT_THAT(errorOf([](Stage &stage) { stage.branch.logAddress = 0; }),
              HasSubstr("branch of a pass without an operation"));
  EXPECT_THAT(errorOf([](Stage &stage) { stage.validCount.emplace(); }),
              HasSubstr("valid_count of a pass without an operation"));
  EXPECT_THAT(errorOf([](Stage &stage) { stage.intraSliceReduce.emplace(); }),
              HasSubstr("intra_slice_reduce of a pass without"));
}

TEST(InterSlice, AddSatIsForIntegers) {
  RingProgram program(4, 4);
  program.exec.fetch.from = program.exec.fetch.to = F32;
  program.commitType = F32;
  program.exec.vector = reduction(4, 4, InterSliceOpcode::AddSat, F32);
  EXPECT_THAT(program.error(), HasSubstr("no add_sat of f32"));
}
