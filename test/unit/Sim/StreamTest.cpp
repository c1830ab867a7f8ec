//===- StreamTest.cpp - Fetch, collect, cast and commit ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceProgram.h"

using namespace sequin;
using namespace sequin::testing;
using config::CommitStage;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using enum ElementType;

/// In at 0, out at 4096.
static config::ExecCommand copyPass(config::Sequencer fetch, ElementType type,
                                    int64_t fetchAccess,
                                    config::Sequencer commit, int64_t commitIn,
                                    int64_t commitAccess) {
  config::ExecCommand exec =
      makeExec(std::move(fetch), type, type, fetchAccess);
  commit.baseAddress = 4096;
  exec.sink = CommitStage{type, std::move(commit), commitIn, commitAccess};
  return exec;
}

//===----------------------------------------------------------------------===//
// Fetch
//===----------------------------------------------------------------------===//

TEST(Fetch, CyclesFollowTheAccessSize) {
  struct Case {
    const char *row;
    config::Sequencer fetch;
    int64_t access, cycles;
  };
  // N=4, C=3, H=4, W=8 of i8, packets from one row to three planes.
  for (const Case &test :
       {Case{"FET-25", {0, {{4, 96}, {3, 32}, {4, 8}, {8, 1}}, 1}, 8, 48},
        Case{"FET-26",
             {0, {{4, 96}, {3, 32}, {2, 16}, {2, 8}, {8, 1}}, 2},
             16,
             24},
        Case{"FET-27", {0, {{4, 96}, {3, 32}, {4, 8}, {8, 1}}, 2}, 32, 12},
        Case{"FET-28", {0, {{4, 96}, {3, 32}, {4, 8}, {8, 1}}, 3}, 32, 12},
        Case{"FET-05", {0, {{4, 96}, {3, 32}, {4, 8}, {8, 1}}, 1}, 8, 48},
        Case{"FET-06", {0, {{3, 32}, {4, 96}, {4, 8}, {8, 1}}, 3}, 32, 12},
        Case{"FET-07", {0, {{4, 96}, {4, 8}, {3, 32}, {8, 1}}, 4}, 8, 48}}) {
    SEQUIN_ROW(test.row);
    SliceProgram program;
    config::ExecCommand exec = makeExec(test.fetch, I8, I8, test.access);
    exec.sink = config::ToVrfStage{0, 32 * exec.collect.flitsPerPacket *
                                          (384 / exec.fetch.packetElements)};
    program.exec(exec);
    EXPECT_EQ(program.stage("exec", "fetch"), test.cycles) << test.row;
    EXPECT_EQ(exec.fetch.fetchesPerPacket,
              exec.fetch.packetElements / test.access);
  }
  SEQUIN_ROW("FET-24");
}

TEST(Fetch, AccessMustDividePacketAndRun) {
  SEQUIN_ROW("FET-04");
  SliceProgram strided;
  strided.exec(copyPass({0, {{4, 16}, {8, 1}}, 2}, I8, 16,
                        {0, {{1, 0}, {32, 1}}, 1}, 32, 32));
  EXPECT_THAT(strided.error(),
              HasSubstr("trap: command 'exec' stage 'fetch': access size is "
                        "16, it must divide the contiguous run of 8 bytes"));
  SliceProgram packet;
  packet.exec(copyPass({0, {{4, 8}, {8, 1}}, 1}, I8, 16,
                       {0, {{4, 8}, {8, 1}}, 1}, 8, 8));
  EXPECT_THAT(packet.error(),
              HasSubstr("access size is 16, it must divide the packet of 8"));
}

TEST(Fetch, AccessSizesOfTheContexts) {
  SEQUIN_ROW("FET-03");
  SliceProgram main;
  main.exec(copyPass({0, {{1, 0}, {48, 1}}, 1}, I8, 24,
                     {0, {{2, 32}, {32, 1}}, 1}, 32, 32));
  EXPECT_THAT(main.error(), HasSubstr("access size is 24, machine 'rngd' "
                                      "allows 1, 2, 4, 8, 16, 32"));
  SliceProgram sub;
  config::ExecCommand exec =
      copyPass({0, {{32, 1}}, 1}, I8, 32, {0, {{1, 0}, {32, 1}}, 1}, 32, 8);
  exec.context = config::Context::Sub;
  sub.exec(exec);
  EXPECT_THAT(sub.error(),
              HasSubstr("access size is 32, machine 'rngd' allows 8"));
}

TEST(Fetch, ConvertsAndPadsWithZeros) {
  SEQUIN_ROW("FET-19");
  SEQUIN_ROW("COL-03");
  SliceProgram program;
  program.input(arrayOf(I8, iota(8, -3)), 0);
  // Four i8 per packet become 16 bytes, half a flit.
  config::ExecCommand exec = makeExec({0, {{2, 4}, {4, 1}}, 1}, I8, I32, 4);
  exec.sink = CommitStage{I32, {4096, {{2, 8}, {8, 1}}, 1}, 32, 32};
  program.exec(exec);
  program.output(I32, 16, 4096);
  EXPECT_THAT(
      intsOf(program.outputs()[0]),
      ElementsAreArray({-3, -2, -1, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0}));
}

TEST(Fetch, WideningMustFitAFlit) {
  SEQUIN_ROW("FET-20");
  auto errorOf = [](ElementType from, int64_t access, int64_t elements) {
    SliceProgram program;
    config::ExecCommand exec =
        makeExec({0, {{elements, 1}}, 1}, from, I32, access);
    exec.sink = config::ToVrfStage{0, elements * 4};
    program.exec(exec);
    return program.error();
  };
  EXPECT_EQ(errorOf(I4, 4, 16), "no error");
  EXPECT_THAT(errorOf(I4, 8, 16), HasSubstr("one access makes 64 bytes after "
                                            "the conversion, allowed are 32"));
  EXPECT_THAT(errorOf(I8, 16, 16), HasSubstr("one access makes 64 bytes"));
}

TEST(Fetch, SubContextWidensI4InFours) {
  SEQUIN_ROW("FET-20");
  for (int64_t access : {4, 8}) {
    SliceProgram program;
    config::ExecCommand exec = makeExec({0, {{16, 1}}, 1}, I4, I32, access);
    exec.context = config::Context::Sub;
    exec.sink = config::ToVrfStage{0, 64};
    program.exec(exec);
    if (access == 4)
      EXPECT_EQ(program.error(), "no error");
    else
      EXPECT_THAT(program.error(), HasSubstr("machine 'rngd' allows 4"));
  }
}

TEST(Fetch, UnknownConversion) {
  SEQUIN_ROW("FET-18");
  SliceProgram program;
  config::ExecCommand exec = makeExec({0, {{8, 1}}, 1}, I8, I16, 8);
  exec.sink = config::ToVrfStage{0, 32};
  program.exec(exec);
  EXPECT_THAT(program.error(),
              HasSubstr("machine 'rngd' cannot convert i8 to i16"));
}

TEST(Fetch, PacketsAreWholeWords) {
  SEQUIN_ROW("FET-01");
  SliceProgram program;
  config::ExecCommand exec = makeExec({0, {{15, 2}, {2, 1}}, 1}, I8, I8, 2);
  exec.sink = config::ToVrfStage{0, 15 * 32};
  program.exec(exec);
  EXPECT_THAT(program.error(), HasSubstr("it must be a multiple of 64"));
}

TEST(Fetch, MayReadPastTheTensorButNotPastTheMemory) {
  SEQUIN_ROW("FET-09");
  auto errorAt = [](int64_t base) {
    SliceProgram program;
    config::ExecCommand exec = makeExec({base, {{32, 1}}, 1}, I8, I8, 32);
    exec.sink = config::ToVrfStage{0, 32};
    program.exec(exec);
    return program.error();
  };
  EXPECT_EQ(errorAt((512 << 10) - 32), "no error");
  EXPECT_THAT(errorAt((512 << 10) - 31),
              HasSubstr("bytes 524257 to 524288 of the DM of a slice are "
                        "accessed, allowed are 0 to 524287"));
  EXPECT_THAT(errorAt(-1), HasSubstr("bytes -1 to 30"));
}

TEST(Fetch, BroadcastReadsRepeat) {
  SEQUIN_ROW("SEQ-12");
  SliceProgram program;
  program.input(arrayOf(I8, iota(8, 1)), 0);
  program.exec(copyPass({0, {{3, 0}, {8, 1}}, 1}, I8, 8,
                        {0, {{3, 8}, {8, 1}}, 1}, 8, 8));
  program.output(I8, 24, 4096);
  EXPECT_THAT(intsOf(program.outputs()[0]),
              ElementsAreArray({1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4,
                                5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Fetch, NegativeStridesRunBackwards) {
  SliceProgram program;
  program.input(arrayOf(I8, iota(8, 1)), 0);
  program.exec(copyPass({7, {{8, -1}}, 1}, I8, 1, {0, {{8, 1}}, 1}, 8, 8));
  program.output(I8, 8, 4096);
  EXPECT_THAT(intsOf(program.outputs()[0]),
              ElementsAreArray({8, 7, 6, 5, 4, 3, 2, 1}));
}

TEST(Fetch, CountsMustAgree) {
  SliceProgram collect;
  config::ExecCommand exec =
      copyPass({0, {{40, 1}}, 1}, I8, 8, {0, {{2, 32}, {32, 1}}, 1}, 32, 32);
  exec.collect.flitsPerPacket = 1;
  collect.exec(exec);
  EXPECT_THAT(collect.error(), HasSubstr("a packet makes 1 flits, 40 bytes "
                                         "need 2"));
  SEQUIN_ROW("FET-30");
  exec.collect.flitsPerPacket = 2;
  SliceProgram good;
  good.exec(exec);
  EXPECT_EQ(good.error(), "no error");
  exec.fetch.packetElements = 48;
  SliceProgram elements;
  elements.exec(exec);
  EXPECT_THAT(elements.error(), HasSubstr("a packet has 48 elements, the "
                                          "packet entries walk 40"));
}

TEST(Fetch, SequencerLimits) {
  SEQUIN_ROW("SEQ-15");
  SliceProgram many;
  many.exec(copyPass({0,
                      {{2, 1},
                       {2, 2},
                       {2, 4},
                       {2, 8},
                       {2, 16},
                       {2, 32},
                       {2, 64},
                       {2, 128},
                       {8, 1}},
                      1},
                     I8, 8, {0, {{256, 8}, {8, 1}}, 1}, 8, 8));
  EXPECT_THAT(many.error(), HasSubstr("sequencer has 9 entries, machine "
                                      "'rngd' allows at most 8"));
  SliceProgram large;
  large.exec(copyPass({0, {{65537, 0}, {8, 1}}, 1}, I8, 8,
                      {0, {{65537, 8}, {8, 1}}, 1}, 8, 8));
  EXPECT_THAT(large.error(), HasSubstr("size of sequencer entry 0 is 65537, "
                                       "allowed are 1 to 65536"));
  SliceProgram empty;
  empty.exec(copyPass({0, {{0, 8}, {8, 1}}, 1}, I8, 8, {0, {{8, 1}}, 1}, 8, 8));
  EXPECT_THAT(empty.error(), HasSubstr("size of sequencer entry 0 is 0"));
}

TEST(Fetch, HugeCountsTrapInsteadOfRunning) {
  SliceProgram program;
  program.exec(
      copyPass({0, {{65536, 0}, {65536, 0}, {65536, 0}, {65536, 0}, {8, 1}}, 1},
               I8, 8, {0, {{8, 1}}, 1}, 8, 8));
  EXPECT_THAT(program.error(),
              HasSubstr("the number of packets is out of range"));
  SliceProgram steps;
  config::ExecCommand exec =
      makeExec({0, {{65536, 0}, {65536, 0}, {64, 0}, {8, 1}}, 1}, I8, I8, 8);
  exec.sink = config::ToVrfStage{0, int64_t(32) << 38};
  steps.exec(exec);
  EXPECT_THAT(steps.error(), HasSubstr("trap"));
}

//===----------------------------------------------------------------------===//
// Commit
//===----------------------------------------------------------------------===//

TEST(Commit, NoTranspose) {
  SEQUIN_ROW("COM-09");
  SEQUIN_ROW("COM-04");
  SliceProgram program;
  program.input(arrayOf(I8, iota(64)), 0);
  program.exec(copyPass({0, {{4, 16}, {2, 8}, {8, 1}}, 1}, I8, 8,
                        {0, {{4, 16}, {2, 8}, {8, 1}}, 1}, 8, 8));
  program.output(I8, 64, 4096);
  EXPECT_THAT(intsOf(program.outputs()[0]), ElementsAreArray(iota(64)));
  EXPECT_EQ(program.stage("exec", "commit"), 8);
}

TEST(Commit, Transpose) {
  SEQUIN_ROW("COM-10");
  SliceProgram program;
  program.input(arrayOf(F32, iota(64)), 0);
  program.exec(copyPass({0, {{4, 16}, {2, 8}, {8, 1}}, 1}, F32, 32,
                        {0, {{4, 8}, {2, 32}, {8, 1}}, 1}, 32, 32));
  program.output(F32, 64, 4096);
  std::vector<float> expected(64);
  for (int m = 0; m < 4; ++m)
    for (int k = 0; k < 2; ++k)
      for (int w = 0; w < 8; ++w)
        expected[k * 32 + m * 8 + w] = m * 16 + k * 8 + w;
  EXPECT_THAT(floatsOf(program.outputs()[0]), ElementsAreArray(expected));
}

TEST(Commit, TransposeWithTruncation) {
  SEQUIN_ROW("COM-11");
  SEQUIN_ROW("COM-06");
  SliceProgram program;
  program.input(arrayOf(BF16, iota(128)), 0);
  program.exec(copyPass({0, {{4, 32}, {2, 16}, {16, 1}}, 1}, BF16, 32,
                        {0, {{4, 8}, {2, 32}, {8, 1}}, 1}, 16, 16));
  program.output(BF16, 64, 4096);
  std::vector<float> expected(64);
  for (int m = 0; m < 4; ++m)
    for (int k = 0; k < 2; ++k)
      for (int n = 0; n < 8; ++n)
        expected[k * 32 + m * 8 + n] = m * 32 + k * 16 + n;
  EXPECT_THAT(floatsOf(program.outputs()[0]), ElementsAreArray(expected));
}

TEST(Commit, ChunksOfAPacketGoToDifferentPlaces) {
  SEQUIN_ROW("COM-12");
  SEQUIN_ROW("SIL-14");
  SliceProgram program;
  program.input(arrayOf(I8, iota(64, 1)), 0);
  program.exec(copyPass({0, {{2, 32}, {4, 8}, {8, 1}}, 2}, I8, 32,
                        {0, {{2, 64}, {4, 16}, {8, 1}}, 2}, 32, 8));
  program.output(I8, 128, 4096);
  // The bytes between the rows keep what they held: poison.
  std::vector<int> expected(128,
                            static_cast<int8_t>(program.machine.poisonByte));
  for (int k = 0; k < 2; ++k)
    for (int m = 0; m < 4; ++m)
      for (int w = 0; w < 8; ++w)
        expected[k * 64 + m * 16 + w] = 1 + k * 32 + m * 8 + w;
  EXPECT_THAT(intsOf(program.outputs()[0]), ElementsAreArray(expected));
  EXPECT_EQ(program.stage("exec", "commit"), 8); // 2 flits, 4 writes each
}

TEST(Commit, OnlySlicesOfTheMaskWrite) {
  SEQUIN_ROW("COM-13");
  SliceProgram program;
  program.input(arrayOf(I8, iota(32, 1)), 0);
  config::ExecCommand exec =
      copyPass({0, {{32, 1}}, 1}, I8, 32, {0, {{32, 1}}, 1}, 32, 32);
  exec.sliceMask.assign(8, ~uint64_t(0));
  exec.sliceMask[0] = ~uint64_t(1);
  program.exec(exec);
  program.output(I8, 32, 4096);
  std::vector<int> poison(32, static_cast<int8_t>(program.machine.poisonByte));
  EXPECT_THAT(intsOf(program.outputs()[0]), ElementsAreArray(poison));
  exec.sliceMask = {1, 0, 0, 0, 0, 0, 0, 0};
  std::get<config::ExecCommand>(program.program.commands[2].body) = exec;
  EXPECT_THAT(intsOf(program.outputs()[0]), ElementsAreArray(iota(32, 1)));
}

TEST(Commit, MasksCoverTheChip) {
  SliceProgram program;
  config::ExecCommand exec =
      copyPass({0, {{32, 1}}, 1}, I8, 32, {0, {{32, 1}}, 1}, 32, 32);
  exec.sliceMask.assign(8, 0);
  program.exec(exec);
  EXPECT_THAT(program.error(), HasSubstr("the slice mask selects no slice"));
  auto &mask =
      std::get<config::ExecCommand>(program.program.commands[0].body).sliceMask;
  for (size_t words : {1, 7, 9}) {
    mask.assign(words, 1);
    EXPECT_THAT(program.error(),
                HasSubstr("the slice masks have " + std::to_string(words * 64) +
                          " bits, the slices of a chip are 512"));
  }
}

TEST(Commit, Refusals) {
  struct Case {
    config::Sequencer commit;
    int64_t commitIn, access;
    const char *message;
  };
  for (const Case &test : {
           Case{{0, {{2, 32}, {12, 1}}, 1},
                12,
                12,
                "commit_in_size is 12, machine 'rngd' allows 8, 16, 24, 32"},
           Case{{0, {{2, 32}, {32, 1}}, 1},
                32,
                4,
                "access size is 4, machine 'rngd' allows 8, 16, 24, 32"},
           Case{{0, {{2, 32}, {24, 1}}, 1},
                24,
                16,
                "access size is 16, it must divide commit_in_size 24"},
           Case{{0, {{3, 32}, {32, 1}}, 1},
                32,
                32,
                "the sequencer makes 3 steps, the stream has 2 flits"},
           Case{{0, {{2, 32}, {16, 1}}, 1},
                32,
                32,
                "commit_in_size is 32 bytes, the packet entries walk 16"},
           Case{{0, {{2, 36}, {32, 1}}, 1},
                32,
                32,
                "stride is 36 elements of i8, it must be a multiple of 8"},
           Case{{0, {{2, 24}, {32, 1}}, 1},
                32,
                32,
                "address 4120 of the DM of a slice is written twice"},
           Case{{0, {{2, 0}, {32, 1}}, 1},
                32,
                32,
                "address 4096 of the DM of a slice is written twice"},
           Case{{0, {{2, 32}, {4, 16}, {8, 1}}, 2},
                32,
                16,
                "access size is 16, it must divide the contiguous run of 8"},
           Case{{0, {{2, 524288}, {32, 1}}, 1},
                32,
                32,
                "bytes 4096 to 528415 of the DM of a slice"},
           Case{{0, {{2, -8192}, {32, 1}}, 1}, 32, 32, "bytes -4096 to"},
       }) {
    SliceProgram program;
    program.exec(copyPass({0, {{2, 32}, {32, 1}}, 1}, I8, 32, test.commit,
                          test.commitIn, test.access));
    EXPECT_THAT(program.error(), HasSubstr(test.message));
  }
  SEQUIN_ROW("COM-03");
  SEQUIN_ROW("COM-08");
  SEQUIN_ROW("COM-14");
  SEQUIN_ROW("ERR-19");
}

TEST(Commit, BaseIsAligned) {
  SEQUIN_ROW("COM-14");
  SliceProgram program;
  config::ExecCommand exec =
      copyPass({0, {{32, 1}}, 1}, I8, 32, {0, {{32, 1}}, 1}, 32, 32);
  std::get<CommitStage>(exec.sink).sequencer.baseAddress = 4100;
  program.exec(exec);
  EXPECT_THAT(program.error(), HasSubstr("base address is 4100, it must be a "
                                         "multiple of 8"));
}

TEST(Commit, SubContextCopiesInEights) {
  SliceProgram program;
  program.input(arrayOf(I8, iota(64)), 0);
  config::ExecCommand exec = copyPass({0, {{2, 32}, {32, 1}}, 1}, I8, 8,
                                      {0, {{2, 64}, {32, 1}}, 1}, 32, 8);
  exec.context = config::Context::Sub;
  program.exec(exec);
  program.output(I8, 32, 4096 + 64);
  EXPECT_THAT(intsOf(program.outputs()[0]), ElementsAreArray(iota(32, 32)));
  EXPECT_EQ(program.stage("exec", "commit"), 8);

  exec.fetch.from = exec.fetch.to = I32;
  exec.fetch.sequencer = {0, {{2, 8}, {8, 1}}, 1};
  exec.fetch.packetElements = 8;
  exec.cast = config::CastStage{I32, I8};
  SliceProgram cast;
  cast.exec(exec);
  EXPECT_THAT(cast.error(), HasSubstr("the sub context has no contraction, "
                                      "vector or cast engine"));
}

//===----------------------------------------------------------------------===//
// Cast
//===----------------------------------------------------------------------===//

TEST(Cast, IntegersWrapIntoTheFrontOfTheFlit) {
  SEQUIN_ROW("CAS-02");
  SEQUIN_ROW("CAS-03");
  SEQUIN_ROW("SIL-1");
  SliceProgram program;
  program.input(
      arrayOf(I32, std::vector<int>{0, -1, 127, 128, -128, -129, 1000, -1000}),
      0);
  config::ExecCommand exec = makeExec({0, {{8, 1}}, 1}, I32, I32, 32);
  exec.cast = config::CastStage{I32, I8};
  exec.sink = CommitStage{I8, {4096, {{32, 1}}, 1}, 32, 32};
  program.exec(exec);
  program.output(I8, 32, 4096);
  std::vector<int> expected = {0, -1, 127, -128, -128, 127, -24, 24};
  expected.resize(32, 0);
  EXPECT_THAT(intsOf(program.outputs()[0]), ElementsAreArray(expected));
  SEQUIN_ROW("CAS-05");
  EXPECT_EQ(program.stage("exec", "cast"), 1);
}

TEST(Cast, IntegersSaturateWhereTheRowSaysSo) {
  SEQUIN_ROW("SIL-1");
  SliceProgram program;
  program.input(
      arrayOf(I32, std::vector<int>{0, -1, 127, 128, -128, -129, 1000, -1000}),
      0);
  config::ExecCommand exec = makeExec({0, {{8, 1}}, 1}, I32, I32, 32);
  exec.cast = config::CastStage{I32, I8};
  exec.sink = CommitStage{I8, {4096, {{8, 1}}, 1}, 8, 8};
  program.exec(exec);
  program.output(I8, 8, 4096);
  TcpMachine machine = program.machine;
  machine.arithmetic.castWraps = false;
  sim::Result result =
      llvm::cantFail(sim::run(program.program, machine, program.inputs));
  EXPECT_THAT(intsOf(result.outputs[0]),
              ElementsAreArray({0, -1, 127, 127, -128, -128, 127, -128}));
}

TEST(Cast, PaddedInput) {
  SEQUIN_ROW("CAS-04");
  SliceProgram program;
  program.input(arrayOf(I32, iota(4, 1)), 0);
  config::ExecCommand exec = makeExec({0, {{4, 1}}, 1}, I32, I32, 16);
  exec.cast = config::CastStage{I32, I8};
  exec.sink = CommitStage{I8, {4096, {{8, 1}}, 1}, 8, 8};
  program.exec(exec);
  program.output(I8, 8, 4096);
  EXPECT_THAT(intsOf(program.outputs()[0]),
              ElementsAreArray({1, 2, 3, 4, 0, 0, 0, 0}));
}

TEST(Cast, FourBitsTwoToAByte) {
  SEQUIN_ROW("SIL-26");
  SliceProgram program;
  program.input(arrayOf(I32, std::vector<int>{1, 2, -1, -8, 9, -9, 7, 0}), 0);
  config::ExecCommand exec = makeExec({0, {{8, 1}}, 1}, I32, I32, 32);
  exec.cast = config::CastStage{I32, I4};
  exec.sink = CommitStage{I4, {4096, {{16, 1}}, 1}, 8, 8};
  program.exec(exec);
  program.output(I8, 8, 4096);
  program.output(I4, 8, 4096);
  std::vector<sim::HostArray> outputs = program.outputs();
  EXPECT_THAT(intsOf(outputs[0]),
              ElementsAreArray(std::vector<int>{0x21, static_cast<int8_t>(0x8f),
                                                0x79, 0x07, 0, 0, 0, 0}));
  EXPECT_THAT(intsOf(outputs[1]),
              ElementsAreArray({1, 2, -1, -8, -7, 7, 7, 0}));
}

TEST(Cast, FloatsRoundAndSubnormalsVanish) {
  SEQUIN_ROW("SIL-7");
  SliceProgram program;
  std::vector<uint32_t> bits = {0x3f808000, 0x3f818000, 0x3f808001, 0x007fffff,
                                0x807fffff, 0x7f7fffff, 0xffc12345, 0x80000000};
  sim::HostArray input = arrayOf(I32, std::vector<int>(8));
  for (int i = 0; i < 8; ++i)
    storeElement(I32, input.data.data(), i, bits[i]);
  input.type = F32;
  program.input(input, 0);
  config::ExecCommand exec = makeExec({0, {{8, 1}}, 1}, F32, F32, 32);
  exec.cast = config::CastStage{F32, BF16};
  exec.sink = CommitStage{BF16, {4096, {{8, 1}}, 1}, 16, 16};
  program.exec(exec);
  program.output(I16, 8, 4096);
  EXPECT_THAT(intsOf(program.outputs()[0]),
              ElementsAreArray(std::vector<int>{
                  0x3f80, 0x3f82, 0x3f81, 0, static_cast<int16_t>(0x8000),
                  0x7f80, 0x7fc0, static_cast<int16_t>(0x8000)}));
}

TEST(Cast, UnknownPair) {
  SEQUIN_ROW("CAS-01");
  SliceProgram program;
  config::ExecCommand exec = makeExec({0, {{8, 1}}, 1}, F32, F32, 32);
  exec.cast = config::CastStage{F32, I8};
  exec.sink = CommitStage{I8, {4096, {{8, 1}}, 1}, 8, 8};
  program.exec(exec);
  EXPECT_THAT(program.error(),
              HasSubstr("machine 'rngd' cannot convert f32 to i8"));
  std::get<config::ExecCommand>(program.program.commands[0].body).cast =
      config::CastStage{I32, I8};
  EXPECT_THAT(program.error(), HasSubstr("stage 'cast': type is i32, the "
                                         "stream carries f32"));
}

TEST(Sink, RegisterFilesAreBounded) {
  auto errorOf = [](int64_t flits,
                    std::variant<std::monostate, CommitStage,
                                 config::ToTrfStage, config::ToVrfStage>
                        sink) {
    SliceProgram program;
    config::ExecCommand exec =
        makeExec({0, {{flits, 32}, {32, 1}}, 1}, I8, I8, 32);
    exec.sink = sink;
    program.exec(exec);
    return program.error();
  };
  using config::ToTrfStage, config::ToVrfStage, config::TrfAddress;
  SEQUIN_ROW("MAP-26");
  EXPECT_EQ(errorOf(256, ToVrfStage{0, 8192}), "no error");
  EXPECT_THAT(errorOf(257, ToVrfStage{0, 257 * 32}),
              HasSubstr("bytes 0 to 8223 of the VRF of a slice"));
  EXPECT_THAT(errorOf(1, ToVrfStage{8192, 32}), HasSubstr("bytes 8192 to"));
  EXPECT_THAT(errorOf(2, ToVrfStage{0, 32}),
              HasSubstr("the tensor has 32 bytes, the stream has 2 flits"));
  EXPECT_EQ(errorOf(2048, ToTrfStage{TrfAddress::Full, 8, 8192}), "no error");
  EXPECT_THAT(errorOf(4096, ToTrfStage{TrfAddress::Full, 8, 16384}),
              HasSubstr("number of bytes per row is 16384, allowed are 32 to "
                        "8192"));
  SEQUIN_ROW("TRF-08");
  EXPECT_EQ(errorOf(1024, ToTrfStage{TrfAddress::FirstHalf, 8, 4096}),
            "no error");
  EXPECT_THAT(errorOf(1032, ToTrfStage{TrfAddress::SecondHalf, 8, 4128}),
              HasSubstr("allowed are 32 to 4096"));
  SEQUIN_ROW("CON-12");
  EXPECT_THAT(errorOf(3, ToTrfStage{TrfAddress::Full, 3, 32}),
              HasSubstr("number of rows is 3, machine 'rngd' allows 1, 2, 4, "
                        "8"));
  EXPECT_THAT(errorOf(3, ToTrfStage{TrfAddress::Full, 2, 64}),
              HasSubstr("the rows take 128 bytes, the stream has 96"));
  EXPECT_THAT(errorOf(1, {}), HasSubstr("the stream goes nowhere"));
}
