//===- VectorPasses.cpp - Steps onto the vector engine's stages -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each ALU works once in a pass and stages never go backwards: Fxp, FxpToFp,
// Float (between split and concat), Clip. f32 addition exists in Float and in
// Clip, i32 addition in Fxp and in Clip; the others in one place only.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

namespace {

/// A place where a step can run: a stage and one of its ALUs.
struct Place {
  PlacedStep::Stage stage;
  llvm::StringLiteral alu;
  std::variant<std::monostate, tcp::FxpOp, tcp::FpBinaryOp, tcp::ClipOp> op;
};

using Stage = PlacedStep::Stage;
using tcp::ClipOp;
using tcp::FpBinaryOp;
using tcp::FxpOp;

const Place kFloatAdd{Stage::Float, "FpFma", FpBinaryOp::AddF};
const Place kClipAdd{Stage::Clip, "ClipAdd", ClipOp::Add};

SmallVector<Place, 2> floatPlaces(ArithmeticOp op, bool preferClip) {
  switch (op) {
  case ArithmeticOp::Add:
    return preferClip ? SmallVector<Place, 2>{kClipAdd, kFloatAdd}
                      : SmallVector<Place, 2>{kFloatAdd, kClipAdd};
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
    llvm_unreachable("shifts are on integers");
  }
}

SmallVector<Place, 2> intPlaces(ArithmeticOp op) {
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

/// Whether a step that this pass could still reach can only run in the Float
/// stage.
bool needsFloatLater(ArrayRef<Step> rest) {
  for (const Step &step : rest) {
    if (step.kind == Step::Kind::Narrow || step.op == ArithmeticOp::Max ||
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
  Stage stage = Stage::Fxp;
  SmallVector<StringRef, 6> used;

  bool place(const Place &place, const Step &step) {
    if (place.stage < stage || llvm::is_contained(used, place.alu))
      return false;
    stage = place.stage;
    used.push_back(place.alu);
    pass.steps.push_back({place.stage, place.op, &step});
    return true;
  }
};

} // namespace

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
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step &step = steps[i];
    if (step.kind == Step::Kind::Narrow) {
      close(step.type);
      type = computeTypeOf(step.type);
      if (i + 1 == steps.size() && step.type == resultType)
        return passes;
      continue;
    }
    SmallVector<Place, 2> places;
    if (step.kind == Step::Kind::IntToFloat)
      places = {{Stage::FxpToFp, "FxpToFp", std::monostate()}};
    else if (step.type.isF32())
      places = floatPlaces(step.op, !needsFloatLater(steps.drop_front(i + 1)) &&
                                        open.stage != Stage::Float);
    else
      places = intPlaces(step.op);
    auto placed = [&] {
      return llvm::any_of(
          places, [&](const Place &place) { return open.place(place, step); });
    };
    if (!placed()) {
      close(type);
      bool fits = placed();
      assert(fits && "an empty pass takes every step");
      (void)fits;
    }
    type = step.type;
  }
  close(resultType);
  return passes;
}
