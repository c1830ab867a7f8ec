//===- VectorBlockTest.cpp - Branches, stash, pairs, filter ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceProgram.h"

using namespace sequin;
using namespace sequin::testing;
using config::ArgMode;
using config::BranchMode;
using config::InputCompare;
using config::VectorOp;
using config::VectorOpcode;
using config::VectorOperand;
using config::VectorStage;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using enum ElementType;

static VectorOp op(VectorOpcode opcode) {
  VectorOp op;
  op.opcode = opcode;
  return op;
}

static VectorOp constant(VectorOpcode opcode, int32_t value,
                         config::IdSet ids = config::kAllIds) {
  VectorOp result = op(opcode);
  result.operand.kind = VectorOperand::Kind::Constant;
  result.operand.constant = static_cast<uint32_t>(value);
  result.ids = ids;
  return result;
}

static VectorOp from(VectorOpcode opcode, VectorOperand::Kind kind) {
  VectorOp result = op(opcode);
  result.operand.kind = kind;
  return result;
}

/// Reads `flits` flits of i32 at 0, writes `written` flits at 1 << 18.
static config::ExecCommand pass(VectorStage stage, int64_t flits,
                                int64_t written) {
  config::ExecCommand exec =
      makeExec({0, {{flits, 8}, {8, 1}}, 1}, I32, I32, 32);
  stage.type = I32;
  exec.vector = std::move(stage);
  exec.sink =
      config::CommitStage{I32, {1 << 18, {{written, 8}, {8, 1}}, 1}, 32, 32};
  return exec;
}

static std::vector<int32_t> runStage(VectorStage stage,
                                     const std::vector<int> &values,
                                     int64_t written = 0) {
  int64_t flits = values.size() / 8;
  written = written ? written : flits;
  SliceProgram program;
  program.input(arrayOf(I32, values), 0);
  program.exec(pass(std::move(stage), flits, written));
  program.output(I32, written * 8, 1 << 18);
  return intsOf(program.outputs()[0]);
}

static std::string errorOf(VectorStage stage, int64_t flits = 2,
                           int64_t written = 2) {
  SliceProgram program;
  program.exec(pass(std::move(stage), flits, written));
  return program.error();
}

/// A stage that marks negative elements with id 1.
static VectorStage negativeIs1(std::vector<VectorOp> ops) {
  VectorStage stage;
  stage.ops = std::move(ops);
  stage.branch.mode = BranchMode::Comparison;
  stage.branch.comparisons = {{InputCompare::Less, 0}};
  return stage;
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

TEST(VectorBlock, ComparisonsSetTheBitsOfTheId) {
  SEQUIN_ROW("VEC-10");
  SEQUIN_ROW("SIL-34");
  // Every comparison with 3, one bit each, and all ids told apart.
  const std::pair<InputCompare, std::vector<int>> expected[] = {
      {InputCompare::Never, {0, 0, 0}},
      {InputCompare::Less, {1, 0, 0}},
      {InputCompare::LessEqual, {1, 1, 0}},
      {InputCompare::Equal, {0, 1, 0}},
      {InputCompare::NotEqual, {1, 0, 1}},
      {InputCompare::GreaterEqual, {0, 1, 1}},
      {InputCompare::Greater, {0, 0, 1}},
  };
  for (const auto &[compare, bits] : expected)
    for (int bit = 0; bit < 4; ++bit) {
      VectorStage stage;
      stage.branch.mode = BranchMode::Comparison;
      stage.branch.comparisons.resize(bit);
      stage.branch.comparisons.push_back({compare, 3});
      stage.ops = {constant(VectorOpcode::FxpAdd, 100, 1u << (1u << bit))};
      std::vector<int> values = {2, 3, 4, -5, 2, 3, 4, 9};
      std::vector<int> result;
      for (int value : values)
        result.push_back(value + 100 * bits[value < 3    ? 0
                                            : value == 3 ? 1
                                                         : 2]);
      EXPECT_THAT(runStage(stage, values), ElementsAreArray(result));
    }
}

TEST(VectorBlock, AxisToggleCountsTheLoops) {
  VectorStage stage;
  stage.branch.mode = BranchMode::AxisToggle;
  // The axis' index is 1 per flit and 0 per lane.
  stage.branch.toggle = {{4, 1}, {8, 0}};
  stage.ops = {constant(VectorOpcode::FxpAdd, 1000, 0xaaaa)};
  std::vector<int> expected = iota(32);
  for (int i = 0; i < 32; ++i)
    expected[i] += i / 8 % 2 ? 1000 : 0;
  EXPECT_THAT(runStage(stage, iota(32)), ElementsAreArray(expected));
}

TEST(VectorBlock, GroupsAreTheLowestBit) {
  SEQUIN_ROW("VEC-30");
  EXPECT_THAT(
      runStage(negativeIs1({constant(VectorOpcode::FxpMulInt, 3, 0x5555),
                            constant(VectorOpcode::FxpAdd, 1, 0xaaaa)}),
               {1, -1, 2, -2, 3, -3, 0, -7}),
      ElementsAre(3, 0, 6, -1, 9, -2, 0, -6));
}

TEST(VectorBlock, LoggedIdsAreReadByTheNextPass) {
  std::vector<int> values(4096);
  for (int i = 0; i < 4096; ++i)
    values[i] = i % 3 == 0 ? -i - 1 : i;
  SliceProgram program;
  program.input(arrayOf(I32, values), 0);
  VectorStage log = negativeIs1({});
  log.branch.logAddress = 96;
  program.exec(pass(log, 512, 512), "log");
  VectorStage use;
  use.branch.mode = BranchMode::Vrf;
  use.branch.vrf = {96, {{4096, 1}}, 1};
  use.ops = {constant(VectorOpcode::ClipMaxI, 0, 1u << 1)};
  program.exec(pass(use, 512, 512), "use");
  program.output(I32, 4096, 1 << 18);
  std::vector<int> expected;
  for (int value : values)
    expected.push_back(std::max(value, 0));
  EXPECT_THAT(intsOf(program.outputs()[0]), ElementsAreArray(expected));
}

TEST(VectorBlock, OperandRegisterMakesCumulativeSums) {
  SEQUIN_ROW("MOD-30");
  // Branch 0 first, 2 last, 1 between: per lane, over 700 flits.
  constexpr int steps = 700;
  VectorOp add = from(VectorOpcode::FxpAdd, VectorOperand::Kind::Register);
  add.ids = 1u << 1 | 1u << 2;
  add.writeIds = 1u << 0 | 1u << 1;
  SliceProgram program;
  program.input(arrayOf(I32, iota(steps * 8)), 0);
  // Ids of a nibble each: the VRF holds them once, lanes share one.
  std::vector<int> ids(704, 1);
  ids[0] = 0;
  ids[steps - 1] = 2;
  sim::HostArray packed;
  packed.type = I8;
  packed.shape = {352};
  for (int i = 0; i < 704; i += 2)
    packed.data.push_back(static_cast<uint8_t>(ids[i] | ids[i + 1] << 4));
  program.input(packed, 1 << 17);
  config::ExecCommand load =
      makeExec({1 << 17, {{11, 32}, {32, 1}}, 1}, I8, I8, 8);
  load.context = config::Context::Sub;
  load.sink = config::ToVrfStage{0, 352};
  program.exec(load, "load");
  VectorStage stage;
  stage.branch.mode = BranchMode::Vrf;
  stage.branch.vrf = {0, {{steps, 1}, {8, 0}}, 1};
  stage.ops = {add};
  program.exec(pass(stage, steps, steps));
  program.output(I32, steps * 8, 1 << 18);
  std::vector<int> expected = iota(steps * 8);
  for (int i = 8; i < steps * 8; ++i)
    expected[i] += expected[i - 8];
  EXPECT_THAT(intsOf(program.outputs()[0]), ElementsAreArray(expected));
}

//===----------------------------------------------------------------------===//
// Stash, filter, pairs, lanes
//===----------------------------------------------------------------------===//

TEST(VectorBlock, StashIsTheElementThatWas) {
  SEQUIN_ROW("VEC-28");
  std::vector<int> values = iota(8192, -4000);
  VectorStage stage;
  stage.ops = {op(VectorOpcode::Stash), constant(VectorOpcode::FxpMulInt, -1),
               from(VectorOpcode::ClipMaxI, VectorOperand::Kind::Stash)};
  std::vector<int> expected;
  for (int value : values)
    expected.push_back(std::abs(value));
  EXPECT_THAT(runStage(stage, values), ElementsAreArray(expected));
}

TEST(VectorBlock, TrimKeepsTheLowerLanes) {
  SEQUIN_ROW("VEC-17");
  // Lanes 4 to 7 come back as poison, in the stream and in the stash.
  VectorStage stage;
  stage.ops = {op(VectorOpcode::TrimWay4), op(VectorOpcode::PadWay8)};
  int32_t poison =
      static_cast<int32_t>(0x01010101u * lookupTcpMachine("rngd")->poisonByte);
  EXPECT_THAT(runStage(stage, iota(8)),
              ElementsAre(0, 1, 2, 3, poison, poison, poison, poison));
  SEQUIN_ROW("SIL-33");
  VectorOp stash = from(VectorOpcode::ClipAddFxp, VectorOperand::Kind::Stash);
  stash.mode = ArgMode::M11;
  stage.ops = {op(VectorOpcode::Stash), op(VectorOpcode::TrimWay4),
               op(VectorOpcode::PadWay8), stash};
  int32_t twice = static_cast<int32_t>(2u * static_cast<uint32_t>(poison));
  EXPECT_THAT(runStage(stage, iota(8)),
              ElementsAre(0, 2, 4, 6, twice, twice, twice, twice));
}

TEST(VectorBlock, FilterClosesUp) {
  SEQUIN_ROW("VEC-25");
  SEQUIN_ROW("SIL-9");
  std::vector<int> values, expected;
  for (int i = 0; i < 4096; ++i) {
    values.push_back(i % 7 < 3 ? -i - 1 : i);
    if (values.back() < 0)
      expected.push_back(values.back());
  }
  VectorOp filter = op(VectorOpcode::Filter);
  filter.ids = 1u << 1;
  filter.elements = 2048;
  std::vector<int> found = runStage(negativeIs1({filter}), values, 256);
  found.resize(expected.size());
  EXPECT_THAT(found, ElementsAreArray(expected));
}

TEST(VectorBlock, FilterTrapsWhenItKeepsTooMany) {
  VectorOp filter = op(VectorOpcode::Filter);
  filter.ids = 1u << 1;
  filter.elements = 8;
  SliceProgram program;
  program.input(arrayOf(I32, std::vector<int>(16, -1)), 0);
  program.exec(pass(negativeIs1({filter}), 2, 1));
  EXPECT_THAT(program.error(),
              HasSubstr("stage 'vector': Filter keeps 16 elements of slice 0, "
                        "there is room for 8"));
}

TEST(VectorBlock, GroupsAlternate) {
  SEQUIN_ROW("VEC-37");
  SEQUIN_ROW("VEC-38");
  VectorOp zip = op(VectorOpcode::ClipAddFxp);
  zip.zip = true;
  VectorOp scale = constant(VectorOpcode::FxpMulInt, 10);
  scale.groups = 1;
  VectorOp other = constant(VectorOpcode::FxpMulInt, 3);
  other.groups = 2;
  std::vector<int> values = iota(8000);
  for (int variant : {0, 1, 2}) {
    VectorStage stage;
    stage.unzip = true;
    if (variant > 0)
      stage.ops.push_back(scale);
    if (variant > 1)
      stage.ops.push_back(other);
    stage.ops.push_back(zip);
    std::vector<int> expected;
    for (int i = 0; i < 8000; i += 16)
      for (int lane = 0; lane < 8; ++lane)
        expected.push_back((variant > 0 ? 10 : 1) * values[i + lane] +
                           (variant > 1 ? 3 : 1) * values[i + 8 + lane]);
    EXPECT_THAT(runStage(stage, values, 500), ElementsAreArray(expected));
  }
}

TEST(VectorBlock, Modes) {
  SEQUIN_ROW("VEC-32");
  const std::pair<ArgMode, int> modes[] = {{ArgMode::M00, 0},
                                           {ArgMode::M01, 5 - 9},
                                           {ArgMode::M10, 9 - 5},
                                           {ArgMode::M11, 0}};
  for (auto [mode, expected] : modes) {
    VectorOp subtract = constant(VectorOpcode::FxpSub, 9);
    subtract.mode = mode;
    if (mode == ArgMode::M00)
      subtract.operand = {};
    VectorStage stage;
    stage.ops = {subtract};
    EXPECT_EQ(runStage(stage, std::vector<int>(8, 5))[0], expected);
  }
}

//===----------------------------------------------------------------------===//
// Cycles
//===----------------------------------------------------------------------===//

TEST(VectorBlock, OneCyclePerPacketAndAlu) {
  SEQUIN_ROW("VEC-42");
  auto cyclesOf = [](std::vector<VectorOp> ops, int64_t flits,
                     bool unzip = false) {
    VectorStage stage;
    stage.ops = std::move(ops);
    stage.unzip = unzip;
    SliceProgram program;
    program.exec(pass(stage, flits, unzip ? flits / 2 : flits));
    return program.stage("exec", "vector");
  };
  // Way8: eight elements per cycle; each ALU adds a cycle behind the last.
  EXPECT_EQ(cyclesOf({}, 100), 100);
  EXPECT_EQ(cyclesOf({constant(VectorOpcode::FxpAdd, 1)}, 100), 101);
  // Way4: a split flit takes two cycles, a trimmed one is one packet.
  EXPECT_EQ(cyclesOf({op(VectorOpcode::Split), op(VectorOpcode::Concat)}, 100),
            200);
  EXPECT_EQ(
      cyclesOf({op(VectorOpcode::TrimWay4), op(VectorOpcode::PadWay8)}, 100),
      100);
  // exp(sqrt(x)) adds 2.
  VectorOp convert = op(VectorOpcode::FxpToFp),
           back = op(VectorOpcode::FpToFxp);
  EXPECT_EQ(
      cyclesOf({convert, op(VectorOpcode::TrimWay4), op(VectorOpcode::FpSqrt),
                op(VectorOpcode::FpExp), op(VectorOpcode::PadWay8), back},
               100),
      102);
  // Both groups of a pair enter one after the other.
  VectorOp zip = op(VectorOpcode::ClipAddFxp);
  zip.zip = true;
  EXPECT_EQ(cyclesOf({zip}, 100, true), 101);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static std::string errorOfOps(std::vector<VectorOp> ops) {
  VectorStage stage;
  stage.ops = std::move(ops);
  return errorOf(stage);
}

TEST(VectorBlock, StashRules) {
  SEQUIN_ROW("VEC-26");
  VectorOp stash = op(VectorOpcode::Stash);
  VectorOp read = from(VectorOpcode::ClipMaxI, VectorOperand::Kind::Stash);
  VectorOp again = from(VectorOpcode::ClipMinI, VectorOperand::Kind::Stash);
  EXPECT_EQ(errorOfOps({stash, read}), "no error");
  EXPECT_THAT(errorOfOps({read}), HasSubstr("MaxI reads the stash, which is "
                                            "empty"));
  EXPECT_THAT(
      errorOfOps({stash, read, again}),
      HasSubstr("MinI reads the stash, which an operation before it has "
                "consumed"));
  EXPECT_THAT(errorOfOps({stash, stash}), HasSubstr("Stash is used twice"));
  EXPECT_THAT(errorOfOps({op(VectorOpcode::Split), op(VectorOpcode::Concat),
                          stash, read}),
              HasSubstr("Stash is not available at this stage"));
  VectorOp readF = from(VectorOpcode::ClipMaxF, VectorOperand::Kind::Stash);
  EXPECT_THAT(errorOfOps({stash, op(VectorOpcode::FxpToFp), readF}),
              HasSubstr("reads a stash of i32, the stream carries f32"));
}

TEST(VectorBlock, PairRules) {
  SEQUIN_ROW("VEC-36");
  VectorOp zip = op(VectorOpcode::ClipAddFxp);
  zip.zip = true;
  VectorStage stage;
  stage.unzip = true;
  stage.ops = {zip};
  EXPECT_EQ(errorOf(stage, 4, 2), "no error");
  EXPECT_THAT(errorOf(stage, 3, 1), HasSubstr("takes pairs of flits, the "
                                              "stream has 3"));
  stage.branch.mode = BranchMode::Comparison;
  EXPECT_THAT(errorOf(stage, 4, 2), HasSubstr("has no branch mode"));
  stage.branch = {};
  // Half as many flits leave the zip as the generator counts.
  stage.validCount.emplace();
  stage.validCount->counters = {{4, 0, 8}};
  stage.validCount->packetValid = 32;
  EXPECT_THAT(errorOf(stage, 4, 2),
              HasSubstr("the two-group mode has no valid count generator"));
  stage.validCount.reset();
  stage.ops = {};
  EXPECT_THAT(errorOf(stage, 4, 2), HasSubstr("a zip is missing"));
  stage.ops = {op(VectorOpcode::Stash), zip};
  EXPECT_THAT(errorOf(stage, 4, 2),
              HasSubstr("Stash is not available in two-group mode"));
  VectorOp filter = op(VectorOpcode::Filter);
  filter.elements = 8;
  stage.ops = {zip, filter};
  EXPECT_THAT(errorOf(stage, 4, 1),
              HasSubstr("Filter is not available in two-group mode"));
  // The ALU is used up for both groups; one operation may be two entries.
  VectorOp first = constant(VectorOpcode::FxpAdd, 1), second = first;
  first.groups = 1;
  second.groups = 2;
  stage.ops = {first, second, zip};
  EXPECT_EQ(errorOf(stage, 4, 2), "no error");
  second.opcode = VectorOpcode::FxpSub;
  stage.ops = {first, second, zip};
  EXPECT_THAT(errorOf(stage, 4, 2),
              HasSubstr("SubFxp needs FxpAdd, which is already in use"));
  EXPECT_THAT(errorOfOps({zip}), HasSubstr("zips a stream that is no pair"));
  EXPECT_THAT(errorOfOps({first}), HasSubstr("has no groups to choose from"));
}

TEST(VectorBlock, ToggleStrides) {
  auto errorOfStride = [](int64_t size, int64_t stride) {
    VectorStage stage;
    stage.branch.mode = BranchMode::AxisToggle;
    stage.branch.toggle = {{size, stride}, {16 / size, 0}};
    stage.ops = {constant(VectorOpcode::FxpAdd, 1000, 0xaaaa)};
    return errorOf(stage);
  };
  constexpr int64_t most = int64_t(1) << 40;
  EXPECT_EQ(errorOfStride(2, most - 1), "no error");
  EXPECT_EQ(errorOfStride(2, most), "no error");
  EXPECT_THAT(errorOfStride(2, most + 1),
              HasSubstr("stage 'vector': stride of toggle loop 0 is "
                        "1099511627777, allowed are -1099511627776 to "
                        "1099511627776"));
  EXPECT_EQ(errorOfStride(2, -most), "no error");
  EXPECT_THAT(errorOfStride(2, -most - 1), HasSubstr("stride of toggle loop"));
  EXPECT_EQ(errorOfStride(16, most / 15), "no error");
  EXPECT_THAT(errorOfStride(16, most / 15 + 1),
              HasSubstr("stride of toggle loop 0"));
  EXPECT_THAT(errorOfStride(2, INT64_MIN), HasSubstr("toggle loop 0"));
  EXPECT_THAT(errorOfStride(2, INT64_MAX), HasSubstr("toggle loop 0"));
  // A loop of one iteration does not move.
  EXPECT_EQ(errorOfStride(1, INT64_MAX), "no error");
}

TEST(VectorBlock, BranchRules) {
  VectorStage stage;
  stage.branch.mode = BranchMode::Comparison;
  stage.branch.comparisons.resize(4);
  EXPECT_EQ(errorOf(stage), "no error");
  stage.branch.comparisons.resize(5);
  EXPECT_THAT(errorOf(stage), HasSubstr("number of comparisons is 5, allowed "
                                        "are 0 to 4"));
  stage.branch = {};
  stage.branch.mode = BranchMode::AxisToggle;
  stage.branch.toggle = {{15, 1}};
  EXPECT_THAT(errorOf(stage), HasSubstr("15 toggles, the stream has 16"));
  stage.branch = {};
  stage.branch.mode = BranchMode::Vrf;
  stage.branch.vrf = {8192 - 8, {{16, 1}}, 1};
  EXPECT_EQ(errorOf(stage), "no error");
  stage.branch.vrf.baseAddress = 8192 - 7;
  EXPECT_THAT(errorOf(stage), HasSubstr("of the VRF of a slice are accessed"));
  stage.branch = {};
  stage.branch.logAddress = 8192 - 8;
  EXPECT_EQ(errorOf(stage), "no error");
  stage.branch.logAddress = 8192 - 7;
  EXPECT_THAT(errorOf(stage), HasSubstr("of the VRF of a slice are accessed"));
  // 16 ids are 8 bytes, read and written by one pass.
  stage.branch.mode = BranchMode::Vrf;
  stage.branch.vrf = {64, {{16, 1}}, 1};
  stage.branch.logAddress = 72;
  EXPECT_EQ(errorOf(stage), "no error");
  stage.branch.logAddress = 71;
  EXPECT_THAT(
      errorOf(stage),
      HasSubstr("the branch logger writes bytes 71 to 78 of the VRF, of "
                "which the pass reads 64 to 71"));
  stage.branch = {};
  stage.branch.mode = BranchMode::ValidCount;
  EXPECT_THAT(errorOf(stage), HasSubstr("needs a valid count generator"));
}

TEST(VectorBlock, ArgumentRules) {
  VectorOp add = constant(VectorOpcode::FxpAdd, 1);
  add.mode = ArgMode::M012;
  EXPECT_THAT(errorOfOps({add}), HasSubstr("the argument mode is for 3"));
  add.mode = ArgMode::M00;
  EXPECT_THAT(errorOfOps({add}),
              HasSubstr("operand 0 of AddFxp is not an argument"));
  add = constant(VectorOpcode::FxpAdd, 1);
  add.operand1 = add.operand;
  EXPECT_THAT(errorOfOps({add}),
              HasSubstr("operand 1 of AddFxp is not an argument"));
  VectorOp shift = constant(VectorOpcode::LogicLeftShift, -1);
  EXPECT_THAT(errorOfOps({shift}),
              HasSubstr("the shift count of BitLeftShift is -1"));
  VectorOp split = op(VectorOpcode::Split);
  split.ids = 1;
  EXPECT_THAT(errorOfOps({split}), HasSubstr("cannot depend on ExecutionIds"));
}

TEST(VectorBlock, FilterRules) {
  VectorOp filter = op(VectorOpcode::Filter);
  auto error = [&](int64_t elements) {
    filter.elements = elements;
    VectorStage stage;
    stage.ops = {filter};
    return errorOf(stage, 2, (elements + 7) / 8);
  };
  EXPECT_EQ(error(16), "no error");
  EXPECT_THAT(error(24),
              HasSubstr("elements behind Filter is 24, allowed are 1 "
                        "to 16"));
  EXPECT_THAT(error(12), HasSubstr("must be a multiple of 8"));
}
