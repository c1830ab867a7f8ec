//===- VectorPasses.cpp - Steps onto the vector engine's stages -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each ALU works once in a pass and stages never go backwards: Logic, Fxp,
// FxpToFp, Float (between split and concat), FpToFxp, Clip. f32 addition exists
// in Float and in Clip, i32 addition in Fxp and in Clip; the others in one
// place only.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

namespace {

/// What a step can run on: a stage and one of its ALUs.
struct Unit {
  PlacedStep::Stage stage;
  llvm::StringLiteral alu;
  decltype(PlacedStep::op) op;
};

using Stage = PlacedStep::Stage;
using tcp::ClipOp;
using tcp::FpBinaryOp;
using tcp::FpTernaryOp;
using tcp::FpUnaryOp;
using tcp::FxpOp;
using tcp::LogicOp;

const Unit kFloatAdd{Stage::Float, "FpFma", FpBinaryOp::AddF};
const Unit kClipAdd{Stage::Clip, "ClipAdd", ClipOp::Add};

SmallVector<Unit, 2> floatUnits(ArithmeticOp op, bool preferClip) {
  switch (op) {
  case ArithmeticOp::Add:
    return preferClip ? SmallVector<Unit, 2>{kClipAdd, kFloatAdd}
                      : SmallVector<Unit, 2>{kFloatAdd, kClipAdd};
  case ArithmeticOp::Sub:
    return {{Stage::Float, "FpFma", FpBinaryOp::SubF}};
  case ArithmeticOp::Mul:
    return {{Stage::Float, "FpMul0", FpBinaryOp::MulF0},
            {Stage::Float, "FpMul1", FpBinaryOp::MulF1}};
  case ArithmeticOp::Div:
    return {{Stage::Float, "FpFpu", FpBinaryOp::DivF}};
  case ArithmeticOp::Max:
    return {{Stage::Clip, "ClipMax", ClipOp::Max}};
  case ArithmeticOp::Min:
    return {{Stage::Clip, "ClipMin", ClipOp::Min}};
  default:
    llvm_unreachable("shifts and bitwise operations are on integers");
  }
}

SmallVector<Unit, 2> intUnits(ArithmeticOp op) {
  switch (op) {
  case ArithmeticOp::Add:
    return {{Stage::Fxp, "FxpAdd", FxpOp::AddFxp},
            {Stage::Clip, "ClipAdd", ClipOp::AddFxp}};
  case ArithmeticOp::Sub:
    return {{Stage::Fxp, "FxpAdd", FxpOp::SubFxp}};
  case ArithmeticOp::Mul:
    return {{Stage::Fxp, "FxpMul", FxpOp::MulInt}};
  case ArithmeticOp::Max:
    return {{Stage::Clip, "ClipMax", ClipOp::Max}};
  case ArithmeticOp::Min:
    return {{Stage::Clip, "ClipMin", ClipOp::Min}};
  case ArithmeticOp::And:
    return {{Stage::Logic, "LogicAnd", LogicOp::BitAnd}};
  case ArithmeticOp::Or:
    return {{Stage::Logic, "LogicOr", LogicOp::BitOr}};
  case ArithmeticOp::Xor:
    return {{Stage::Logic, "LogicXor", LogicOp::BitXor}};
  case ArithmeticOp::ShiftLeft:
    return {{Stage::Fxp, "FxpLshift", FxpOp::LeftShift}};
  case ArithmeticOp::ShiftRightSigned:
    return {{Stage::Fxp, "FxpRshift", FxpOp::ArithRightShift}};
  case ArithmeticOp::ShiftRightUnsigned:
    return {{Stage::Fxp, "FxpRshift", FxpOp::LogicRightShift}};
  case ArithmeticOp::Div:
    llvm_unreachable("division is on floats");
  }
  llvm_unreachable("unknown arithmetic");
}

Unit functionUnit(FpUnaryOp function) {
  bool exp = function == FpUnaryOp::Exp || function == FpUnaryOp::NegExp;
  return {Stage::Float, exp ? llvm::StringLiteral("FpExp") : "FpFpu", function};
}

/// Whether a step that this pass could still reach can only run in the Float
/// stage.
bool needsFloatLater(ArrayRef<Step> rest) {
  for (const Step &step : rest) {
    if (step.kind == Step::Kind::Function ||
        step.kind == Step::Kind::MultiplyAdd)
      return true;
    if (step.kind != Step::Kind::Arithmetic || step.op == ArithmeticOp::Max ||
        step.op == ArithmeticOp::Min)
      return false;
    if (step.kind == Step::Kind::Arithmetic && step.type.isF32() &&
        (step.op == ArithmeticOp::Sub || step.op == ArithmeticOp::Mul ||
         step.op == ArithmeticOp::Div))
      return true;
  }
  return false;
}

/// The pass under construction.
struct OpenPass {
  VectorPass pass;
  Stage stage = Stage::Logic;
  SmallVector<StringRef, 6> used;

  bool place(const Unit &unit, const Step &step) {
    if (unit.stage < stage || llvm::is_contained(used, unit.alu))
      return false;
    stage = unit.stage;
    used.push_back(unit.alu);
    pass.steps.push_back({unit.stage, unit.op, &step});
    return true;
  }
};

} // namespace

Step linalg_to_tcp::makePartialStep(const Group &group) {
  Step step;
  step.op = group.combiner == Combiner::Max   ? ArithmeticOp::Max
            : group.combiner == Combiner::Min ? ArithmeticOp::Min
                                              : ArithmeticOp::Add;
  step.partial = true;
  step.type = group.computeType;
  step.loc = group.loc;
  return step;
}

std::vector<Step> linalg_to_tcp::getChunkSteps(const Group &group) {
  std::vector<Step> steps{makePartialStep(group)};
  llvm::append_range(steps, group.steps);
  return steps;
}

std::vector<VectorPass> linalg_to_tcp::assignPasses(ArrayRef<Step> steps,
                                                    Type computeType,
                                                    Type resultType) {
  std::vector<VectorPass> passes;
  OpenPass open;
  Type type = computeType;
  auto close = [&](Type result) {
    open.pass.result = result;
    passes.push_back(std::move(open.pass));
    open = OpenPass();
  };
  // What the last pass leaves.
  auto left = [&] {
    const VectorPass &last = passes.back();
    return last.readAs ? last.readAs : last.result;
  };
  bool needsHead =
      llvm::any_of(steps, [](const Step &step) { return step.head; });
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step &step = steps[i];
    if (needsHead && !step.partial) {
      if (i > 0)
        close(type);
      open.pass.keepsHead = true;
      needsHead = false;
    }
    if (step.kind == Step::Kind::Narrow) {
      close(step.type);
      type = computeTypeOf(step.type);
      continue;
    }
    if (step.kind == Step::Kind::Reinterpret) {
      // What the pass before has left, if nothing happened to it since.
      if (passes.empty() || !open.pass.steps.empty() || left() != type)
        close(type);
      passes.back().readAs = step.type;
      type = step.type;
      continue;
    }
    SmallVector<Unit, 2> units;
    if (step.kind == Step::Kind::IntToFloat)
      units = {{Stage::FxpToFp, "FxpToFp", std::monostate()}};
    else if (step.kind == Step::Kind::FloatToInt)
      units = {{Stage::FpToFxp, "FpToFxp", std::monostate()}};
    else if (step.kind == Step::Kind::Function)
      units = {functionUnit(step.function)};
    else if (step.kind == Step::Kind::MultiplyAdd)
      units = {{Stage::Float, "FpFma", FpTernaryOp::FmaF}};
    else if (step.type.isF32())
      units = floatUnits(step.op, !needsFloatLater(steps.drop_front(i + 1)) &&
                                      open.stage != Stage::Float);
    else
      units = intUnits(step.op);
    auto placed = [&] {
      return llvm::any_of(
          units, [&](const Unit &unit) { return open.place(unit, step); });
    };
    if (!placed()) {
      close(type);
      bool fits = placed();
      assert(fits && "an empty pass takes every step");
      (void)fits;
    }
    type = step.type;
  }
  if (passes.empty() || !open.pass.steps.empty() || left() != resultType)
    close(resultType);
  return passes;
}
