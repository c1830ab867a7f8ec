//===- SliceWorkTest.cpp - Commands that run slice by slice ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simulator runs all commands for one slice before the next one where it
// can; the results must not tell.
//
//===----------------------------------------------------------------------===//

#include "DmaProgram.h"

using namespace sequin;
using namespace sequin::testing;
using config::DmaCommand;
using config::Memory;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using enum ElementType;

namespace {
/// Four slices and rows of two i32 each; input row i holds 10 i and 10 i + 1.
class RowProgram {
public:
  static constexpr int64_t kIn = 0, kOut = 1 << 20, kBytes = 8;

  RowProgram() {
    program.target = "rngd";
    program.inputs = {{"in", I32, {8}}};
    program.outputs = {{"out", I32, {8}}};
    program.commands.push_back(denseTransfer("in", true, 0, I32, 8, kIn));
  }
  /// Between row first + step * slice at `hbm` and byte `dm` of each slice.
  void load(int64_t hbm, int64_t dm, int64_t first = 0, int64_t step = 1,
            int64_t slices = 4) {
    add(Memory::Hbm, Memory::Dm,
        descriptor(hbm + first * kBytes, dm, {{slices, step * kBytes, kSlice}},
                   kBytes));
  }
  void store(int64_t dm, int64_t hbm, int64_t first = 0, int64_t step = 1,
             int64_t slices = 4) {
    add(Memory::Dm, Memory::Hbm,
        descriptor(dm, hbm + first * kBytes, {{slices, kSlice, step * kBytes}},
                   kBytes));
  }
  void add(Memory from, Memory to, config::DmaDescriptor descriptor) {
    program.commands.push_back({"dma" + std::to_string(program.commands.size()),
                                "", DmaCommand{from, to, {descriptor}}});
  }
  /// The tens of the rows at kOut.
  std::vector<int> rows() {
    config::Program whole = program;
    whole.commands.push_back(denseTransfer("out", false, 0, I32, 8, kOut));
    std::vector<int> in;
    for (int row = 0; row < 4; ++row)
      in.insert(in.end(), {10 * row, 10 * row + 1});
    llvm::Expected<sim::Result> result =
        sim::run(whole, *lookupTcpMachine("rngd"), {arrayOf(I32, in)});
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return {};
    }
    std::vector<int> found, all = intsOf(result->outputs[0]);
    for (int row = 0; row < 4; ++row) {
      EXPECT_EQ(all[2 * row + 1], all[2 * row] + 1);
      found.push_back(all[2 * row] / 10);
    }
    return found;
  }

  config::Program program;
};
} // namespace

TEST(SliceWork, TheLaterStoreWins) {
  RowProgram program;
  program.load(RowProgram::kIn, 0);
  program.store(0, RowProgram::kOut);
  program.store(0, RowProgram::kOut, 3, -1);
  EXPECT_THAT(program.rows(), ElementsAre(3, 2, 1, 0));
}

TEST(SliceWork, LoadsSeeWhatOtherSlicesHaveStored) {
  RowProgram program;
  program.load(RowProgram::kIn, 0);
  program.store(0, 1 << 18);
  program.load(1 << 18, 64, 3, -1);
  program.store(64, RowProgram::kOut);
  EXPECT_THAT(program.rows(), ElementsAre(3, 2, 1, 0));
}

TEST(SliceWork, StoresComeAfterWhatOtherSlicesLoad) {
  RowProgram program;
  program.load(RowProgram::kIn, 0);
  program.load(RowProgram::kIn, 64, 3, -1);
  // All rows become row 0 of their slice's first load.
  program.store(0, RowProgram::kIn, 1, 1, 1);
  program.store(64, RowProgram::kOut);
  EXPECT_THAT(program.rows(), ElementsAre(3, 2, 1, 0));
}

// Columns of a matrix, by turns; and once more over some of them.
TEST(SliceWork, StoresByTurns) {
  for (bool again : {false, true}) {
    RowProgram program;
    program.load(RowProgram::kIn, 0);
    program.load(RowProgram::kIn, 64, 3, -1);
    program.store(0, RowProgram::kOut, 0, 2, 2);
    program.store(64, RowProgram::kOut, 1, 2, 2);
    if (again)
      program.store(64, RowProgram::kOut, 2, 1, 2);
    EXPECT_THAT(program.rows(),
                again ? ElementsAre(0, 3, 3, 2) : ElementsAre(0, 3, 1, 2));
  }
}

// Several runs in a slice, upwards and downwards, on both sides.
TEST(SliceWork, CopiesOfManyRuns) {
  config::Program program;
  program.target = "rngd";
  program.inputs = {{"in", I8, {256}}};
  program.outputs = {{"out", I8, {256}}};
  // Slice s, run (a, b): 8 bytes, at 64 s + 32 a + 8 b in HBM, and at
  // 1000 + 64 a - 16 b in the slice.
  config::Memory hbm = Memory::Hbm, dm = Memory::Dm;
  program.commands = {
      denseTransfer("in", true, 0, I8, 256, 0),
      {"load", "",
       DmaCommand{
           hbm,
           dm,
           {descriptor(0, 1000, {{2, 32, 64}, {4, 64, kSlice}, {4, 8, -16}},
                       8)}}},
      {"store", "",
       DmaCommand{
           dm,
           hbm,
           {descriptor(1000, 4096 + 255 - 7,
                       {{4, kSlice, -64}, {4, -16, -8}, {2, 64, -32}}, 8)}}},
      denseTransfer("out", false, 0, I8, 256, 4096)};
  llvm::Expected<sim::Result> result = sim::run(
      program, *lookupTcpMachine("rngd"), {arrayOf(I8, iota(256, -128))});
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  // The 8-byte words in reverse order.
  std::vector<int> expected;
  for (int word = 31; word >= 0; --word)
    for (int i = 0; i < 8; ++i)
      expected.push_back(word * 8 + i - 128);
  EXPECT_THAT(intsOf(result->outputs[0]), ElementsAreArray(expected));
}

// Slices that run after others find poison where they write nothing.
TEST(SliceWork, SlicesDoNotSeeEachOther) {
  RowProgram program;
  program.load(RowProgram::kIn, 0, 0, 1, 1);
  program.load(RowProgram::kIn, 64, 0, 1, 4);
  config::Program whole = program.program;
  whole.outputs = {{"out", I8, {32}}};
  config::DmaCommand store{
      Memory::Dm,
      Memory::Hbm,
      {descriptor(0, RowProgram::kOut, {{4, kSlice, 8}}, 8)}};
  whole.commands.push_back({"store", "", store});
  whole.commands.push_back(
      denseTransfer("out", false, 0, I8, 32, RowProgram::kOut));
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  llvm::Expected<sim::Result> result =
      sim::run(whole, machine, {arrayOf(I32, iota(8))});
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  std::vector<uint8_t> expected(32, machine.poisonByte);
  for (int i : {0, 1, 2, 3, 4, 5, 6, 7})
    expected[i] = i == 4;
  EXPECT_EQ(result->outputs[0].data, expected);
}
