//===- StreamAssembly.cpp - What the stages share -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamAssembly.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using sequin::stream::MappingAttr;

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

LogicalResult tcp::verifyStored(Operation *op, StreamType stream,
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

FailureOr<GridAttr> tcp::withSlices(std::optional<Location> loc, GridAttr grid,
                                    MappingAttr slice) {
  MLIRContext *context = grid.getContext();
  auto emitError = [&] {
    return mlir::emitError(loc.value_or(UnknownLoc::get(context)));
  };
  auto changed = GridAttr::getChecked(emitError, context, grid.getAxes(),
                                      grid.getChip(), grid.getCluster(), slice);
  if (!changed)
    return failure();
  return changed;
}
