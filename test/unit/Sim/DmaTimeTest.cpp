//===- DmaTimeTest.cpp - Cycles of DMA commands --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DmaProgram.h"
#include "Rngd.h"
#include "sequin/Stream/Sequencer.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <random>

using namespace sequin;
using namespace sequin::testing;
using config::DmaDescriptor;
using config::Memory;
using ::testing::HasSubstr;

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

TEST(DmaTime, PacketsAreSplitIntoRequests) {
  SEQUIN_ROW("DMA-06");
  SEQUIN_ROW("DMA-12");
  SEQUIN_ROW("ERR-38");
  auto engines = [](int64_t packet) {
    return stageOf(
        oneDma(Memory::Hbm, Memory::Dm, {descriptor(0, 0, {}, packet)}),
        "engines");
  };
  EXPECT_EQ(engines(8), 501);
  EXPECT_EQ(engines(256), 501);
  EXPECT_EQ(engines(264), 502);
  EXPECT_EQ(engines(4096), 516);
  // 4095 bytes need 16 requests; HBM to HBM pays for reading and writing.
  EXPECT_EQ(stageOf(oneDma(Memory::Hbm, Memory::Hbm,
                           {descriptor(0, 1 << 20, {}, 4095)}),
                    "engines"),
            500 + 2 * 16);
  // 4099 is prime: one byte at a time, or 4096 and 3.
  EXPECT_EQ(stageOf(oneDma(Memory::Hbm, Memory::Hbm,
                           {descriptor(0, 1 << 20, {{4099, 1, 1}}, 1)}),
                    "engines"),
            500 + 2 * 4099);
  EXPECT_EQ(stageOf(oneDma(Memory::Hbm, Memory::Hbm,
                           {descriptor(0, 1 << 20, {}, 4096),
                            descriptor(4096, (1 << 20) + 4096, {}, 3)}),
                    "engines"),
            (500 + 2 * 16) + (500 + 2 * 1));
}

TEST(DmaTime, RequestsThatWriteHbmEndAtUnits) {
  SEQUIN_ROW("MEM-14");
  auto stages = [](const char *machine, int64_t address, int64_t bytes) {
    config::Program program =
        oneDma(Memory::Hbm, Memory::Hbm, {descriptor(0, address, {}, bytes)});
    program.target = machine;
    const TcpMachine &row = *lookupTcpMachine(machine);
    return std::pair(stageOf(program, "engines", row),
                     stageOf(program, "hbm", row));
  };
  int64_t at = 1 << 20;
  // Two units: whole, and an eighth behind the boundary of the first.
  EXPECT_EQ(stages("rngd", at, 512).first, 500 + 2 * 2);
  EXPECT_EQ(stages("rngd", at + 32, 512).first, 500 + 2 * 3);
  EXPECT_EQ(stages("rngd", at + 32, 224).first, 500 + 2 * 1);
  EXPECT_EQ(stages("rngd", at + 32, 225).first, 500 + 2 * 2);
  // 200 controller cycles for a part; reads are whole.
  int64_t part = 50 * 16 / 3 + 1;
  EXPECT_LT(stages("rngd", at, 512).second, 500 + part / 4);
  EXPECT_GE(stages("rngd", at + 32, 512).second, 500 + part - 6);
  EXPECT_EQ(stages("rngd-merging", at + 32, 512).first, 500 + 2 * 2);
  // A run that later requests complete is whole where parts merge.
  auto halves = [](const char *machine) {
    config::Program program =
        oneDma(Memory::Hbm, Memory::Hbm,
               {descriptor(0, 1 << 20, {{64, 128, 128}}, 128)});
    program.target = machine;
    return stageOf(program, "hbm", *lookupTcpMachine(machine));
  };
  EXPECT_GT(halves("rngd"), 500 + 2 * part - 6);
  EXPECT_LT(halves("rngd-merging"), 500 + part);
}

TEST(DmaTime, EveryDescriptorStartsUp) {
  SEQUIN_ROW("DMA-05");
  DmaDescriptor first = descriptor(0, 0, {}, 4096);
  DmaDescriptor second = descriptor(4096, 4096, {}, 8);
  EXPECT_EQ(
      stageOf(oneDma(Memory::Hbm, Memory::Dm, {first, second}), "engines"),
      (500 + 16) + (500 + 1));
  // On two engines they run side by side.
  second.engine = 1;
  EXPECT_EQ(
      stageOf(oneDma(Memory::Hbm, Memory::Dm, {first, second}), "engines"),
      516);
  // The number is the machine's.
  TcpMachine quick = rngd();
  quick.dmaStartupCycles = 20;
  EXPECT_EQ(stageOf(oneDma(Memory::Hbm, Memory::Dm, {first}), "engines", quick),
            20 + 16);
}

TEST(DmaTime, SameMemoryReadsAndWritesInTurn) {
  SEQUIN_ROW("ERR-36");
  SEQUIN_ROW("SIL-40");
  auto engines = [](Memory from, Memory to, int64_t source,
                    int64_t destination) {
    return stageOf(
        oneDma(from, to, {descriptor(source, destination, {{8, 64, 64}}, 64)}),
        "engines");
  };
  EXPECT_EQ(engines(Memory::Hbm, Memory::Hbm, 0, 4096), 516);
  EXPECT_EQ(engines(Memory::Hbm, Memory::Dm, 0, 0), 508);
  EXPECT_EQ(engines(Memory::Dm, Memory::Hbm, 0, 0), 516);
  EXPECT_EQ(engines(Memory::Dm, Memory::Dm, 0, 4096), 516);
  // Another cluster has data memory of its own.
  EXPECT_EQ(engines(Memory::Dm, Memory::Dm, 0, 256 * kSlice), 508);
  EXPECT_EQ(engines(Memory::Spm, Memory::Dm, 0, 0), 508);
  EXPECT_EQ(engines(Memory::Spm, Memory::Spm, 0, 4096), 516);
  EXPECT_EQ(engines(Memory::Spm, Memory::Hbm, 0, 0), 516);
}

//===----------------------------------------------------------------------===//
// The manual's examples
//===----------------------------------------------------------------------===//

TEST(DmaTime, MemoryIndices) {
  SEQUIN_ROW("DMA-10");
  SEQUIN_ROW("DMA-11");
  llvm::Expected<AxisSizes> axes = AxisSizes::parse("A=256,B=256,C=256");
  ASSERT_TRUE(static_cast<bool>(axes));
  llvm::Expected<Mapping> to = Mapping::parse("B, A, C", *axes);
  llvm::Expected<Mapping> from = Mapping::parse("A, B, C", *axes);
  ASSERT_TRUE(to && from);
  for (int64_t i : {0, 1, 255, 256, 257, 65535, 65536, 1234567, 16777215}) {
    std::map<std::string, int64_t> index;
    std::optional<TensorIndex> at = to->at(i);
    ASSERT_TRUE(at.has_value());
    for (const auto &[name, coordinate] : *at)
      index[name] = coordinate;
    EXPECT_EQ(index["A"], i % 65536 / 256) << i;
    EXPECT_EQ(index["B"], i / 65536) << i;
    EXPECT_EQ(index["C"], i % 256) << i;
  }
  // The sequencer of the move between them, walked element by element.
  auto pair = derivePair(AddressMap(*from), AddressMap(*to));
  ASSERT_TRUE(static_cast<bool>(pair));
  EXPECT_EQ(pair->contiguousElements, 256);
  llvm::Expected<PairedSequencer::Requests> requests =
      pair->requests(ElementType::I8);
  ASSERT_TRUE(static_cast<bool>(requests));
  EXPECT_EQ(requests->stride0, 256);
  EXPECT_EQ(requests->requests, 65536);
}

TEST(DmaTime, HbmToHbm) {
  SEQUIN_ROW("DMA-14");
  config::Program program =
      oneDma(Memory::Hbm, Memory::Hbm,
             {descriptor(0, 16384, {{8, 2048, 256}, {8, 256, 2048}}, 256)});
  EXPECT_EQ(cyclesOf(program), 500 + 64 + 64);
}

TEST(DmaTime, HbmToDm) {
  SEQUIN_ROW("DMA-15");
  config::Program program = oneDma(Memory::Hbm, Memory::Dm,
                                   {descriptor(0, 0,
                                               {{256, 65536, 256},
                                                {4, 256, 65536},
                                                {32, 1024, kSlice},
                                                {2, 32768, kNetwork}},
                                               256)});
  EXPECT_EQ(cyclesOf(program), 66036);
  // Networks in turn keep up with the engine, channels are far ahead.
  EXPECT_EQ(stageOf(program, "dm"), 66036);
  EXPECT_LT(stageOf(program, "hbm"), 500 + 65536 / 4);
}

TEST(DmaTime, DmToDm) {
  SEQUIN_ROW("DMA-16");
  config::Program program = oneDma(Memory::Dm, Memory::Dm,
                                   {descriptor(0, 262144,
                                               {{256, 256, 1024},
                                                {4, 65536, 256},
                                                {32, kSlice, kSlice},
                                                {2, kNetwork, kNetwork}},
                                               256)});
  EXPECT_EQ(cyclesOf(program), 131572);
}

/// Engine (cluster i, place j) reads at i * 2^20 + j * 2^18.
static std::vector<DmaDescriptor>
onAllEngines(llvm::SmallVector<DmaDescriptor::Entry, 8> entries) {
  std::vector<DmaDescriptor> descriptors;
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 4; ++j)
      descriptors.push_back(descriptor((i << 20) + (j << 18),
                                       (i * 4 + j) * 64 * kSlice, entries, 256,
                                       i * 4 + j));
  return descriptors;
}

TEST(DmaTime, BankConflicts) {
  SEQUIN_ROW("DMA-17");
  SEQUIN_ROW("ERR-39");
  config::Program program = oneDma(Memory::Hbm, Memory::Dm,
                                   onAllEngines({{256, 1024, 1024},
                                                 {4, 256, 256},
                                                 {32, 1 << 21, kSlice},
                                                 {2, 1 << 26, kNetwork}}));
  EXPECT_EQ(stageOf(program, "engines"), 500 + 65536);
  EXPECT_EQ(cyclesOf(program), 655860);
  // It is the row switches: the same requests in rows that stay open.
  TcpMachine open = rngd();
  open.hbm.rowSwitchCycles = 0;
  EXPECT_LT(cyclesOf(program, open), 90000);
}

TEST(DmaTime, NoStackInterleaving) {
  SEQUIN_ROW("DMA-18");
  SEQUIN_ROW("ERR-40");
  config::Program program = oneDma(
      Memory::Hbm, Memory::Dm,
      onAllEngines({{8, 512, 256}, {32, 4096, kSlice}, {2, 131072, kNetwork}}));
  EXPECT_EQ(stageOf(program, "engines"), 500 + 512);
  EXPECT_GE(cyclesOf(program), 1857);
  EXPECT_LE(cyclesOf(program), 1866);
  // With both stacks the channels would take half of it.
  config::Program both = oneDma(
      Memory::Hbm, Memory::Dm,
      onAllEngines({{8, 256, 256}, {32, 4096, kSlice}, {2, 131072, kNetwork}}));
  EXPECT_LT(stageOf(both, "hbm"), 1300);
}

TEST(DmaTime, Segmentation) {
  SEQUIN_ROW("DMA-19");
  SEQUIN_ROW("ERR-41");
  constexpr int64_t b = 15 * 256, cluster = 32 * b;
  auto engine = [](int64_t k, int64_t j, int64_t n1, int64_t n0, int64_t source,
                   int64_t destination) {
    return descriptor(source + (j * 4 + k) * 64 * kSlice,
                      destination + j * cluster + k * 1024,
                      {{n1, 256, 256}, {32, kSlice, b}, {n0, kNetwork, 512}},
                      256, j * 4 + k);
  };
  std::vector<DmaDescriptor> full, all;
  for (int64_t chip = 0; chip < 4; ++chip)
    for (int64_t j = 0; j < 2; ++j) {
      size_t first = all.size();
      for (int64_t k = 0; k < 3; ++k)
        all.push_back(engine(k, j, 2, 2, 0, 0));
      all.push_back(engine(3, j, 2, 1, 0, 0));
      all.push_back(engine(3, j, 1, 1, kNetwork, 512));
      for (size_t i = first; i < all.size(); ++i) {
        all[i].sourceChip = all[i].destinationChip = chip;
        if (i < first + 3)
          full.push_back(all[i]);
      }
    }
  EXPECT_EQ(cyclesOf(oneDma(Memory::Dm, Memory::Hbm, full, 4)), 756);
  config::Program program = oneDma(Memory::Dm, Memory::Hbm, all, 4);
  EXPECT_EQ(cyclesOf(program), 1192);
  llvm::Expected<sim::Result> result = timing(program);
  ASSERT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(result->report.hbmBytesWritten, 15 * 32 * 256 * 8);
}

//===----------------------------------------------------------------------===//
// Bandwidths
//===----------------------------------------------------------------------===//

TEST(DmaTime, Bandwidths) {
  SEQUIN_ROW("DMA-13");
  // HBM: 8 MiB in order by all engines.
  std::vector<DmaDescriptor> descriptors;
  for (int64_t engine = 0; engine < 8; ++engine)
    descriptors.push_back(descriptor(engine << 9, engine * 64 * kSlice,
                                     {{2048, 4096, 256}, {2, 256, kNetwork}},
                                     256, engine));
  config::Program all = oneDma(Memory::Hbm, Memory::Dm, descriptors);
  EXPECT_EQ(stageOf(all, "engines"), 500 + 4096);
  EXPECT_NEAR(stageOf(all, "hbm") - 500, (8 << 20) / 1536.0, 6);
  EXPECT_EQ(cyclesOf(all), stageOf(all, "hbm"));
  // DM: 256 bytes per cycle with both networks, 128 with one.
  auto dm = [](int64_t stride) {
    return stageOf(
        oneDma(Memory::Hbm, Memory::Dm,
               {descriptor(0, 0, {{512, 512, 256}, {2, 256, stride}}, 256)}),
        "dm");
  };
  EXPECT_EQ(dm(kNetwork), 500 + 1024);
  SEQUIN_ROW("MEM-01");
  EXPECT_EQ(dm(kSlice), 500 + 2 * 1024 - 1);
  // SPM: 128 bytes per cycle and cluster.
  EXPECT_EQ(
      stageOf(oneDma(Memory::Hbm, Memory::Spm, {descriptor(0, 0, {}, 4096)}),
              "spm"),
      500 + 32);
  SEQUIN_ROW("ERR-34");
  EXPECT_EQ(stageOf(oneDma(Memory::Hbm, Memory::Spm,
                           {descriptor(0, 0, {}, 4096),
                            descriptor(0, 8 * 65536, {}, 4096, 4)}),
                    "spm"),
            500 + 32);
  EXPECT_EQ(stageOf(oneDma(Memory::Hbm, Memory::Spm,
                           {descriptor(0, 0, {}, 4096),
                            descriptor(0, 65536, {}, 4096, 1)}),
                    "spm"),
            500 + 64);
}

TEST(DmaTime, BetweenChips) {
  SEQUIN_ROW("DMA-01");
  SEQUIN_ROW("SIL-41");
  config::Program program =
      oneDma(Memory::Hbm, Memory::Hbm, {descriptor(0, 0, {}, 3000)}, 2);
  auto &dma = std::get<config::DmaCommand>(program.commands[0].body);
  dma.descriptors[0].destinationChip = 1;
  EXPECT_EQ(stageOf(program, "pcie"), 500 + 100); // 30 bytes per cycle
  // Both directions at once, but one after the other in the same one.
  dma.descriptors.push_back(dma.descriptors[0]);
  std::swap(dma.descriptors[1].sourceChip, dma.descriptors[1].destinationChip);
  dma.descriptors[1].sourceAddress = dma.descriptors[1].destinationAddress =
      4096;
  EXPECT_EQ(stageOf(program, "pcie"), 500 + 100);
  dma.descriptors[1].sourceChip = 0;
  dma.descriptors[1].destinationChip = 1;
  EXPECT_EQ(stageOf(program, "pcie"), 500 + 200);
  dma.descriptors[0].destinationChip = 2;
  EXPECT_THAT(errorOf(program), HasSubstr("chip is 2, allowed are 0 to 1"));
  // Inside a chip there is no such limit.
  EXPECT_EQ(
      stageOf(oneDma(Memory::Hbm, Memory::Hbm, {descriptor(0, 4096, {}, 3000)}),
              "pcie"),
      -1);
}

TEST(DmaTime, NetworksInTurn) {
  SEQUIN_ROW("MEM-04");
  // Reads 0 .. 2n-1 begin in cycles 0 .. 2n-1; the last one's second half
  // overlaps whatever comes next.
  for (int64_t n : {1, 2, 10, 100}) {
    EXPECT_EQ(
        stageOf(oneDma(Memory::Dm, Memory::Spm,
                       {descriptor(0, 0, {{n, 256, 512}, {2, kNetwork, 256}},
                                   256)}),
                "dm"),
        500 + 2 * n);
  }
}

TEST(DmaTime, TwoRequestsWaitAtASlice) {
  SEQUIN_ROW("MEM-09");
  // Three requests for one network, then three for the other: the engine gets
  // ahead of a network by what its slices queue.
  auto dm = [](int64_t inner, const TcpMachine &machine) {
    return stageOf(
        oneDma(
            Memory::Hbm, Memory::Dm,
            {descriptor(
                0, 0, {{8, 8192, 8192}, {2, 4096, kNetwork}, {inner, 256, 256}},
                256)}),
        "dm", machine);
  };
  EXPECT_EQ(dm(1, rngd()), 500 + 16);
  EXPECT_EQ(dm(2, rngd()), 500 + 33);
  // Longer runs on one slice fill its queue, and the other network idles.
  int64_t queued = dm(16, rngd());
  EXPECT_GT(queued, 500 + 256 + 128);
  TcpMachine deep = rngd();
  deep.dmQueueEntries = 16;
  EXPECT_LT(dm(16, deep), 500 + 256 + 20);
}

//===----------------------------------------------------------------------===//
// Several commands
//===----------------------------------------------------------------------===//

using Stages = std::vector<std::pair<std::string, int64_t>>;

static std::vector<Stages> stagesOf(const config::Program &program) {
  llvm::Expected<sim::Result> result = timing(program);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  std::vector<Stages> stages;
  for (const sim::CommandTiming &command : result->report.commands)
    stages.push_back(command.stages);
  return stages;
}

/// Every command takes what it takes in a program of its own.
static void expectAsAlone(const std::vector<config::Program> &alone) {
  config::Program all = alone[0];
  all.commands.clear();
  std::vector<Stages> expected;
  for (const config::Program &program : alone) {
    all.commands.push_back(program.commands[0]);
    all.commands.back().name += std::to_string(all.commands.size());
    llvm::append_range(expected, stagesOf(program));
  }
  EXPECT_EQ(stagesOf(all), expected);
}

// Commands of one form are timed together where their addresses allow it.
TEST(DmaTime, DoesNotDependOnOtherCommands) {
  // A tile of 64 rows of 1 KiB, in rows of 8 KiB; the columns 64 bytes wide
  // make partial writes.
  auto tile = [](bool toDm, int64_t address, int64_t bytes, int64_t slice) {
    config::DmaDescriptor both = descriptor(
        toDm ? address : slice * kSlice, toDm ? slice * kSlice : address,
        {{64, toDm ? 8192 : bytes, toDm ? bytes : 8192}}, bytes);
    return oneDma(toDm ? Memory::Hbm : Memory::Dm,
                  toDm ? Memory::Dm : Memory::Hbm, {both});
  };
  for (int64_t bytes : {1024, 64}) {
    std::vector<config::Program> programs;
    for (bool toDm : {true, false})
      for (int64_t slice : {0, 3, 40})
        for (int64_t address :
             {int64_t(0), int64_t(1024), int64_t(64), int64_t(7 * 8192),
              int64_t(1) << 20, int64_t(9) << 19, int64_t(1) << 34,
              (int64_t(1) << 34) + (1 << 20), int64_t(1) << 35})
          programs.push_back(tile(toDm, address, bytes, slice));
    expectAsAlone(programs);
  }
}

// The same loops at other places, where other things are near each other.
TEST(DmaTime, AddressesTellCommandsApart) {
  auto stages = [](const config::Program &a, const config::Program &b,
                   llvm::StringRef name) {
    expectAsAlone({a, b});
    return std::pair(stageOf(a, name), stageOf(b, name));
  };
  // Bit 20 is a slice of HBM, or a row in the high slice.
  auto inTurns = [](int64_t address) {
    return oneDma(
        Memory::Hbm, Memory::Dm,
        {descriptor(address, 0,
                    {{32, 512, 8192}, {16, 1 << 17, 512}, {2, 1 << 20, 256}},
                    256)});
  };
  auto [low, high] = stages(inTurns(0), inTurns(int64_t(1) << 34), "hbm");
  EXPECT_LT(low, high);
  // Two engines in one place of HBM or apart, on one network of DM or on two.
  auto twoEngines = [](int64_t address, int64_t slice) {
    auto one = [](int64_t engine, int64_t source, int64_t slice) {
      return descriptor(source, slice * kSlice, {{512, 1 << 13, 256}}, 256,
                        engine);
    };
    return oneDma(Memory::Hbm, Memory::Dm,
                  {one(0, 0, 0), one(1, address, slice)});
  };
  auto [near, apart] =
      stages(twoEngines(int64_t(1) << 30, 32), twoEngines(1 << 20, 32), "hbm");
  EXPECT_GT(near, apart);
  auto [one, two] =
      stages(twoEngines(1 << 20, 1), twoEngines(1 << 20, 32), "dm");
  EXPECT_GT(one, two);
}

TEST(DmaTime, DoesNotDependOnOtherCommandsAtRandom) {
  constexpr unsigned kSeed = 12;
  std::mt19937 random(kSeed);
  auto upTo = [&](int64_t most) -> int64_t { return random() % most; };
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", round " +
                 std::to_string(round));
    // Memories, and per descriptor loops in HBM that may overlap in their bits.
    bool toDm = upTo(2);
    std::vector<DmaDescriptor> descriptors;
    for (int64_t engine = 0, end = 1 + upTo(3); engine < end; ++engine) {
      int64_t bytes = 8 << upTo(8);
      int64_t hbm =
          (engine << 26) + (upTo(2) << 24) + upTo(2) * 8 * upTo(1 << 19);
      DmaDescriptor made =
          descriptor(toDm ? hbm : engine * kSlice, toDm ? engine * kSlice : hbm,
                     {}, bytes, engine);
      int64_t reach = bytes;
      for (int64_t i = 0, loops = upTo(4); i < loops; ++i) {
        int64_t size = 1 + upTo(9);
        int64_t stride = upTo(2) ? reach : llvm::NextPowerOf2(2 * reach);
        stride += upTo(4) ? 0 : 24;
        int64_t dm = i == 0 ? bytes : 32 * kSlice * (i == 1 ? 1 : 4);
        if (i > 0)
          size = std::min<int64_t>(size, i == 1 ? 4 : 1);
        DmaDescriptor::Entry entry{size, stride, dm};
        if (!toDm)
          std::swap(entry.sourceStride, entry.destinationStride);
        made.entries.insert(made.entries.begin(), entry);
        reach += (size - 1) * stride;
      }
      descriptors.push_back(std::move(made));
    }
    std::vector<config::Program> programs;
    for (int64_t i = 0; i < 6; ++i) {
      int64_t shift = i == 0 ? 0 : int64_t(8) << upTo(33);
      std::vector<DmaDescriptor> moved = descriptors;
      for (DmaDescriptor &one : moved)
        (toDm ? one.sourceAddress : one.destinationAddress) += shift;
      programs.push_back(toDm ? oneDma(Memory::Hbm, Memory::Dm, moved)
                              : oneDma(Memory::Dm, Memory::Hbm, moved));
    }
    expectAsAlone(programs);
  }
}
