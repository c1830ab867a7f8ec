//===- TcpFetchOps.cpp - Fetch engine -------------------------------------===//
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
// begin, begin_interleaved
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

ParseResult
tcp::parseSameTypes(OpAsmParser &parser,
                    ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                    SmallVectorImpl<Type> &types) {
  Type type;
  if (parser.parseType(type))
    return failure();
  types.assign(operands.size(), type);
  return success();
}

void tcp::printSameTypes(OpAsmPrinter &printer, Operation *, OperandRange,
                         TypeRange types) {
  // Operations without operands are not valid and printed generically.
  if (!types.empty())
    printer << types.front();
}

ParseResult tcp::parseNumbers(OpAsmParser &parser, DenseI64ArrayAttr &numbers) {
  Attribute parsed = DenseI64ArrayAttr::parse(parser, Type());
  numbers = dyn_cast_or_null<DenseI64ArrayAttr>(parsed);
  return success(static_cast<bool>(numbers));
}

void tcp::printNumbers(OpAsmPrinter &printer, Operation *,
                       DenseI64ArrayAttr numbers) {
  numbers.print(printer);
}

FailureOr<Type> BeginInterleavedOp::inferResult(std::optional<Location> loc,
                                                Adaptor adaptor) {
  if (adaptor.getInputs().size() != kInterleavedTensors)
    return emitOptionalError(loc, "interleaves ", adaptor.getInputs().size(),
                             " tensors, one fetch takes ", kInterleavedTensors);
  auto input = dyn_cast<DmType>(adaptor.getInputs().front().getType());
  if (!input)
    return emitOptionalError(loc, "expects DM tensors");
  MLIRContext *context = input.getContext();
  return checkedType<StreamType>(
      loc, context, adaptor.getExecutionContext(), Stage::Begin,
      input.getElementType(), input.getGrid(), MappingAttr(),
      MappingAttr::get(context, adaptor.getAxis()), input.getElement());
}

/// Whether a factor advances `axis`, directly or inside a base of its own.
static bool speaksOf(ArrayRef<Factor> factors, StringRef axis) {
  return llvm::any_of(factors, [&](const Factor &factor) {
    if (factor.kind == Factor::Kind::Axis && factor.base == axis)
      return true;
    if (!factor.composite)
      return false;
    return speaksOf(factor.composite->factors, axis) ||
           llvm::any_of(factor.composite->sliding, [&](const auto &term) {
             return speaksOf(term.factors, axis);
           });
  });
}

LogicalResult BeginInterleavedOp::verify() {
  auto type = cast<DmType>(getInputs().front().getType());
  for (Value input : getInputs().drop_front())
    if (input.getType() != type)
      return emitOpError() << "interleaves " << type << " with "
                           << input.getType() << ", the types must be equal";
  GridAttr grid = type.getGrid();
  std::optional<int64_t> size = grid.getAxes().getTable().lookup(getAxis());
  if (!size)
    return emitOpError() << "interleaves along \"" << getAxis()
                         << "\", which is no axis of " << grid.getAxes();
  if (*size != kInterleavedTensors)
    return emitOpError() << "interleaves along axis " << getAxis()
                         << " of size " << *size << ", one fetch takes "
                         << kInterleavedTensors << " tensors";
  for (const Mapping &mapping :
       {type.getElementMapping(), grid.getChipMapping(),
        grid.getClusterMapping(), grid.getSliceMapping()})
    if (speaksOf(mapping.factors(), getAxis()))
      return emitOpError() << "interleaves along axis " << getAxis()
                           << ", which the tensors have already: \""
                           << mapping.str() << "\"";
  return success();
}

//===----------------------------------------------------------------------===//
// fetch
//===----------------------------------------------------------------------===//

void FetchOp::build(OpBuilder &builder, OperationState &state, Value input,
                    Type elementType, MappingAttr time, MappingAttr packet) {
  build(builder, state, input, elementType, time, packet, TypedAttr(),
        ElementsAttr(), DenseI64ArrayAttr(), /*dual_channel=*/false);
}

FailureOr<Type> FetchOp::inferResult(std::optional<Location> loc,
                                     Adaptor adaptor) {
  return inferStream(loc, adaptor.getInput(), Stage::Fetch,
                     adaptor.getElementType(), adaptor.getTime(),
                     adaptor.getPacket());
}

/// The table has an entry for every element that may come.
static LogicalResult verifyTable(FetchOp op, Type indexType) {
  auto table = dyn_cast<DenseIntOrFPElementsAttr>(*op.getTable());
  if (!table)
    return op.emitOpError() << "table is not a list of numbers";
  unsigned bits = getBitWidth(*getElementKind(indexType));
  if (bits > kTableIndexBits)
    return op.emitOpError()
           << "table is indexed by " << indexType << ", elements of at most "
           << kTableIndexBits << " bits can be";
  auto type = cast<ShapedType>(table.getType());
  int64_t entries = int64_t(1) << bits;
  if (type.getRank() != 1 || type.getNumElements() != entries)
    return op.emitOpError() << "table is " << type << ", the elements "
                            << indexType << " index " << entries << " entries";
  std::optional<ElementType> kind = getElementKind(type.getElementType());
  if (!kind || *kind == ElementType::I5 || *kind == ElementType::I9)
    return op.emitOpError() << "table has elements of " << type.getElementType()
                            << ", which no memory holds";
  return success();
}

/// The numbers are of a wider integer type than what they are subtracted from.
static LogicalResult verifyZeroPoints(FetchOp op, Type castFrom,
                                      int64_t tensors) {
  ArrayRef<int64_t> points = *op.getZeroPoints();
  Type castTo = op.getElementType();
  if (points.size() != 1 && static_cast<int64_t>(points.size()) != tensors)
    return op.emitOpError()
           << "has " << points.size() << " zero points for " << tensors
           << (tensors == 1 ? " tensor" : " tensors");
  auto from = dyn_cast<IntegerType>(castFrom);
  auto to = dyn_cast<IntegerType>(castTo);
  if (!from || !to || to.getWidth() <= from.getWidth())
    return op.emitOpError()
           << "subtracts zero points while casting " << castFrom << " to "
           << castTo << ", it needs a cast to a wider integer type";
  int64_t limit = int64_t(1) << (to.getWidth() - 1);
  for (int64_t point : points)
    if (point < -limit || point >= limit)
      return op.emitOpError()
             << "zero point " << point << " is not a value of " << castTo
             << ", allowed are " << -limit << " to " << limit - 1;
  return success();
}

LogicalResult FetchOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
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

  // Interleaved tensors alternate: their axis moves fastest (ERR-79, SIL-31).
  Mapping tensors = input.getTimeMapping();
  if (tensors.size() != 1) {
    Mapping time = output.getTimeMapping();
    llvm::Expected<Mapping> innermost = time.modulo(tensors.size());
    if (!innermost)
      llvm::consumeError(innermost.takeError());
    if (!innermost || !innermost->isEquivalent(tensors))
      return emitOpError() << "time \"" << getTime().getText()
                           << "\" does not have the interleaved axis \""
                           << input.getTime().getText() << "\" innermost";
  }

  if (input.getExecutionContext() == Context::Sub) {
    StringRef stage = getPadValue()      ? "masking"
                      : getTable()       ? "table indexing"
                      : getDualChannel() ? "dual-channel mode"
                                         : "";
    if (!stage.empty())
      return emitOpError() << "is in the sub context, which has no " << stage;
  }
  Type type = input.getElementType();
  if (getPadValue() && getPadValue()->getType() != type)
    return emitOpError() << "pad_value is " << *getPadValue()
                         << ", the tensor's elements are " << type;
  if (getTable()) {
    if (failed(verifyTable(*this, type)))
      return failure();
    type = getTable()->getElementType();
  }
  if (getZeroPoints())
    return verifyZeroPoints(*this, type, tensors.size());
  return success();
}
