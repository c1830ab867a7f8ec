//===- DeriveVector.cpp - Vector engine -----------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecDeriver.h"
#include "sequin/Dialect/Tcp/IR/TcpVectorOperands.h"
#include "sequin/Machine/TcpIsa.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;
using config::VectorOpcode;

config::VectorStage &ExecDeriver::vector(Operation *op) {
  if (!command.vector) {
    command.vector.emplace();
    auto stream = cast<tcp::StreamType>(op->getResult(0).getType());
    command.vector->type = *tcp::getElementKind(stream.getElementType());
  }
  return *command.vector;
}

FailureOr<config::Sequencer>
ExecDeriver::vrfSequencer(Operation *op, TypedValue<tcp::VrfType> vrf) {
  unsigned index = 0;
  for (Value operand : op->getOperands()) {
    if (operand == vrf)
      break;
    index += isa<tcp::VrfType>(operand.getType());
  }
  FailureOr<Sequencer> sequencer = takeSequencer(op, index);
  if (failed(sequencer))
    return failure();
  return toConfig(*sequencer,
                  *tcp::getElementKind(vrf.getType().getElementType()),
                  addresses.lookup(vrf));
}

FailureOr<config::VectorOperand>
ExecDeriver::vectorOperand(Operation *op, const tcp::VectorOperand &operand) {
  using Kind = tcp::VectorOperand::Kind;
  config::VectorOperand result;
  switch (operand.kind) {
  case Kind::Constant:
    result.kind = config::VectorOperand::Kind::Constant;
    result.constant = bitsOf(operand.constant);
    break;
  case Kind::Vrf: {
    auto sequencer = vrfSequencer(op, operand.vrf);
    if (failed(sequencer))
      return failure();
    result.kind = config::VectorOperand::Kind::Vrf;
    result.vrf = *sequencer;
    break;
  }
  case Kind::Stash:
    result.kind = config::VectorOperand::Kind::Stash;
    break;
  case Kind::Register:
    result.kind = config::VectorOperand::Kind::Register;
    break;
  case Kind::Skip:
    break;
  }
  return result;
}

static config::ArgMode modeOf(tcp::ArgMode mode) {
  switch (mode) {
  case tcp::ArgMode::Mode0:
  case tcp::ArgMode::Mode01:
  case tcp::ArgMode::Mode012:
    return config::ArgMode::Default;
  case tcp::ArgMode::Mode1:
    return config::ArgMode::M1;
  case tcp::ArgMode::Mode00:
    return config::ArgMode::M00;
  case tcp::ArgMode::Mode10:
    return config::ArgMode::M10;
  case tcp::ArgMode::Mode11:
    return config::ArgMode::M11;
  case tcp::ArgMode::Mode002:
    return config::ArgMode::M002;
  case tcp::ArgMode::Mode102:
    return config::ArgMode::M102;
  case tcp::ArgMode::Mode112:
    return config::ArgMode::M112;
  case tcp::ArgMode::Mode020:
    return config::ArgMode::M020;
  case tcp::ArgMode::Mode021:
    return config::ArgMode::M021;
  case tcp::ArgMode::Mode120:
    return config::ArgMode::M120;
  }
  llvm_unreachable("unknown argument mode");
}

LogicalResult
ExecDeriver::vectorOperation(Operation *op, config::VectorOp entry,
                             tcp::ArgMode mode,
                             ArrayRef<tcp::VectorOperand> operands) {
  entry.mode = modeOf(mode);
  StringRef digits = tcp::getDigits(mode);
  bool paired = tcp::isPaired(op->getOperand(0));
  size_t perGroup = paired ? operands.size() / 2 : operands.size();
  std::vector<config::VectorOp> &ops = vectorOps(op);
  for (uint8_t group : {0, 1}) {
    if (group == 1 && !paired)
      break;
    ArrayRef<tcp::VectorOperand> own =
        operands.slice(group * perGroup, perGroup);
    if (!own.empty() && own[0].kind == tcp::VectorOperand::Kind::Skip)
      continue;
    config::VectorOp half = entry;
    if (paired && !operands.empty())
      half.groups = 1u << group;
    for (auto [index, operand] : llvm::enumerate(own)) {
      // What no argument is made of needs no register read.
      if (!digits.contains(static_cast<char>('1' + index)))
        continue;
      auto derived = vectorOperand(op, operand);
      if (failed(derived))
        return failure();
      (index == 0 ? half.operand : half.operand1) = std::move(*derived);
    }
    ops.push_back(std::move(half));
    if (paired && operands.empty())
      break; // one entry for both groups
  }
  return success();
}

/// Conditions of an operation with operands.
template <typename OpTy>
static config::VectorOp withIds(OpTy op, VectorOpcode opcode) {
  config::VectorOp entry;
  entry.opcode = opcode;
  entry.ids = tcp::getIds(op.getGroupAttr(), op.getBranchAttr());
  return entry;
}

template <typename OpTy>
LogicalResult ExecDeriver::vectorOperands(OpTy op, VectorOpcode opcode) {
  config::VectorOp entry = withIds(op, opcode);
  if (auto ids = op.getWriteOperandAttr())
    entry.writeIds = tcp::getIds({}, ids);
  return vectorOperation(op, std::move(entry), op.getMode(),
                         tcp::readOperands(op.getSourcesAttr(), op.getVrfs()));
}

template <typename OpTy>
LogicalResult ExecDeriver::vectorZip(OpTy op, VectorOpcode opcode) {
  config::VectorOp entry;
  entry.opcode = opcode;
  entry.mode = modeOf(op.getMode());
  entry.zip = true;
  vectorOps(op).push_back(std::move(entry));
  return success();
}

static VectorOpcode opcodeOf(tcp::LogicOp op, bool isFloat) {
  switch (op) {
  case tcp::LogicOp::BitAnd:
    return isFloat ? VectorOpcode::LogicAndF : VectorOpcode::LogicAndI;
  case tcp::LogicOp::BitOr:
    return isFloat ? VectorOpcode::LogicOrF : VectorOpcode::LogicOrI;
  case tcp::LogicOp::BitXor:
    return isFloat ? VectorOpcode::LogicXorF : VectorOpcode::LogicXorI;
  case tcp::LogicOp::LeftShift:
    return VectorOpcode::LogicLeftShift;
  case tcp::LogicOp::LogicRightShift:
    return VectorOpcode::LogicRightShift;
  case tcp::LogicOp::ArithRightShift:
    return VectorOpcode::LogicArithRightShift;
  }
  llvm_unreachable("unknown logic operation");
}

static VectorOpcode opcodeOf(tcp::FxpOp op) {
  switch (op) {
  case tcp::FxpOp::AddFxp:
    return VectorOpcode::FxpAdd;
  case tcp::FxpOp::AddFxpSat:
    return VectorOpcode::FxpAddSat;
  case tcp::FxpOp::SubFxp:
    return VectorOpcode::FxpSub;
  case tcp::FxpOp::SubFxpSat:
    return VectorOpcode::FxpSubSat;
  case tcp::FxpOp::LeftShift:
    return VectorOpcode::FxpLeftShift;
  case tcp::FxpOp::LeftShiftSat:
    return VectorOpcode::FxpLeftShiftSat;
  case tcp::FxpOp::MulFxp:
    return VectorOpcode::FxpMul;
  case tcp::FxpOp::MulInt:
    return VectorOpcode::FxpMulInt;
  case tcp::FxpOp::LogicRightShift:
    return VectorOpcode::FxpLogicRightShift;
  case tcp::FxpOp::ArithRightShift:
    return VectorOpcode::FxpArithRightShift;
  case tcp::FxpOp::ArithRightShiftRound:
    return VectorOpcode::FxpArithRightShiftRound;
  }
  llvm_unreachable("unknown fxp operation");
}

static VectorOpcode opcodeOf(tcp::FpUnaryOp op) {
  switch (op) {
  case tcp::FpUnaryOp::Exp:
    return VectorOpcode::FpExp;
  case tcp::FpUnaryOp::NegExp:
    return VectorOpcode::FpNegExp;
  case tcp::FpUnaryOp::Sqrt:
    return VectorOpcode::FpSqrt;
  case tcp::FpUnaryOp::Tanh:
    return VectorOpcode::FpTanh;
  case tcp::FpUnaryOp::Sigmoid:
    return VectorOpcode::FpSigmoid;
  case tcp::FpUnaryOp::Erf:
    return VectorOpcode::FpErf;
  case tcp::FpUnaryOp::Log:
    return VectorOpcode::FpLog;
  case tcp::FpUnaryOp::Sin:
    return VectorOpcode::FpSin;
  case tcp::FpUnaryOp::Cos:
    return VectorOpcode::FpCos;
  }
  llvm_unreachable("unknown float operation");
}

static VectorOpcode opcodeOf(tcp::FpBinaryOp op) {
  switch (op) {
  case tcp::FpBinaryOp::AddF:
    return VectorOpcode::FpAdd;
  case tcp::FpBinaryOp::SubF:
    return VectorOpcode::FpSub;
  case tcp::FpBinaryOp::MulF0:
    return VectorOpcode::FpMul0;
  case tcp::FpBinaryOp::MulF1:
    return VectorOpcode::FpMul1;
  case tcp::FpBinaryOp::MaskMulF0:
    return VectorOpcode::FpMaskMul0;
  case tcp::FpBinaryOp::MaskMulF1:
    return VectorOpcode::FpMaskMul1;
  case tcp::FpBinaryOp::DivF:
    return VectorOpcode::FpDivF;
  }
  llvm_unreachable("unknown float operation");
}

static VectorOpcode opcodeOf(tcp::ClipOp op, bool isFloat) {
  switch (op) {
  case tcp::ClipOp::Min:
    return isFloat ? VectorOpcode::ClipMinF : VectorOpcode::ClipMinI;
  case tcp::ClipOp::Max:
    return isFloat ? VectorOpcode::ClipMaxF : VectorOpcode::ClipMaxI;
  case tcp::ClipOp::AbsMin:
    return isFloat ? VectorOpcode::ClipAbsMinF : VectorOpcode::ClipAbsMinI;
  case tcp::ClipOp::AbsMax:
    return isFloat ? VectorOpcode::ClipAbsMaxF : VectorOpcode::ClipAbsMaxI;
  case tcp::ClipOp::Add:
    return VectorOpcode::ClipAddF;
  case tcp::ClipOp::AddFxp:
    return VectorOpcode::ClipAddFxp;
  case tcp::ClipOp::AddFxpSat:
    return VectorOpcode::ClipAddFxpSat;
  }
  llvm_unreachable("unknown clip operation");
}

template <typename OpTy> static bool worksOnFloat(OpTy op) {
  return cast<tcp::StreamType>(op.getInput().getType())
      .getElementType()
      .isF32();
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

LogicalResult ExecDeriver::stage(tcp::VectorInitOp op) {
  vector(op);
  return success();
}

LogicalResult ExecDeriver::stage(tcp::VectorIntraSliceUnzipOp op) {
  vector(op).unzip = true;
  return success();
}

/// The axis' index at every element, from its places in time and packet. What
/// the slices add to it must not change whether it is even.
LogicalResult ExecDeriver::axisToggle(tcp::VectorIntraSliceBranchOp op,
                                      config::BranchStage &branch) {
  auto input = cast<tcp::StreamType>(op.getInput().getType());
  Mapping axis = llvm::cantFail(Mapping::parse(
      op.getAxisAttr().getValue(), input.getGrid().getAxes().getTable()));
  DeriveOptions options;
  options.direction = Direction::Read;
  options.limits = machine.trf;
  options.elementType = ElementType::I32;
  tcp::GridAttr grid = input.getGrid();
  for (const Mapping &level : {grid.getChipMapping(), grid.getClusterMapping(),
                               grid.getSliceMapping()}) {
    auto derived = reportAt(
        op, derive(AddressMap(axis), level, Mapping(), options), "axis toggle");
    if (failed(derived))
      return failure();
    bool odd = derived->sequencer.base % 2 != 0;
    for (const SequencerEntry &entry : derived->sequencer.entries)
      odd |= entry.size > 1 && entry.stride % 2 != 0;
    if (odd)
      return op.emitOpError()
             << "toggles axis \"" << op.getAxisAttr().getValue()
             << "\", whose neighbours are in different slices (\""
             << level.str() << "\"); the branch unit counts in time and packet";
  }
  Mapping packet = input.getPacketMapping();
  auto derived = reportAt(
      op, derive(AddressMap(axis), input.getTimeMapping(), packet, options),
      "axis toggle");
  if (failed(derived))
    return failure();
  const Sequencer &sequencer = derived->sequencer;
  if (sequencer.base % 2 != 0)
    return op.emitOpError() << "toggles axis \"" << op.getAxisAttr().getValue()
                            << "\", which starts at " << sequencer.base
                            << ", the branch unit counts from an even index";
  for (const SequencerEntry &entry : sequencer.entries)
    branch.toggle.push_back({entry.size, entry.stride});
  return success();
}

/// Whether a mapping walks an axis.
static bool mentions(ArrayRef<Factor> factors, StringRef axis) {
  return llvm::any_of(factors, [&](const Factor &factor) {
    if (factor.base == axis)
      return true;
    if (!factor.composite)
      return false;
    return mentions(factor.composite->factors, axis) ||
           llvm::any_of(factor.composite->sliding, [&](const auto &term) {
             return mentions(term.factors, axis);
           });
  });
}

/// Elements are valid where no axis of the stream is padding.
LogicalResult ExecDeriver::branchValidCount(tcp::VectorIntraSliceBranchOp op) {
  auto input = cast<tcp::StreamType>(op.getInput().getType());
  tcp::GridAttr grid = input.getGrid();
  ValidCountStream stream{grid.getChipMapping(), grid.getClusterMapping(),
                          grid.getSliceMapping(), input.getTimeMapping(),
                          input.getPacketMapping()};
  AxisSizes table = grid.getAxes().getTable();
  SmallVector<StringRef> axes;
  for (const auto &[name, size] : table.axes())
    for (const Mapping &mapping : {stream.slice, stream.time, stream.packet})
      if (mentions(mapping.factors(), name) && !llvm::is_contained(axes, name))
        axes.push_back(name);
  auto derived = reportAt(
      op, deriveValidCount(axes, stream, machine.validCount), "valid counts");
  if (failed(derived))
    return failure();
  vector(op).validCount = toConfig(derived->config);
  return success();
}

LogicalResult ExecDeriver::stage(tcp::VectorIntraSliceBranchOp op) {
  config::BranchStage &branch = vector(op).branch;
  switch (op.getMode()) {
  case tcp::BranchMode::Unconditional:
    break;
  case tcp::BranchMode::AxisToggle:
    branch.mode = config::BranchMode::AxisToggle;
    return axisToggle(op, branch);
  case tcp::BranchMode::ValidCount:
    branch.mode = config::BranchMode::ValidCount;
    return branchValidCount(op);
  case tcp::BranchMode::Comparison:
    branch.mode = config::BranchMode::Comparison;
    for (auto comparison :
         op.getComparisonsAttr().getAsRange<tcp::InputCmpAttr>())
      branch.comparisons.push_back(
          {static_cast<config::InputCompare>(comparison.getCompare()),
           static_cast<uint32_t>(comparison.getConstant()
                                     ? bitsOf(comparison.getConstant())
                                     : 0)});
    break;
  case tcp::BranchMode::Vrf: {
    branch.mode = config::BranchMode::Vrf;
    auto sequencer = vrfSequencer(op, op.getIds());
    if (failed(sequencer))
      return failure();
    branch.vrf = *sequencer;
    break;
  }
  }
  return success();
}

LogicalResult ExecDeriver::stage(tcp::VectorBranchLogOp op) {
  vector(op).branch.logAddress = op.getAddress();
  return success();
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

LogicalResult ExecDeriver::stage(tcp::VectorLogicOp op) {
  return vectorOperands(op, opcodeOf(op.getOp(), worksOnFloat(op)));
}

LogicalResult ExecDeriver::stage(tcp::VectorFxpOp op) {
  return vectorOperands(op, opcodeOf(op.getOp()));
}

LogicalResult ExecDeriver::stage(tcp::VectorFpUnaryOp op) {
  config::VectorOp entry = withIds(op, opcodeOf(op.getOp()));
  size_t at = vectorOps(op).size();
  if (failed(vectorOperation(
          op, std::move(entry), op.getMode(),
          tcp::readOperands(op.getSourcesAttr(), op.getVrfs()))))
    return failure();
  auto groups = op.getGroupsAttr();
  if (!groups)
    return success();
  // The groups that take part; none leaves no operation.
  uint8_t chosen = groups[0] | groups[1] << 1;
  std::vector<config::VectorOp> &ops = vectorOps(op);
  for (size_t i = at; i < ops.size(); ++i)
    ops[i].groups &= chosen;
  llvm::erase_if(ops, [](const config::VectorOp &op) { return !op.groups; });
  return success();
}

LogicalResult ExecDeriver::stage(tcp::VectorFpBinaryOp op) {
  return vectorOperands(op, opcodeOf(op.getOp()));
}

LogicalResult ExecDeriver::stage(tcp::VectorFpTernaryOp op) {
  return vectorOperands(op, op.getOp() == tcp::FpTernaryOp::FmaF
                                ? VectorOpcode::FpFma
                                : VectorOpcode::FpMaskFma);
}

LogicalResult ExecDeriver::stage(tcp::VectorFpDivOp op) {
  return vectorOperands(op, VectorOpcode::FpDiv);
}

LogicalResult ExecDeriver::stage(tcp::VectorClipOp op) {
  return vectorOperands(op, opcodeOf(op.getOp(), worksOnFloat(op)));
}

LogicalResult ExecDeriver::stage(tcp::VectorLogicZipOp op) {
  return vectorZip(op, opcodeOf(op.getOp(), worksOnFloat(op)));
}
LogicalResult ExecDeriver::stage(tcp::VectorFxpZipOp op) {
  return vectorZip(op, opcodeOf(op.getOp()));
}
LogicalResult ExecDeriver::stage(tcp::VectorFpZipOp op) {
  return vectorZip(op, opcodeOf(op.getOp()));
}
LogicalResult ExecDeriver::stage(tcp::VectorClipZipOp op) {
  return vectorZip(op, opcodeOf(op.getOp(), worksOnFloat(op)));
}

LogicalResult ExecDeriver::stage(tcp::VectorFxpToFpOp op) {
  return plainVectorOp(op, VectorOpcode::FxpToFp, op.getIntWidth());
}
LogicalResult ExecDeriver::stage(tcp::VectorFpToFxpOp op) {
  return plainVectorOp(op, VectorOpcode::FpToFxp, op.getIntWidth());
}
LogicalResult ExecDeriver::stage(tcp::VectorSplitOp op) {
  return plainVectorOp(op, VectorOpcode::Split);
}
LogicalResult ExecDeriver::stage(tcp::VectorTrimWay4Op op) {
  return plainVectorOp(op, VectorOpcode::TrimWay4);
}
LogicalResult ExecDeriver::stage(tcp::VectorConcatOp op) {
  return plainVectorOp(op, VectorOpcode::Concat);
}
LogicalResult ExecDeriver::stage(tcp::VectorPadWay8Op op) {
  return plainVectorOp(op, VectorOpcode::PadWay8);
}
LogicalResult ExecDeriver::stage(tcp::VectorStashOp op) {
  return plainVectorOp(op, VectorOpcode::Stash);
}
LogicalResult ExecDeriver::stage(tcp::VectorReinterpretOp op) {
  return plainVectorOp(op, VectorOpcode::Reinterpret);
}

LogicalResult ExecDeriver::plainVectorOp(Operation *op, VectorOpcode opcode,
                                         std::optional<int64_t> intWidth) {
  config::VectorOp entry;
  entry.opcode = opcode;
  if (intWidth)
    entry.intWidth = *intWidth;
  vectorOps(op).push_back(std::move(entry));
  return success();
}

LogicalResult ExecDeriver::stage(tcp::VectorFilterOp op) {
  config::VectorOp entry;
  entry.opcode = VectorOpcode::Filter;
  entry.ids = tcp::getIds(op.getGroupAttr(), op.getBranchAttr());
  auto output = cast<tcp::StreamType>(op.getResult().getType());
  entry.elements =
      output.getTimeMapping().size() * output.getPacketMapping().size();
  vectorOps(op).push_back(std::move(entry));
  return success();
}

LogicalResult ExecDeriver::stage(tcp::VectorFinalOp op) {
  config::VectorStage &vector = this->vector(op);
  if (!vector.ops.empty() || !vector.opsAfter.empty())
    return success();
  // ExecutionIds that nobody looks at but the logger; the configuration has no
  // place for the block without an operation beside the inter-slice block.
  if (vector.branch.logAddress && !vector.interSlice)
    return success();
  if (vector.branch.logAddress)
    return op.emitOpError() << "ends a pass that logs ExecutionIds beside the "
                               "inter-slice block and has no operation in the "
                               "intra-slice block, needed is at least one";
  vector.branch = {};
  vector.validCount.reset();
  return success();
}
