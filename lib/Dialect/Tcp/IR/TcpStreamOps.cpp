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

StreamType tcp::getStreamType(std::optional<Location> loc, Value value) {
  auto type = dyn_cast<StreamType>(value.getType());
  if (!type)
    (void)emitOptionalError(loc, "expects a stream operand, found ",
                            value.getType());
  return type;
}

FailureOr<Type> tcp::inferStream(std::optional<Location> loc, Value value,
                                 Stage stage, Type elementType,
                                 MappingAttr time, MappingAttr packet,
                                 MappingAttr row) {
  StreamType input = getStreamType(loc, value);
  if (!input)
    return failure();
  return checkedType<StreamType>(
      loc, input.getContext(), input.getExecutionContext(), stage, elementType,
      input.getGrid(), row, time, packet);
}

FailureOr<Type> tcp::inferStream(std::optional<Location> loc, Value value,
                                 Stage stage) {
  StreamType input = getStreamType(loc, value);
  if (!input)
    return failure();
  return inferStream(loc, value, stage, input.getElementType(), input.getTime(),
                     input.getPacket());
}

LogicalResult tcp::verifyMainContext(Operation *op, StreamType input) {
  if (input.getExecutionContext() == Context::Main)
    return success();
  return op->emitOpError()
         << "is in the sub context, which has no contraction, "
            "vector or cast engine";
}

/// The error callback of an operation.
static auto errorAt(Operation *op) {
  return [op] { return op->emitOpError(); };
}

//===----------------------------------------------------------------------===//
// begin, fetch, collect
//===----------------------------------------------------------------------===//

FailureOr<Type> BeginOp::inferResult(std::optional<Location> loc,
                                     Adaptor adaptor) {
  auto input = dyn_cast<DmType>(adaptor.getInput().getType());
  if (!input)
    return emitOptionalError(loc, "expects a DM tensor");
  MLIRContext *context = input.getContext();
  return checkedType<StreamType>(
      loc, context, adaptor.getExecutionContext(), Stage::Begin,
      input.getElementType(), input.getGrid(), MappingAttr(),
      MappingAttr::get(context, "1"), input.getElement());
}

LogicalResult BeginOp::verify() { return success(); }

FailureOr<Type> FetchOp::inferResult(std::optional<Location> loc,
                                     Adaptor adaptor) {
  return inferStream(loc, adaptor.getInput(), Stage::Fetch,
                     adaptor.getElementType(), adaptor.getTime(),
                     adaptor.getPacket());
}

LogicalResult FetchOp::verify() {
  auto output = cast<StreamType>(getResult().getType());
  int64_t size = output.getPacketMapping().size();
  int64_t bits = getBitWidth(*getElementKind(output.getElementType()));
  int64_t bytes = output.getPacketBytes();
  // Only the last bits of the size matter, which cannot overflow.
  if (size % 8 * bits % 8 != 0)
    return emitOpError() << "packet \"" << getPacket().getText() << "\" has "
                         << size * bits
                         << " bits, a fetch packet is a multiple of "
                         << kFetchAlignBytes << " bytes";
  if (bytes % kFetchAlignBytes != 0)
    return emitOpError() << "packet \"" << getPacket().getText() << "\" has "
                         << bytes << " bytes, a fetch packet is a multiple of "
                         << kFetchAlignBytes << " bytes";
  return success();
}

FailureOr<Type> SwitchOp::inferResult(std::optional<Location> loc,
                                      Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  MLIRContext *context = input.getContext();
  GridAttr from = input.getGrid();
  auto emitError = [&] {
    return mlir::emitError(loc.value_or(UnknownLoc::get(context)));
  };
  auto grid =
      GridAttr::getChecked(emitError, context, from.getAxes(), from.getChip(),
                           from.getCluster(), adaptor.getSlice());
  if (!grid)
    return failure();
  return checkedType<StreamType>(loc, context, input.getExecutionContext(),
                                 Stage::Switch, input.getElementType(), grid,
                                 MappingAttr(), adaptor.getTime(),
                                 input.getPacket());
}

LogicalResult SwitchOp::verify() {
  return verifyBroadcast01(*this, errorAt(*this));
}

FailureOr<Type> CollectOp::inferResult(std::optional<Location> loc,
                                       Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  return inferStream(loc, adaptor.getInput(), Stage::Collect,
                     input.getElementType(), adaptor.getTime(),
                     adaptor.getPacket());
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

FailureOr<Type> ToTrfOp::inferResult(std::optional<Location> loc,
                                     Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  return checkedType<TrfType>(loc, input.getContext(), input.getElementType(),
                              input.getGrid(), adaptor.getRow(),
                              adaptor.getElement());
}

LogicalResult ToTrfOp::verify() {
  auto output = cast<TrfType>(getResult().getType());
  return verifyStored(*this, cast<StreamType>(getInput().getType()),
                      output.getRowMapping(), output.getElementMapping());
}

FailureOr<Type> ToVrfOp::inferResult(std::optional<Location> loc,
                                     Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  return checkedType<VrfType>(loc, input.getContext(), input.getElementType(),
                              input.getGrid(), adaptor.getElement());
}

LogicalResult ToVrfOp::verify() {
  return verifyStored(*this, cast<StreamType>(getInput().getType()), Mapping(),
                      cast<VrfType>(getResult().getType()).getElementMapping());
}

//===----------------------------------------------------------------------===//
// align, contract, accumulate
//===----------------------------------------------------------------------===//

FailureOr<Type> AlignOp::inferResult(std::optional<Location> loc,
                                     Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  auto trf = dyn_cast<TrfType>(adaptor.getTrf().getType());
  if (!input)
    return failure();
  if (!trf)
    return emitOptionalError(loc, "expects a TRF tensor");
  return inferStream(loc, adaptor.getInput(), Stage::Align,
                     input.getElementType(), adaptor.getTime(),
                     adaptor.getPacket(), trf.getRow());
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

FailureOr<Type> ContractOp::inferResult(std::optional<Location> loc,
                                        Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  Type accumulator = getAccumulatorType(input.getElementType());
  if (!accumulator)
    return emitOptionalError(loc, "element type ", input.getElementType(),
                             " cannot be contracted, allowed are i4, i8, "
                             "f8E4M3FN, f8E5M2 and bf16");
  return inferStream(loc, adaptor.getInput(), Stage::Contract, accumulator,
                     input.getTime(), adaptor.getPacket(), input.getRow());
}

LogicalResult ContractOp::verify() {
  return inferTreeDepth(*this, errorAt(*this));
}

FailureOr<Type> AccumulateOp::inferResult(std::optional<Location> loc,
                                          Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  return inferStream(loc, adaptor.getInput(), Stage::Accumulate,
                     input.getElementType(), adaptor.getTime(),
                     adaptor.getPacket());
}

LogicalResult AccumulateOp::verify() {
  return inferAccumulateShape(*this, errorAt(*this));
}

//===----------------------------------------------------------------------===//
// cast, commit
//===----------------------------------------------------------------------===//

FailureOr<Type> CastOp::inferResult(std::optional<Location> loc,
                                    Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  return inferStream(loc, adaptor.getInput(), Stage::Cast,
                     adaptor.getElementType(), input.getTime(),
                     adaptor.getPacket());
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

FailureOr<Type> CommitOp::inferResult(std::optional<Location> loc,
                                      Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  return checkedType<DmType>(loc, input.getContext(), input.getElementType(),
                             input.getGrid(), adaptor.getElement());
}

LogicalResult CommitOp::verify() {
  return inferCommitElements(*this, errorAt(*this));
}
