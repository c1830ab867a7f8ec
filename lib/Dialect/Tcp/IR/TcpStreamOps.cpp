//===- TcpStreamOps.cpp - Engines of the tensor unit ----------------------===//
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

//===----------------------------------------------------------------------===//
// Assembly and inference shared by the stages
//===----------------------------------------------------------------------===//

ParseResult tcp::parseStream(OpAsmParser &parser, Type &type) {
  // The full form is accepted too, also as an alias.
  if (OptionalParseResult full = parser.parseOptionalType(type);
      full.has_value())
    return *full;
  type = StreamType::parse(parser);
  return success(static_cast<bool>(type));
}

void tcp::printStream(OpAsmPrinter &printer, Operation *, Type type) {
  if (auto stream = dyn_cast<StreamType>(type))
    stream.print(printer);
  else
    printer << type;
}

ParseResult tcp::parseMapping(OpAsmParser &parser, MappingAttr &mapping) {
  return stream::parseMapping(parser, mapping);
}

void tcp::printMapping(OpAsmPrinter &printer, Operation *,
                       MappingAttr mapping) {
  stream::printMapping(printer, mapping);
}

LogicalResult tcp::inferStream(std::optional<Location> loc, StreamType input,
                               Stage stage, Type elementType, MappingAttr row,
                               MappingAttr time, MappingAttr packet,
                               SmallVectorImpl<Type> &inferred) {
  auto emitError = [&] {
    return mlir::emitError(loc.value_or(UnknownLoc::get(input.getContext())));
  };
  auto type = StreamType::getChecked(emitError, input.getContext(),
                                     input.getExecutionContext(), stage, elementType,
                                     input.getGrid(), row, time, packet);
  if (!type)
    return failure();
  inferred.push_back(type);
  return success();
}

StreamType tcp::getInputStream(std::optional<Location> loc,
                               ValueRange operands) {
  auto type = operands.empty() ? StreamType()
                               : dyn_cast<StreamType>(operands[0].getType());
  if (!type)
    (void)emitOptionalError(loc, "expects a stream operand");
  return type;
}

LogicalResult tcp::verifyMainContext(Operation *op, StreamType input) {
  if (input.getExecutionContext() == Context::Main)
    return success();
  return op->emitOpError() << "is in the sub context, which has no contraction, "
                              "vector or cast engine";
}

/// The error callback of an operation.
static auto errorAt(Operation *op) {
  return [op] { return op->emitOpError(); };
}

//===----------------------------------------------------------------------===//
// begin, fetch, collect
//===----------------------------------------------------------------------===//

LogicalResult BeginOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto input = dyn_cast<DmType>(adaptor.getInput().getType());
  if (!input)
    return emitOptionalError(loc, "expects a DM tensor");
  inferred.push_back(StreamType::get(
      context, adaptor.getExecutionContext(), Stage::Begin, input.getElementType(),
      input.getGrid(), MappingAttr(), MappingAttr::get(context, "1"),
      input.getElement()));
  return success();
}

LogicalResult BeginOp::verify() { return success(); }

LogicalResult FetchOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  StreamType input = getInputStream(loc, operands);
  if (!input)
    return failure();
  return inferStream(loc, input, Stage::Fetch, adaptor.getElementType(),
                     MappingAttr(), adaptor.getTime(), adaptor.getPacket(),
                     inferred);
}

LogicalResult FetchOp::verify() {
  auto output = cast<StreamType>(getResult().getType());
  int64_t bytes = output.getPacketBytes();
  if (bytes % kFetchAlignBytes != 0)
    return emitOpError() << "packet \"" << getPacket().getText() << "\" has "
                         << bytes << " bytes, a fetch packet is a multiple of "
                         << kFetchAlignBytes << " bytes";
  return success();
}

LogicalResult SwitchOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  StreamType input = getInputStream(loc, operands);
  if (!input)
    return failure();
  GridAttr from = input.getGrid();
  auto emitError = [&] {
    return mlir::emitError(loc.value_or(UnknownLoc::get(context)));
  };
  auto grid =
      GridAttr::getChecked(emitError, context, from.getAxes(), from.getChip(),
                           from.getCluster(), adaptor.getSlice());
  if (!grid)
    return failure();
  auto type = StreamType::getChecked(
      emitError, context, input.getExecutionContext(), Stage::Switch,
      input.getElementType(), grid, MappingAttr(), adaptor.getTime(),
      input.getPacket());
  if (!type)
    return failure();
  inferred.push_back(type);
  return success();
}

LogicalResult SwitchOp::verify() {
  return verifyBroadcast01(*this, errorAt(*this));
}

LogicalResult CollectOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  StreamType input = getInputStream(loc, operands);
  if (!input)
    return failure();
  return inferStream(loc, input, Stage::Collect, input.getElementType(),
                     MappingAttr(), adaptor.getTime(), adaptor.getPacket(),
                     inferred);
}

LogicalResult CollectOp::verify() {
  return inferCollectFlits(*this, errorAt(*this));
}

//===----------------------------------------------------------------------===//
// to_trf, to_vrf
//===----------------------------------------------------------------------===//

/// Whether the stream holds [major, minor] in that order.
static LogicalResult verifyStored(Operation *op, StreamType stream,
                                  const Mapping &major, const Mapping &minor) {
  llvm::Expected<Mapping> stored = Mapping::pair(major, minor);
  if (!stored)
    return op->emitOpError() << llvm::toString(stored.takeError());
  llvm::Expected<Mapping> found =
      Mapping::pair(stream.getTimeMapping(), stream.getPacketMapping());
  if (!found)
    return op->emitOpError() << llvm::toString(found.takeError());
  if (!found->isEquivalent(*stored))
    return op->emitOpError()
           << "stores \"" << stored->str() << "\", but the stream holds \""
           << found->str() << "\", first different at position "
           << found->firstDifference(*stored).value_or(0);
  return success();
}

LogicalResult ToTrfOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  StreamType input = getInputStream(loc, operands);
  if (!input)
    return failure();
  auto type = TrfType::getChecked(
      [&] { return mlir::emitError(loc.value_or(UnknownLoc::get(context))); },
      context, input.getElementType(), input.getGrid(), adaptor.getRow(),
      adaptor.getElement());
  if (!type)
    return failure();
  inferred.push_back(type);
  return success();
}

LogicalResult ToTrfOp::verify() {
  auto output = cast<TrfType>(getResult().getType());
  return verifyStored(*this, cast<StreamType>(getInput().getType()),
                      output.getRowMapping(), output.getElementMapping());
}

LogicalResult ToVrfOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  StreamType input = getInputStream(loc, operands);
  if (!input)
    return failure();
  auto type = VrfType::getChecked(
      [&] { return mlir::emitError(loc.value_or(UnknownLoc::get(context))); },
      context, input.getElementType(), input.getGrid(), adaptor.getElement());
  if (!type)
    return failure();
  inferred.push_back(type);
  return success();
}

LogicalResult ToVrfOp::verify() {
  return verifyStored(*this, cast<StreamType>(getInput().getType()), Mapping(),
                      cast<VrfType>(getResult().getType()).getElementMapping());
}

//===----------------------------------------------------------------------===//
// align, contract, accumulate
//===----------------------------------------------------------------------===//

LogicalResult AlignOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  StreamType input = getInputStream(loc, operands);
  auto trf = operands.size() == 2 ? dyn_cast<TrfType>(operands[1].getType())
                                  : TrfType();
  if (!input || !trf)
    return emitOptionalError(loc, "expects a stream and a TRF tensor");
  return inferStream(loc, input, Stage::Align, input.getElementType(),
                     trf.getRow(), adaptor.getTime(), adaptor.getPacket(),
                     inferred);
}

LogicalResult AlignOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
  if (failed(verifyMainContext(*this, input)))
    return failure();
  TrfType trf = getTrf().getType();
  if (input.getElementType() != trf.getElementType())
    return emitOpError() << "stream has element type " << input.getElementType()
                         << ", the TRF tensor " << trf.getElementType();
  if (input.getGrid() != trf.getGrid())
    return emitOpError() << "stream is spread as " << input.getGrid()
                         << ", the TRF tensor as " << trf.getGrid();
  return inferAlignShape(*this, errorAt(*this));
}

LogicalResult ContractOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  StreamType input = getInputStream(loc, operands);
  if (!input)
    return failure();
  Type accumulator = getAccumulatorType(input.getElementType());
  if (!accumulator)
    return emitOptionalError(loc, "element type ", input.getElementType(),
                             " cannot be contracted, allowed are i4, i8, "
                             "f8E4M3FN, f8E5M2 and bf16");
  return inferStream(loc, input, Stage::Contract, accumulator, input.getRow(),
                     input.getTime(), adaptor.getPacket(), inferred);
}

LogicalResult ContractOp::verify() {
  return inferTreeDepth(*this, errorAt(*this));
}

LogicalResult AccumulateOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  StreamType input = getInputStream(loc, operands);
  if (!input)
    return failure();
  return inferStream(loc, input, Stage::Accumulate, input.getElementType(),
                     MappingAttr(), adaptor.getTime(), adaptor.getPacket(),
                     inferred);
}

LogicalResult AccumulateOp::verify() {
  return inferAccumulateShape(*this, errorAt(*this));
}

//===----------------------------------------------------------------------===//
// cast, commit
//===----------------------------------------------------------------------===//

LogicalResult CastOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  StreamType input = getInputStream(loc, operands);
  if (!input)
    return failure();
  return inferStream(loc, input, Stage::Cast, adaptor.getElementType(),
                     MappingAttr(), input.getTime(), adaptor.getPacket(),
                     inferred);
}

LogicalResult CastOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
  if (failed(verifyMainContext(*this, input)))
    return failure();
  auto output = cast<StreamType>(getResult().getType());
  int64_t flit = elementsIn(output.getElementType(), kFlitBytes);
  llvm::Expected<Mapping> expected = input.getPacketMapping().pad(flit);
  if (!expected)
    return emitOpError() << "cast from " << input.getElementType() << " to "
                         << output.getElementType() << ": "
                         << llvm::toString(expected.takeError());
  if (!output.getPacketMapping().isEquivalent(*expected))
    return emitOpError() << "packet is \"" << getPacket().getText()
                         << "\", expected \"" << expected->str()
                         << "\": the input packet padded to one flit of "
                         << flit << " " << output.getElementType()
                         << " elements";
  return success();
}

LogicalResult CommitOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  StreamType input = getInputStream(loc, operands);
  if (!input)
    return failure();
  auto type = DmType::getChecked(
      [&] { return mlir::emitError(loc.value_or(UnknownLoc::get(context))); },
      context, input.getElementType(), input.getGrid(), adaptor.getElement());
  if (!type)
    return failure();
  inferred.push_back(type);
  return success();
}

LogicalResult CommitOp::verify() {
  return inferCommitElements(*this, errorAt(*this));
}
