//===- SwitchTest.cpp - The switch engine ---------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RingProgram.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>
#include <random>

using namespace sequin;
using namespace sequin::testing;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using enum ElementType;

/// A ring in which everybody takes everything, as Broadcast01 has it.
static config::SwitchStage broadcast(int64_t ring, int64_t packets,
                                     int64_t groupSlices,
                                     int64_t groupPackets) {
  config::SwitchStage stage;
  stage.routing.ringSize = ring;
  stage.routing.routers = {{ring, lowBits(ring), 0}};
  stage.routing.packets = {{packets, 1}};
  stage.groupSlices = groupSlices;
  stage.groupPackets = groupPackets;
  return stage;
}

/// Packets of one i32 flit, numbered by slice and packet: what every slice
/// receives.
static std::vector<std::vector<int>> runRing(const config::SwitchStage &stage,
                                             int64_t slices, int64_t packets) {
  RingProgram program(slices, packets);
  program.exec.switching = stage;
  return program.run();
}

TEST(Switch, TakesTurnsInGroups) {
  // Packet p of slice s is 10 s + p; the order is [turn, group, packet, slice].
  auto ring = [](int64_t groupSlices, int64_t groupPackets) {
    return runRing(broadcast(4, 2, groupSlices, groupPackets), 4, 2)[3];
  };
  EXPECT_THAT(ring(4, 1), ElementsAre(0, 10, 20, 30, 1, 11, 21, 31));
  EXPECT_THAT(ring(2, 1), ElementsAre(0, 10, 20, 30, 1, 11, 21, 31));
  EXPECT_THAT(ring(2, 2), ElementsAre(0, 10, 1, 11, 20, 30, 21, 31));
  EXPECT_THAT(ring(1, 2), ElementsAre(0, 1, 10, 11, 20, 21, 30, 31));
  SEQUIN_ROW("SWI-04");
}

TEST(Switch, SlicesTakeWhatTheirBitmapsName) {
  // Slice 0 takes slices 0 and 2, slice 1 only 1 and 3, and so the next ring.
  config::SwitchStage stage = broadcast(4, 2, 4, 1);
  stage.routing.routers = {{2, {0b0101}, 0}, {2, {0b1010}, 0}};
  stage.writesBitmaps = true;
  std::vector<std::vector<int>> found = runRing(stage, 8, 2);
  EXPECT_THAT(found[1], ElementsAre(0, 20, 1, 21));
  EXPECT_THAT(found[2], ElementsAre(10, 30, 11, 31));
  EXPECT_THAT(found[4], ElementsAre(40, 60, 41, 61));
  EXPECT_THAT(found[7], ElementsAre(50, 70, 51, 71));
}

TEST(Switch, SlicesTakeAPartOfThePackets) {
  // Four packets of each of two slices; slice 0 takes 0 and 2, slice 1 takes 1
  // and 3.
  config::SwitchStage stage = broadcast(2, 4, 2, 1);
  stage.routing.routers = {{1, {0b11}, 0}, {1, {0b11}, 1}};
  stage.routing.packets = {{2, 2}};
  std::vector<std::vector<int>> found = runRing(stage, 2, 4);
  EXPECT_THAT(found[0], ElementsAre(0, 10, 2, 12));
  EXPECT_THAT(found[1], ElementsAre(1, 11, 3, 13));
}

TEST(Switch, CyclesAreRingTimesPacketsTimesFlits) {
  auto cycles = [](int64_t ring, int64_t packets, int64_t flits, bool dual) {
    RingProgram program(ring, packets, flits);
    program.exec.switching = broadcast(ring, packets, ring, 1);
    program.exec.fetch.dualChannel = dual;
    return std::vector<int64_t>{program.stage("switch"),
                                program.stage("collect")};
  };
  // 4 slices, 64 packets of two flits (SWI-19).
  EXPECT_THAT(cycles(4, 64, 2, false), ElementsAre(512, 512));
  SEQUIN_ROW("SWI-19");
  // The channels of both contexts pass on 64 bytes per cycle.
  EXPECT_THAT(cycles(4, 64, 2, true), ElementsAre(256, 256));
  // A packet of one flit fills half of a 64-byte flit.
  EXPECT_THAT(cycles(4, 64, 1, true), ElementsAre(256, 256));
  // Forwarding: no switch, and the collect engine alone.
  RingProgram forward(4, 64, 2);
  EXPECT_EQ(forward.stage("switch"), -1);
  EXPECT_EQ(forward.stage("collect"), 128);
}

TEST(Switch, CountsPacketsBelowAFlitAsOne) {
  // 8 bytes per packet: ring 2, 3 packets.
  RingProgram program(2, 3);
  program.exec.fetch.sequencer = {0, {{3, 8}, {2, 1}}, 1};
  program.exec.fetch.packetElements = 2;
  program.exec.fetch.accessBytes = 8;
  program.exec.fetch.fetchesPerPacket = 1;
  program.exec.collect.packetBytes = 8;
  program.exec.switching = broadcast(2, 3, 2, 1);
  EXPECT_EQ(program.stage("switch"), 6);
  std::vector<int32_t> found = program.runWords()[0];
  ASSERT_EQ(found.size(), 6u * 8);
  int first[] = {0, 10, 1, 11, 2, 12};
  // The collect engine fills the flit with zeros.
  for (int flit = 0; flit < 6; ++flit)
    EXPECT_THAT(
        llvm::ArrayRef(found).slice(flit * 8, 8),
        ElementsAre(first[flit], first[flit] + 100000, 0, 0, 0, 0, 0, 0));
  SEQUIN_ROW("COL-03");
}

TEST(Switch, TheConfigurationAloneTellsEveryHop) {
  // The manual's two slices with two packets each: slice 0 holds packets 0 and
  // 1, slice 1 holds 2 and 3 (here 10 and 11), all of slice 0 comes first.
  config::SwitchStage stage = broadcast(2, 2, 1, 2);
  std::vector<std::vector<int>> found = runRing(stage, 2, 2);
  EXPECT_THAT(found[0], ElementsAre(0, 1, 10, 11));
  EXPECT_THAT(found[1], ElementsAre(0, 1, 10, 11));

  sim::RingTrace trace = sim::traceRing(stage, 0, 2);
  EXPECT_EQ(trace.cycles, 5);
  EXPECT_EQ(trace.str(), "cycle slice packet  from  to\n"
                         "0     0     0.0     input output, right\n"
                         "1     0     0.1     input output, right\n"
                         "1     1     0.0     left  output\n"
                         "1     1     1.0     input left\n"
                         "2     0     1.0     right output, right\n"
                         "2     1     0.1     left  output\n"
                         "2     1     1.1     input left\n"
                         "3     0     1.1     right output, right\n"
                         "3     1     1.0     left  output\n"
                         "4     1     1.1     left  output\n");
  SEQUIN_ROW("SWI-02");
}

TEST(Switch, TheTraceDeliversWhatThePassDelivers) {
  config::SwitchStage stages[] = {broadcast(4, 4, 2, 2), broadcast(4, 4, 4, 1),
                                  broadcast(8, 4, 1, 4)};
  stages[1].routing.routers = {
      {1, {0b0010}, 0}, {1, {0b0001}, 0}, {1, {0b1000}, 0}, {1, {0b0100}, 0}};
  stages[1].writesBitmaps = true;
  for (const config::SwitchStage &stage : stages) {
    sim::RingTrace trace = sim::traceRing(stage, 0, 4);
    std::vector<std::vector<int>> found =
        runRing(stage, stage.routing.ringSize, 4);
    std::vector<std::vector<int>> traced(found.size());
    for (const sim::RingHop &hop : trace.hops)
      if (hop.toOutput)
        traced[hop.slice].push_back(10 * hop.source + hop.packet);
    EXPECT_EQ(traced, found);
    // The ring passes on all packets of all slices, and the last one runs to
    // its end.
    int64_t ring = stage.routing.ringSize;
    EXPECT_EQ(trace.cycles, ring * 4 + ring - 1);
  }
}

TEST(Switch, TraceAndPassAgreeOnRandomRings) {
  constexpr unsigned kSeed = 20;
  std::mt19937 random(kSeed);
  auto upTo = [&](int64_t most) -> int64_t { return random() % most; };
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", round " +
                 std::to_string(round));
    int64_t ring = int64_t(1) << upTo(4), packets = int64_t(1) << upTo(4);
    config::SwitchStage stage;
    stage.writesBitmaps = true;
    stage.routing.ringSize = ring;
    int64_t sources = 1 + upTo(ring);
    // Either all packets, in turns, or every other packet, one at a time.
    bool half = packets > 1 && upTo(2);
    stage.routing.packets = {{half ? packets / 2 : packets, half ? 2 : 1}};
    stage.groupSlices = int64_t(1) << upTo(llvm::Log2_64(ring) + 1);
    stage.groupPackets =
        half ? 1 : int64_t(1) << upTo(llvm::Log2_64(packets) + 1);
    for (int64_t slice = 0; slice < ring; ++slice) {
      std::vector<int64_t> all(ring);
      std::iota(all.begin(), all.end(), 0);
      std::shuffle(all.begin(), all.end(), random);
      config::RouterSetting setting{1, {0}, half ? upTo(2) : 0};
      for (int64_t i = 0; i < sources; ++i)
        setting.sources[0] |= uint64_t(1) << all[i];
      stage.routing.routers.push_back(std::move(setting));
    }
    sim::RingTrace trace = sim::traceRing(stage, 0, packets);
    std::vector<std::vector<int>> traced(ring);
    for (const sim::RingHop &hop : trace.hops)
      if (hop.toOutput)
        traced[hop.slice].push_back(10 * hop.source + hop.packet);
    EXPECT_EQ(traced, runRing(stage, ring, packets));
  }
}

TEST(Switch, TakesMasksShorterThanARing) {
  RingProgram program(1, 4);
  program.exec.switching = broadcast(128, 4, 1, 4);
  std::vector<std::vector<int>> found = program.run();
  ASSERT_EQ(found[0].size(), 4u * 128);
  EXPECT_EQ(found[0][3], 3);
}

//===----------------------------------------------------------------------===//
// Configurations that the machine cannot carry out
//===----------------------------------------------------------------------===//

static std::string errorOf(const config::SwitchStage &stage) {
  RingProgram program(4, 4);
  program.exec.switching = stage;
  return program.error();
}

TEST(Switch, TrapsOnRingsThatCannotCarryThePattern) {
  config::SwitchStage stage = broadcast(4, 4, 4, 1);
  stage.routing.ringSize = 2;
  stage.groupSlices = 2;
  EXPECT_THAT(errorOf(stage),
              HasSubstr("command 'exec' stage 'switch': slice 0 listens to "
                        "slice 2, its ring has slices 0 to 1"));
  EXPECT_THAT(errorOf(broadcast(3, 4, 3, 1)),
              HasSubstr("a ring has 3 slices, it must divide the 256 slices"));
  EXPECT_THAT(errorOf(broadcast(512, 4, 1, 1)), HasSubstr("ring size is 512"));
  EXPECT_THAT(errorOf(broadcast(0, 4, 1, 1)), HasSubstr("ring size is 0"));
  EXPECT_EQ(errorOf(broadcast(256, 4, 256, 1)), "no error");
}

TEST(Switch, TrapsOnRouterSettingsThatDoNotFit) {
  config::SwitchStage stage = broadcast(4, 4, 4, 1);
  stage.routing.routers = {};
  EXPECT_THAT(errorOf(stage), HasSubstr("there are settings for 0 routers"));
  stage.routing.routers = {{3, {7}, 0}};
  EXPECT_THAT(errorOf(stage), HasSubstr("there are settings for 3 routers"));
  stage.routing.routers = {{4, {7}, 0}, {5, {0x70}, 0}};
  EXPECT_THAT(errorOf(stage), HasSubstr("slice 8 listens to slice 4"));
  stage.routing.routers = {{256, {0}, 0}, {1, {0}, 0}};
  EXPECT_THAT(errorOf(stage),
              HasSubstr("slices of a router setting is 1, allowed are 1 to 0"));
  stage.routing.routers = {{4, {1, 0, 0, 0, 1}, 0}};
  EXPECT_THAT(errorOf(stage),
              HasSubstr("a snoop bitmap has more than 256 bits"));
  stage.routing.routers = {{3, {7}, 0}, {1, {0}, 0}};
  EXPECT_THAT(errorOf(stage),
              HasSubstr("slice 3 takes part and listens to no slice"));
  stage.routing.routers = {{3, {7}, 0}, {1, {3}, 0}};
  EXPECT_THAT(errorOf(stage),
              HasSubstr("slice 3 listens to 2 slices, others to 3"));
}

TEST(Switch, TrapsOnPatternsThatNobodyWroteToTheRouters) {
  config::SwitchStage stage = broadcast(4, 4, 4, 1);
  stage.routing.routers = {{2, {0b0101}, 0}, {2, {0b1010}, 0}};
  EXPECT_THAT(errorOf(stage), HasSubstr("only after their bitmaps have been "
                                        "written"));
  stage.writesBitmaps = true;
  EXPECT_EQ(errorOf(stage), "no error");
  // Columns and transposed rings are known.
  stage.writesBitmaps = false;
  stage.routing.routers = {
      {1, {5}, 0}, {1, {10}, 0}, {1, {5}, 0}, {1, {10}, 0}};
  EXPECT_EQ(errorOf(stage), "no error");
  stage.routing.routers = {{1, {1}, 0}, {1, {4}, 0}, {1, {2}, 0}, {1, {8}, 0}};
  EXPECT_EQ(errorOf(stage), "no error");
  stage.routing.routers = {{1, {2}, 0}, {1, {1}, 0}, {1, {4}, 0}, {1, {8}, 0}};
  EXPECT_THAT(errorOf(stage), HasSubstr("bitmaps have been written"));
}

TEST(Switch, WritingBitmapsHoldsUpDmaAndTheSubContext) {
  // A copy by DMA of another slice and a pass of the sub context, both with
  // nothing to wait for but the engines.
  auto starts = [](bool writes) {
    RingProgram program(4, 64);
    program.exec.switching = broadcast(4, 64, 4, 1);
    program.exec.switching->writesBitmaps = writes;
    return program.startsBeside();
  };
  RingProgram::Beside beside = starts(false), held = starts(true);
  EXPECT_EQ(beside.sub, 0);
  EXPECT_EQ(beside.dma, beside.passBegin);
  EXPECT_EQ(held.sub, held.passEnd);
  EXPECT_EQ(held.dma, held.passEnd);
  SEQUIN_ROW("SWI-11");
}

TEST(Switch, TrapsOnPacketsOutOfOrder) {
  // Four packets per slice: a slice takes them in ascending order.
  config::SwitchStage stage = broadcast(4, 4, 4, 1);
  auto with = [&](llvm::SmallVector<config::Loop, 2> packets, int64_t first) {
    config::SwitchStage changed = stage;
    changed.routing.packets = std::move(packets);
    changed.routing.routers[0].firstPacket = first;
    return errorOf(changed);
  };
  EXPECT_THAT(with({{4, -1}}, 3), HasSubstr("stride of a loop over packets"));
  EXPECT_THAT(with({{2, 1}, {2, 2}}, 0),
              HasSubstr("stride of a loop over packets is 1, allowed are 3"));
  EXPECT_THAT(with({{4, 0}}, 0), HasSubstr("stride of a loop over packets"));
  EXPECT_THAT(with({{2, 4}}, 0), HasSubstr("reach beyond the 4 packets"));
  EXPECT_THAT(with({{5, 1}}, 0), HasSubstr("size of a loop over packets is 5"));
  EXPECT_THAT(with({{2, 2}}, 2), HasSubstr("first packet is 2"));
  EXPECT_THAT(with({{2, 2}}, -1), HasSubstr("first packet is -1"));
  EXPECT_THAT(with({{int64_t(1) << 40, int64_t(1) << 40}}, 0),
              HasSubstr("size of a loop"));
}

TEST(Switch, TrapsOnTurnsThatDoNotFit) {
  EXPECT_THAT(errorOf(broadcast(4, 4, 3, 1)),
              HasSubstr("a group has 3 slices, it must divide the 4 slices"));
  EXPECT_THAT(errorOf(broadcast(4, 4, 1, 3)),
              HasSubstr("a group passes on 3 packets at a time, it must divide "
                        "the 4 packets of a slice"));
  EXPECT_THAT(errorOf(broadcast(4, 4, 0, 1)), HasSubstr("slices of a group"));
  EXPECT_THAT(errorOf(broadcast(4, 4, 1, 5)), HasSubstr("packets of a group"));
  config::SwitchStage part = broadcast(4, 2, 1, 2);
  EXPECT_THAT(errorOf(part), HasSubstr("takes 2 of 4 packets"));
}

TEST(Collect, TrapsOnPacketsThatAreNotWholeFlits) {
  RingProgram program(4, 4, 2);
  program.exec.collect.flitsPerPacket = 1;
  EXPECT_THAT(program.error(),
              HasSubstr("a packet makes 1 flits, 64 bytes need 2"));
  program.exec.collect = {32, 1};
  EXPECT_THAT(program.error(),
              HasSubstr("packets have 32 bytes, fetch delivers 64"));
  SEQUIN_ROW("COL-06");
}
