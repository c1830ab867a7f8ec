//===- VectorTest.cpp - The vector engine --------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceProgram.h"
#include <cmath>
#include <functional>
#include <map>

using namespace sequin;
using namespace sequin::testing;
using config::VectorOp;
using config::VectorOpcode;
using config::VectorOperand;
using config::VectorStage;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using enum ElementType;

static uint32_t bits(float value) { return llvm::bit_cast<uint32_t>(value); }
static uint32_t bits(int32_t value) { return static_cast<uint32_t>(value); }

template <class T>
static VectorOp constantOp(VectorOpcode opcode, T constant,
                           bool swapped = false) {
  VectorOp op;
  op.opcode = opcode;
  op.operand.kind = VectorOperand::Kind::Constant;
  op.operand.constant = bits(constant);
  if (swapped)
    op.mode = config::ArgMode::M10;
  return op;
}

static VectorOp plainOp(VectorOpcode opcode, int64_t intWidth = 31) {
  VectorOp op;
  op.opcode = opcode;
  op.intWidth = intWidth;
  return op;
}

/// Reads `flits` flits at 0, writes at 4096.
static config::ExecCommand vectorPass(ElementType from, ElementType to,
                                      std::vector<VectorOp> ops,
                                      int64_t flits = 1) {
  config::ExecCommand exec =
      makeExec({0, {{flits, 8}, {8, 1}}, 1}, from, from, 32);
  exec.vector = VectorStage{from, std::move(ops)};
  exec.sink = config::CommitStage{to, {4096, {{flits, 8}, {8, 1}}, 1}, 32, 32};
  return exec;
}

template <class T> static ElementType typeOf() {
  return std::is_same_v<T, float> ? F32 : I32;
}

template <class T>
static std::vector<uint32_t> runOps(std::vector<T> values, ElementType to,
                                    std::vector<VectorOp> ops) {
  SliceProgram program;
  program.input(arrayOf(I32, std::vector<int>(8)), 0);
  for (int i = 0; i < 8; ++i)
    storeElement(I32, program.inputs[0].data.data(), i, bits(values[i]));
  program.inputs[0].type = typeOf<T>();
  program.program.inputs[0].type = typeOf<T>();
  std::get<config::Transfer>(program.program.commands[0].body).type =
      typeOf<T>();
  program.exec(vectorPass(typeOf<T>(), to, std::move(ops)));
  program.output(to, 8, 4096);
  std::vector<sim::HostArray> outputs = program.outputs();
  std::vector<uint32_t> result;
  for (size_t i = 0; i < outputs[0].data.size() / 4; ++i)
    result.push_back(loadElement(I32, outputs[0].data.data(), i));
  return result;
}

//===----------------------------------------------------------------------===//
// Each operation
//===----------------------------------------------------------------------===//

namespace {
using IntFunction = std::function<int32_t(int32_t, int32_t)>;
using FloatFunction = std::function<float(float, float)>;
} // namespace

static int32_t clamp64(int64_t value) {
  return static_cast<int32_t>(
      std::min<int64_t>(std::max<int64_t>(value, INT32_MIN), INT32_MAX));
}
static int32_t wrap64(int64_t value) {
  return static_cast<int32_t>(static_cast<uint32_t>(value));
}

/// What every opcode computes, in plain wide arithmetic.
static const std::map<VectorOpcode, IntFunction> &intFunctions() {
  using enum VectorOpcode;
  static const std::map<VectorOpcode, IntFunction> functions = {
      {FxpAdd, [](int64_t a, int64_t b) { return wrap64(a + b); }},
      {FxpAddSat, [](int64_t a, int64_t b) { return clamp64(a + b); }},
      {FxpSub, [](int64_t a, int64_t b) { return wrap64(a - b); }},
      {FxpSubSat, [](int64_t a, int64_t b) { return clamp64(a - b); }},
      {FxpLeftShift,
       [](int64_t a, int64_t b) { return wrap64(a * (int64_t(1) << b)); }},
      {FxpLeftShiftSat,
       [](int64_t a, int64_t b) { return clamp64(a * (int64_t(1) << b)); }},
      {FxpMul,
       [](int64_t a, int64_t b) {
         return clamp64((a * b + (int64_t(1) << 30)) >> 31);
       }},
      {FxpMulInt, [](int64_t a, int64_t b) { return wrap64(a * b); }},
      {LogicAndI, [](int64_t a, int64_t b) { return wrap64(a & b); }},
      {LogicOrI, [](int64_t a, int64_t b) { return wrap64(a | b); }},
      {LogicXorI, [](int64_t a, int64_t b) { return wrap64(a ^ b); }},
      {LogicLeftShift,
       [](int64_t a, int64_t b) { return wrap64(a * (int64_t(1) << b)); }},
      {LogicRightShift,
       [](int64_t a, int64_t b) {
         return wrap64(static_cast<uint32_t>(a) >> b);
       }},
      {LogicArithRightShift,
       [](int64_t a, int64_t b) {
         return static_cast<int32_t>(
             std::floor(static_cast<double>(a) / (int64_t(1) << b)));
       }},
      {FxpLogicRightShift,
       [](int64_t a, int64_t b) {
         return wrap64(static_cast<uint32_t>(a) >> b);
       }},
      {FxpArithRightShift,
       [](int64_t a, int64_t b) {
         return static_cast<int32_t>(
             std::floor(static_cast<double>(a) / (int64_t(1) << b)));
       }},
      {FxpArithRightShiftRound,
       [](int64_t a, int64_t b) {
         return static_cast<int32_t>(
             std::floor(static_cast<double>(a) / (int64_t(1) << b) + 0.5));
       }},
      {ClipMinI, [](int64_t a, int64_t b) { return wrap64(std::min(a, b)); }},
      {ClipMaxI, [](int64_t a, int64_t b) { return wrap64(std::max(a, b)); }},
      {ClipAbsMinI,
       [](int64_t a, int64_t b) {
         return wrap64(std::abs(a) <= std::abs(b) ? a : b);
       }},
      {ClipAbsMaxI,
       [](int64_t a, int64_t b) {
         return wrap64(std::abs(a) >= std::abs(b) ? a : b);
       }},
      {ClipAddFxp, [](int64_t a, int64_t b) { return wrap64(a + b); }},
      {ClipAddFxpSat, [](int64_t a, int64_t b) { return clamp64(a + b); }},
  };
  return functions;
}

static const std::map<VectorOpcode, FloatFunction> &floatFunctions() {
  using enum VectorOpcode;
  static const std::map<VectorOpcode, FloatFunction> functions = {
      {FpAdd, [](float a, float b) { return a + b; }},
      {FpSub, [](float a, float b) { return a - b; }},
      {FpMul0, [](float a, float b) { return a * b; }},
      {FpMul1, [](float a, float b) { return a * b; }},
      {FpMaskMul0, [](float a, float b) { return a * b; }},
      {FpMaskMul1, [](float a, float b) { return a * b; }},
      {FpDivF, [](float a, float b) { return a / b; }},
      {FpDiv, [](float a, float b) { return a / b; }},
      {LogicAndF,
       [](float a, float b) {
         return llvm::bit_cast<float>(bits(a) & bits(b));
       }},
      {LogicOrF,
       [](float a, float b) {
         return llvm::bit_cast<float>(bits(a) | bits(b));
       }},
      {LogicXorF,
       [](float a, float b) {
         return llvm::bit_cast<float>(bits(a) ^ bits(b));
       }},
      {ClipAbsMinF,
       [](float a, float b) { return std::fabs(a) <= std::fabs(b) ? a : b; }},
      {ClipAbsMaxF,
       [](float a, float b) { return std::fabs(a) >= std::fabs(b) ? a : b; }},
      {ClipMinF, [](float a, float b) { return a < b ? a : b; }},
      {ClipMaxF, [](float a, float b) { return a > b ? a : b; }},
      {ClipAddF, [](float a, float b) { return a + b; }},
  };
  return functions;
}

/// In long double, rounded to f32 once.
static const std::map<VectorOpcode, long double (*)(long double)> &
unaryFunctions() {
  using enum VectorOpcode;
  using Wide = long double;
  static const std::map<VectorOpcode, Wide (*)(Wide)> functions = {
      {FpExp, [](Wide x) -> Wide { return std::exp(x); }},
      {FpNegExp, [](Wide x) -> Wide { return std::exp(-x); }},
      {FpSqrt, [](Wide x) -> Wide { return std::sqrt(x); }},
      {FpTanh, [](Wide x) -> Wide { return std::tanh(x); }},
      {FpSigmoid, [](Wide x) -> Wide { return 1 / (1 + std::exp(-x)); }},
      {FpErf, [](Wide x) -> Wide { return std::erf(x); }},
      {FpLog, [](Wide x) -> Wide { return std::log(x); }},
      {FpSin, [](Wide x) -> Wide { return std::sin(x); }},
      {FpCos, [](Wide x) -> Wide { return std::cos(x); }},
  };
  return functions;
}

TEST(Vector, UnaryOperations) {
  SEQUIN_ROW("VEC-18");
  SEQUIN_ROW("SIL-5");
  SEQUIN_ROW("SIL-6");
  std::vector<float> values = {0.5f, 1.0f,  -1.5f, 3.75f,
                               7.0f, -0.1f, 20.0f, 3e6f};
  for (const auto &[opcode, function] : unaryFunctions()) {
    std::vector<uint32_t> found =
        runOps(values, F32,
               {plainOp(VectorOpcode::Split), plainOp(opcode),
                plainOp(VectorOpcode::Concat)});
    for (int i = 0; i < 8; ++i) {
      float expected = static_cast<float>(function(values[i]));
      if (expected != expected) {
        EXPECT_EQ(found[i], 0x7fc00000u);
        continue;
      }
      float result = llvm::bit_cast<float>(found[i]);
      if (std::isinf(expected) || std::fabs(expected) < 1e-37f)
        EXPECT_NEAR(result == expected ? 0 : result, 0, 1e-37f);
      else
        EXPECT_NEAR(result, expected, std::fabs(expected) * 0x1p-23f)
            << config::getName(opcode).str() << " " << values[i];
    }
  }
}

TEST(Vector, ReinterpretKeepsTheBits) {
  std::vector<float> values = {0.5f, 1.0f,  -1.5f, 3.75f,
                               7.0f, -0.1f, 20.0f, 3e6f};
  std::vector<uint32_t> expected;
  for (float value : values)
    expected.push_back(bits(value));
  EXPECT_EQ(runOps(values, I32, {plainOp(VectorOpcode::Reinterpret)}),
            expected);
}

TEST(Vector, EveryOpcodeIsTested) {
  using enum VectorOpcode;
  for (VectorOpcode opcode : {
#define SEQUIN_VECTOR_OPCODE(NAME, TEXT, STAGE, ALU, TYPE) VectorOpcode::NAME,
#include "sequin/Config/VectorOpcodes.def"
       }) {
    // Moves and conversions have tests of their own.
    bool special =
        llvm::is_contained({Split, TrimWay4, Concat, PadWay8, FxpToFp, FpToFxp,
                            Filter, Stash, Reinterpret, FpFma, FpMaskFma},
                           opcode);
    EXPECT_EQ(intFunctions().count(opcode) + floatFunctions().count(opcode) +
                  unaryFunctions().count(opcode) + special,
              1u)
        << config::getName(opcode).str();
  }
}

TEST(Vector, IntegerOperations) {
  SEQUIN_ROW("VEC-13");
  SEQUIN_ROW("VEC-08");
  std::vector<int32_t> values = {0,         1,         -1,         100,
                                 INT32_MAX, INT32_MIN, 0x12345678, -77777};
  for (const auto &[opcode, function] : intFunctions())
    for (int32_t constant : {0, 1, 5, 31, 100, INT32_MAX}) {
      llvm::StringRef name = config::getName(opcode);
      bool shift = name.contains("Shift");
      if (shift && constant > 31)
        continue;
      std::vector<uint32_t> expected, swapped;
      std::vector<int32_t> counts = {0, 1, 2, 3, 10, 20, 30, 31};
      for (int i = 0; i < 8; ++i) {
        expected.push_back(bits(function(values[i], constant)));
        swapped.push_back(
            bits(function(constant, shift ? counts[i] : values[i])));
      }
      EXPECT_THAT(runOps(values, I32, {constantOp(opcode, constant)}),
                  ElementsAreArray(expected))
          << name.str() << " " << constant;
      EXPECT_THAT(runOps(shift ? counts : values, I32,
                         {constantOp(opcode, constant, true)}),
                  ElementsAreArray(swapped))
          << name.str() << " swapped " << constant;
    }
}

TEST(Vector, FloatOperations) {
  SEQUIN_ROW("SIL-7");
  FloatEnvironment environment(lookupTcpMachine("rngd")->flushSubnormals);
  std::vector<float> values = {0.0f,  1.0f,  -1.5f, 3e38f,
                               1e-3f, -7.0f, 0.1f,  123456.0f};
  for (const auto &[opcode, function] : floatFunctions())
    for (float constant : {1.0f, -2.5f, 3e38f, 0.1f})
      for (bool swap : {false, true}) {
        std::vector<uint32_t> expected;
        for (float value : values)
          expected.push_back(bits(swap ? function(constant, value)
                                       : function(value, constant)));
        bool clip = config::getName(opcode).starts_with("Bit") ||
                    config::getName(opcode).contains("Min") ||
                    config::getName(opcode).contains("Max") ||
                    opcode == VectorOpcode::ClipAddF;
        std::vector<VectorOp> ops = {constantOp(opcode, constant, swap)};
        if (!clip)
          ops = {plainOp(VectorOpcode::Split), ops[0],
                 plainOp(VectorOpcode::Concat)};
        EXPECT_THAT(runOps(values, F32, ops), ElementsAreArray(expected))
            << config::getName(opcode).str() << " " << constant;
      }
}

TEST(Vector, NansAreCanonical) {
  SEQUIN_ROW("SIL-7");
  std::vector<float> values(8, 0.0f);
  values[1] = std::numeric_limits<float>::infinity();
  values[2] = llvm::bit_cast<float>(0xffc12345u);
  std::vector<uint32_t> product = runOps(
      values, F32,
      {plainOp(VectorOpcode::Split), constantOp(VectorOpcode::FpMul0, 0.0f),
       plainOp(VectorOpcode::Concat)});
  EXPECT_EQ(product[1], 0x7fc00000u);
  EXPECT_EQ(product[2], 0x7fc00000u);
  // Min and Max return the operand that is a number.
  EXPECT_EQ(runOps(values, F32, {constantOp(VectorOpcode::ClipMaxF, 2.0f)})[2],
            bits(2.0f));
}

TEST(Vector, Conversions) {
  SEQUIN_ROW("VEC-14");
  SEQUIN_ROW("SIL-2");
  std::vector<int32_t> values = {0, 1, -1, 1 << 30, INT32_MAX, INT32_MIN, 3, 7};
  std::vector<uint32_t> fraction =
      runOps(values, F32, {plainOp(VectorOpcode::FxpToFp, 0)});
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(fraction[i],
              bits(static_cast<float>(std::ldexp(values[i], -31))));
  // There and back loses what f32 cannot hold and nothing else.
  std::vector<uint32_t> back = runOps(
      values, I32,
      {plainOp(VectorOpcode::FxpToFp, 31), plainOp(VectorOpcode::FpToFxp, 31)});
  EXPECT_THAT(back, ElementsAreArray(std::vector<uint32_t>{
                        0, 1, ~0u, 1u << 30, INT32_MAX, 1u << 31, 3, 7}));
}

TEST(Vector, FixedNumbersOfHalvesAndNan) {
  SEQUIN_ROW("SIL-2");
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> values = {0.5f,  -0.5f, 2.5f, -2.5f,
                               1.25f, 1e20f, kNan, -kNan};
  auto signedOf = [](std::vector<uint32_t> words) {
    return std::vector<int32_t>(words.begin(), words.end());
  };
  EXPECT_THAT(
      signedOf(runOps(values, I32, {plainOp(VectorOpcode::FpToFxp, 31)})),
      ElementsAre(1, -1, 3, -3, 1, INT32_MAX, INT32_MAX, INT32_MIN));
}

TEST(Vector, AbsMinAndAbsMaxKeepTheSign) {
  SEQUIN_ROW("SIL-8");
  std::vector<int32_t> values = {INT32_MIN, INT32_MAX, -5, 5, 4, -6, 0, -4};
  auto run = [&](VectorOpcode opcode, bool swapped) {
    std::vector<uint32_t> words =
        runOps(values, I32, {constantOp(opcode, 5, swapped)});
    return std::vector<int32_t>(words.begin(), words.end());
  };
  EXPECT_THAT(run(VectorOpcode::ClipAbsMaxI, false),
              ElementsAre(INT32_MIN, INT32_MAX, -5, 5, 5, -6, 5, 5));
  EXPECT_THAT(run(VectorOpcode::ClipAbsMinI, false),
              ElementsAre(5, 5, -5, 5, 4, 5, 0, -4));
  // Of equal magnitudes the first, which is the constant now.
  EXPECT_THAT(run(VectorOpcode::ClipAbsMaxI, true),
              ElementsAre(INT32_MIN, INT32_MAX, 5, 5, 5, -6, 5, 5));
  EXPECT_THAT(run(VectorOpcode::ClipAbsMinI, true),
              ElementsAre(5, 5, 5, 5, 4, 5, 0, -4));
}

TEST(Vector, RowsMayDecideOtherwise) {
  SliceProgram program;
  SEQUIN_ROW("SIL-8");
  program.input(
      arrayOf(I32, std::vector<int>{-7, 3, -5, INT32_MIN, 6, 0, 1, 2}), 0);
  program.exec(
      vectorPass(I32, I32, {constantOp(VectorOpcode::ClipAbsMaxI, -5)}));
  program.output(I32, 8, 4096);
  TcpMachine machine = program.machine;
  machine.arithmetic.absKeepsSign = false;
  sim::Result result =
      llvm::cantFail(sim::run(program.program, machine, program.inputs));
  EXPECT_THAT(intsOf(result.outputs[0]),
              ElementsAre(7, 5, 5, INT32_MAX, 6, 5, 5, 5));
}

// VEC-05's chain without the transcendental: through all stages in one pass.
TEST(Vector, StagedPipeline) {
  std::vector<int32_t> values = {0, 1, 2, 3, -200, 5, 6, 7};
  std::vector<VectorOp> ops = {constantOp(VectorOpcode::FxpAdd, 100),
                               plainOp(VectorOpcode::FxpToFp, 31),
                               plainOp(VectorOpcode::Split),
                               constantOp(VectorOpcode::FpAdd, 1.0f),
                               constantOp(VectorOpcode::FpMul0, 2.0f),
                               constantOp(VectorOpcode::FpMul1, 3.0f),
                               constantOp(VectorOpcode::FpDivF, 4.0f),
                               plainOp(VectorOpcode::Concat),
                               plainOp(VectorOpcode::FpToFxp, 31),
                               constantOp(VectorOpcode::ClipMaxI, 0)};
  std::vector<uint32_t> expected;
  for (int32_t value : values)
    expected.push_back(
        static_cast<uint32_t>(std::max(0.0, std::round((value + 101) * 1.5))));
  EXPECT_THAT(runOps(values, I32, ops), ElementsAreArray(expected));
}

TEST(Vector, BiasMinusX) {
  SEQUIN_ROW("VEC-33");
  EXPECT_EQ(runOps(std::vector<int32_t>{0, 1, 2, 3, 4, 5, 6, 7}, I32,
                   {constantOp(VectorOpcode::FxpSub, 7, true)}),
            (std::vector<uint32_t>{7, 6, 5, 4, 3, 2, 1, 0}));
}

//===----------------------------------------------------------------------===//
// Operands from the VRF
//===----------------------------------------------------------------------===//

TEST(Vector, VrfOperandIsRepeatedOverTime) {
  SEQUIN_ROW("VEC-31");
  constexpr int flits = 1000; // more than one block
  SliceProgram program;
  program.input(arrayOf(I32, iota(flits * 8)), 1 << 16);
  program.input(arrayOf(I32, std::vector<int>{10, 20, 30, 40, 50, 60, 70, 80}),
                0);
  config::ExecCommand load = makeExec({0, {{8, 1}}, 1}, I32, I32, 8);
  load.context = config::Context::Sub;
  load.sink = config::ToVrfStage{64, 32};
  program.exec(load, "load");
  VectorOp op = plainOp(VectorOpcode::FxpAdd);
  op.operand.kind = VectorOperand::Kind::Vrf;
  op.operand.vrf = {64, {{flits, 0}, {8, 1}}, 1};
  config::ExecCommand exec = vectorPass(I32, I32, {op}, flits);
  exec.fetch.sequencer.baseAddress = 1 << 16;
  std::get<config::CommitStage>(exec.sink).sequencer.baseAddress = 1 << 17;
  program.exec(exec);
  program.output(I32, flits * 8, 1 << 17);
  std::vector<int> expected;
  for (int i = 0; i < flits * 8; ++i)
    expected.push_back(i + 10 * (i % 8 + 1));
  EXPECT_THAT(intsOf(program.outputs()[0]), ElementsAreArray(expected));
}

TEST(Vector, VrfOperandMustMatchTheStream) {
  VectorOp op = plainOp(VectorOpcode::FxpAdd);
  op.operand.kind = VectorOperand::Kind::Vrf;
  auto errorOf = [&](config::Sequencer vrf) {
    op.operand.vrf = std::move(vrf);
    SliceProgram program;
    program.exec(vectorPass(I32, I32, {op}, 2));
    return program.error();
  };
  EXPECT_EQ(errorOf({0, {{2, 0}, {8, 1}}, 1}), "no error");
  EXPECT_EQ(errorOf({8192 - 64, {{16, 1}}, 1}), "no error");
  EXPECT_THAT(errorOf({0, {{8, 1}}, 1}),
              HasSubstr("the operand of AddFxp has 8 elements, the stream has "
                        "16"));
  EXPECT_THAT(errorOf({8192 - 60, {{16, 1}}, 1}),
              HasSubstr("of the VRF of a slice are accessed"));
  EXPECT_THAT(errorOf({2, {{16, 1}}, 1}),
              HasSubstr("VRF address is 2, it must be a multiple of 4"));
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static std::string errorOf(ElementType from, ElementType to,
                           std::vector<VectorOp> ops) {
  SliceProgram program;
  program.exec(vectorPass(from, to, std::move(ops)));
  return program.error();
}

TEST(Vector, EachUnitOnce) {
  SEQUIN_ROW("VEC-41");
  EXPECT_THAT(errorOf(I32, I32,
                      {constantOp(VectorOpcode::FxpAdd, 10),
                       constantOp(VectorOpcode::FxpMulInt, 2),
                       constantOp(VectorOpcode::FxpSub, 5)}),
              HasSubstr("stage 'vector': SubFxp needs FxpAdd, which is "
                        "already in use"));
  EXPECT_THAT(errorOf(F32, F32,
                      {plainOp(VectorOpcode::Split),
                       constantOp(VectorOpcode::FpDivF, 2.0f),
                       constantOp(VectorOpcode::FpDivF, 2.0f),
                       plainOp(VectorOpcode::Concat)}),
              HasSubstr("DivF needs FpFpu, which is already in use"));
  EXPECT_THAT(
      errorOf(I32, F32,
              {plainOp(VectorOpcode::FxpToFp), plainOp(VectorOpcode::FxpToFp)}),
      HasSubstr("FxpToFp is used twice in one pass"));
}

TEST(Vector, StagesNeverGoBack) {
  EXPECT_THAT(errorOf(I32, I32,
                      {constantOp(VectorOpcode::ClipMaxI, 0),
                       constantOp(VectorOpcode::FxpAdd, 1)}),
              HasSubstr("AddFxp comes after an operation of a later stage"));
}

TEST(Vector, FloatStageNeedsWay4) {
  VectorOp add = constantOp(VectorOpcode::FpAdd, 1.0f);
  EXPECT_THAT(errorOf(F32, F32, {add}),
              HasSubstr("AddF needs Split or TrimWay4 before it"));
  EXPECT_THAT(
      errorOf(F32, F32, {plainOp(VectorOpcode::Split), add}),
      HasSubstr("the stream leaves in 4-lane packets, Concat or PadWay8 "
                "is missing"));
  EXPECT_THAT(errorOf(F32, F32, {plainOp(VectorOpcode::Concat)}),
              HasSubstr("Concat needs Split or TrimWay4 before it"));
  EXPECT_THAT(errorOf(F32, F32,
                      {plainOp(VectorOpcode::Split),
                       constantOp(VectorOpcode::ClipMaxF, 0.0f)}),
              HasSubstr("MaxF needs Concat or PadWay8 before it"));
  SEQUIN_ROW("ERR-65");
  EXPECT_EQ(
      errorOf(I32, I32,
              {plainOp(VectorOpcode::Split), plainOp(VectorOpcode::Concat)}),
      "no error");
}

TEST(Vector, TypesAreFollowed) {
  SEQUIN_ROW("VEC-01");
  EXPECT_THAT(errorOf(F32, F32, {constantOp(VectorOpcode::FxpAdd, 1)}),
              HasSubstr("type is i32, the stream carries f32"));
  EXPECT_THAT(errorOf(I32, I32, {plainOp(VectorOpcode::FxpToFp)}),
              HasSubstr("stage 'commit': type is i32, the stream carries f32"));
  SliceProgram narrow;
  config::ExecCommand exec = makeExec({0, {{32, 1}}, 1}, I8, I8, 32);
  exec.vector = VectorStage{I8, {}};
  exec.sink = config::CommitStage{I8, {4096, {{32, 1}}, 1}, 32, 32};
  narrow.exec(exec);
  EXPECT_THAT(narrow.error(), HasSubstr("the stream carries i8, allowed are "
                                        "i32, f32"));
}

TEST(Vector, Operands) {
  EXPECT_THAT(errorOf(I32, I32, {plainOp(VectorOpcode::FxpAdd)}),
              HasSubstr("AddFxp needs an operand"));
  EXPECT_THAT(errorOf(I32, F32, {constantOp(VectorOpcode::FxpToFp, 1)}),
              HasSubstr("FxpToFp takes no operand"));
  EXPECT_THAT(errorOf(I32, F32, {plainOp(VectorOpcode::FxpToFp, 32)}),
              HasSubstr("int_width of FxpToFp is 32, allowed are 0 to 31"));
  SEQUIN_ROW("SIL-4");
  EXPECT_THAT(errorOf(I32, I32, {constantOp(VectorOpcode::FxpLeftShift, -1)}),
              HasSubstr("the shift count of LeftShift is -1, it must not be "
                        "negative"));
}

TEST(Vector, SplitHalvesTheThroughput) {
  SEQUIN_ROW("VEC-42");
  for (bool split : {false, true}) {
    std::vector<VectorOp> ops;
    if (split)
      ops = {plainOp(VectorOpcode::Split), plainOp(VectorOpcode::Concat)};
    SliceProgram program;
    program.exec(vectorPass(F32, F32, ops, 10));
    EXPECT_EQ(program.stage("exec", "vector"), split ? 20 : 10);
  }
}
