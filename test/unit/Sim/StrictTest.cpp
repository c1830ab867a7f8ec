//===- StrictTest.cpp - Silent points of the manual, read against us ------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where the constants of the rows "rngd-static" and "rngd-strict" act, each by
// itself on RNGD.

#include "DmaProgram.h"
#include "Rngd.h"

using namespace sequin;
using namespace sequin::testing;
using config::DmaDescriptor;
using config::Memory;
using ::testing::HasSubstr;
using enum ElementType;

// The whole cost of a pass, whatever its stages are.
TEST(Strict, PassesHaveAFixedCost) {
  auto cyclesOf = [](const TcpMachine &machine, int64_t flits) {
    config::ExecCommand exec =
        makeExec({0, {{flits, 8}, {8, 1}}, 1}, I32, I32, 32);
    exec.sink =
        config::CommitStage{I32, {1 << 18, {{flits, 8}, {8, 1}}, 1}, 32, 32};
    config::Program program;
    program.target = machine.name.str();
    program.commands.push_back({"exec", "", std::move(exec)});
    return sequin::testing::cyclesOf(program, machine);
  };
  EXPECT_EQ(cyclesOf(rngd(), 3840), 3840);
  // 4,105 = 3,840 + 265 is a published count.
  EXPECT_EQ(cyclesOf(*lookupTcpMachine("rngd-static"), 3840), 4105);
  EXPECT_EQ(cyclesOf(*lookupTcpMachine("rngd-static"), 1), 266);
  EXPECT_EQ(cyclesOf(*lookupTcpMachine("rngd-strict"), 3840), 4105);
}

// Loads of 1 MB into both clusters, 256 bytes per request.
static config::Program loads(int64_t clusters) {
  std::vector<DmaDescriptor> descriptors;
  for (int64_t engine = 0; engine < 4 * clusters; ++engine)
    descriptors.push_back(descriptor(
        engine << 18, engine * 2 * kNetwork,
        {{32, 8192, kSlice}, {16, 512, 256}, {2, 256, kNetwork}}, 256, engine));
  return oneDma(Memory::Hbm, Memory::Dm, std::move(descriptors));
}

TEST(Strict, DataMemoryOfACluster) {
  TcpMachine machine = rngd();
  int64_t bytes = 4 << 18;
  auto dm = [&](config::Program program) {
    return stageOf(program, "dm", machine);
  };
  int64_t networks = dm(loads(2));
  EXPECT_NEAR(networks, 500 + bytes / 4 / 256, 3);
  // As much as the four engines of a cluster move, and a quarter of it.
  machine.dmClusterBytesPerCycle = 1024;
  EXPECT_EQ(dm(loads(2)), networks);
  machine.dmClusterBytesPerCycle = 256;
  EXPECT_EQ(dm(loads(1)), 500 + bytes / 256);
  EXPECT_EQ(dm(loads(2)), 500 + bytes / 256);
  // A copy inside the cluster goes out and in.
  EXPECT_EQ(
      dm(oneDma(Memory::Dm, Memory::Dm,
                {descriptor(0, 65536, {{16, 256, 256}, {4, kNetwork, kNetwork}},
                            256)})),
      500 + 2 * 64);
}

TEST(Strict, RefreshesTakeTheirShare) {
  TcpMachine machine = rngd();
  auto hbm = [&] { return stageOf(loads(2), "hbm", machine) - 500; };
  int64_t without = hbm();
  machine.hbm.refreshPercent = 9;
  EXPECT_EQ(hbm(), llvm::divideCeil(without * 100, 91));
  machine.hbm.refreshPercent = 50;
  EXPECT_EQ(hbm(), 2 * without);
}

TEST(Strict, EnginesHaveFewRequestsUnderWay) {
  TcpMachine machine = rngd();
  // One channel: a unit every 16/3 cycles.
  auto inOneChannel = [](int64_t count) {
    return oneDma(Memory::Hbm, Memory::Dm,
                  {descriptor(0, 0, {{count, 2 << 13, 256}}, 256)});
  };
  auto stage = [&](config::Program program, llvm::StringRef name) {
    return stageOf(program, name, machine);
  };
  EXPECT_EQ(stage(inOneChannel(8), "outstanding"), -1);
  machine.dmaOutstandingRequests = 16;
  // Of the channels that a stride of 16 KB meets, each serves a unit at a time.
  EXPECT_GT(stage(inOneChannel(64), "outstanding"), 500 + 64);
  // One at a time: every request waits for the one before.
  machine.dmaOutstandingRequests = 1;
  int64_t one = stage(inOneChannel(64), "outstanding");
  EXPECT_GE(one, 500 + 64 * 16 / 3);
  machine.dmaOutstandingRequests = 2;
  EXPECT_LT(stage(inOneChannel(64), "outstanding"), one);
  // As many as there are: nobody waits.
  machine.dmaOutstandingRequests = 64;
  int64_t all = stage(inOneChannel(64), "outstanding");
  machine.dmaOutstandingRequests = 65;
  EXPECT_EQ(stage(inOneChannel(64), "outstanding"), all);
  // Data memory alone is not asked.
  machine.dmaOutstandingRequests = 1;
  EXPECT_EQ(stage(oneDma(Memory::Dm, Memory::Dm,
                         {descriptor(0, 65536, {{8, 256, 256}}, 256)}),
                  "outstanding"),
            -1);
}

/// A store of a slice of `cluster`, and a load of the same bytes into a slice
/// of `reader`.
static std::vector<sim::CommandTiming> through(int64_t cluster, int64_t reader,
                                               int64_t delay) {
  TcpMachine machine = rngd();
  machine.clusterDependencyCycles = delay;
  int64_t span = 256 * kSlice;
  config::Program program =
      oneDma(Memory::Dm, Memory::Hbm,
             {descriptor(cluster * span, 4096, {}, 256, cluster * 4)});
  config::Command load =
      oneDma(Memory::Hbm, Memory::Dm,
             {descriptor(4096, reader * span, {}, 256, reader * 4)})
          .commands[0];
  load.name = "load";
  program.commands.push_back(load);
  llvm::Expected<sim::Result> result =
      sim::run(program, machine, {}, {.timingOnly = true});
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return std::vector<sim::CommandTiming>(2);
  }
  return result->report.commands;
}

TEST(Strict, ClustersAreToldLate) {
  std::vector<sim::CommandTiming> t = through(0, 1, 0);
  EXPECT_EQ(t[1].start, t[0].end);
  t = through(0, 1, 400);
  EXPECT_EQ(t[1].start, t[0].end + 400);
  EXPECT_THAT(t[1].wait, HasSubstr("'dma' in another cluster"));
  // The same cluster knows.
  for (int64_t cluster : {0, 1}) {
    t = through(cluster, cluster, 400);
    EXPECT_EQ(t[1].start, t[0].end);
  }
}

TEST(Strict, AllTogether) {
  const TcpMachine &strict = *lookupTcpMachine("rngd-strict");
  config::Program program = loads(2);
  program.target = strict.name.str();
  // 256 bytes per cycle into each cluster.
  EXPECT_EQ(sequin::testing::cyclesOf(program, strict), 500 + (4 << 18) / 256);
}
