//===- TcpVectorOperands.cpp - Operands of vector operations --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Dialect/Tcp/IR/TcpVectorOperands.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;

static VectorOperand::Kind kindOf(StringRef keyword) {
  return llvm::StringSwitch<VectorOperand::Kind>(keyword)
      .Case("vrf", VectorOperand::Kind::Vrf)
      .Case("stash", VectorOperand::Kind::Stash)
      .Case("operand_read", VectorOperand::Kind::Register)
      .Default(VectorOperand::Kind::Skip);
}

SmallVector<VectorOperand, 2> tcp::readOperands(ArrayAttr operands,
                                                OperandRange vrfs) {
  SmallVector<VectorOperand, 2> result;
  auto nextVrf = vrfs.begin();
  auto addVrf = [&] {
    VectorOperand &operand = result.emplace_back();
    operand.kind = VectorOperand::Kind::Vrf;
    if (nextVrf != vrfs.end())
      operand.vrf = cast<TypedValue<VrfType>>(*nextVrf++);
  };
  if (!operands) {
    while (nextVrf != vrfs.end())
      addVrf();
    return result;
  }
  for (Attribute attr : operands) {
    if (auto keyword = dyn_cast<StringAttr>(attr)) {
      if (kindOf(keyword) == VectorOperand::Kind::Vrf)
        addVrf();
      else
        result.emplace_back().kind = kindOf(keyword);
      continue;
    }
    VectorOperand &operand = result.emplace_back();
    operand.kind = VectorOperand::Kind::Constant;
    operand.constant = cast<TypedAttr>(attr);
  }
  return result;
}

StringRef tcp::getDigits(ArgMode mode) {
  return stringifyArgMode(mode).drop_front(StringRef("Mode").size());
}

uint16_t tcp::getIds(GroupIdAttr group, DenseI64ArrayAttr branch) {
  if (branch) {
    uint16_t ids = 0;
    for (int64_t id : branch.asArrayRef())
      ids |= 1u << id;
    return ids;
  }
  // Group Zero is where the lowest bit is 0 (SIL-34).
  if (group)
    return group.getValue() == GroupId::Zero ? 0x5555 : 0xaaaa;
  return 0xffff;
}

bool tcp::isPaired(Value stream) {
  // No pass is longer; the bound also ends on a cycle, which is refused only
  // after the verifiers.
  constexpr int kMostStages = 64;
  for (int i = 0; i < kMostStages; ++i) {
    Operation *op = stream.getDefiningOp();
    if (!op || isa<VectorLogicZipOp, VectorFxpZipOp, VectorFpZipOp,
                   VectorClipZipOp, VectorInitOp, VectorIntraSliceBranchOp>(op))
      return false;
    if (isa<VectorIntraSliceUnzipOp>(op))
      return true;
    if (op->getNumOperands() == 0)
      return false;
    stream = op->getOperand(0);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// ALUs
//===----------------------------------------------------------------------===//

static StringRef aluOf(LogicOp op) {
  switch (op) {
  case LogicOp::BitAnd:
    return "LogicAnd";
  case LogicOp::BitOr:
    return "LogicOr";
  case LogicOp::BitXor:
    return "LogicXor";
  case LogicOp::LeftShift:
    return "LogicLshift";
  case LogicOp::LogicRightShift:
  case LogicOp::ArithRightShift:
    return "LogicRshift";
  }
  llvm_unreachable("unknown logic operation");
}

static StringRef aluOf(FxpOp op) {
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

static StringRef aluOf(FpUnaryOp op) {
  return op == FpUnaryOp::Exp || op == FpUnaryOp::NegExp ? "FpExp" : "FpFpu";
}

static StringRef aluOf(FpBinaryOp op) {
  switch (op) {
  case FpBinaryOp::AddF:
  case FpBinaryOp::SubF:
    return "FpFma";
  case FpBinaryOp::MulF0:
  case FpBinaryOp::MaskMulF0:
    return "FpMul0";
  case FpBinaryOp::MulF1:
  case FpBinaryOp::MaskMulF1:
    return "FpMul1";
  case FpBinaryOp::DivF:
    return "FpFpu";
  }
  llvm_unreachable("unknown float operation");
}

static StringRef aluOf(FpTernaryOp) { return "FpFma"; }

static StringRef aluOf(ClipOp op) {
  switch (op) {
  case ClipOp::Min:
  case ClipOp::AbsMin:
    return "ClipMin";
  case ClipOp::Max:
  case ClipOp::AbsMax:
    return "ClipMax";
  case ClipOp::Add:
  case ClipOp::AddFxp:
  case ClipOp::AddFxpSat:
    return "ClipAdd";
  }
  llvm_unreachable("unknown clip operation");
}

StringRef tcp::getAlu(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<VectorLogicOp, VectorLogicZipOp, VectorFxpOp, VectorFxpZipOp,
            VectorFpUnaryOp, VectorFpBinaryOp, VectorFpTernaryOp, VectorFpZipOp,
            VectorClipOp, VectorClipZipOp>(
          [](auto typed) { return aluOf(typed.getOp()); })
      .Default(StringRef());
}
