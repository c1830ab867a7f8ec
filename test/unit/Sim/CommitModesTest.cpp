//===- CommitModesTest.cpp - Transpose engine and modes of the commit -----===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Row.h"
#include "SliceProgram.h"
#include "gmock/gmock.h"

using namespace sequin;
using namespace sequin::testing;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using enum ElementType;

static constexpr int64_t kResult = 4096;

//===----------------------------------------------------------------------===//
// Transpose
//===----------------------------------------------------------------------===//

/// Flits of eight i8 each, transposed, of which eight bytes are committed.
static config::ExecCommand transposePass(int64_t flits, int64_t rows,
                                         int64_t columns, int64_t outRows) {
  config::ExecCommand exec = makeExec({0, {{flits, 8}, {8, 1}}, 1}, I8, I8, 8);
  exec.transpose = config::TransposeStage{I8, rows, columns, outRows};
  int64_t matrix = std::max<int64_t>(1, rows * (columns / 8));
  int64_t out = flits / matrix * outRows;
  exec.sink = config::CommitStage{
      I8, {kResult, {{std::max<int64_t>(1, out), 8}, {8, 1}}, 1}, 8, 8};
  return exec;
}

TEST(Transpose, RowsBecomeColumns) {
  SEQUIN_ROW("TRA-01");
  SliceProgram program;
  std::vector<int> numbers(128);
  for (int i = 0; i < 128; ++i)
    numbers[i] = i - 64;
  program.input(arrayOf(I8, numbers), 0);
  program.exec(transposePass(16, 4, 16, 10)); // 2 matrices of 4 x 16, 10 kept
  program.output(I8, 160, kResult);
  std::vector<int> expected;
  for (int matrix = 0; matrix < 2; ++matrix)
    for (int column = 0; column < 10; ++column)
      for (int row = 0; row < 8; ++row) // four of data, four of alignment
        expected.push_back(row < 4 ? numbers[matrix * 64 + row * 16 + column]
                                   : 0);
  EXPECT_THAT(intsOf(program.outputs()[0]), ElementsAreArray(expected));
}

TEST(Transpose, CyclesOfTwoBuffersAndOfOne) {
  SEQUIN_ROW("TRA-05");
  SEQUIN_ROW("TRA-06");
  auto cycles = [](int64_t flits, int64_t rows, int64_t columns,
                   int64_t outRows) {
    SliceProgram program;
    program.exec(transposePass(flits, rows, columns, outRows));
    return program.stage("exec", "transpose");
  };
  // in + (n - 1) * max(in, out) + out.
  EXPECT_EQ(cycles(64, 8, 8, 8), 72);
  EXPECT_EQ(cycles(4, 4, 8, 2), 6);
  EXPECT_EQ(cycles(12, 4, 8, 2), 14);
  EXPECT_EQ(cycles(12, 4, 8, 8), 28);
  EXPECT_EQ(cycles(48, 8, 16, 16), 64);
  // n * (in + out): 32 columns take both buffers.
  EXPECT_EQ(cycles(64, 8, 32, 32), 128);
  EXPECT_EQ(cycles(64, 8, 32, 3), 70);
}

TEST(Transpose, Limits) {
  SEQUIN_ROW("TRA-02");
  SEQUIN_ROW("TRA-04");
  SEQUIN_ROW("TRA-11");
  auto error = [](int64_t flits, int64_t rows, int64_t columns,
                  int64_t outRows) {
    SliceProgram program;
    program.exec(transposePass(flits, rows, columns, outRows));
    return program.error();
  };
  EXPECT_EQ(error(8, 8, 8, 8), "no error");
  EXPECT_THAT(error(9, 9, 8, 8), HasSubstr("in_rows is 9, allowed are 1 to 8"));
  EXPECT_THAT(error(8, 0, 8, 8), HasSubstr("in_rows is 0, allowed are 1 to 8"));
  EXPECT_THAT(error(8, 2, 24, 8), HasSubstr("in_cols is 24, machine 'rngd' "
                                            "allows 8, 16, 32"));
  EXPECT_THAT(error(8, 2, 64, 8), HasSubstr("in_cols is 64"));
  EXPECT_THAT(error(8, 8, 8, 9),
              HasSubstr("out_rows is 9, allowed are 1 to 8"));
  EXPECT_THAT(error(8, 8, 8, 0),
              HasSubstr("out_rows is 0, allowed are 1 to 8"));
  EXPECT_THAT(error(12, 8, 8, 8),
              HasSubstr("a matrix is 8 flits, the stream has 12"));
  SliceProgram sub;
  config::ExecCommand exec = transposePass(8, 8, 8, 8);
  exec.context = config::Context::Sub;
  sub.exec(exec);
  EXPECT_THAT(sub.error(),
              HasSubstr("the sub context has no transpose engine"));
  SliceProgram typed;
  exec = transposePass(8, 8, 8, 8);
  exec.transpose->type = BF16;
  typed.exec(exec);
  EXPECT_THAT(typed.error(), HasSubstr("type is bf16, the stream carries i8"));
}

//===----------------------------------------------------------------------===//
// Slice bitmap
//===----------------------------------------------------------------------===//

/// 32 bytes from 0 to kResult, in `slices` slices.
static config::ExecCommand copyOf(int slices) {
  config::ExecCommand exec = makeExec({0, {{32, 1}}, 1}, I8, I8, 32);
  exec.sliceMask = firstSlices(slices);
  exec.sink = config::CommitStage{I8, {kResult, {{32, 1}}, 1}, 32, 32};
  return exec;
}

TEST(SliceBitmap, OnlyItsSlicesWrite) {
  SEQUIN_ROW("COM-13");
  auto bytesOfSlice0 = [](std::vector<uint64_t> bitmap) {
    SliceProgram program;
    program.input(arrayOf(I8, std::vector<int>(32, 7)), 0);
    config::ExecCommand exec = copyOf(4);
    std::get<config::CommitStage>(exec.sink).sliceBitmap = bitmap;
    program.exec(exec);
    program.output(I8, 32, kResult);
    return intsOf(program.outputs()[0]);
  };
  int poison = static_cast<int8_t>(lookupTcpMachine("rngd")->poisonByte);
  EXPECT_THAT(bytesOfSlice0({1}), ElementsAreArray(std::vector<int>(32, 7)));
  EXPECT_THAT(bytesOfSlice0({0b1110}),
              ElementsAreArray(std::vector<int>(32, poison)));
}

TEST(SliceBitmap, Limits) {
  SEQUIN_ROW("COM-13");
  auto error = [](std::vector<uint64_t> bitmap) {
    SliceProgram program;
    config::ExecCommand exec = copyOf(4);
    std::get<config::CommitStage>(exec.sink).sliceBitmap = bitmap;
    program.exec(exec);
    return program.error();
  };
  EXPECT_EQ(error({0b1000}), "no error");
  EXPECT_THAT(
      error({0b10000}),
      HasSubstr("the slice bitmap selects slice 4, which takes no part"));
  EXPECT_THAT(error({1, 0, 0, 0, 0, 0, 0, 0, 1}),
              HasSubstr("the slice bitmap selects slice 512"));
  EXPECT_THAT(error({0}), HasSubstr("the slice bitmap selects no slice"));
}

//===----------------------------------------------------------------------===//
// Valid count packing, generate mode
//===----------------------------------------------------------------------===//

/// Eight flits of eight i32 from 0, counts at 2048, into `capacity` numbers.
static config::ExecCommand packingPass(int64_t capacity) {
  config::ExecCommand exec = makeExec({0, {{8, 8}, {8, 1}}, 1}, I32, I32, 8);
  exec.context = config::Context::Sub;
  config::CommitStage commit{I32, {kResult, {{capacity, 1}}, 1}, 32, 8};
  commit.packing = config::CommitPacking{{2048, {{8, 1}}, 0}};
  exec.sink = commit;
  return exec;
}

static SliceProgram packing(std::vector<int> counts, int64_t capacity) {
  SliceProgram program;
  program.input(arrayOf(I32, iota(64)), 0);
  program.input(arrayOf(I32, counts), 2048);
  program.exec(packingPass(capacity));
  program.output(I32, capacity, kResult);
  return program;
}

TEST(ValidCountPacking, KeepsLeadingElements) {
  SEQUIN_ROW("SIL-44");
  SEQUIN_ROW("COM-15");
  SliceProgram program = packing({3, 0, 8, 1, 0, 0, 0, 2}, 14);
  EXPECT_THAT(
      intsOf(program.outputs()[0]),
      ElementsAreArray({0, 1, 2, 16, 17, 18, 19, 20, 21, 22, 23, 24, 56, 57}));
  // Four writes of eight bytes per flit, whatever it keeps.
  EXPECT_EQ(program.stage("exec", "commit"), 32);
}

TEST(ValidCountPacking, CountsOutOfRangeTrap) {
  SEQUIN_ROW("SIL-44");
  EXPECT_THAT(packing({9, 0, 0, 0, 0, 0, 0, 0}, 14).error(),
              HasSubstr("the count of valid elements is 9 in slice 0, allowed "
                        "are 0 to 8"));
  EXPECT_THAT(packing({-1, 0, 0, 0, 0, 0, 0, 0}, 14).error(),
              HasSubstr("the count of valid elements is -1"));
  EXPECT_EQ(packing({8, 6, 0, 0, 0, 0, 0, 0}, 14).error(), "no error");
  EXPECT_THAT(packing({8, 7, 0, 0, 0, 0, 0, 0}, 14).error(),
              HasSubstr("valid elements reach byte 4155 of the DM of slice 0, "
                        "the tensor ends at byte 4151"));
}

TEST(ValidCountPacking, Limits) {
  SEQUIN_ROW("COM-15");
  auto error = [](auto &&change) {
    SliceProgram program;
    config::ExecCommand exec = packingPass(64);
    change(exec, std::get<config::CommitStage>(exec.sink));
    program.exec(exec);
    return program.error();
  };
  using Exec = config::ExecCommand;
  using Commit = config::CommitStage;
  EXPECT_THAT(
      error([](Exec &exec, Commit &) { exec.context = config::Context::Main; }),
      HasSubstr("the main context has no valid count packing"));
  EXPECT_THAT(error([](Exec &, Commit &commit) { commit.commitInBytes = 16; }),
              HasSubstr("commit_in_size is 16, valid count packing takes whole "
                        "flits of 32"));
  EXPECT_THAT(error([](Exec &, Commit &commit) {
                commit.sequencer.entries = {{8, 16}, {8, 1}};
              }),
              HasSubstr("valid count packing fills one run, stride is 16 "
                        "behind 8 elements"));
  EXPECT_THAT(error([](Exec &, Commit &commit) {
                commit.packing->counts.entries = {{7, 1}};
              }),
              HasSubstr("the counts are walked in 7 steps, the stream has 8"));
  EXPECT_THAT(error([](Exec &, Commit &commit) {
                commit.packing->counts.baseAddress = 2050;
              }),
              HasSubstr("address of the counts is 2050, it must be a multiple "
                        "of 4"));
  EXPECT_THAT(error([](Exec &, Commit &commit) {
                commit.packing->counts.baseAddress = 524284;
              }),
              HasSubstr("bytes 524284 to 524315 of the DM of a slice"));
  EXPECT_THAT(error([](Exec &, Commit &commit) {
                commit.packing->counts.baseAddress = kResult + 252;
              }),
              HasSubstr("the counts at bytes 4348 to 4379 lie in what is "
                        "written"));
}

TEST(GenerateMode, WritesOneWord) {
  SEQUIN_ROW("SIL-44");
  SEQUIN_ROW("COM-15");
  SliceProgram program;
  program.input(arrayOf(I32, iota(4)), kResult);
  config::GenerateCommand generate{0, firstSlices(1), kResult + 8,
                                   static_cast<uint32_t>(-5)};
  program.program.commands.push_back({"generate", "", generate});
  program.output(I32, 4, kResult);
  EXPECT_THAT(intsOf(program.outputs()[0]), ElementsAreArray({0, 1, -5, 3}));
  EXPECT_EQ(program.stage("generate", "generate"),
            program.machine.generateCycles);
}

TEST(GenerateMode, Limits) {
  SEQUIN_ROW("SIL-44");
  auto error = [](std::vector<uint64_t> slices, int64_t address) {
    SliceProgram program;
    program.program.commands.push_back(
        {"generate", "", config::GenerateCommand{0, slices, address, 1}});
    return program.error();
  };
  EXPECT_EQ(error({1}, 524284), "no error");
  EXPECT_THAT(error({1}, 524288),
              HasSubstr("command 'generate' stage 'generate': bytes 524288 to "
                        "524291 of the DM of a slice are accessed"));
  EXPECT_THAT(error({1}, 2), HasSubstr("address is 2, it must be a multiple"));
  EXPECT_THAT(error({1}, -4), HasSubstr("bytes -4 to -1"));
  EXPECT_THAT(error({0}, 0), HasSubstr("the slice mask selects no slice"));
  EXPECT_THAT(error({0, 0, 0, 0, 0, 0, 0, 0, 1}, 0),
              HasSubstr("the slice mask has a bit beyond slice 511"));
}

//===----------------------------------------------------------------------===//
// Bandwidth
//===----------------------------------------------------------------------===//

TEST(CommitBandwidth, ABytePerCycleForEveryByteOfAWrite) {
  SEQUIN_ROW("COM-16");
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  EXPECT_EQ(machine.dmnBytesPerCycle, 128);
  // An engine writes to two networks in turn.
  EXPECT_EQ(machine.dmnBytesPerCycle * machine.slicesPerEngine /
                machine.slicesPerDmn,
            256);
  EXPECT_EQ(machine.commitAlignBytes, 8);
  // 64 flits: one write each, or four of eight bytes.
  auto cycles = [](int64_t access) {
    SliceProgram program;
    config::ExecCommand exec =
        makeExec({0, {{64, 32}, {32, 1}}, 1}, I8, I8, 32);
    exec.sink =
        config::CommitStage{I8, {kResult, {{64, 32}, {32, 1}}, 1}, 32, access};
    program.exec(exec);
    return program.stage("exec", "commit");
  };
  EXPECT_EQ(cycles(32), 64);
  EXPECT_EQ(cycles(16), 128);
  EXPECT_EQ(cycles(8), 256);
}

TEST(VrfCapacity, OfASliceAndOfACluster) {
  SEQUIN_ROW("KER-23");
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  EXPECT_EQ(machine.vrfBytesPerSlice, 8 << 10);
  EXPECT_EQ(machine.vrfBytesPerSlice * machine.slicesPerCluster, 2 << 20);
  // 64 KB over all slices of a cluster.
  EXPECT_EQ((64 << 10) / machine.slicesPerCluster, 256);
  // What one slice holds, and a flit more.
  auto error = [](int64_t bytes) {
    SliceProgram program;
    config::ExecCommand exec =
        makeExec({0, {{bytes / 32, 8}, {8, 1}}, 1}, I32, I32, 32);
    exec.sink = config::ToVrfStage{0, bytes};
    program.exec(exec);
    return program.error();
  };
  EXPECT_EQ(error(8 << 10), "no error");
  EXPECT_THAT(error((8 << 10) + 32),
              HasSubstr("bytes 0 to 8223 of the VRF of a slice"));
}
