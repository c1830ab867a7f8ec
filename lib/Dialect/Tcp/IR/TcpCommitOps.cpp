//===- TcpCommitOps.cpp - Cast and commit engines, VRF --------------------===//
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
// commit
//===----------------------------------------------------------------------===//

void CommitOp::build(OpBuilder &builder, OperationState &state, Value input,
                     int64_t address, MappingAttr element) {
  build(builder, state, input, address, element, MappingAttr());
}

FailureOr<Type> CommitOp::inferResult(std::optional<Location> loc,
                                      Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  GridAttr grid = input.getGrid();
  if (adaptor.getSlicesAttr()) {
    auto part = withSlices(loc, grid, adaptor.getSlicesAttr());
    if (failed(part))
      return failure();
    grid = *part;
  }
  return checkedType<DmType>(loc, input.getContext(), input.getElementType(),
                             grid, adaptor.getElement());
}

LogicalResult CommitOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
  if (getSlicesAttr() && failed(checkCommitSlices(
                             input.getGrid(), getSlicesAttr(), errorAt(*this))))
    return failure();
  return inferCommitElements(input, getElement(), errorAt(*this));
}

LogicalResult CommitPackedOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
  DmType count = getCount().getType(), destination = getDestination().getType();
  Type type = input.getElementType();
  if (input.getExecutionContext() != Context::Sub)
    return emitOpError()
           << "is in the main context, valid count packing exists "
              "in the sub context";
  if (getBitWidth(*getElementKind(type)) % 8 != 0)
    return emitOpError() << "packs " << type
                         << ", elements of whole bytes can be packed";
  if (input.getPacketBytes() != kFlitBytes)
    return emitOpError() << "packet \"" << input.getPacket().getText()
                         << "\" has " << input.getPacketBytes()
                         << " bytes, one flit has " << kFlitBytes;
  if (type != destination.getElementType())
    return emitOpError() << "stream has element type " << type
                         << ", the destination "
                         << destination.getElementType();
  if (!count.getElementType().isInteger(32))
    return emitOpError() << "counts are " << count.getElementType()
                         << ", they are read as i32";
  for (auto [name, grid] : {std::pair("counts", count.getGrid()),
                            std::pair("destination", destination.getGrid())})
    if (grid != input.getGrid())
      return emitOpError() << "stream is spread as " << input.getGrid()
                           << ", the " << name << " as " << grid;
  Mapping buffer = destination.getElementMapping();
  if (buffer.validSize() != buffer.size())
    return emitOpError() << "packs into \""
                         << destination.getElement().getText()
                         << "\", which has padding between its elements";
  return success();
}

LogicalResult ItosOp::verify() {
  DmType type = getResult().getType();
  if (getBitWidth(*getElementKind(type.getElementType())) != kGenerateBits)
    return emitOpError() << "writes " << type.getElementType()
                         << ", the immediate has " << kGenerateBits << " bits";
  if (getValue().getType() != type.getElementType())
    return emitOpError() << "value is " << getValue() << ", the tensor holds "
                         << type.getElementType();
  Mapping buffer = type.getElementMapping();
  if (buffer.validSize() != 1 || !buffer.at(0))
    return emitOpError() << "writes one element, the tensor is \""
                         << type.getElement().getText() << "\"";
  if (getAddress() % (kGenerateBits / 8) != 0)
    return emitOpError() << "writes to address " << getAddress()
                         << ", allowed are multiples of " << kGenerateBits / 8;
  return success();
}
