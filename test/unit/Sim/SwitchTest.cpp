//===- SwitchTest.cpp - The switch engine ---------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceProgram.h"

using namespace sequin;
using namespace sequin::testing;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using enum ElementType;

/// Slice 0 holds four flits of i32; its ring neighbours hold nothing. All
/// packets of the ring are committed by slice 0.
static config::ExecCommand ringPass(config::SwitchStage stage) {
  int64_t packets = 4 * stage.slice1 * stage.slice0;
  config::ExecCommand exec = makeExec({0, {{4, 8}, {8, 1}}, 1}, I32, I32, 32);
  exec.broadcast01 = stage;
  exec.sink =
      config::CommitStage{I32, {65536, {{packets, 8}, {8, 1}}, 1}, 32, 32};
  return exec;
}

static std::vector<int32_t> runRing(config::SwitchStage stage,
                                    SliceProgram &program) {
  program.input(arrayOf(I32, iota(32)), 0);
  program.exec(ringPass(stage));
  program.output(I32, 32 * stage.slice1 * stage.slice0, 65536);
  return intsOf(program.outputs()[0]);
}

TEST(Switch, InterleavesTheSlicesOfARing) {
  SliceProgram program;
  uint32_t byte = program.machine.poisonByte;
  int32_t poison = static_cast<int32_t>(byte * 0x01010101u);
  // time0 = 1: after each packet of slice 0 comes one of slice 1.
  std::vector<int32_t> expected;
  for (int packet = 0; packet < 4; ++packet) {
    for (int lane = 0; lane < 8; ++lane)
      expected.push_back(packet * 8 + lane);
    expected.insert(expected.end(), 8, poison);
  }
  EXPECT_THAT(runRing({2, 1, 1}, program), ElementsAreArray(expected));
  // Two slices pass on four flits each.
  EXPECT_EQ(program.stage("exec", "switch"), 8);
  SEQUIN_ROW("SWI-19");

  // time0 = 4: all packets of slice 0, then all of slice 1.
  SliceProgram whole;
  expected = iota(32);
  expected.insert(expected.end(), 32, poison);
  EXPECT_THAT(runRing({2, 1, 4}, whole), ElementsAreArray(expected));

  // slice0 is inside time0: with it instead of slice1 they alternate again.
  SliceProgram inner;
  std::vector<int32_t> result = runRing({1, 2, 4}, inner);
  EXPECT_EQ(result[8], poison);
  EXPECT_EQ(result[16], 8);
  SEQUIN_ROW("SWI-04");
}

TEST(Switch, TakesMasksShorterThanARing) {
  SliceProgram program;
  std::vector<int32_t> result = runRing({128, 1, 4}, program);
  ASSERT_EQ(result.size(), 32u * 128);
  EXPECT_EQ(result[31], 31);
}

TEST(Switch, TrapsOnWhatTheEngineCannotDo) {
  auto error = [](config::SwitchStage stage) {
    SliceProgram program;
    config::ExecCommand exec = ringPass({1, 1, 1});
    exec.broadcast01 = stage;
    program.exec(std::move(exec));
    return program.error();
  };
  EXPECT_THAT(error({3, 1, 1}),
              HasSubstr("a ring has 3 slices, it must divide the 256 slices"));
  EXPECT_THAT(error({0, 1, 1}), HasSubstr("slice1"));
  EXPECT_THAT(error({1, 512, 1}), HasSubstr("slice0"));
  EXPECT_THAT(error({1, 1, 3}),
              HasSubstr("time0 is 3, it must divide the 4 packets of a slice"));
}
