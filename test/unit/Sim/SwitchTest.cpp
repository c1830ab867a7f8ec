//===- SwitchTest.cpp - The switch engine ---------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/Routing.h"
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

//===----------------------------------------------------------------------===//
// Contractions behind the switch
//===----------------------------------------------------------------------===//

namespace {
/// Four slices hold `packets` bf16 packets each. A slice takes those of two
/// slices, by turns, and contracts them, k packets per sum, with two groups of
/// eight rows of weights of its own.
struct RingContraction {
  static constexpr int64_t kRing = 4, kRows = 8, kGroups = 2, kLanes = 32;
  static constexpr int64_t kWeights = 1 << 18, kOut = 300 << 10;
  int64_t packets, k;
  std::vector<config::RouterSetting> routers;

  int64_t sums() const { return 2 * packets / k; }
  /// Small integers, so that sums are exact.
  static std::vector<float> values(int64_t count, uint32_t seed) {
    std::vector<float> values(count);
    for (float &value : values) {
      seed = seed * 1664525u + 1013904223u;
      value = static_cast<float>(static_cast<int>((seed >> 16) % 7) - 3);
    }
    return values;
  }
  std::vector<float> stream() const {
    return values(kRing * packets * kLanes, 1);
  }
  /// [slice][row][group][lane of k packets]
  std::vector<float> weights() const {
    return values(kRing * kRows * kGroups * k * kLanes, 2);
  }

  std::vector<float> expected() const {
    std::vector<float> a = stream(), b = weights(), result;
    sim::RoutingTable table({kRing, routers, 0, 0, {}});
    for (int64_t slice = 0; slice < kRing; ++slice)
      for (int64_t sum = 0; sum < sums(); ++sum)
        for (int64_t group = 0; group < kGroups; ++group)
          for (int64_t row = 0; row < kRows; ++row) {
            float value = 0;
            for (int64_t i = 0; i < k * kLanes; ++i) {
              int64_t packet = sum * k + i / kLanes;
              int64_t from = table.sources(slice)[packet % 2];
              value +=
                  a[(from * packets + packet / 2) * kLanes + i % kLanes] *
                  b[((slice * kRows + row) * kGroups + group) * k * kLanes + i];
            }
            result.push_back(value);
          }
    return result;
  }

  std::vector<float> run() const {
    config::Program program;
    program.target = "rngd";
    std::vector<sim::HostArray> inputs;
    int64_t place = 0;
    auto copy = [&](bool toDm, int64_t dm, int64_t bytes) {
      config::DmaDescriptor descriptor;
      descriptor.sourceAddress = toDm ? place : dm;
      descriptor.destinationAddress = toDm ? dm : place;
      descriptor.packetBytes = 64;
      descriptor.entries = {{kRing, bytes, 4 << 20}, {bytes / 64, 64, 64}};
      if (!toDm)
        std::swap(descriptor.entries[0].sourceStride,
                  descriptor.entries[0].destinationStride);
      using config::Memory;
      config::DmaCommand dma{Memory::Hbm, Memory::Dm, {descriptor}};
      if (!toDm)
        std::swap(dma.source, dma.destination);
      program.commands.push_back({"dma" + std::to_string(place), "", dma});
    };
    auto input = [&](const std::vector<float> &values, int64_t dm) {
      int64_t elements = values.size();
      std::string name = "in" + std::to_string(inputs.size());
      program.inputs.push_back({name, BF16, {elements}});
      program.commands.push_back(
          denseTransfer(name, true, inputs.size(), BF16, elements, place));
      inputs.push_back(arrayOf(BF16, values));
      copy(true, dm, elements * 2 / kRing);
      place += 1 << 22;
    };
    input(stream(), 0);
    input(weights(), kWeights);

    int64_t rowBytes = kGroups * k * kLanes * 2;
    config::ExecCommand load = makeExec(
        {kWeights, {{kRows * rowBytes / 32, 16}, {16, 1}}, 1}, BF16, BF16, 8);
    load.sliceMask = firstSlices(kRing);
    load.context = config::Context::Sub;
    load.sink = config::ToTrfStage{config::TrfAddress::Full, kRows, rowBytes};
    program.commands.push_back({"load", "", std::move(load)});

    config::ExecCommand exec =
        makeExec({0, {{packets, kLanes}, {kLanes, 1}}, 1}, BF16, BF16, 32);
    exec.sliceMask = firstSlices(kRing);
    config::SwitchStage &switching = exec.switching.emplace();
    switching.routing = {kRing, routers, 0, 0, {{packets, 1}}};
    switching.groupSlices = kRing;
    switching.writesBitmaps = true;
    config::ContractStage &stage = exec.contract.emplace();
    stage.type = BF16;
    stage.depth = 5;
    stage.rows = kRows;
    stage.timeBroadcast = kGroups;
    stage.trf.entries = {{sums(), 0}, {k, kLanes}, {kGroups, k * kLanes}};
    stage.loops = {{sums(), 0, false}, {k, 0, true}, {kGroups, 1, false}};
    exec.sink = config::CommitStage{
        F32, {kOut, {{sums() * kGroups, 8}, {8, 1}}, 1}, 32, 32};
    program.commands.push_back({"exec", "", std::move(exec)});

    int64_t outputs = sums() * kGroups * kRows;
    copy(false, kOut, outputs * 4);
    program.outputs = {{"out", F32, {kRing * outputs}}};
    program.commands.push_back(
        denseTransfer("out", false, 0, F32, kRing * outputs, place));
    llvm::Expected<sim::Result> result =
        sim::run(program, *lookupTcpMachine("rngd"), inputs);
    if (result)
      return floatsOf(result->outputs[0]);
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
};
} // namespace

// Slices with one setting get one stream, of which the simulator keeps what it
// knows, up to a size.
TEST(Switch, SlicesContractTheirStreams) {
  using Routers = std::vector<config::RouterSetting>;
  Routers alike = {{4, {0b1001}, 0}};
  Routers halves = {{2, {0b0101}, 0}, {2, {0b1010}, 0}};
  Routers different = {
      {1, {0b0011}, 0}, {1, {0b0110}, 0}, {1, {0b1100}, 0}, {1, {0b1001}, 0}};
  for (auto [packets, k] :
       {std::pair<int64_t, int64_t>{6, 3}, {700, 50}, {2560, 64}, {4096, 64}})
    for (const Routers &routers : {alike, halves, different}) {
      RingContraction test{packets, k, routers};
      EXPECT_EQ(test.run(), test.expected()) << packets;
    }
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
  // What is printed beside it is of slice1 = 1, slice0 = 2: slices take turns.
  SEQUIN_ROW("ERR-46");
  found = runRing(broadcast(2, 2, 2, 2), 2, 2);
  EXPECT_THAT(found[0], ElementsAre(0, 10, 1, 11));
  EXPECT_THAT(found[1], ElementsAre(0, 10, 1, 11));

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

TEST(Switch, SettingsOfColumnsRepeatWithinARing) {
  config::SwitchStage stage = broadcast(8, 4, 8, 1);
  stage.routing.routers = {{1, {0x11}, 0}, {1, {0x22}, 0}, {2, {0x44}, 0}};
  stage.writesBitmaps = true;
  stage.routing.period = 4;
  EXPECT_EQ(errorOf(stage), "no error");
  stage.routing.period = 3;
  EXPECT_THAT(errorOf(stage), HasSubstr("settings repeat after 3 slices, which "
                                        "must divide the 8 slices of a ring"));
  stage.routing.period = 2;
  EXPECT_THAT(errorOf(stage),
              HasSubstr("slices of a router setting is 2, allowed are 1 to 0"));
  stage.routing.period = 8;
  EXPECT_THAT(errorOf(stage), HasSubstr("there are settings for 4 routers, "
                                        "expected 8, after which they repeat"));
  stage.routing.period = -4;
  EXPECT_THAT(errorOf(stage), HasSubstr("period is -4"));
  stage.routing.period = 4;
  stage.routing.periodPackets = 1;
  EXPECT_THAT(errorOf(stage),
              HasSubstr("packets from repetition to repetition is 1, allowed"));
  stage.routing.periodPackets = int64_t(1) << 62;
  EXPECT_THAT(errorOf(stage),
              HasSubstr("packets from repetition to repetition is 46116"));
  stage.routing.period = 0;
  EXPECT_THAT(errorOf(stage), HasSubstr("settings do not repeat, but their"));
  stage.routing = {
      8, {{1, {0x11}, 0}, {1, {0x22}, 1}, {2, {0x44}, 2}}, 4, 3, {}};
  sim::RoutingTable table(stage.routing);
  EXPECT_THAT(table.sources(9), ElementsAre(1, 5));
  EXPECT_EQ(table.firstPacket(1), 1);
  EXPECT_EQ(table.firstPacket(5), 4);
  EXPECT_EQ(table.firstPacket(15), 5);
  EXPECT_FALSE(table.alike(2, 6));
  EXPECT_TRUE(table.alike(6, 7));
  EXPECT_FALSE(table.alike(6, 14));
  stage.routing.period = 4;
  stage.routing.periodPackets = 0;
  stage.routing.routers[2].sources = {0x440};
  EXPECT_THAT(errorOf(stage), HasSubstr("slice 2 listens to slice 10"));
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
