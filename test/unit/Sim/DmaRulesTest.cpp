//===- DmaRulesTest.cpp - Races, scratchpads and indices of DMA ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DmaProgram.h"

using namespace sequin;
using namespace sequin::testing;
using config::DmaCommand;
using config::DmaDescriptor;
using config::Memory;
using ::testing::HasSubstr;

static std::string hbmToHbm(std::vector<DmaDescriptor> descriptors) {
  return errorOf(oneDma(Memory::Hbm, Memory::Hbm, std::move(descriptors)));
}

TEST(DmaRules, OneWriterPerByte) {
  constexpr int64_t to = 1 << 20;
  // Beside each other, and interleaved.
  EXPECT_EQ(
      hbmToHbm({descriptor(0, to, {}, 256), descriptor(256, to + 256, {}, 8)}),
      "no error");
  EXPECT_EQ(hbmToHbm({descriptor(0, to, {{4, 8, 16}}, 8),
                      descriptor(64, to + 8, {{4, 8, 16}}, 8)}),
            "no error");
  // Two descriptors, even on one engine, and one that comes back.
  EXPECT_THAT(
      hbmToHbm({descriptor(0, to, {}, 256), descriptor(0, to + 255, {}, 8)}),
      HasSubstr("trap: command 'dma' stage 'dma': destination address "
                "1048831 of chip 0 is written twice"));
  EXPECT_THAT(hbmToHbm({descriptor(0, to, {{2, 8, 0}}, 8)}),
              HasSubstr("destination address 1048576 of chip 0 is written "
                        "twice"));
  EXPECT_THAT(hbmToHbm({descriptor(0, to, {{3, 8, 16}, {3, 64, 32}}, 8)}),
              HasSubstr("is written twice"));
  EXPECT_EQ(hbmToHbm({descriptor(0, to, {{2, 8, 16}, {3, 64, 32}}, 8)}),
            "no error");
  // Other chips and slices are other memory.
  config::Program chips =
      oneDma(Memory::Hbm, Memory::Hbm,
             {descriptor(0, to, {}, 256), descriptor(0, to, {}, 256)}, 2);
  EXPECT_THAT(errorOf(chips), HasSubstr("is written twice"));
  std::get<DmaCommand>(chips.commands[0].body).descriptors[1].destinationChip =
      1;
  EXPECT_EQ(errorOf(chips), "no error");
  EXPECT_EQ(errorOf(oneDma(
                Memory::Hbm, Memory::Dm,
                {descriptor(0, 64, {}, 8), descriptor(0, kSlice + 64, {}, 8)})),
            "no error");
  EXPECT_THAT(
      errorOf(oneDma(Memory::Hbm, Memory::Spm,
                     {descriptor(0, 640, {}, 8), descriptor(0, 644, {}, 8)})),
      HasSubstr("destination address 644 of chip 0 is written twice"));
}

TEST(DmaRules, NobodyReadsWhatIsWritten) {
  EXPECT_THAT(hbmToHbm({descriptor(0, 8, {}, 16)}),
              HasSubstr("address 8 of chip 0 is read and written by one "
                        "command"));
  EXPECT_EQ(hbmToHbm({descriptor(0, 16, {}, 16)}), "no error");
  // Interleaved without touching.
  EXPECT_EQ(hbmToHbm({descriptor(0, 8, {{8, 16, 16}}, 8)}), "no error");
  EXPECT_THAT(hbmToHbm({descriptor(0, 64, {}, 8), descriptor(64, 128, {}, 8)}),
              HasSubstr("address 64 of chip 0 is read and written"));
}

TEST(DmaRules, Scratchpads) {
  SEQUIN_ROW("MEM-10");
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  EXPECT_EQ(machine.spmBytesPerDmn, 64 << 10);
  int64_t bytes = machine.spmBytesPerChip();
  EXPECT_EQ(bytes, 16 * (64 << 10));
  auto toSpm = [](int64_t address) {
    return errorOf(
        oneDma(Memory::Hbm, Memory::Spm, {descriptor(0, address, {}, 1)}));
  };
  EXPECT_EQ(toSpm(bytes - 1), "no error");
  EXPECT_THAT(toSpm(bytes),
              HasSubstr("bytes 1048576 to 1048576 of the SPM of a chip are "
                        "accessed, allowed are 0 to 1048575"));
  EXPECT_THAT(toSpm(-1), HasSubstr("of the SPM of a chip"));
  config::Program chips =
      oneDma(Memory::Hbm, Memory::Spm, {descriptor(0, 0, {}, 1)}, 2);
  std::get<DmaCommand>(chips.commands[0].body).descriptors[0].sourceChip = 1;
  EXPECT_THAT(errorOf(chips),
              HasSubstr("moves SPM from chip 1 to chip 0, allowed are moves "
                        "inside one chip"));
}

TEST(DmaRules, Indices) {
  auto gather = [](auto change) {
    DmaDescriptor d = descriptor(0, 1 << 20, {{4, 0, 8}}, 8);
    d.indirection.emplace();
    d.indirection->address = 4096;
    d.indirection->strides = {4};
    d.indirection->step = 8;
    d.indirection->count = 16;
    change(d, *d.indirection);
    return hbmToHbm({d});
  };
  using D = DmaDescriptor;
  using I = config::DmaIndirection;
  EXPECT_EQ(gather([](D &, I &) {}), "no error");
  EXPECT_THAT(gather([](D &, I &i) { i.strides = {4, 4}; }),
              HasSubstr("the indirection has 2 strides, the descriptor has 1 "
                        "entries"));
  EXPECT_THAT(gather([](D &, I &i) { i.strides = {2}; }),
              HasSubstr("stride of the indices is 2, it must be a multiple of "
                        "4"));
  EXPECT_THAT(gather([](D &, I &i) { i.address = 4098; }),
              HasSubstr("address of the indices is 4098"));
  EXPECT_THAT(gather([](D &, I &i) { i.address = int64_t(48) << 30; }),
              HasSubstr("of the HBM of a chip are accessed"));
  EXPECT_THAT(gather([](D &, I &i) { i.count = 0; }),
              HasSubstr("number of indices is 0"));
  EXPECT_THAT(gather([](D &, I &i) { i.chip = 1; }),
              HasSubstr("chip is 1, allowed are 0 to 0"));
  // All of the table counts.
  EXPECT_THAT(gather([](D &, I &i) { i.count = int64_t(1) << 34; }),
              HasSubstr("of the HBM of a chip are accessed"));
  EXPECT_THAT(gather([](D &d, I &) { d.destinationAddress = 64; }),
              HasSubstr("address 64 of chip 0 is written and is in the table "
                        "that the command reads"));
}

// The sum of many descriptors at the limit does not wrap around.
TEST(DmaRules, ManyLargeDescriptors) {
  DmaDescriptor large =
      descriptor(0, 1 << 20, {{65536, 0, 0}, {65536, 0, 0}, {256, 0, 0}}, 4096);
  EXPECT_THAT(hbmToHbm(std::vector<DmaDescriptor>(4096, large)),
              HasSubstr("the number of requests is out of range, allowed are "
                        "at most 2^40"));
}
