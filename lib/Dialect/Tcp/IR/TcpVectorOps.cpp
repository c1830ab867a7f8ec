//===- TcpVectorOps.cpp - The vector engine -------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamAssembly.h"
#include "sequin/Dialect/Tcp/IR/TcpShapes.h"
#include "sequin/Machine/TcpIsa.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using namespace sequin::tcp_isa;
using sequin::stream::MappingAttr;

#define SEQUIN_INFER_STAGE(OP, STAGE)                                          \
  FailureOr<Type> OP::inferResult(std::optional<Location> loc,                 \
                                  Adaptor adaptor) {                           \
    return inferStream(loc, adaptor.getInput(), Stage::STAGE);                 \
  }
SEQUIN_INFER_STAGE(VectorInitOp, VectorInit)
SEQUIN_INFER_STAGE(VectorIntraSliceBranchOp, VectorBranch)
SEQUIN_INFER_STAGE(VectorFxpOp, VectorFxp)
SEQUIN_INFER_STAGE(VectorFpBinaryOp, VectorFp)
SEQUIN_INFER_STAGE(VectorClipOp, VectorClip)
SEQUIN_INFER_STAGE(VectorFinalOp, VectorFinal)
#undef SEQUIN_INFER_STAGE

/// A conversion keeps the mappings.
static FailureOr<Type> inferConversion(std::optional<Location> loc, Value input,
                                       Stage stage, Type elementType) {
  StreamType type = getStreamType(loc, input);
  if (!type)
    return failure();
  return inferStream(loc, input, stage, elementType, type.getTime(),
                     type.getPacket());
}

FailureOr<Type> VectorFxpToFpOp::inferResult(std::optional<Location> loc,
                                             Adaptor adaptor) {
  Value input = adaptor.getInput();
  return inferConversion(loc, input, Stage::VectorFxpToFp,
                         Float32Type::get(input.getContext()));
}

FailureOr<Type> VectorFpToFxpOp::inferResult(std::optional<Location> loc,
                                             Adaptor adaptor) {
  Value input = adaptor.getInput();
  return inferConversion(loc, input, Stage::VectorFpToFxp,
                         IntegerType::get(input.getContext(), 32));
}

/// Split and concat change how the same elements are cut into packets.
template <typename Adaptor>
static FailureOr<Type> inferRegrouped(std::optional<Location> loc,
                                      Adaptor adaptor, Stage stage) {
  StreamType type = getStreamType(loc, adaptor.getInput());
  if (!type)
    return failure();
  return inferStream(loc, adaptor.getInput(), stage, type.getElementType(),
                     adaptor.getTime(), adaptor.getPacket());
}

FailureOr<Type> VectorSplitOp::inferResult(std::optional<Location> loc,
                                           Adaptor adaptor) {
  return inferRegrouped(loc, adaptor, Stage::VectorNarrow);
}

FailureOr<Type> VectorConcatOp::inferResult(std::optional<Location> loc,
                                            Adaptor adaptor) {
  return inferRegrouped(loc, adaptor, Stage::VectorWiden);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult VectorInitOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
  if (failed(verifyMainContext(*this, input)))
    return failure();
  Type type = input.getElementType();
  if (!type.isInteger(32) && !type.isF32())
    return emitOpError() << "stream has element type " << type
                         << ", the vector engine works on i32 and f32";
  if (input.getPacketMapping().size() != kLanes)
    return emitOpError() << "packet \"" << input.getPacket().getText()
                         << "\" has " << input.getPacketMapping().size()
                         << " elements, the vector engine has " << kLanes
                         << " lanes";
  return success();
}

LogicalResult VectorIntraSliceBranchOp::verify() { return success(); }
LogicalResult VectorFinalOp::verify() { return success(); }

/// Names of the ALUs, as the manual's stage table has them.
static StringRef getAlu(FxpOp op) {
  switch (op) {
  case FxpOp::AddFxp:
  case FxpOp::AddFxpSat:
  case FxpOp::SubFxp:
  case FxpOp::SubFxpSat:
    return "FxpAdd";
  case FxpOp::LeftShift:
  case FxpOp::LeftShiftSat:
    return "FxpLshift";
  case FxpOp::MulFxp:
  case FxpOp::MulInt:
    return "FxpMul";
  case FxpOp::LogicRightShift:
  case FxpOp::ArithRightShift:
  case FxpOp::ArithRightShiftRound:
    return "FxpRshift";
  }
  llvm_unreachable("unknown fxp operation");
}

static StringRef getAlu(FpBinaryOp op) {
  switch (op) {
  case FpBinaryOp::AddF:
  case FpBinaryOp::SubF:
    return "FpFma";
  case FpBinaryOp::MulF0:
    return "FpMul0";
  case FpBinaryOp::MulF1:
    return "FpMul1";
  case FpBinaryOp::DivF:
    return "FpFpu";
  }
  llvm_unreachable("unknown float operation");
}

static StringRef getAlu(ClipOp op) {
  switch (op) {
  case ClipOp::Min:
    return "ClipMin";
  case ClipOp::Max:
    return "ClipMax";
  case ClipOp::Add:
  case ClipOp::AddFxp:
  case ClipOp::AddFxpSat:
    return "ClipAdd";
  }
  llvm_unreachable("unknown clip operation");
}

/// Each ALU works once per pass (VEC-07): looks back through the stage.
template <typename OpTy> static LogicalResult verifyAlu(OpTy op) {
  StringRef alu = getAlu(op.getOp());
  // No stage has more ALUs than this; a longer chain uses one twice further up.
  // The bound also ends on a cycle, which is refused only after the verifiers.
  constexpr int kMostAlus = 5;
  auto before = op.getInput().template getDefiningOp<OpTy>();
  for (int i = 0; before && i < kMostAlus;
       ++i, before = before.getInput().template getDefiningOp<OpTy>()) {
    if (getAlu(before.getOp()) != alu)
      continue;
    InFlightDiagnostic diag = op.emitOpError()
                              << "needs ALU " << alu
                              << ", which can be used once per pass";
    diag.attachNote(before.getLoc()) << "already in use here";
    return diag;
  }
  return success();
}

/// The second operand is one constant of the stream's type or a VRF tensor of
/// that type spread the same way.
template <typename OpTy> static LogicalResult verifyOperand(OpTy op) {
  auto input = cast<StreamType>(op.getInput().getType());
  if (static_cast<bool>(op.getConstantAttr()) == static_cast<bool>(op.getVrf()))
    return op.emitOpError()
           << "takes one operand, a constant or a VRF tensor, found "
           << (op.getVrf() ? "both" : "none");
  if (auto constant = dyn_cast_or_null<TypedAttr>(op.getConstantAttr())) {
    if (constant.getType() != input.getElementType())
      return op.emitOpError() << "constant has type " << constant.getType()
                              << ", the stream " << input.getElementType();
    return success();
  }
  VrfType vrf = op.getVrf().getType();
  if (vrf.getElementType() != input.getElementType())
    return op.emitOpError()
           << "VRF tensor has element type " << vrf.getElementType()
           << ", the stream " << input.getElementType();
  if (vrf.getGrid() != input.getGrid())
    return op.emitOpError() << "VRF tensor is spread as " << vrf.getGrid()
                            << ", the stream as " << input.getGrid();
  return success();
}

static LogicalResult verifyStreamType(Operation *op, StreamType input,
                                      bool wantFloat) {
  if (wantFloat == input.getElementType().isF32())
    return success();
  return op->emitOpError() << "works on " << (wantFloat ? "f32" : "i32")
                           << ", found a stream of " << input.getElementType();
}

LogicalResult VectorFxpOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
  if (failed(verifyStreamType(*this, input, /*wantFloat=*/false)) ||
      failed(verifyOperand(*this)))
    return failure();
  // A negative shift count has no meaning (SIL-4); counts of 32 and more have.
  bool isShift =
      getAlu(getOp()) == "FxpLshift" || getAlu(getOp()) == "FxpRshift";
  if (auto count = dyn_cast_or_null<IntegerAttr>(getConstantAttr());
      isShift && count && count.getInt() < 0 && getMode() == ArgMode::Mode01)
    return emitOpError() << "shift count is " << count.getInt()
                         << ", must not be negative";
  return verifyAlu(*this);
}

LogicalResult VectorFxpToFpOp::verify() {
  return verifyStreamType(*this, cast<StreamType>(getInput().getType()),
                          /*wantFloat=*/false);
}

LogicalResult VectorFpToFxpOp::verify() {
  return verifyStreamType(*this, cast<StreamType>(getInput().getType()),
                          /*wantFloat=*/true);
}

LogicalResult VectorFpBinaryOp::verify() {
  if (failed(verifyStreamType(*this, cast<StreamType>(getInput().getType()),
                              /*wantFloat=*/true)) ||
      failed(verifyOperand(*this)))
    return failure();
  return verifyAlu(*this);
}

LogicalResult VectorClipOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
  bool isFloat = input.getElementType().isF32();
  if (isFloat && (getOp() == ClipOp::AddFxp || getOp() == ClipOp::AddFxpSat))
    return emitOpError() << stringifyClipOp(getOp())
                         << " works on i32, found a stream of f32; use Add";
  if (!isFloat && getOp() == ClipOp::Add)
    return emitOpError() << "Add works on f32, found a stream of i32; use "
                            "AddFxp or AddFxpSat";
  if (failed(verifyOperand(*this)))
    return failure();
  return verifyAlu(*this);
}

/// Split and concat keep the order of elements and change the packet to
/// `lanes`.
static LogicalResult verifyRegrouped(Operation *op, StreamType input,
                                     StreamType output, int64_t lanes) {
  if (output.getPacketMapping().size() != lanes)
    return op->emitOpError() << "packet \"" << output.getPacket().getText()
                             << "\" has " << output.getPacketMapping().size()
                             << " elements, expected " << lanes;
  llvm::Expected<Mapping> before =
      Mapping::pair(input.getTimeMapping(), input.getPacketMapping());
  if (!before)
    return op->emitOpError() << llvm::toString(before.takeError());
  llvm::Expected<Mapping> after =
      Mapping::pair(output.getTimeMapping(), output.getPacketMapping());
  if (!after)
    return op->emitOpError() << llvm::toString(after.takeError());
  if (!after->isEquivalent(*before))
    return op->emitOpError()
           << "result holds \"" << after->str() << "\", the stream \""
           << before->str() << "\", first different at position "
           << after->firstDifference(*before).value_or(0);
  return success();
}

LogicalResult VectorSplitOp::verify() {
  return verifyRegrouped(*this, cast<StreamType>(getInput().getType()),
                         cast<StreamType>(getResult().getType()), kNarrowLanes);
}

LogicalResult VectorConcatOp::verify() {
  return verifyRegrouped(*this, cast<StreamType>(getInput().getType()),
                         cast<StreamType>(getResult().getType()), kLanes);
}
