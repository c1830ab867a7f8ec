//===- DeriveVector.cpp - Vector engine -----------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecDeriver.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;

config::VectorStage &ExecDeriver::vector(Operation *op) {
  if (!command.vector) {
    command.vector.emplace();
    auto stream = cast<tcp::StreamType>(op->getResult(0).getType());
    command.vector->type = *tcp::getElementKind(stream.getElementType());
  }
  return *command.vector;
}

/// The 32 bits of an i32 or f32 constant.
static uint32_t bitsOf(Attribute attr) {
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return static_cast<uint32_t>(integer.getInt());
  return static_cast<uint32_t>(
      cast<FloatAttr>(attr).getValue().bitcastToAPInt().getZExtValue());
}

template <typename OpTy>
LogicalResult ExecDeriver::vectorBinary(OpTy op, config::VectorOpcode opcode) {
  config::VectorOp entry;
  entry.opcode = opcode;
  entry.swapped = op.getMode() == tcp::ArgMode::Mode10;
  if (Attribute constant = op.getConstantAttr()) {
    entry.operand.kind = config::VectorOperand::Kind::Constant;
    entry.operand.constant = bitsOf(constant);
    vector(op).ops.push_back(std::move(entry));
    return success();
  }
  auto input = cast<tcp::StreamType>(op.getInput().getType());
  tcp::VrfType vrf = op.getVrf().getType();
  // The manual states no limits for reads of the VRF; those of the other
  // register file's sequencer are taken.
  DeriveOptions options;
  options.direction = Direction::Read;
  options.limits = machine.trf;
  options.elementType = *tcp::getElementKind(vrf.getElementType());
  Mapping packet = input.getPacketMapping();
  auto derived = reportAt(op.getOperation(),
                          derive(AddressMap(vrf.getElementMapping()),
                                 input.getTimeMapping(), packet, options),
                          "VRF operand");
  if (failed(derived))
    return failure();
  entry.operand.kind = config::VectorOperand::Kind::Vrf;
  entry.operand.vrf =
      toConfig(separatePacket(*derived, packet.size(), machine.trf),
               options.elementType, addresses.lookup(op.getVrf()));
  vector(op).ops.push_back(std::move(entry));
  return success();
}

static config::VectorOpcode opcodeOf(tcp::FxpOp op) {
  using Opcode = config::VectorOpcode;
  switch (op) {
  case tcp::FxpOp::AddFxp:
    return Opcode::FxpAdd;
  case tcp::FxpOp::AddFxpSat:
    return Opcode::FxpAddSat;
  case tcp::FxpOp::SubFxp:
    return Opcode::FxpSub;
  case tcp::FxpOp::SubFxpSat:
    return Opcode::FxpSubSat;
  case tcp::FxpOp::LeftShift:
    return Opcode::FxpLeftShift;
  case tcp::FxpOp::LeftShiftSat:
    return Opcode::FxpLeftShiftSat;
  case tcp::FxpOp::MulFxp:
    return Opcode::FxpMul;
  case tcp::FxpOp::MulInt:
    return Opcode::FxpMulInt;
  case tcp::FxpOp::LogicRightShift:
    return Opcode::FxpLogicRightShift;
  case tcp::FxpOp::ArithRightShift:
    return Opcode::FxpArithRightShift;
  case tcp::FxpOp::ArithRightShiftRound:
    return Opcode::FxpArithRightShiftRound;
  }
  llvm_unreachable("unknown fxp operation");
}

static config::VectorOpcode opcodeOf(tcp::FpBinaryOp op) {
  using Opcode = config::VectorOpcode;
  switch (op) {
  case tcp::FpBinaryOp::AddF:
    return Opcode::FpAdd;
  case tcp::FpBinaryOp::SubF:
    return Opcode::FpSub;
  case tcp::FpBinaryOp::MulF0:
    return Opcode::FpMul0;
  case tcp::FpBinaryOp::MulF1:
    return Opcode::FpMul1;
  case tcp::FpBinaryOp::DivF:
    return Opcode::FpDivF;
  }
  llvm_unreachable("unknown float operation");
}

static config::VectorOpcode opcodeOf(tcp::ClipOp op, bool isFloat) {
  using Opcode = config::VectorOpcode;
  switch (op) {
  case tcp::ClipOp::Min:
    return isFloat ? Opcode::ClipMinF : Opcode::ClipMinI;
  case tcp::ClipOp::Max:
    return isFloat ? Opcode::ClipMaxF : Opcode::ClipMaxI;
  case tcp::ClipOp::Add:
    return Opcode::ClipAddF;
  case tcp::ClipOp::AddFxp:
    return Opcode::ClipAddFxp;
  case tcp::ClipOp::AddFxpSat:
    return Opcode::ClipAddFxpSat;
  }
  llvm_unreachable("unknown clip operation");
}

LogicalResult ExecDeriver::stage(tcp::VectorInitOp op) {
  vector(op);
  return success();
}

LogicalResult ExecDeriver::stage(tcp::VectorIntraSliceBranchOp) {
  return success();
}

LogicalResult ExecDeriver::stage(tcp::VectorFxpOp op) {
  return vectorBinary(op, opcodeOf(op.getOp()));
}

LogicalResult ExecDeriver::stage(tcp::VectorFpBinaryOp op) {
  return vectorBinary(op, opcodeOf(op.getOp()));
}

LogicalResult ExecDeriver::stage(tcp::VectorClipOp op) {
  auto input = cast<tcp::StreamType>(op.getInput().getType());
  return vectorBinary(op, opcodeOf(op.getOp(), input.getElementType().isF32()));
}

LogicalResult ExecDeriver::stage(tcp::VectorFxpToFpOp op) {
  config::VectorOp entry;
  entry.opcode = config::VectorOpcode::FxpToFp;
  entry.intWidth = op.getIntWidth();
  vector(op).ops.push_back(std::move(entry));
  return success();
}

LogicalResult ExecDeriver::stage(tcp::VectorFpToFxpOp op) {
  config::VectorOp entry;
  entry.opcode = config::VectorOpcode::FpToFxp;
  entry.intWidth = op.getIntWidth();
  vector(op).ops.push_back(std::move(entry));
  return success();
}

LogicalResult ExecDeriver::stage(tcp::VectorSplitOp op) {
  config::VectorOp entry;
  entry.opcode = config::VectorOpcode::Split;
  vector(op).ops.push_back(std::move(entry));
  return success();
}

LogicalResult ExecDeriver::stage(tcp::VectorConcatOp op) {
  config::VectorOp entry;
  entry.opcode = config::VectorOpcode::Concat;
  vector(op).ops.push_back(std::move(entry));
  return success();
}

LogicalResult ExecDeriver::stage(tcp::VectorFinalOp) { return success(); }
