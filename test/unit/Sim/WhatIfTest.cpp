//===- WhatIfTest.cpp - A run with something changed ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Sim/WhatIf.h"
#include "sequin/Sim/Simulator.h"
#include <gtest/gtest.h>

using namespace sequin;

TEST(WhatIf, Texts) {
  auto change =
      sim::parseWhatIf({"no-startup", "twice-hbm", "double-buffer=4096",
                        "wider-fetch=a.mlir:3:5"});
  ASSERT_TRUE(bool(change));
  EXPECT_TRUE(change->noStartup && change->twiceHbm);
  EXPECT_EQ(change->doubled, std::vector<int64_t>{4096});
  EXPECT_EQ(change->wider, std::vector<std::string>{"a.mlir:3:5"});
  for (const char *bad :
       {"", "no-startup=1", "double-buffer=", "double-buffer=-8",
        "double-buffer=x", "wider-fetch=", "faster"}) {
    auto refused = sim::parseWhatIf({bad});
    EXPECT_FALSE(bool(refused)) << bad;
    EXPECT_NE(llvm::toString(refused.takeError()).find("known are"),
              std::string::npos);
  }
}

TEST(WhatIf, Machine) {
  const TcpMachine &row = *lookupTcpMachine("rngd");
  sim::WhatIf change;
  change.twiceHbm = true;
  TcpMachine fast = sim::changed(row, change);
  EXPECT_EQ(fast.hbmBytesPerCycle, 2 * row.hbmBytesPerCycle);
  EXPECT_EQ(fast.hbm.controllerBytes, 2 * row.hbm.controllerBytes);
  EXPECT_EQ(fast.dmaStartupCycles, row.dmaStartupCycles);
  EXPECT_EQ(toJSON(sim::changed(row, {})), toJSON(row));
}

/// Moves `rounds` times 4096 bytes to one place of data memory, and from there
/// to HBM: every load waits for the store before it.
static config::Program loadsAndStores(int64_t rounds) {
  config::Program program;
  program.target = "rngd";
  program.name = "main";
  for (int64_t i = 0; i < rounds; ++i)
    for (bool load : {true, false}) {
      config::DmaDescriptor descriptor;
      descriptor.sourceAddress = load ? i * 4096 : 0;
      descriptor.destinationAddress = load ? 0 : 1048576 + i * 4096;
      descriptor.packetBytes = 4096;
      config::DmaCommand dma;
      dma.source = load ? config::Memory::Hbm : config::Memory::Dm;
      dma.destination = load ? config::Memory::Dm : config::Memory::Hbm;
      dma.descriptors = {descriptor};
      program.commands.push_back(
          {(load ? "load." : "store.") + std::to_string(i), "", dma, {}});
    }
  return program;
}

TEST(WhatIf, ReportNamesTheCulprit) {
  sim::Options options;
  options.timingOnly = options.keepAccesses = true;
  auto result =
      sim::run(loadsAndStores(2), *lookupTcpMachine("rngd"), {}, options);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  const auto &commands = result->report.commands;
  ASSERT_EQ(commands.size(), 4u);
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(commands[i].waitedFor, static_cast<int64_t>(i) - 1);
    EXPECT_FALSE(commands[i].wait.empty());
    EXPECT_EQ(commands[i].hbmBytes, 4096);
    EXPECT_EQ(commands[i].accesses.size(), 2u);
  }
  EXPECT_EQ(commands[0].waitedFor, -1);
  options.whatIf.twiceHbm = options.whatIf.noStartup = true;
  auto faster =
      sim::run(loadsAndStores(2), *lookupTcpMachine("rngd"), {}, options);
  ASSERT_TRUE(bool(faster));
  EXPECT_LT(faster->report.cycles, result->report.cycles);
}
