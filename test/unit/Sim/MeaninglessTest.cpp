//===- MeaninglessTest.cpp - Fields where nothing reads them --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceProgram.h"

using namespace sequin;
using namespace sequin::testing;
using config::BranchMode;
using config::VectorOp;
using config::VectorOpcode;
using ::testing::HasSubstr;
using enum ElementType;

/// The error of a pass whose vector stage is `stage`.
static std::string errorOf(config::VectorStage stage) {
  SliceProgram program;
  program.input(arrayOf(I32, iota(16)), 0);
  config::ExecCommand exec = makeExec({0, {{2, 8}, {8, 1}}, 1}, I32, I32, 32);
  ElementType type = I32;
  for (const VectorOp &op : stage.ops)
    if (op.opcode == VectorOpcode::FxpToFp)
      type = F32;
  exec.vector = std::move(stage);
  exec.sink = config::CommitStage{type, {4096, {{2, 8}, {8, 1}}, 1}, 32, 32};
  program.exec(exec);
  program.output(type, 16, 4096);
  return program.error();
}

static VectorOp addition() {
  VectorOp op;
  op.opcode = VectorOpcode::FxpAdd;
  op.operand.kind = config::VectorOperand::Kind::Constant;
  return op;
}

static constexpr const char *kMeaningless =
    "means nothing there and is refused (Config.md, Fields without a meaning)";

TEST(Meaningless, IntWidthBelongsToConversions) {
  SEQUIN_ROW("SIL-2");
  auto error = [](VectorOpcode opcode, int64_t width) {
    VectorOp op = addition();
    if (opcode == VectorOpcode::FxpToFp)
      op = VectorOp();
    op.opcode = opcode;
    op.intWidth = width;
    config::VectorStage stage;
    stage.ops = {op};
    return errorOf(stage);
  };
  // 31 is what it is without a statement.
  EXPECT_EQ(error(VectorOpcode::FxpAdd, 31), "no error");
  for (int64_t width : {30, 32, 0})
    EXPECT_THAT(error(VectorOpcode::FxpAdd, width),
                ::testing::AllOf(HasSubstr("stage 'vector': int_width of AddFxp"
                                           ", which is no conversion of "
                                           "integers (SIL-2),"),
                                 HasSubstr(kMeaningless)));
  EXPECT_EQ(error(VectorOpcode::FxpToFp, 0), "no error");
  EXPECT_EQ(error(VectorOpcode::FxpToFp, 31), "no error");
  EXPECT_THAT(error(VectorOpcode::FxpToFp, 32),
              HasSubstr("allowed are 0 to 31"));
}

TEST(Meaningless, ElementsBelongToFilters) {
  config::VectorStage stage;
  stage.ops = {addition()};
  EXPECT_EQ(errorOf(stage), "no error");
  stage.ops[0].elements = 8;
  EXPECT_THAT(errorOf(stage), HasSubstr("elements of AddFxp, which is no "
                                        "Filter, means nothing there"));
}

TEST(Meaningless, FieldsOfABranchBelongToItsMode) {
  config::VectorStage plain;
  plain.ops = {addition()};
  config::VectorStage stage = plain;
  stage.branch.comparisons = {{config::InputCompare::Less, 3}};
  EXPECT_THAT(errorOf(stage),
              HasSubstr("comparisons of a branch of another mode means"));
  stage.branch.mode = BranchMode::Comparison;
  EXPECT_EQ(errorOf(stage), "no error");
  stage.branch.toggle = {{2, 1}, {8, 0}};
  EXPECT_THAT(errorOf(stage),
              HasSubstr("toggle of a branch of another mode means"));
  stage = plain;
  stage.branch.toggle = {{2, 1}, {8, 0}};
  stage.branch.mode = BranchMode::AxisToggle;
  EXPECT_EQ(errorOf(stage), "no error");
  stage.branch.vrf.baseAddress = 8;
  EXPECT_THAT(errorOf(stage), HasSubstr("vrf of a branch of another mode"));
}

TEST(Meaningless, CountsThatNobodyAsksFor) {
  config::VectorStage stage;
  stage.ops = {addition()};
  stage.validCount.emplace();
  stage.validCount->counters = {{2, -1, 0}};
  EXPECT_THAT(errorOf(stage),
              HasSubstr("valid_count of a pass that neither branches by it nor "
                        "reduces inside the slices means nothing there"));
  stage.branch.mode = BranchMode::ValidCount;
  EXPECT_EQ(errorOf(stage), "no error");
}

TEST(Meaningless, NothingToZero) {
  auto error = [](int64_t address, int64_t bytes) {
    SliceProgram program;
    program.input(arrayOf(I32, iota(16)), 0);
    auto &transfer =
        std::get<config::Transfer>(program.program.commands[0].body);
    transfer.zeroAddress = address;
    transfer.zeroBytes = bytes;
    return program.error();
  };
  EXPECT_EQ(error(0, 0), "no error");
  EXPECT_EQ(error(1 << 26, 8), "no error");
  EXPECT_THAT(error(1 << 26, 0),
              HasSubstr("zero_address without zero_bytes means nothing there"));
}

TEST(Meaningless, ShortCommandOfALoadThatIsNone) {
  SEQUIN_ROW("TRF-04");
  auto error = [](auto change) {
    SliceProgram program;
    program.input(arrayOf(I8, iota(64)), 0);
    config::ExecCommand exec = makeExec({0, {{2, 32}, {32, 1}}, 1}, I8, I8, 32);
    exec.sink = config::ToTrfStage{config::TrfAddress::Full, 1, 64, true};
    change(exec);
    program.exec(exec);
    return program.error();
  };
  EXPECT_EQ(error([](config::ExecCommand &) {}), "no error");
  EXPECT_THAT(
      error([](config::ExecCommand &exec) { exec.fetch.dualChannel = true; }),
      HasSubstr("a short command bypasses the channels of the tensor "
                "unit, the load has dual_channel (TRF-04)"));
  EXPECT_THAT(error([](config::ExecCommand &exec) {
                exec.fetch.sequencer.entries[0].stride = 0;
              }),
              HasSubstr("a short command loads contiguous bytes, the fetch "
                        "sequencer does not (TRF-04)"));
}
