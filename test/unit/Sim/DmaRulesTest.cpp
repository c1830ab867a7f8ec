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

// An entry that is not repeated has no stride, however large.
TEST(DmaRules, StridesOfSingleIterations) {
  constexpr int64_t to = 1 << 20;
  EXPECT_EQ(
      hbmToHbm({descriptor(0, to, {{1, INT64_MIN, INT64_MIN}, {4, 8, 8}}, 8)}),
      "no error");
  EXPECT_THAT(
      hbmToHbm({descriptor(0, to, {{1, INT64_MIN, INT64_MIN}, {4, 8, 4}}, 8)}),
      HasSubstr("destination address 1048580 of chip 0 is written "
                "twice"));
  EXPECT_THAT(hbmToHbm({descriptor(0, to, {{2, 0, INT64_MIN}}, 8)}),
              HasSubstr("of the HBM of a chip are accessed"));
}

// Index lists are read like anything else.
TEST(DmaRules, ListsAreRead) {
  DmaDescriptor gather = descriptor(0, 4088, {{4, 0, 8}}, 8);
  gather.indirection.emplace();
  gather.indirection->address = 4096;
  gather.indirection->strides = {4};
  gather.indirection->step = 8;
  gather.indirection->count = 16;
  EXPECT_THAT(hbmToHbm({gather}),
              HasSubstr("address 4096 of chip 0 is read and written by one "
                        "command"));
  gather.destinationAddress = 4112;
  EXPECT_EQ(hbmToHbm({gather}), "no error");
  gather.destinationAddress = 4064;
  EXPECT_EQ(hbmToHbm({gather}), "no error");
  // Where data comes from DM, the list still lies in HBM.
  DmaDescriptor other = descriptor(0, 4104, {}, 8);
  gather.destinationAddress = 1 << 20;
  EXPECT_THAT(errorOf(oneDma(Memory::Dm, Memory::Hbm, {gather, other})),
              HasSubstr("address 4104 of chip 0 is read and written by one "
                        "command"));
  other.destinationAddress = 4112;
  EXPECT_EQ(errorOf(oneDma(Memory::Dm, Memory::Hbm, {gather, other})),
            "no error");
}

namespace {
/// Four words from `source` on to places of 8 bytes from 1 MB on, by the list
/// 3, 0, 2, 1 at 4096, beside `others`.
struct Scatter {
  int64_t source = 0, destination = 1 << 20, list = 4096;
  std::vector<DmaDescriptor> others = {};

  std::string error() const {
    DmaDescriptor scatter = descriptor(source, destination, {{4, 8, 0}}, 8);
    scatter.indirection.emplace();
    scatter.indirection->side = config::DmaIndirection::Side::Destination;
    scatter.indirection->address = list;
    scatter.indirection->strides = {4};
    scatter.indirection->step = 8;
    scatter.indirection->count = 4;
    std::vector<DmaDescriptor> descriptors = {scatter};
    llvm::append_range(descriptors, others);
    config::Program program =
        oneDma(Memory::Hbm, Memory::Hbm, std::move(descriptors));
    program.inputs = {{"list", ElementType::I32, {4}}};
    program.commands.insert(
        program.commands.begin(),
        denseTransfer("list", true, 0, ElementType::I32, 4, list));
    std::vector<int> places = {3, 0, 2, 1};
    auto result = sim::run(program, *lookupTcpMachine("rngd"),
                           {arrayOf(ElementType::I32, places)});
    return result ? "no error" : llvm::toString(result.takeError());
  }
};
} // namespace

// What a scatter writes is known when it runs; then it counts like the rest.
TEST(DmaRules, ScattersAndTheRest) {
  constexpr int64_t to = 1 << 20;
  EXPECT_EQ(Scatter().error(), "no error");
  // Another descriptor writes where the scatter does, or beside it.
  EXPECT_THAT((Scatter{.others = {descriptor(512, to + 16, {}, 8)}}.error()),
              HasSubstr("trap: command 'dma' stage 'dma': destination address "
                        "1048592 of chip 0 is written twice"));
  EXPECT_EQ((Scatter{.others = {descriptor(512, to + 32, {}, 8)}}.error()),
            "no error");
  // ... or reads there.
  EXPECT_THAT((Scatter{.others = {descriptor(to + 24, 512, {}, 8)}}.error()),
              HasSubstr("address 1048600 of chip 0 is read and written by one "
                        "command"));
  // The rest of the command is checked among itself, before it runs.
  EXPECT_THAT(
      (Scatter{.others = {descriptor(0, 512, {}, 8), descriptor(0, 516, {}, 8)}}
           .error()),
      HasSubstr("destination address 516 of chip 0 is written twice"));
  // Its own source and list.
  EXPECT_THAT((Scatter{.source = to + 24}.error()),
              HasSubstr("address 1048600 of chip 0 is read and written"));
  EXPECT_EQ((Scatter{.source = to + 32}.error()), "no error");
  EXPECT_THAT((Scatter{.destination = 4104}.error()),
              HasSubstr("address 4104 of chip 0 is read and written"));
  EXPECT_EQ((Scatter{.destination = 4112}.error()), "no error");
}

TEST(Transfers, MemoriesHoldNoStreamTypes) {
  auto errorOf = [](ElementType type, int64_t address, int64_t zero = 0) {
    config::Program program;
    program.target = "rngd";
    program.chips = 1;
    program.inputs = {{"in", type, {512}}};
    program.commands = {denseTransfer("in", true, 0, type, 512, address)};
    auto &transfer = std::get<config::Transfer>(program.commands[0].body);
    transfer.zeroBytes = zero;
    sim::Options options;
    options.maxSteps = 1000;
    sim::HostArray array{type, {512}, {}};
    array.data.resize(512 * std::max(1u, getBitWidth(type) / 8));
    auto result =
        sim::run(program, *lookupTcpMachine("rngd"), {array}, options);
    return result ? "no error" : llvm::toString(result.takeError());
  };
  using enum ElementType;
  for (ElementType type : {I4, I8, I16, I32, F8E4M3, F8E5M2, BF16, F16, F32})
    EXPECT_EQ(errorOf(type, 64), "no error");
  EXPECT_THAT(errorOf(I5, 0), HasSubstr("trap: command 'in' stage 'transfer': "
                                        "memories hold no i5"));
  EXPECT_THAT(errorOf(I9, 0), HasSubstr("memories hold no i9"));
  // Tensors start at whole elements.
  EXPECT_THAT(errorOf(BF16, 3),
              HasSubstr("address is 3, it must be a multiple of 2"));
  EXPECT_THAT(errorOf(I32, 66),
              HasSubstr("address is 66, it must be a multiple of 4"));
  EXPECT_EQ(errorOf(BF16, 2), "no error");
  EXPECT_EQ(errorOf(I4, 3), "no error");
  SEQUIN_ROW("MAP-24");
  // Zeros are work too: 512 elements and 488 steps are the limit.
  EXPECT_EQ(errorOf(I8, 0, 488 * 256 + 255), "no error");
  EXPECT_THAT(errorOf(I8, 0, 489 * 256),
              HasSubstr("the program takes more than 1000 steps"));
}
