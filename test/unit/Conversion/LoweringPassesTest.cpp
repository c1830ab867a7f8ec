//===- LoweringPassesTest.cpp - Steps onto the vector engine
//----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/LinalgToTcp/Program.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

namespace {

using Stage = PlacedStep::Stage;
using Kind = Step::Kind;

class PassesTest : public ::testing::Test {
protected:
  MLIRContext context;
  Builder builder{&context};
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  Type bf16 = builder.getBF16Type(), i8 = builder.getIntegerType(8);
  std::vector<Step> steps;

  void add(ArithmeticOp op, Type type) {
    Step step;
    step.op = op;
    step.type = type;
    steps.push_back(std::move(step));
  }
  void add(Kind kind, Type type,
           tcp::FpUnaryOp function = tcp::FpUnaryOp::Exp) {
    Step step;
    step.kind = kind;
    step.type = type;
    step.function = function;
    steps.push_back(std::move(step));
  }
  /// Stages of the steps, a list per pass.
  std::vector<std::vector<Stage>> stages(Type from, Type to) {
    passes = assignPasses(steps, from, to);
    std::vector<std::vector<Stage>> list;
    for (const VectorPass &pass : passes) {
      std::vector<Stage> &stages = list.emplace_back();
      for (const PlacedStep &step : pass.steps)
        stages.push_back(step.stage);
    }
    return list;
  }
  using Stages = std::vector<std::vector<Stage>>;
  std::vector<VectorPass> passes;
};

TEST_F(PassesTest, OfNoStepsAreOneWithACast) {
  EXPECT_EQ(stages(f32, bf16), Stages{{}});
  EXPECT_EQ(passes[0].result, bf16);
}

TEST_F(PassesTest, EndWhereAnAluWorksTwice) {
  // Three products: two multipliers.
  for (int i = 0; i < 3; ++i)
    add(ArithmeticOp::Mul, f32);
  EXPECT_EQ(stages(f32, f32),
            (Stages{{Stage::Float, Stage::Float}, {Stage::Float}}));
  EXPECT_EQ(passes[0].result, f32);
}

TEST_F(PassesTest, EndWhereAStageIsBehind) {
  // Maximum is in Clip, behind the multipliers.
  add(ArithmeticOp::Max, f32);
  add(ArithmeticOp::Mul, f32);
  EXPECT_EQ(stages(f32, f32), (Stages{{Stage::Clip}, {Stage::Float}}));
}

TEST_F(PassesTest, AddInClipUnlessFloatComesLater) {
  // Bias and ReLU need no halves of packets.
  add(ArithmeticOp::Add, f32);
  add(ArithmeticOp::Max, f32);
  EXPECT_EQ(stages(f32, f32), (Stages{{Stage::Clip, Stage::Clip}}));
  // A function after the sum is in Float, and so is the sum.
  steps.clear();
  add(ArithmeticOp::Add, f32);
  add(Kind::Function, f32);
  EXPECT_EQ(stages(f32, f32), (Stages{{Stage::Float, Stage::Float}}));
}

TEST_F(PassesTest, AddTwiceOnceInEachPlace) {
  add(ArithmeticOp::Sub, f32);
  add(ArithmeticOp::Add, f32);
  EXPECT_EQ(stages(f32, f32), (Stages{{Stage::Float, Stage::Clip}}));
}

TEST_F(PassesTest, FollowTheOrderOfIntegerStages) {
  add(ArithmeticOp::And, i32);
  add(ArithmeticOp::Mul, i32);
  add(ArithmeticOp::Add, i32);
  add(ArithmeticOp::ShiftRightSigned, i32);
  add(ArithmeticOp::Max, i32);
  add(ArithmeticOp::Min, i32);
  EXPECT_EQ(stages(i32, i8), (Stages{{Stage::Logic, Stage::Fxp, Stage::Fxp,
                                      Stage::Fxp, Stage::Clip, Stage::Clip}}));
  EXPECT_EQ(passes[0].result, i8);
}

TEST_F(PassesTest, ConvertOnTheWayToFloatAndBack) {
  add(ArithmeticOp::Mul, i32);
  add(Kind::IntToFloat, f32);
  add(ArithmeticOp::Mul, f32);
  add(Kind::FloatToInt, i32);
  add(ArithmeticOp::Min, i32);
  EXPECT_EQ(stages(i32, i32), (Stages{{Stage::Fxp, Stage::FxpToFp, Stage::Float,
                                       Stage::FpToFxp, Stage::Clip}}));
  // There is no way back to integer products.
  add(ArithmeticOp::Mul, i32);
  EXPECT_EQ(stages(i32, i32).size(), 2u);
}

TEST_F(PassesTest, EndWithEveryRounding) {
  add(ArithmeticOp::Add, f32);
  add(Kind::Narrow, bf16);
  add(ArithmeticOp::Mul, f32);
  EXPECT_EQ(stages(f32, bf16), (Stages{{Stage::Clip}, {Stage::Float}}));
  EXPECT_EQ(passes[0].result, bf16);
  EXPECT_EQ(passes[1].result, bf16);
}

TEST_F(PassesTest, RoundOnceWhereTheResultIsTheRounding) {
  add(ArithmeticOp::Add, f32);
  add(Kind::Narrow, bf16);
  EXPECT_EQ(stages(f32, bf16), Stages{{Stage::Clip}});
}

TEST_F(PassesTest, ReadBitsAnewBetweenTwoOfThem) {
  // Absolute value: the bits, without the sign, as a number again.
  add(Kind::Reinterpret, i32);
  add(ArithmeticOp::And, i32);
  add(Kind::Reinterpret, f32);
  EXPECT_EQ(stages(f32, f32), (Stages{{}, {Stage::Logic}}));
  EXPECT_EQ(passes[0].readAs, i32);
  EXPECT_EQ(passes[1].readAs, f32);
  EXPECT_EQ(passes[1].result, i32);
}

TEST_F(PassesTest, KeepEveryStepOnceAndInOrder) {
  // A long chain of everything that Float and Clip have.
  for (int i = 0; i < 5; ++i) {
    add(ArithmeticOp::Mul, f32);
    add(Kind::Function, f32, tcp::FpUnaryOp::Tanh);
    add(ArithmeticOp::Div, f32);
    add(ArithmeticOp::Max, f32);
    add(ArithmeticOp::Add, f32);
  }
  stages(f32, f32);
  std::vector<const Step *> order;
  for (const VectorPass &pass : passes) {
    Stage stage = Stage::Logic;
    for (const PlacedStep &step : pass.steps) {
      EXPECT_GE(step.stage, stage);
      stage = step.stage;
      order.push_back(step.step);
    }
  }
  ASSERT_EQ(order.size(), steps.size());
  for (size_t i = 0; i < steps.size(); ++i)
    EXPECT_EQ(order[i], &steps[i]);
}

} // namespace
