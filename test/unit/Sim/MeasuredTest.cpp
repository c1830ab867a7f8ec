//===- MeasuredTest.cpp - The machine as measured -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where the constants of the row "rngd-measured" act.

#include "DmaProgram.h"
#include "Rngd.h"

using namespace sequin;
using namespace sequin::testing;
using config::DmaDescriptor;
using config::Memory;
using enum ElementType;

static const TcpMachine &measured() {
  return *lookupTcpMachine("rngd-measured");
}

static int64_t stageOn(const TcpMachine &machine, config::Program program,
                       llvm::StringRef stage) {
  program.target = machine.name.str();
  return stageOf(program, stage, machine);
}

// 525 cycles per descriptor, 73 more if it stores.
TEST(Measured, DescriptorsTakeLonger) {
  auto engines = [](const TcpMachine &machine, Memory from, Memory to) {
    return stageOn(machine,
                   oneDma(from, to,
                          {descriptor(0, 65536, {{8, 256, 256}}, 256),
                           descriptor(4096, 69632, {{8, 256, 256}}, 256)}),
                   "engines");
  };
  EXPECT_EQ(engines(rngd(), Memory::Hbm, Memory::Dm), 2 * (500 + 8));
  EXPECT_EQ(engines(measured(), Memory::Hbm, Memory::Dm), 2 * (525 + 8));
  EXPECT_EQ(engines(rngd(), Memory::Dm, Memory::Hbm), 2 * (500 + 16));
  EXPECT_EQ(engines(measured(), Memory::Dm, Memory::Hbm), 2 * (525 + 73 + 16));
  EXPECT_EQ(engines(measured(), Memory::Dm, Memory::Dm),
            engines(rngd(), Memory::Dm, Memory::Dm) + 2 * 25);
}

// 1 MB to every cluster that takes part, all of its four engines.
static config::Program load(int64_t clusters, Memory from, Memory to) {
  std::vector<DmaDescriptor> descriptors;
  for (int64_t engine = 0; engine < 4 * clusters; ++engine) {
    int64_t hbm = engine << 18, dm = engine * 2 * kNetwork;
    bool loads = from == Memory::Hbm;
    DmaDescriptor::Entry slices{64, loads ? 4096 : kSlice,
                                loads ? kSlice : 4096};
    descriptors.push_back(
        descriptor(loads ? hbm : dm, loads ? dm : hbm, {slices}, 4096, engine));
  }
  return oneDma(from, to, std::move(descriptors));
}

// 298 bytes per cycle into one cluster, 550 into both, of HBM to DM alone.
TEST(Measured, LoadsAreLimitedByCluster) {
  int64_t bytes = 1 << 20;
  auto path = [](const TcpMachine &machine, int64_t clusters) {
    return stageOn(machine, load(clusters, Memory::Hbm, Memory::Dm), "path");
  };
  EXPECT_EQ(path(measured(), 1), 525 + llvm::divideCeil(bytes, 298));
  EXPECT_EQ(path(measured(), 2), 525 + llvm::divideCeil(2 * bytes, 550));
  EXPECT_EQ(path(rngd(), 2), -1);
  EXPECT_EQ(stageOn(measured(), load(2, Memory::Dm, Memory::Hbm), "path"), -1);
  // The slowest stage counts.
  config::Program both = load(2, Memory::Hbm, Memory::Dm);
  both.target = "rngd-measured";
  EXPECT_EQ(cyclesOf(both, measured()), path(measured(), 2));
  // One limit may be there without the other.
  TcpMachine chip = measured();
  chip.hbmToDmClusterBytesPerCycle = 0;
  EXPECT_EQ(path(chip, 1), 525 + llvm::divideCeil(bytes, 550));
  TcpMachine cluster = measured();
  cluster.hbmToDmChipBytesPerCycle = 0;
  EXPECT_EQ(path(cluster, 2), path(cluster, 1));
}

// A pass takes 2.6 times the manual's cycles, rounded up; its stages are the
// manual's.
TEST(Measured, PassesTakeLonger) {
  auto timingOf = [](const TcpMachine &machine) {
    SliceProgram program;
    program.program.target = machine.name.str();
    program.input(arrayOf(I32, iota(1000)), 0);
    config::ExecCommand exec =
        makeExec({0, {{125, 8}, {8, 1}}, 1}, I32, I32, 32);
    exec.sink =
        config::CommitStage{I32, {1 << 14, {{125, 8}, {8, 1}}, 1}, 32, 32};
    program.exec(exec);
    program.output(I32, 1000, 1 << 14);
    llvm::Expected<sim::Result> result =
        sim::run(program.program, machine, program.inputs);
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return std::pair<int64_t, int64_t>(-1, -1);
    }
    // Timing never changes results.
    EXPECT_EQ(intsOf(result->outputs[0]), iota(1000));
    for (const sim::CommandTiming &timing : result->report.commands)
      if (timing.name == "exec")
        for (const auto &[name, cycles] : timing.stages)
          if (name == "fetch")
            return std::pair<int64_t, int64_t>(timing.end - timing.start,
                                               cycles);
    return std::pair<int64_t, int64_t>(-1, -1);
  };
  EXPECT_EQ(timingOf(rngd()), (std::pair<int64_t, int64_t>(125, 125)));
  EXPECT_EQ(timingOf(measured()), (std::pair<int64_t, int64_t>(325, 125)));
  TcpMachine odd = measured();
  odd.passScalePercent = 101;
  EXPECT_EQ(timingOf(odd), (std::pair<int64_t, int64_t>(127, 125)));
}
