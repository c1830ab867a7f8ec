//===- LayoutEmitter.cpp - layout.csl -------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutEmitter.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "sequin/Dialect/Csl/IR/ExportSigns.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_source;

//===----------------------------------------------------------------------===//
// Affine maps of coordinates
//===----------------------------------------------------------------------===//

namespace {
/// The values that an expression takes over a region.
struct Interval {
  int64_t low, high;
  /// Whether CSL's division, which rounds to zero, gives the same.
  bool divides = true;
  /// Of all parts.
  int64_t lowest, highest;
};
} // namespace

/// Over x and y of `region`; std::nullopt on overflow.
static std::optional<Interval> evaluate(AffineExpr expr,
                                        csl::RegionAttr region) {
  auto make = [](int64_t low, int64_t high) {
    return Interval{low, high, true, low, high};
  };
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return make(constant.getValue(), constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition() == 0
               ? make(region.getXBegin(), region.getXEnd() - 1)
               : make(region.getYBegin(), region.getYEnd() - 1);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<Interval> a = evaluate(binary.getLHS(), region);
  std::optional<Interval> b = evaluate(binary.getRHS(), region);
  if (!a || !b)
    return std::nullopt;
  Interval result = make(0, 0);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    if (__builtin_add_overflow(a->low, b->low, &result.low) ||
        __builtin_add_overflow(a->high, b->high, &result.high))
      return std::nullopt;
    break;
  case AffineExprKind::Mul: {
    int64_t corners[4];
    if (__builtin_mul_overflow(a->low, b->low, &corners[0]) ||
        __builtin_mul_overflow(a->low, b->high, &corners[1]) ||
        __builtin_mul_overflow(a->high, b->low, &corners[2]) ||
        __builtin_mul_overflow(a->high, b->high, &corners[3]))
      return std::nullopt;
    result.low = *llvm::min_element(corners);
    result.high = *llvm::max_element(corners);
    break;
  }
  case AffineExprKind::FloorDiv:
  case AffineExprKind::Mod:
    // Rounding down and to zero agree where nothing is negative.
    if (a->low < 0 || b->low <= 0)
      result.divides = false;
    if (expr.getKind() == AffineExprKind::Mod)
      result.high = std::max<int64_t>(b->high - 1, 0);
    else
      result.high = a->high;
    break;
  default:
    result.divides = false;
    result.low = std::min(a->low, b->low);
    result.high = std::max(a->high, b->high);
  }
  result.divides &= a->divides && b->divides;
  result.lowest = std::min({result.low, a->lowest, b->lowest});
  result.highest = std::max({result.high, a->highest, b->highest});
  return result;
}

static Expression spell(AffineExpr expr, StringRef x, StringRef y) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    Expression number = leaf(std::to_string(constant.getValue()));
    if (constant.getValue() < 0)
      number.precedence = Precedence::Unary;
    return number;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return leaf((dim.getPosition() == 0 ? x : y).str());
  auto parts = cast<AffineBinaryOpExpr>(expr);
  Expression left = spell(parts.getLHS(), x, y);
  Expression right = spell(parts.getRHS(), x, y);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    // `y - x` is y + x * -1 in a map.
    if (auto product = dyn_cast<AffineBinaryOpExpr>(parts.getRHS());
        product && product.getKind() == AffineExprKind::Mul)
      if (auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
          factor && factor.getValue() == -1)
        return binary(left, "-", spell(product.getLHS(), x, y),
                      Precedence::Sum);
    if (auto constant = dyn_cast<AffineConstantExpr>(parts.getRHS());
        constant && constant.getValue() < 0)
      return binary(left, "-", leaf(std::to_string(-constant.getValue())),
                    Precedence::Sum);
    return binary(left, "+", right, Precedence::Sum);
  case AffineExprKind::Mul:
    if (right.text == "-1")
      return unary("-", left);
    return binary(left, "*", right, Precedence::Product);
  case AffineExprKind::FloorDiv:
    return binary(left, "/", right, Precedence::Product);
  default:
    return binary(left, "%", right, Precedence::Product);
  }
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

std::string LayoutEmitter::table(csl::TileCodeOp tile, csl::ParamOp param,
                                 ArrayRef<Attribute> values,
                                 const Coordinates &at) {
  ProgramEmitter &emitter =
      *programs
           .find(tile->getParentOfType<ModuleOp>().lookupSymbol(
               tile.getProgramAttr()))
           ->second.emitter;
  std::string type = emitter.getParamType(param);
  Type valueType = param.getType();
  if (auto named = dyn_cast<csl::EnumType>(valueType))
    valueType = named.getBaseType();
  int64_t width = at.region.getWidth(), height = at.region.getHeight();
  std::string shape = "[";
  if (height > 1)
    shape += std::to_string(height);
  if (width > 1)
    shape += (height > 1 ? ", " : "") + std::to_string(width);
  Doc made = Doc::braces(shape + "]" + type + " ", {});
  made.fill = true;
  for (Attribute value : values) {
    auto number = dyn_cast<IntegerAttr>(value);
    if (number && isa<csl::ColorType>(valueType))
      made.items.emplace_back(colorOf(number.getValue().getZExtValue()));
    else if (number && !valueType.isIntOrIndex())
      made.items.emplace_back(
          emitter.spellIdInPlace(valueType, number.getValue().getZExtValue()));
    else
      made.items.emplace_back(
          emitter.literal(param, value, valueType, type.front() != 'u'));
  }
  std::string name =
      names.take(tile.getProgram().str() + "_" + param.getSymName().str());
  tables.write("const " + name + " = ", made, ";");
  auto place = [](StringRef variable, int64_t begin, int64_t step) {
    Expression index = leaf(variable.str());
    if (begin)
      index = binary(index, "-", leaf(std::to_string(begin)), Precedence::Sum);
    if (step != 1)
      index =
          binary(index, "/", leaf(std::to_string(step)), Precedence::Product);
    return index.text;
  };
  std::string indices;
  if (height > 1)
    indices += place(at.y, at.region.getYBegin(), at.region.getYStep());
  if (width > 1)
    indices += (height > 1 ? ", " : "") +
               place(at.x, at.region.getXBegin(), at.region.getXStep());
  return name + "[" + indices + "]";
}

std::string LayoutEmitter::parameter(csl::TileCodeOp tile, csl::ParamOp param,
                                     Attribute value, const Coordinates &at) {
  ProgramEmitter &emitter =
      *programs
           .find(tile->getParentOfType<ModuleOp>().lookupSymbol(
               tile.getProgramAttr()))
           ->second.emitter;
  Type type = param.getType();
  Type valueType = type;
  if (auto named = dyn_cast<csl::EnumType>(type))
    valueType = named.getBaseType();
  std::string spelled = emitter.getParamType(param);
  bool isSigned = spelled.front() != 'u';
  bool onePe = at.region.getWidth() == 1 && at.region.getHeight() == 1;
  auto one = [&](Attribute attribute) -> std::string {
    auto number = dyn_cast<IntegerAttr>(attribute);
    if (number && isa<csl::ColorType>(type))
      return colorOf(number.getValue().getZExtValue());
    if (number && !valueType.isIntOrIndex())
      return emitter.spellIdInPlace(type, number.getValue().getZExtValue());
    return emitter.literal(param, attribute, valueType, isSigned);
  };
  if (auto map = dyn_cast<AffineMapAttr>(value)) {
    AffineExpr expr = map.getValue().getResult(0);
    std::optional<Interval> range = evaluate(expr, at.region);
    unsigned bits =
        valueType.isIntOrIndex() ? valueType.getIntOrFloatBitWidth() : 16;
    auto fits = [&](int64_t number) {
      return bits >= 64 || (isSigned && valueType.isIntOrIndex()
                                ? llvm::isIntN(bits, number)
                                : number >= 0 && llvm::isUIntN(bits, number));
    };
    if (range && range->divides && fits(range->low) && fits(range->high) &&
        !onePe && !isa<csl::DirectionType>(type)) {
      std::string text = spell(expr, at.x, at.y).text;
      if (valueType.isIntOrIndex())
        return text;
      return emitter.spellIdBuiltin(type, text);
    }
    // One value per PE otherwise, wrapped to the parameter's bits.
    std::vector<Attribute> values;
    Builder builder(param.getContext());
    Type stored = valueType.isIntOrIndex() ? valueType : builder.getI16Type();
    at.region.forEach([&](int64_t x, int64_t y) {
      llvm::SmallVector<Attribute> results;
      Attribute place[] = {builder.getIndexAttr(x), builder.getIndexAttr(y)};
      int64_t number = 0;
      if (succeeded(map.getValue().constantFold(place, results)))
        number = cast<IntegerAttr>(results.front()).getInt();
      values.push_back(IntegerAttr::get(
          stored, APInt(stored.getIntOrFloatBitWidth(), number,
                        /*isSigned=*/true, /*implicitTrunc=*/true)));
    });
    return onePe ? one(values.front()) : table(tile, param, values, at);
  }
  if (auto elements = dyn_cast<ElementsAttr>(value)) {
    std::vector<Attribute> values(elements.getValues<Attribute>().begin(),
                                  elements.getValues<Attribute>().end());
    if (elements.isSplat() || onePe)
      return one(values.front());
    return table(tile, param, values, at);
  }
  return one(value);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

std::string LayoutEmitter::colorOf(int64_t color) {
  auto [entry, isNew] = colorNames.try_emplace(color);
  if (isNew) {
    auto wish = colorWishes.find(color);
    entry->second = names.take(wish != colorWishes.end()
                                   ? wish->second
                                   : "color_" + std::to_string(color));
    colors.line("const " + entry->second + " = @get_color(" +
                std::to_string(color) + ");");
  }
  return entry->second;
}

/// A color that is the value of a parameter or stream is called like it, where
/// it is used.
void LayoutEmitter::collectColorNames() {
  std::map<int64_t, std::set<std::string>> wishes;
  for (auto tile : layout.getOps<csl::TileCodeOp>()) {
    DictionaryAttr given = tile.getParamsAttr();
    auto program =
        cast<csl::ProgramOp>(layout->getParentOfType<ModuleOp>().lookupSymbol(
            tile.getProgramAttr()));
    for (auto param : program.getOps<csl::ParamOp>())
      if (isa<csl::ColorType>(param.getType()) && given)
        if (auto number =
                dyn_cast_or_null<IntegerAttr>(given.get(param.getSymName())))
          wishes[number.getInt()].insert(param.getSymName().str());
  }
  for (auto stream : layout.getOps<csl::StreamOp>())
    wishes[stream.getColor()].insert(stream.getName().str());
  std::map<std::string, unsigned> uses;
  for (const auto &[color, candidates] : wishes)
    for (const std::string &name : candidates)
      ++uses[name];
  // A name that several colors have names none.
  for (const auto &[color, candidates] : wishes)
    for (const std::string &name : candidates)
      if (uses[name] == 1) {
        colorWishes[color] = name;
        break;
      }
}

void LayoutEmitter::emitTile(csl::TileCodeOp tile, const Coordinates &at) {
  auto program = cast<csl::ProgramOp>(
      layout->getParentOfType<ModuleOp>().lookupSymbol(tile.getProgramAttr()));
  const ProgramFile &file = programs.find(program)->second;
  std::vector<Doc> fields;
  if (file.emitter->usesMemcpy())
    fields.push_back(Doc::field(file.emitter->getMemcpyParam(),
                                getParams + ".get_params(" + at.x + ")"));
  DictionaryAttr given = tile.getParamsAttr();
  for (auto param : program.getOps<csl::ParamOp>()) {
    Attribute value = given ? given.get(param.getSymName()) : Attribute();
    if (value)
      fields.push_back(Doc::field(file.emitter->getParamName(param),
                                  parameter(tile, param, value, at)));
  }
  std::vector<Doc> arguments{Doc(at.x), Doc(at.y), Doc(quote(file.name))};
  if (!fields.empty())
    arguments.push_back(Doc::braces("", std::move(fields)));
  body.write("", Doc::call("@set_tile_code", std::move(arguments)), ";");
}

std::string LayoutEmitter::coordinateType(ArrayRef<Operation *> ops) {
  int64_t low = 0, high = 0;
  for (Operation *op : ops) {
    auto tile = dyn_cast<csl::TileCodeOp>(op);
    if (!tile || !tile.getParamsAttr())
      continue;
    for (NamedAttribute entry : tile.getParamsAttr())
      if (auto map = dyn_cast<AffineMapAttr>(entry.getValue()))
        if (std::optional<Interval> range =
                evaluate(map.getValue().getResult(0), tile.getRegion())) {
          low = std::min(low, range->lowest);
          high = std::max(high, range->highest);
        }
  }
  if (low >= 0 && high <= UINT16_MAX)
    return "u16";
  if (low >= INT16_MIN && high <= INT16_MAX && layout.getWidth() <= INT16_MAX &&
      layout.getHeight() <= INT16_MAX)
    return "i16";
  return low >= INT32_MIN && high <= INT32_MAX ? "i32" : "i64";
}

std::string LayoutEmitter::extent(int64_t size, StringRef name, int64_t whole) {
  return size == whole ? name.str() : std::to_string(size);
}

void LayoutEmitter::emitRegion(csl::RegionAttr region,
                               ArrayRef<Operation *> ops) {
  std::string type = coordinateType(ops);
  Coordinates at{std::to_string(region.getXBegin()),
                 std::to_string(region.getYBegin()), region};
  unsigned depth = 0;
  auto loop = [&](StringRef variable, int64_t begin, int64_t end, int64_t step,
                  StringRef sizeName, int64_t whole, std::string &out) {
    if (begin + step >= end)
      return;
    std::string range = "@range(" + type + ", ";
    std::string last = extent(end, sizeName, whole);
    if (begin == 0 && step == 1)
      range += last + ")";
    else
      range += std::to_string(begin) + ", " + last + ", " +
               std::to_string(step) + ")";
    out = variable.str();
    body.open("for (" + range + ") |" + out + "| {");
    ++depth;
  };
  loop(xName, region.getXBegin(), region.getXEnd(), region.getXStep(),
       widthName, layout.getWidth(), at.x);
  loop(yName, region.getYBegin(), region.getYEnd(), region.getYStep(),
       heightName, layout.getHeight(), at.y);
  for (Operation *op : ops) {
    if (auto tile = dyn_cast<csl::TileCodeOp>(op)) {
      emitTile(tile, at);
      continue;
    }
    auto config = cast<csl::ColorConfigOp>(op);
    body.write("",
               Doc::call("@set_color_config",
                         {Doc(at.x), Doc(at.y), Doc(colorOf(config.getColor())),
                          spellColorConfig(
                              config.getRoutes(), config.getSwitchesAttr(),
                              config.getFilterAttr(), config.getTeardown())}),
               ";");
  }
  while (depth--)
    body.close();
}

//===----------------------------------------------------------------------===//
// Host
//===----------------------------------------------------------------------===//

void LayoutEmitter::emitExports() {
  for (auto name : layout.getOps<csl::ExportNameOp>()) {
    ProgramEmitter &any = *programs.begin()->second.emitter;
    std::vector<Doc> arguments{Doc(quote(name.getName()))};
    bool isDeclared = false;
    name.getType().walk([&](Type part) {
      isDeclared |= isa<csl::StructType, csl::EnumType>(part);
    });
    if (isDeclared) {
      name.emitOpError() << "has a type with a struct or an enum, which layout "
                            "and code of PEs would have to declare in common";
      failed = true;
      continue;
    }
    if (auto function = dyn_cast<FunctionType>(name.getType())) {
      std::string type = "fn(";
      for (auto [index, input] : llvm::enumerate(function.getInputs()))
        type += (index ? ", " : "") +
                any.typeName(name, input, !csl::isUnsigned(name, index));
      type += ") ";
      type +=
          function.getNumResults()
              ? any.typeName(name, function.getResult(0),
                             !csl::isUnsigned(name, function.getNumInputs()))
              : "void";
      arguments.emplace_back(type);
    } else {
      arguments.emplace_back(
          any.typeName(name, name.getType(), !csl::isUnsigned(name)));
      bool isMutable =
          name.getIsMutable() || llvm::any_of(programs, [&](const auto &entry) {
            return entry.second.emitter->isVariable(name.getName());
          });
      arguments.emplace_back(isMutable ? "true" : "false");
    }
    body.write("", Doc::call("@export_name", std::move(arguments)), ";");
  }
}

void LayoutEmitter::emitStreams(std::vector<Doc> &fields) {
  unsigned counts[2] = {0, 0};
  // The library has four streams each way (LIB-063).
  constexpr unsigned kStreams = 4;
  for (auto stream : layout.getOps<csl::StreamOp>()) {
    if (stream.getX()) {
      stream.emitOpError() << "is a link to the host at the edge of the "
                              "rectangle, for which CSL source has no words";
      failed = true;
      continue;
    }
    bool toDevice = stream.getDirection() == csl::StreamDirection::ToDevice;
    unsigned number = ++counts[toDevice];
    if (number > kStreams) {
      stream.emitOpError() << "is number " << number << ", memcpy has "
                           << kStreams << " streams "
                           << (toDevice ? "to" : "from") << " the device";
      failed = true;
      continue;
    }
    memcpy = true;
    fields.push_back(Doc::field(
        (toDevice ? "MEMCPYH2D_" : "MEMCPYD2H_") + std::to_string(number),
        "@as(i16, " + std::to_string(stream.getColor()) + ")"));
  }
}

FailureOr<std::string> LayoutEmitter::run() {
  widthName = names.take("width");
  heightName = names.take("height");
  xName = names.take("x");
  yName = names.take("y");
  getParams = names.take("memcpy");
  collectColorNames();
  memcpy = info.target.getMemcpy();
  for (const auto &entry : programs)
    memcpy |= entry.second.emitter->usesMemcpy();
  head.line("const " + widthName +
            ": u16 = " + std::to_string(layout.getWidth()) + ";");
  head.line("const " + heightName +
            ": u16 = " + std::to_string(layout.getHeight()) + ";");
  std::vector<Doc> fields{Doc::field("width", Doc(widthName)),
                          Doc::field("height", Doc(heightName))};
  emitStreams(fields);

  // Regions in the order in which they come first; tiles before colors.
  llvm::MapVector<Attribute, std::vector<Operation *>> regions;
  for (auto tile : layout.getOps<csl::TileCodeOp>())
    regions[tile.getRegion()].push_back(tile);
  for (auto config : layout.getOps<csl::ColorConfigOp>())
    regions[config.getRegion()].push_back(config);
  body.open("layout {");
  body.line("@set_rectangle(" + widthName + ", " + heightName + ");");
  bool wasLoop = true;
  for (const auto &[attribute, ops] : regions) {
    auto region = cast<csl::RegionAttr>(attribute);
    bool isLoop = region.getWidth() > 1 || region.getHeight() > 1;
    if (isLoop || wasLoop)
      body.blank();
    wasLoop = isLoop;
    emitRegion(region, ops);
  }
  if (!layout.getOps<csl::ExportNameOp>().empty()) {
    body.blank();
    emitExports();
  }
  body.close();

  if (failed)
    return failure();
  Text file;
  file.append(head);
  file.blank();
  for (const Text *part : {&colors, &tables})
    if (!part->empty()) {
      file.append(*part);
      file.blank();
    }
  if (memcpy) {
    file.write("const " + getParams + " = ",
               Doc::call("@import_module", {Doc("\"<memcpy/get_params>\""),
                                            Doc::braces("", fields)}),
               ";");
    file.blank();
  }
  file.append(body);
  return file.str();
}
