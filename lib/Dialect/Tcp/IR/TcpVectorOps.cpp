//===- TcpVectorOps.cpp - The vector engine -------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamAssembly.h"
#include "sequin/Machine/TcpIsa.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using namespace sequin::tcp_isa;
using sequin::stream::MappingAttr;

//===----------------------------------------------------------------------===//
// Result types
//===----------------------------------------------------------------------===//

#define SEQUIN_INFER_STAGE(OP, STAGE)                                          \
  FailureOr<Type> OP::inferResult(std::optional<Location> loc,                 \
                                  Adaptor adaptor) {                           \
    return inferStream(loc, adaptor.getInput(), Stage::STAGE);                 \
  }
SEQUIN_INFER_STAGE(VectorInitOp, VectorInit)
SEQUIN_INFER_STAGE(VectorIntraSliceBranchOp, VectorBranch)
SEQUIN_INFER_STAGE(VectorLogicOp, VectorLogic)
SEQUIN_INFER_STAGE(VectorLogicZipOp, VectorLogic)
SEQUIN_INFER_STAGE(VectorFxpOp, VectorFxp)
SEQUIN_INFER_STAGE(VectorFxpZipOp, VectorFxp)
SEQUIN_INFER_STAGE(VectorFpUnaryOp, VectorFp)
SEQUIN_INFER_STAGE(VectorFpBinaryOp, VectorFp)
SEQUIN_INFER_STAGE(VectorFpTernaryOp, VectorFp)
SEQUIN_INFER_STAGE(VectorFpZipOp, VectorFp)
SEQUIN_INFER_STAGE(VectorFpDivOp, VectorFpDiv)
SEQUIN_INFER_STAGE(VectorClipOp, VectorClip)
SEQUIN_INFER_STAGE(VectorClipZipOp, VectorClip)
SEQUIN_INFER_STAGE(VectorFinalOp, VectorFinal)
#undef SEQUIN_INFER_STAGE

/// A stash goes on as the stage it stands behind.
FailureOr<Type> VectorStashOp::inferResult(std::optional<Location> loc,
                                           Adaptor adaptor) {
  StreamType type = getStreamType(loc, adaptor.getInput());
  if (!type)
    return failure();
  return Type(type);
}

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

FailureOr<Type> VectorReinterpretOp::inferResult(std::optional<Location> loc,
                                                 Adaptor adaptor) {
  StreamType type = getStreamType(loc, adaptor.getInput());
  if (!type)
    return failure();
  MLIRContext *context = type.getContext();
  Type other = type.getElementType().isF32()
                   ? Type(IntegerType::get(context, 32))
                   : Type(Float32Type::get(context));
  return inferConversion(loc, adaptor.getInput(), type.getStage(), other);
}

/// The same elements, cut into packets in another way.
static FailureOr<Type> inferRegrouped(std::optional<Location> loc, Value input,
                                      Stage stage, MappingAttr time,
                                      MappingAttr packet) {
  StreamType type = getStreamType(loc, input);
  if (!type)
    return failure();
  return inferStream(loc, input, stage, type.getElementType(),
                     time ? time : type.getTime(), packet);
}

FailureOr<Type> VectorSplitOp::inferResult(std::optional<Location> loc,
                                           Adaptor adaptor) {
  return inferRegrouped(loc, adaptor.getInput(), Stage::VectorNarrow,
                        adaptor.getTime(), adaptor.getPacket());
}

FailureOr<Type> VectorTrimWay4Op::inferResult(std::optional<Location> loc,
                                              Adaptor adaptor) {
  return inferRegrouped(loc, adaptor.getInput(), Stage::VectorNarrow, {},
                        adaptor.getPacket());
}

FailureOr<Type> VectorConcatOp::inferResult(std::optional<Location> loc,
                                            Adaptor adaptor) {
  return inferRegrouped(loc, adaptor.getInput(), Stage::VectorWiden,
                        adaptor.getTime(), adaptor.getPacket());
}

FailureOr<Type> VectorPadWay8Op::inferResult(std::optional<Location> loc,
                                             Adaptor adaptor) {
  return inferRegrouped(loc, adaptor.getInput(), Stage::VectorWiden, {},
                        adaptor.getPacket());
}

FailureOr<Type> VectorFilterOp::inferResult(std::optional<Location> loc,
                                            Adaptor adaptor) {
  return inferRegrouped(loc, adaptor.getInput(), Stage::VectorFilter,
                        adaptor.getTime(), adaptor.getPacket());
}

FailureOr<Type>
VectorIntraSliceUnzipOp::inferResult(std::optional<Location> loc,
                                     Adaptor adaptor) {
  StreamType type = getStreamType(loc, adaptor.getInput());
  if (!type)
    return failure();
  return inferStream(loc, adaptor.getInput(), Stage::VectorBranch,
                     type.getElementType(), adaptor.getSplitTime(),
                     type.getPacket());
}

LogicalResult VectorBranchLogOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  StreamType type = getStreamType(loc, adaptor.getInput());
  if (!type)
    return failure();
  FailureOr<Type> ids = checkedType<VrfType>(
      loc, context, Type(IntegerType::get(context, kExecutionIdBits)),
      type.getGrid(), adaptor.getElement());
  if (failed(ids))
    return failure();
  inferred.append({Type(type), *ids});
  return success();
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

ParseResult tcp::parseVectorOperands(OpAsmParser &parser, ArrayAttr &operands) {
  if (failed(parser.parseOptionalLParen()))
    return success();
  SmallVector<Attribute> list;
  do {
    StringRef keyword;
    if (succeeded(parser.parseOptionalKeyword(
            &keyword, {"vrf", "stash", "operand_read", "skip"}))) {
      list.push_back(parser.getBuilder().getStringAttr(keyword));
      continue;
    }
    Attribute constant;
    if (failed(parser.parseAttribute(constant)))
      return failure();
    list.push_back(constant);
  } while (succeeded(parser.parseOptionalComma()) ||
           succeeded(parser.parseOptionalVerticalBar()));
  operands = parser.getBuilder().getArrayAttr(list);
  return parser.parseRParen();
}

void tcp::printVectorOperands(OpAsmPrinter &printer, Operation *op,
                              ArrayAttr operands) {
  if (!operands)
    return;
  size_t perGroup = isa<VectorFpTernaryOp>(op) ? 2 : 1;
  printer << '(';
  for (auto [index, attr] : llvm::enumerate(operands)) {
    if (index > 0)
      printer << (index == perGroup ? " | " : ", ");
    if (auto keyword = dyn_cast<StringAttr>(attr))
      printer << keyword.getValue();
    else
      printer << attr;
  }
  printer << ')';
}

void VectorIntraSliceBranchOp::build(OpBuilder &builder, OperationState &state,
                                     Value input, BranchMode mode) {
  build(builder, state, input, mode, StringAttr(), ArrayAttr(), Value());
}

/// One constant or one tensor: what generated code needs.
template <typename OpTy, typename Op>
static void buildBinary(OpBuilder &builder, OperationState &state, Value input,
                        Op op, Attribute constant, Value vrf, ArgMode mode) {
  OpTy::build(builder, state, input, op, mode,
              constant ? builder.getArrayAttr(constant) : ArrayAttr(),
              vrf ? ValueRange(vrf) : ValueRange(), GroupIdAttr(),
              DenseI64ArrayAttr(), DenseI64ArrayAttr());
}

void VectorLogicOp::build(OpBuilder &builder, OperationState &state,
                          Value input, LogicOp op, Attribute constant,
                          Value vrf, ArgMode mode) {
  buildBinary<VectorLogicOp>(builder, state, input, op, constant, vrf, mode);
}

void VectorFxpOp::build(OpBuilder &builder, OperationState &state, Value input,
                        FxpOp op, Attribute constant, Value vrf, ArgMode mode) {
  buildBinary<VectorFxpOp>(builder, state, input, op, constant, vrf, mode);
}

void VectorFpBinaryOp::build(OpBuilder &builder, OperationState &state,
                             Value input, FpBinaryOp op, Attribute constant,
                             Value vrf, ArgMode mode) {
  buildBinary<VectorFpBinaryOp>(builder, state, input, op, constant, vrf, mode);
}

void VectorClipOp::build(OpBuilder &builder, OperationState &state, Value input,
                         ClipOp op, Attribute constant, Value vrf,
                         ArgMode mode) {
  buildBinary<VectorClipOp>(builder, state, input, op, constant, vrf, mode);
}
