//===- TcpTypes.cpp - Tensors and streams of the TCP ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "sequin/Dialect/Stream/IR/ResolvedMappings.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"
#include "sequin/Machine/TcpIsa.h"
#include "sequin/Stream/Overlap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using namespace sequin::stream;

//===----------------------------------------------------------------------===//
// Custom directives
//===----------------------------------------------------------------------===//

/// context stage element `,` grid `,` (`row` row `,`)? time `,` packet
static ParseResult parseStreamBody(AsmParser &parser, Context &context,
                                   Stage &stage, Type &elementType,
                                   GridAttr &grid, MappingAttr &row,
                                   MappingAttr &time, MappingAttr &packet) {
  FailureOr<Context> parsedContext = FieldParser<Context>::parse(parser);
  if (failed(parsedContext))
    return failure();
  FailureOr<Stage> parsedStage = FieldParser<Stage>::parse(parser);
  if (failed(parsedStage))
    return failure();
  context = *parsedContext;
  stage = *parsedStage;
  if (parser.parseType(elementType) || parser.parseComma() ||
      parser.parseAttribute(grid) || parser.parseComma())
    return failure();
  if (succeeded(parser.parseOptionalKeyword("row")) &&
      (parseMapping(parser, row) || parser.parseComma()))
    return failure();
  return failure(parseMapping(parser, time) || parser.parseComma() ||
                 parseMapping(parser, packet));
}

static void printStreamBody(AsmPrinter &printer, Context context, Stage stage,
                            Type elementType, GridAttr grid, MappingAttr row,
                            MappingAttr time, MappingAttr packet) {
  printer << stringifyContext(context) << ' ' << stringifyStage(stage) << ' '
          << elementType << ", " << grid << ", ";
  if (row) {
    printer << "row ";
    printMapping(printer, row);
    printer << ", ";
  }
  printMapping(printer, time);
  printer << ", ";
  printMapping(printer, packet);
}

#define GET_TYPEDEF_CLASSES
#include "sequin/Dialect/Tcp/IR/TcpTypes.cpp.inc"

void TcpDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "sequin/Dialect/Tcp/IR/TcpTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

std::optional<ElementType> tcp::getElementKind(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (!integer.isSignless())
      return std::nullopt;
    switch (integer.getWidth()) {
    case 4:
      return ElementType::I4;
    case 5:
      return ElementType::I5;
    case 8:
      return ElementType::I8;
    case 9:
      return ElementType::I9;
    case 16:
      return ElementType::I16;
    case 32:
      return ElementType::I32;
    default:
      return std::nullopt;
    }
  }
  return llvm::TypeSwitch<Type, std::optional<ElementType>>(type)
      .Case<Float8E4M3FNType>([](Type) { return ElementType::F8E4M3; })
      .Case<Float8E5M2Type>([](Type) { return ElementType::F8E5M2; })
      .Case<BFloat16Type>([](Type) { return ElementType::BF16; })
      .Case<Float16Type>([](Type) { return ElementType::F16; })
      .Case<Float32Type>([](Type) { return ElementType::F32; })
      .Default([](Type) { return std::nullopt; });
}

Type tcp::getElementType(MLIRContext *context, ElementType kind) {
  Builder builder(context);
  switch (kind) {
  case ElementType::I4:
    return builder.getIntegerType(4);
  case ElementType::I5:
    return builder.getIntegerType(5);
  case ElementType::I8:
    return builder.getIntegerType(8);
  case ElementType::I9:
    return builder.getIntegerType(9);
  case ElementType::I16:
    return builder.getIntegerType(16);
  case ElementType::I32:
    return builder.getIntegerType(32);
  case ElementType::F8E4M3:
    return Float8E4M3FNType::get(context);
  case ElementType::F8E5M2:
    return Float8E5M2Type::get(context);
  case ElementType::BF16:
    return builder.getBF16Type();
  case ElementType::F16:
    return builder.getF16Type();
  case ElementType::F32:
    return builder.getF32Type();
  }
  llvm_unreachable("unknown element type");
}

Type tcp::getAccumulatorType(Type type) {
  std::optional<ElementType> kind = getElementKind(type);
  if (!kind)
    return {};
  switch (*kind) {
  case ElementType::I4:
  case ElementType::I5:
  case ElementType::I8:
  case ElementType::I9:
    return IntegerType::get(type.getContext(), 32);
  case ElementType::F8E4M3:
  case ElementType::F8E5M2:
  case ElementType::BF16:
    return Float32Type::get(type.getContext());
  default:
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

using EmitError = function_ref<InFlightDiagnostic()>;

static LogicalResult verifyElementType(EmitError emitError, Type type,
                                       bool inMemory) {
  std::optional<ElementType> kind = getElementKind(type);
  if (!kind)
    return emitError() << "element type " << type
                       << " is not one of the machine's: i4, i8, i16, i32, "
                          "f8E4M3FN, f8E5M2, bf16, f16, f32";
  if (inMemory && (*kind == ElementType::I5 || *kind == ElementType::I9))
    return emitError() << "element type " << type
                       << " exists in streams only, not in a memory";
  return success();
}

/// A dimension of a type; those that it does not have are null.
using Dimension = std::pair<StringRef, MappingAttr>;

/// Each mapping by itself, then all together: an axis is walked once (SIL-51).
/// More than any memory has bytes and any pass has steps; byte counts and
/// addresses fit into 64 bits.
static constexpr int64_t kMostPositions = int64_t(1) << 40;

static LogicalResult verifyMappings(EmitError emitError, AxesAttr axes,
                                    ArrayRef<Dimension> dimensions) {
  SmallVector<NamedMapping, 6> resolved;
  for (auto [name, mapping] : dimensions) {
    if (!mapping)
      continue;
    llvm::Expected<Mapping> found = stream::resolve(axes, mapping);
    if (!found)
      return emitError() << name << " mapping \"" << mapping.getText()
                         << "\": " << llvm::toString(found.takeError());
    if (found->size() > kMostPositions)
      return emitError() << name << " mapping \"" << mapping.getText()
                         << "\" has " << found->size()
                         << " positions, allowed are at most 2^40";
    resolved.push_back({name, std::move(*found)});
  }
  if (llvm::Error error = checkOverlap(resolved))
    return emitError() << llvm::toString(std::move(error));
  return success();
}

/// The same for a tensor or stream on a grid.
static LogicalResult verifyMappings(EmitError emitError, GridAttr grid,
                                    ArrayRef<Dimension> dimensions) {
  SmallVector<Dimension, 6> all{{"chip", grid.getChip()},
                                {"cluster", grid.getCluster()},
                                {"slice", grid.getSlice()}};
  llvm::append_range(all, dimensions);
  return verifyMappings(emitError, grid.getAxes(), all);
}

static int64_t bytesOf(Type type, const Mapping &mapping) {
  return ::sequin::getByteSize(*getElementKind(type), mapping.size());
}

LogicalResult HostType::verify(EmitError emitError, Type elementType,
                               AxesAttr axes, MappingAttr element) {
  return failure(
      failed(verifyElementType(emitError, elementType, true)) ||
      failed(verifyMappings(emitError, axes, Dimension{"element", element})));
}

Mapping HostType::getElementMapping() const {
  return resolveVerified(getAxes(), getElement());
}

LogicalResult HbmType::verify(EmitError emitError, Type elementType,
                              AxesAttr axes, MappingAttr chip,
                              MappingAttr element) {
  return failure(failed(verifyElementType(emitError, elementType, true)) ||
                 failed(verifyMappings(
                     emitError, axes, {{"chip", chip}, {"element", element}})));
}

Mapping HbmType::getChipMapping() const {
  return resolveVerified(getAxes(), getChip());
}
Mapping HbmType::getElementMapping() const {
  return resolveVerified(getAxes(), getElement());
}
int64_t HbmType::getByteSize() const {
  return bytesOf(getElementType(), getElementMapping());
}

LogicalResult SpmType::verify(EmitError emitError, Type elementType,
                              AxesAttr axes, MappingAttr chip,
                              MappingAttr element) {
  return HbmType::verify(emitError, elementType, axes, chip, element);
}

Mapping SpmType::getChipMapping() const {
  return resolveVerified(getAxes(), getChip());
}
Mapping SpmType::getElementMapping() const {
  return resolveVerified(getAxes(), getElement());
}
int64_t SpmType::getByteSize() const {
  return bytesOf(getElementType(), getElementMapping());
}

LogicalResult DmType::verify(EmitError emitError, Type elementType,
                             GridAttr grid, MappingAttr element) {
  return failure(
      failed(verifyElementType(emitError, elementType, true)) ||
      failed(verifyMappings(emitError, grid, Dimension{"element", element})));
}

Mapping DmType::getElementMapping() const {
  return resolveVerified(getGrid().getAxes(), getElement());
}
int64_t DmType::getByteSize() const {
  return bytesOf(getElementType(), getElementMapping());
}

LogicalResult VrfType::verify(EmitError emitError, Type elementType,
                              GridAttr grid, MappingAttr element) {
  bool isId = elementType.isInteger(tcp_isa::kExecutionIdBits);
  if (!elementType.isInteger(32) && !elementType.isF32() && !isId)
    return emitError() << "VRF tensor has element type " << elementType
                       << ", the vector engine works on i32 and f32, its "
                          "ExecutionIds are i"
                       << tcp_isa::kExecutionIdBits;
  return verifyMappings(emitError, grid, Dimension{"element", element});
}

Mapping VrfType::getElementMapping() const {
  return resolveVerified(getGrid().getAxes(), getElement());
}
int64_t VrfType::getByteSize() const {
  return bytesOf(getElementType(), getElementMapping());
}

LogicalResult TrfType::verify(EmitError emitError, Type elementType,
                              GridAttr grid, MappingAttr row,
                              MappingAttr element) {
  if (!getAccumulatorType(elementType))
    return emitError() << "TRF tensor has element type " << elementType
                       << ", the contraction engine takes i4, i8, f8E4M3FN, "
                          "f8E5M2 and bf16, and the i5 and i9 of streams";
  return verifyMappings(emitError, grid, {{"row", row}, {"element", element}});
}

Mapping TrfType::getRowMapping() const {
  return resolveVerified(getGrid().getAxes(), getRow());
}
Mapping TrfType::getElementMapping() const {
  return resolveVerified(getGrid().getAxes(), getElement());
}
int64_t TrfType::getByteSize() const {
  return bytesOf(getElementType(), getElementMapping());
}

LogicalResult StreamType::verify(EmitError emitError, Context, Stage stage,
                                 Type elementType, GridAttr grid,
                                 MappingAttr row, MappingAttr time,
                                 MappingAttr packet) {
  if (failed(verifyElementType(emitError, elementType, false)))
    return failure();
  bool hasRows = stage == Stage::Align || stage == Stage::Contract;
  if (hasRows != static_cast<bool>(row))
    return emitError() << "stream after " << stringifyStage(stage)
                       << (hasRows ? " needs a row mapping"
                                   : " has no row mapping");
  return verifyMappings(emitError, grid,
                        {{"row", row}, {"time", time}, {"packet", packet}});
}

Mapping StreamType::getTimeMapping() const {
  return resolveVerified(getGrid().getAxes(), getTime());
}
Mapping StreamType::getPacketMapping() const {
  return resolveVerified(getGrid().getAxes(), getPacket());
}
Mapping StreamType::getRowMapping() const {
  return getRow() ? resolveVerified(getGrid().getAxes(), getRow()) : Mapping();
}
int64_t StreamType::getPacketBytes() const {
  return bytesOf(getElementType(), getPacketMapping());
}
