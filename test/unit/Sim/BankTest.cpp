//===- BankTest.cpp - Banks of data memory, shared -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DmaProgram.h"
#include "Rngd.h"
#include "sequin/Config/BankRuns.h"
#include <array>
#include <random>

using namespace sequin;
using namespace sequin::testing;
using config::BankRuns;
using config::Context;
using config::Loop;
using config::Memory;
using ::testing::Each;
using ::testing::HasSubstr;
using enum ElementType;

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

static BankRuns runsOf(const config::Sequencer &sequencer, int64_t accessBytes,
                       int64_t bits = 8) {
  return config::countBankRuns(sequencer, bits, accessBytes, rngd());
}

TEST(Banks, AddressBits) {
  SEQUIN_ROW("MEM-03");
  // Bits 3 to 6 of the address in a slice.
  for (int64_t address = 0; address < 4096; address += 8) {
    BankRuns runs = runsOf({address, {{8, 1}}, 1}, 8);
    for (int64_t bank = 0; bank < 16; ++bank)
      EXPECT_EQ(runs.total[bank], bank == (address >> 3 & 15)) << address;
  }
  SEQUIN_ROW("MEM-02");
  EXPECT_EQ(rngd().dmBanks, 16);
  EXPECT_EQ(rngd().dmBankBytes, 8);
  // 4096 rows of 8 bytes in each of 16 banks.
  EXPECT_EQ(rngd().dmBytesPerSlice, 4096 * 16 * 8);
  EXPECT_EQ(rngd().clustersPerChip * rngd().slicesPerCluster *
                rngd().dmBytesPerSlice,
            256 << 20);
  EXPECT_EQ(rngd().dmnsPerChip(), 16);
  // One access to every bank: 128 bytes in a cycle.
  EXPECT_THAT(runsOf({0, {{128, 1}}, 1}, 128).total, Each(1));
}

TEST(Banks, ARunIsAccessesThatAllTouchTheBank) {
  SEQUIN_ROW("SIL-43");
  // 32 bytes touch four banks; the next 32 others.
  BankRuns wide = runsOf({0, {{4, 32}, {32, 1}}, 1}, 32);
  EXPECT_THAT(wide.longest, Each(1));
  // A stride of 128 bytes comes back to the same bank.
  EXPECT_EQ(runsOf({0, {{50, 128}, {8, 1}}, 1}, 8).longest[0], 50);
  EXPECT_EQ(runsOf({0, {{50, 120}, {8, 1}}, 1}, 8).longest[0], 1);
  // A repetition too, and runs join across loops.
  EXPECT_EQ(runsOf({8, {{3, 128}, {7, 0}, {8, 1}}, 1}, 8).longest[1], 21);
  // Between two runs another bank breaks them.
  EXPECT_EQ(runsOf({0, {{10, 256}, {2, 8}, {5, 128}, {8, 1}}, 1}, 8).longest[0],
            5);
}

TEST(Banks, CountsLikeAWalk) {
  std::mt19937 random(7);
  auto pick = [&](std::initializer_list<int64_t> values) {
    return values.begin()[random() % values.size()];
  };
  for (int round = 0; round < 300; ++round) {
    int64_t access = pick({1, 4, 8, 16, 32});
    config::Sequencer sequencer;
    sequencer.baseAddress = pick({0, 8, 40, 1024, 4});
    for (int depth = random() % 4; depth > 0; --depth)
      sequencer.entries.push_back({pick({1, 2, 3, 5, 9, 33}),
                                   pick({0, 8, 32, 64, 96, 128, 256, -32, 4})});
    sequencer.entries.push_back({access * pick({1, 2, 3}), 1});
    int64_t channels = pick({1, 2, 3});
    sequencer.packetEntries = 1;
    BankRuns runs =
        config::countBankRuns(sequencer, 8, access, rngd(), channels);
    int64_t inPacket = sequencer.entries.back().size / access;
    // Every access, one after the other.
    std::vector<int64_t> addresses = {sequencer.baseAddress + (1 << 20)};
    for (const Loop &loop : sequencer.entries) {
      std::vector<int64_t> next;
      bool innermost = &loop == &sequencer.entries.back();
      for (int64_t address : addresses)
        for (int64_t i = 0; i < loop.size; i += innermost ? access : 1)
          next.push_back(address + i * loop.stride);
      addresses = std::move(next);
    }
    for (int64_t bank = 0; bank < 16; ++bank) {
      std::array<int64_t, 3> run = {}, most = {};
      int64_t total = 0;
      for (size_t i = 0; i < addresses.size(); ++i) {
        bool touches = false;
        for (int64_t at = addresses[i]; at < addresses[i] + access; ++at)
          touches |= (at >> 3 & 15) == bank;
        int64_t channel = static_cast<int64_t>(i) % inPacket % channels;
        run[channel] = touches ? run[channel] + 1 : 0;
        total += touches;
        most[channel] = std::max(most[channel], run[channel]);
      }
      int64_t longest = most[0] + most[1] + most[2];
      EXPECT_EQ(runs.longest[bank], longest) << round << " " << bank;
      EXPECT_EQ(runs.total[bank], total) << round << " " << bank;
    }
  }
}

TEST(Banks, ChannelsHaveRunsOfTheirOwn) {
  SEQUIN_ROW("MEM-06");
  auto longest = [](std::vector<Loop> entries, int64_t packetEntries,
                    int64_t channels, int64_t bits = 16) {
    config::Sequencer sequencer;
    sequencer.entries.assign(entries.begin(), entries.end());
    sequencer.packetEntries = packetEntries;
    return config::countBankRuns(sequencer, bits, 32, rngd(), channels).longest;
  };
  // Two accesses side by side, 512 bytes to the next two: in one channel they
  // take turns; two channels hold four banks each.
  std::vector<Loop> entries = {{8, 32}, {128, 256}, {2, 16}, {16, 1}};
  EXPECT_THAT(longest(entries, 2, 1), Each(1));
  EXPECT_THAT(longest(entries, 2, 2), Each(128));
  // What both channels do to one bank adds up, as for two contexts.
  EXPECT_EQ(longest({{50, 64}, {2, 256}, {16, 1}}, 2, 1)[0], 100);
  EXPECT_EQ(longest({{50, 64}, {2, 256}, {16, 1}}, 2, 2)[0], 100);
  // A packet begins with the first channel: of three accesses it has two.
  EXPECT_EQ(longest({{10, 64}, {3, 64}, {16, 1}}, 2, 2)[0], 30);
  EXPECT_EQ(longest({{10, 192}, {3, 16}, {16, 1}}, 2, 2)[0], 1);
  EXPECT_EQ(longest({{10, 192}, {3, 16}, {16, 1}}, 2, 2)[4], 10);
  // A packet of one access leaves the second channel idle.
  EXPECT_EQ(longest({{10, 64}, {16, 1}}, 1, 2)[0], 10);
}

TEST(Banks, TheLimitIsDerived) {
  SEQUIN_ROW("MEM-06");
  SEQUIN_ROW("ERR-42");
  // 256 / 128 * n * 32 < 4096.
  EXPECT_EQ(rngd().nocTimeoutCycles, 4096);
  EXPECT_EQ(rngd().maxSameBankAccesses(), 63);
  TcpMachine patient = rngd();
  patient.nocTimeoutCycles = 4097;
  EXPECT_EQ(patient.maxSameBankAccesses(), 64);
}

TEST(Banks, Priority) {
  SEQUIN_ROW("MEM-05");
  using enum DmClient;
  EXPECT_THAT(
      rngd().dmPriority,
      ::testing::ElementsAre(MainFetch, MainCommit, SubFetch, SubCommit, Dma));
}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

/// Fetches 8 bytes `n` times from one bank and writes once per fetch, spread
/// over the banks.
static config::ExecCommand sameBank(int64_t n, int64_t from, int64_t to,
                                    Context context = Context::Main) {
  config::ExecCommand exec = makeExec({from, {{n, 128}, {8, 1}}, 1}, I8, I8, 8);
  exec.context = context;
  exec.sliceMask.assign(8, 0);
  exec.sliceMask[0] = 1;
  exec.sink = config::CommitStage{I8, {to, {{n, 8}, {8, 1}}, 1}, 8, 8};
  return exec;
}

static config::DmaCommand load(int64_t slice = 0) {
  return {Memory::Hbm,
          Memory::Dm,
          {descriptor(0, slice * kSlice + 500000 / 8 * 8, {}, 8)}};
}

using Body = decltype(config::Command::body);

static config::Program programOf(std::vector<Body> bodies) {
  config::Program program;
  program.target = "rngd";
  for (Body &body : bodies) {
    config::Command command;
    command.name = "c" + std::to_string(program.commands.size());
    command.body = std::move(body);
    program.commands.push_back(std::move(command));
  }
  return program;
}

static std::vector<sim::CommandTiming> timingsOf(std::vector<Body> bodies) {
  llvm::Expected<sim::Result> result = timing(programOf(bodies));
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return std::vector<sim::CommandTiming>(bodies.size());
  }
  return result->report.commands;
}

TEST(Banks, StarvedDmaTraps) {
  SEQUIN_ROW("SCH-05");
  SEQUIN_ROW("DMA-20");
  SEQUIN_ROW("MEM-01");
  // A run of 62 and one commit to the same bank: at the limit.
  EXPECT_EQ(errorOf(programOf({sameBank(62, 0, 300000 / 128 * 128), load()})),
            "no error");
  std::string trap =
      errorOf(programOf({load(), sameBank(64, 0, 300000 / 128 * 128)}));
  EXPECT_THAT(trap, HasSubstr("trap: command 'c0' stage 'dma': NoC timeout: "
                              "'c1' accesses bank 0 of data memory"));
  EXPECT_THAT(trap, HasSubstr("allowed beside DMA are at most 63"));
  EXPECT_THAT(errorOf(programOf({sameBank(64, 0, 300000 / 128 * 128), load()})),
              HasSubstr("NoC timeout"));
  // Only where both use a slice, and DMA uses data memory at all.
  EXPECT_EQ(errorOf(programOf({sameBank(64, 0, 300032), load(1)})), "no error");
  EXPECT_EQ(errorOf(programOf(
                {sameBank(64, 0, 300032),
                 config::DmaCommand{
                     Memory::Hbm, Memory::Hbm, {descriptor(0, 4096, {}, 8)}}})),
            "no error");
}

TEST(Banks, DualChannelBesideDma) {
  SEQUIN_ROW("MEM-06");
  SEQUIN_ROW("MEM-07");
  // Two accesses of 32 bytes per packet, from banks 0 to 7, `n` times; what is
  // committed goes to a register file.
  auto fetch = [](int64_t n, bool dualChannel) {
    config::ExecCommand exec =
        makeExec({0, {{n, 128}, {64, 1}}, 1}, I8, I8, 32);
    exec.fetch.dualChannel = dualChannel;
    exec.sliceMask.assign(8, 0);
    exec.sliceMask[0] = 1;
    exec.sink = config::ToVrfStage{0, n * 64};
    return exec;
  };
  auto error = [&](int64_t n, bool dualChannel) {
    return errorOf(programOf({fetch(n, dualChannel), load()}));
  };
  EXPECT_EQ(error(62, true), "no error");
  EXPECT_EQ(error(63, true), "no error");
  EXPECT_THAT(error(64, true),
              HasSubstr("NoC timeout: 'c0' accesses bank 0 of data memory 64 "
                        "times in a row, allowed beside DMA are at most 63 "
                        "(MEM-06)"));
  EXPECT_EQ(error(64, false), "no error");
  EXPECT_TRUE(config::starvesDma(fetch(64, true), rngd()));
  EXPECT_FALSE(config::starvesDma(fetch(63, true), rngd()));
}

TEST(Banks, APassMayHoldTheEngines) {
  SEQUIN_ROW("SCH-05");
  config::ExecCommand pass = sameBank(64, 0, 300032);
  EXPECT_TRUE(config::starvesDma(pass, rngd()));
  EXPECT_FALSE(config::starvesDma(sameBank(62, 0, 300032), rngd()));
  pass.occupiesDma = true;
  std::vector<sim::CommandTiming> t = timingsOf({load(), pass, load(1)});
  EXPECT_EQ(t[1].start, t[0].end);
  EXPECT_EQ(t[1].wait, "dma busy");
  EXPECT_EQ(t[2].start, t[1].end);
  EXPECT_EQ(t[2].wait, "dma busy");
}

TEST(Banks, RunsOfBothContextsAddUp) {
  SEQUIN_ROW("MEM-07");
  SEQUIN_ROW("ERR-43");
  // Sub, main and one request of DMA; commits go to other banks.
  auto schedule = [](int64_t main, int64_t sub) {
    config::ExecCommand first = sameBank(main, 0, 0);
    config::ExecCommand second = sameBank(sub, 65536, 0, Context::Sub);
    for (config::ExecCommand *exec : {&first, &second}) {
      int64_t bytes = exec->fetch.sequencer.entries[0].size * 8;
      // All of the stream to the register file, which has no banks here.
      exec->sink = config::ToVrfStage{exec == &first ? 0 : 4096, 0};
      std::get<config::ToVrfStage>(exec->sink).bytes = bytes * 4 - 24;
    }
    return timingsOf({first, second, load()});
  };
  std::vector<sim::CommandTiming> safe = schedule(30, 20);
  EXPECT_EQ(safe[2].start, 0);
  std::vector<sim::CommandTiming> full = schedule(30, 35);
  EXPECT_GT(full[2].start, 0);
  EXPECT_THAT(full[2].wait, HasSubstr("bank 0 of dm: 'c0' and 'c1' make 65 "
                                      "accesses in a row"));
  EXPECT_EQ(schedule(35, 20)[2].start, 0); // 56
}

TEST(Banks, MainDelaysSub) {
  SEQUIN_ROW("MEM-08");
  SEQUIN_ROW("MEM-05");
  SEQUIN_ROW("SCH-04");
  // One bank for main and sub: first main, then sub.
  auto ends = [](int64_t mainBank, int64_t subBank) {
    config::ExecCommand main = sameBank(200, mainBank * 8, 0);
    config::ExecCommand sub =
        sameBank(100, 65536 + subBank * 8, 0, Context::Sub);
    main.sink = config::ToVrfStage{0, 200 * 32};
    sub.sink = config::ToVrfStage{6400, 32 * 32};
    sub.fetch.sequencer.entries = {{32, 128}, {8, 1}};
    std::vector<sim::CommandTiming> t = timingsOf({main, sub});
    return std::pair(t[0].end, t[1].end);
  };
  EXPECT_EQ(ends(0, 0), std::pair(int64_t(200), int64_t(200 + 32)));
  EXPECT_EQ(ends(0, 1), std::pair(int64_t(200), int64_t(32)));
}
