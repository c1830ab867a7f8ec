//===- CslLayoutOps.cpp - Where programs are and what the host sees -------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineRules.h"
#include "sequin/Dialect/Csl/IR/ExportSigns.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl;

//===----------------------------------------------------------------------===//
// LayoutOp
//===----------------------------------------------------------------------===//

/// PEs of a rectangle of no machine: more than any machine has.
static constexpr int64_t kMostPes = 1 << 20;

LogicalResult LayoutOp::verify() {
  int64_t width = getWidth(), height = getHeight();
  const CslMachine *machine = lookupMachine(*this);
  if (machine &&
      (width > machine->fabricWidth || height > machine->fabricHeight))
    return emitOpError() << "is " << width << " x " << height << ", "
                         << machine->name << " has " << machine->fabricWidth
                         << " x " << machine->fabricHeight << " PEs";
  if (!machine && (width > UINT16_MAX || height > UINT16_MAX))
    return emitOpError() << "is " << width << " x " << height
                         << ", a side is at most " << UINT16_MAX;
  if (!machine && width * height > kMostPes)
    return emitOpError() << "has " << width * height
                         << " PEs, without a machine there are at most "
                         << kMostPes;
  if (!llvm::all_equal({getFabricWidth().has_value(),
                        getFabricHeight().has_value(), getOffsetX().has_value(),
                        getOffsetY().has_value()}))
    return emitOpError() << "has some of fabric_width, fabric_height, offset_x "
                            "and offset_y, which are given together";
  if (!getFabricWidth())
    return success();
  std::tuple<StringRef, int64_t, int64_t, int64_t> sides[] = {
      {"width", width, *getOffsetX(), *getFabricWidth()},
      {"height", height, *getOffsetY(), *getFabricHeight()}};
  for (auto [name, size, offset, fabric] : sides)
    if (offset < 0 || fabric < size || offset > fabric - size)
      return emitOpError() << "of " << name << " " << size << " at offset "
                           << offset << " does not fit on a fabric of "
                           << fabric;
  return success();
}

/// Says so if `region` leaves the rectangle.
static LogicalResult checkInside(Operation *op, RegionAttr region,
                                 LayoutOp layout) {
  std::tuple<char, int64_t, int64_t> sides[] = {
      {'x', region.getXEnd() - 1, layout.getWidth()},
      {'y', region.getYEnd() - 1, layout.getHeight()}};
  for (auto [axis, last, size] : sides) {
    if (last < size)
      continue;
    InFlightDiagnostic error = op->emitOpError()
                               << "reaches " << axis << " = " << last
                               << ", the rectangle has 0 to " << size - 1;
    error.attachNote(layout.getLoc()) << "rectangle is here";
    return error;
  }
  return success();
}

LogicalResult LayoutOp::verifyRegions() {
  size_t width = getWidth(), height = getHeight();
  std::vector<Operation *> code(width * height);
  llvm::StringMap<Operation *> names;
  for (Operation &op : getBody().front()) {
    if (auto tile = dyn_cast<TileCodeOp>(op)) {
      if (failed(checkInside(tile, tile.getRegion(), *this)))
        return failure();
      LogicalResult result = success();
      tile.getRegion().forEach([&](int64_t x, int64_t y) {
        Operation *&slot = code[y * width + x];
        if (slot && succeeded(result)) {
          InFlightDiagnostic error = tile.emitOpError()
                                     << "gives PE (" << x << ", " << y
                                     << ") code that it has already";
          error.attachNote(slot->getLoc()) << "given here";
          result = error;
        }
        slot = tile;
      });
      if (failed(result))
        return failure();
    } else if (auto config = dyn_cast<ColorConfigOp>(op)) {
      if (failed(checkInside(config, config.getRegion(), *this)))
        return failure();
    } else if (auto name = dyn_cast<ExportNameOp>(op)) {
      Operation *&slot = names[name.getName()];
      if (slot) {
        InFlightDiagnostic error = name.emitOpError()
                                   << "exports \"" << name.getName()
                                   << "\" a second time";
        error.attachNote(slot->getLoc()) << "exported here";
        return error;
      }
      slot = name;
    } else if (auto stream = dyn_cast<StreamOp>(op)) {
      if (stream.getX() &&
          failed(checkInside(
              stream,
              RegionAttr::get(getContext(), *stream.getX(), *stream.getX() + 1,
                              1, *stream.getY(), *stream.getY() + 1, 1),
              *this)))
        return failure();
    } else {
      return op.emitOpError() << "is not for a csl.layout, which holds "
                                 "csl.tile_code, csl.color_config, "
                                 "csl.export_name and csl.stream";
    }
  }
  for (size_t i = 0; i < code.size(); ++i)
    if (!code[i])
      return emitOpError() << "gives PE (" << i % width << ", " << i / width
                           << ") no code";
  return success();
}

//===----------------------------------------------------------------------===//
// TileCodeOp
//===----------------------------------------------------------------------===//

/// Whether `value` says what a parameter of `type` is at every PE of `region`.
static LogicalResult checkParam(TileCodeOp op, StringRef name, Attribute value,
                                Type type) {
  RegionAttr region = op.getRegion();
  if (auto map = dyn_cast<AffineMapAttr>(value)) {
    AffineMap affine = map.getValue();
    if (affine.getNumDims() != 2 || affine.getNumSymbols() ||
        affine.getNumResults() != 1)
      return op.emitOpError() << "gives parameter '" << name << "' as " << map
                              << ", expected one number from x and y";
    if (type.isFloat() || isa<CB16Type>(type))
      return op.emitOpError() << "gives parameter '" << name << "' of type "
                              << type << " as an integer map";
    return success();
  }
  // Ids and enums have integer values, cb16 f32 ones.
  Type stored = isa<CB16Type>(type)   ? Float32Type::get(op.getContext())
                : type.isIntOrFloat() ? type
                                      : IntegerType::get(op.getContext(), 16);
  if (auto enumType = dyn_cast<EnumType>(type))
    stored = enumType.getBaseType();
  if (auto elements = dyn_cast<ElementsAttr>(value)) {
    auto shaped = cast<ShapedType>(elements.getType());
    int64_t expected[] = {region.getHeight(), region.getWidth()};
    if (shaped.getShape() != ArrayRef<int64_t>(expected) ||
        shaped.getElementType() != stored)
      return op.emitOpError()
             << "gives parameter '" << name << "' values of type " << shaped
             << ", expected tensor<" << expected[0] << "x" << expected[1] << "x"
             << stored << ">";
    return success();
  }
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed || !isa<IntegerAttr, FloatAttr>(value) ||
      typed.getType() != stored)
    return op.emitOpError() << "gives parameter '" << name << "' as " << value
                            << ", expected a value of type " << stored;
  return success();
}

LogicalResult TileCodeOp::verifySymbolUses(SymbolTableCollection &table) {
  FailureOr<ProgramOp> program =
      lookupInProgram<ProgramOp>(*this, table, getProgramAttr(), "program");
  if (failed(program))
    return failure();
  llvm::StringMap<ParamOp> params;
  for (auto param : program->getOps<ParamOp>())
    params[param.getSymName()] = param;
  DictionaryAttr given = getParamsAttr();
  for (NamedAttribute entry :
       given ? given.getValue() : ArrayRef<NamedAttribute>()) {
    StringRef name = entry.getName().getValue();
    auto param = params.find(name);
    if (param == params.end()) {
      InFlightDiagnostic error = emitOpError()
                                 << "gives parameter '" << name << "', which "
                                 << getProgramAttr() << " does not have";
      error.attachNote(program->getLoc()) << "program is here";
      return error;
    }
    if (failed(
            checkParam(*this, name, entry.getValue(), param->second.getType())))
      return failure();
  }
  for (auto param : program->getOps<ParamOp>()) {
    if (param.getDefaultValue() ||
        (given && given.contains(param.getSymName())))
      continue;
    InFlightDiagnostic error = emitOpError() << "gives no value for parameter '"
                                             << param.getSymName() << "'";
    error.attachNote(param.getLoc()) << "declared without a default here";
    return error;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ColorConfigOp, ExportNameOp, StreamOp
//===----------------------------------------------------------------------===//

LogicalResult ColorConfigOp::verify() {
  return checkColorConfig(*this, getColor(), getRoutes(),
                          getSwitches().value_or(SwitchesAttr()));
}

/// Builtins for Supporting Remote Procedure Calls, @export_name.
static constexpr unsigned kMaxExportArguments = 15;

static bool isExportable(Type type) {
  constexpr unsigned kMaxBits = 64;
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && integer.getWidth() >= 1 &&
           integer.getWidth() <= kMaxBits;
  return type.isF16() || type.isBF16() || type.isF32() ||
         isa<CB16Type, PtrType, ColorType, InputQueueType, OutputQueueType,
             DataTaskIdType, LocalTaskIdType, ControlTaskIdType, UtIdType,
             DirectionType, DsdType>(type);
}

bool csl::isUnsigned(ExportNameOp name, unsigned part) {
  if (auto parts =
          name->getAttrOfType<DenseBoolArrayAttr>(kUnsignedPartsAttrName))
    return part < parts.size() && parts[part];
  return name.getIsUnsigned();
}

LogicalResult ExportNameOp::verify() {
  if (auto function = dyn_cast<FunctionType>(getType())) {
    if (getIsMutable())
      return emitOpError() << "exports a function as mutable";
    if (function.getNumInputs() > kMaxExportArguments)
      return emitOpError() << "exports a function of "
                           << function.getNumInputs()
                           << " arguments, allowed are up to "
                           << kMaxExportArguments;
    for (Type type :
         llvm::concat<const Type>(function.getInputs(), function.getResults()))
      if (!isExportable(type))
        return emitOpError() << "exports a function with type " << type
                             << ", which the host does not know";
    return success();
  }
  if (!isExportable(getType()))
    return emitOpError() << "exports a name of type " << getType()
                         << ", allowed are pointers, numbers of up to 64 bits, "
                            "ids, directions and DSDs";
  return success();
}

LogicalResult StreamOp::verify() {
  const CslMachine *machine = lookupMachine(*this);
  if (machine && failed(checkRange(*this, "color", getColor(), 0,
                                   machine->colors - 1, machine->name)))
    return failure();
  if (!llvm::all_equal(
          {getX().has_value(), getY().has_value(), getSide().has_value()}))
    return emitOpError()
           << "has some of x, y and side, which are given together";
  if (!getX())
    return success();
  // As they were written: a negative number is no large one.
  int64_t x = *getX(), y = *getY();
  if (x < 0 || y < 0 || x > UINT16_MAX || y > UINT16_MAX)
    return emitOpError() << "is at (" << x << ", " << y << "), which is no PE";
  if (*getSide() == Direction::Ramp)
    return emitOpError() << "is at the RAMP of a PE, expected a link";
  return success();
}
