//===- CslAttrs.cpp - Attributes of the csl dialect -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl;

//===----------------------------------------------------------------------===//
// Custom directives
//===----------------------------------------------------------------------===//

/// `3`, `0 to 4` or `0 to 4 step 2`.
static ParseResult parseRange(AsmParser &parser, int64_t &begin, int64_t &end,
                              int64_t &step) {
  step = 1;
  if (parser.parseInteger(begin))
    return failure();
  if (failed(parser.parseOptionalKeyword("to"))) {
    // The largest coordinate has no successor; verification refuses it.
    end = begin == INT64_MAX ? begin : begin + 1;
    return success();
  }
  if (parser.parseInteger(end))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("step")))
    return parser.parseInteger(step);
  return success();
}

static void printRange(AsmPrinter &printer, int64_t begin, int64_t end,
                       int64_t step) {
  printer << begin;
  if (step == 1 && end == begin + 1)
    return;
  printer << " to " << end;
  if (step != 1)
    printer << " step " << step;
}

/// A direction, or directions in brackets; each once.
static ParseResult parseDirections(AsmParser &parser, uint32_t &set) {
  set = 0;
  auto parseOne = [&]() -> ParseResult {
    SMLoc place = parser.getCurrentLocation();
    FailureOr<Direction> direction = FieldParser<Direction>::parse(parser);
    if (failed(direction))
      return failure();
    uint32_t bit = 1u << static_cast<unsigned>(*direction);
    if (set & bit)
      return parser.emitError(place)
             << "direction " << stringifyEnum(*direction) << " is given twice";
    set |= bit;
    return success();
  };
  if (failed(parser.parseOptionalLSquare()))
    return parseOne();
  if (succeeded(parser.parseOptionalRSquare()))
    return success();
  return failure(parser.parseCommaSeparatedList(parseOne) ||
                 parser.parseRSquare());
}

static void printDirections(AsmPrinter &printer, uint32_t set) {
  printer << '[';
  llvm::ListSeparator separator;
  for (unsigned d = 0; d <= getMaxEnumValForDirection(); ++d)
    if (set >> d & 1)
      printer << StringRef(separator)
              << stringifyEnum(static_cast<Direction>(d));
  printer << ']';
}

/// Bits 0 to 4 of @set_color_config's vector are the inputs, 5 to 9 the
/// outputs.
static constexpr unsigned kRoutesSide = 5;
static constexpr uint32_t kSideMask = (1u << kRoutesSide) - 1;

static ParseResult parseRoutes(AsmParser &parser, uint32_t &rx, uint32_t &tx,
                               bool &swapX, bool &swapY) {
  rx = tx = 0;
  swapX = swapY = false;
  SMLoc place = parser.getCurrentLocation();
  uint64_t vector;
  OptionalParseResult parsed = parser.parseOptionalInteger(vector);
  if (parsed.has_value()) {
    if (failed(*parsed))
      return failure();
    if (vector >> (2 * kRoutesSide))
      return parser.emitError(place)
             << "routes " << vector << " has bits above the " << 2 * kRoutesSide
             << " that mean directions";
    rx = vector & kSideMask;
    tx = vector >> kRoutesSide;
    return success();
  }
  if (succeeded(parser.parseOptionalKeyword("rx")) &&
      parseDirections(parser, rx))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("tx")) &&
      parseDirections(parser, tx))
    return failure();
  swapX = succeeded(parser.parseOptionalKeyword("swap_x"));
  swapY = succeeded(parser.parseOptionalKeyword("swap_y"));
  return success();
}

static void printRoutes(AsmPrinter &printer, uint32_t rx, uint32_t tx,
                        bool swapX, bool swapY) {
  llvm::ListSeparator space(" ");
  if (rx) {
    printer << StringRef(space) << "rx ";
    printDirections(printer, rx);
  }
  if (tx) {
    printer << StringRef(space) << "tx ";
    printDirections(printer, tx);
  }
  if (swapX)
    printer << StringRef(space) << "swap_x";
  if (swapY)
    printer << StringRef(space) << "swap_y";
}

static ParseResult parsePosition(AsmParser &parser, std::optional<uint32_t> &rx,
                                 std::optional<uint32_t> &tx) {
  if (succeeded(parser.parseOptionalKeyword("rx")) &&
      parseDirections(parser, rx.emplace()))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("tx")) &&
      parseDirections(parser, tx.emplace()))
    return failure();
  return success();
}

static void printPosition(AsmPrinter &printer, std::optional<uint32_t> rx,
                          std::optional<uint32_t> tx) {
  llvm::ListSeparator space(" ");
  if (rx) {
    printer << StringRef(space) << "rx ";
    printDirections(printer, *rx);
  }
  if (tx) {
    printer << StringRef(space) << "tx ";
    printDirections(printer, *tx);
  }
}

/// `56 on y by 14 from 1 at 1 of 16` of each dimension, then the order.
static ParseResult
parseDistribution(AsmParser &parser, SmallVector<int64_t> &sizes,
                  SmallVector<int64_t> &axes, SmallVector<int64_t> &blocks,
                  SmallVector<int64_t> &origins, SmallVector<int64_t> &lows,
                  SmallVector<int64_t> &extents, SmallVector<int64_t> &order) {
  auto parseOptional = [&](StringRef keyword, int64_t &value) -> ParseResult {
    if (failed(parser.parseOptionalKeyword(keyword)))
      return success();
    return parser.parseInteger(value);
  };
  auto parseDim = [&]() -> ParseResult {
    int64_t size, axis = 0, block, origin = 0, low = 0, extent = -1;
    if (parser.parseInteger(size))
      return failure();
    if (succeeded(parser.parseOptionalKeyword("on"))) {
      FailureOr<Split> split = FieldParser<Split>::parse(parser);
      if (failed(split) || parser.parseKeyword("by") ||
          parser.parseInteger(block))
        return failure();
      axis = static_cast<int64_t>(*split);
    }
    if (parseOptional("from", origin))
      return failure();
    if (!axis && __builtin_add_overflow(size, origin, &block))
      return parser.emitError(parser.getCurrentLocation(), "is out of range");
    if (parseOptional("at", low) || parseOptional("of", extent))
      return failure();
    if (extent < 0 && __builtin_add_overflow(block, low, &extent))
      return parser.emitError(parser.getCurrentLocation(), "is out of range");
    sizes.push_back(size);
    axes.push_back(axis);
    blocks.push_back(block);
    origins.push_back(origin);
    lows.push_back(low);
    extents.push_back(extent);
    order.push_back(order.size());
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim))
    return failure();
  if (failed(parser.parseOptionalComma()))
    return success();
  order.clear();
  return failure(parser.parseKeyword("order") ||
                 parser.parseCommaSeparatedList(
                     AsmParser::Delimiter::Square, [&]() -> ParseResult {
                       return parser.parseInteger(order.emplace_back());
                     }));
}

static void printDistribution(AsmPrinter &printer, ArrayRef<int64_t> sizes,
                              ArrayRef<int64_t> axes, ArrayRef<int64_t> blocks,
                              ArrayRef<int64_t> origins, ArrayRef<int64_t> lows,
                              ArrayRef<int64_t> extents,
                              ArrayRef<int64_t> order) {
  printer << '[';
  bool inOrder = true;
  for (size_t d = 0; d < sizes.size(); ++d) {
    printer << (d ? ", " : "") << sizes[d];
    if (axes[d])
      printer << " on " << stringifySplit(static_cast<Split>(axes[d])) << " by "
              << blocks[d];
    if (origins[d])
      printer << " from " << origins[d];
    if (lows[d])
      printer << " at " << lows[d];
    if (extents[d] != blocks[d] + lows[d])
      printer << " of " << extents[d];
    inOrder &= order[d] == static_cast<int64_t>(d);
  }
  printer << ']';
  if (inOrder)
    return;
  printer << ", order [";
  llvm::interleaveComma(order, printer);
  printer << ']';
}

/// `("A", "B")`.
static ParseResult parseNames(AsmParser &parser,
                              SmallVector<StringAttr> &names) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Paren, [&]() -> ParseResult {
        std::string name;
        if (parser.parseString(&name))
          return failure();
        names.push_back(StringAttr::get(parser.getContext(), name));
        return success();
      });
}

static void printNames(AsmPrinter &printer, ArrayRef<StringAttr> names) {
  printer << '(';
  llvm::interleaveComma(names, printer);
  printer << ')';
}

#include "sequin/Dialect/Csl/IR/CslEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "sequin/Dialect/Csl/IR/CslAttrs.cpp.inc"

void CslDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "sequin/Dialect/Csl/IR/CslAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// TargetAttr
//===----------------------------------------------------------------------===//

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef machine, Fp16, bool) {
  if (!lookupCslMachine(machine))
    return emitError() << "unknown machine \"" << machine << "\", known are "
                       << knownCslMachineNames();
  return success();
}

const CslMachine *TargetAttr::getRow() const {
  return lookupCslMachine(getMachine());
}

Type TargetAttr::getFp16Type() const {
  switch (getFp16()) {
  case Fp16::F16:
    return Float16Type::get(getContext());
  case Fp16::CB16:
    return CB16Type::get(getContext());
  case Fp16::BF16:
    return BFloat16Type::get(getContext());
  }
  llvm_unreachable("unknown format");
}

//===----------------------------------------------------------------------===//
// RegionAttr
//===----------------------------------------------------------------------===//

/// No rectangle is larger in either direction.
static constexpr int64_t kMaxCoordinate = 1 << 16;

LogicalResult RegionAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t xBegin, int64_t xEnd, int64_t xStep,
                                 int64_t yBegin, int64_t yEnd, int64_t yStep) {
  std::tuple<char, int64_t, int64_t, int64_t> axes[] = {
      {'x', xBegin, xEnd, xStep}, {'y', yBegin, yEnd, yStep}};
  for (auto [axis, begin, end, step] : axes) {
    if (begin < 0 || end > kMaxCoordinate)
      return emitError() << axis << " is " << begin << " to " << end
                         << ", coordinates are 0 to " << kMaxCoordinate - 1;
    if (end <= begin)
      return emitError() << axis << " is " << begin << " to " << end
                         << ", which is no PE";
    if (step < 1 || step > kMaxCoordinate)
      return emitError() << axis << " has step " << step
                         << ", allowed are 1 to " << kMaxCoordinate;
  }
  return success();
}

bool RegionAttr::contains(int64_t x, int64_t y) const {
  return x >= getXBegin() && x < getXEnd() &&
         (x - getXBegin()) % getXStep() == 0 && y >= getYBegin() &&
         y < getYEnd() && (y - getYBegin()) % getYStep() == 0;
}

void RegionAttr::forEach(function_ref<void(int64_t, int64_t)> visit) const {
  for (int64_t y = getYBegin(); y < getYEnd(); y += getYStep())
    for (int64_t x = getXBegin(); x < getXEnd(); x += getXStep())
      visit(x, y);
}

//===----------------------------------------------------------------------===//
// Routes, positions, switches, filters
//===----------------------------------------------------------------------===//

LogicalResult RoutesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 uint32_t rx, uint32_t tx, bool, bool) {
  if ((rx | tx) & ~kSideMask)
    return emitError() << "routes name a direction that does not exist";
  return success();
}

LogicalResult PositionAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   std::optional<uint32_t> rx,
                                   std::optional<uint32_t> tx) {
  if (!rx && !tx)
    return emitError() << "a switch position has rx, tx or both; one that is "
                          "invalid is left out";
  if (rx && llvm::popcount(*rx) != 1)
    return emitError() << "a switch position receives from one direction, "
                       << llvm::popcount(*rx) << " are given";
  if (tx && *tx == 0)
    return emitError() << "a switch position sends nowhere";
  return success();
}

LogicalResult SwitchesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   PositionAttr pos1, PositionAttr pos2,
                                   PositionAttr pos3, int64_t current, bool,
                                   PopMode) {
  if (current < 0 || current > 3)
    return emitError() << "current is " << current
                       << ", switch positions are 0 to 3";
  PositionAttr positions[] = {pos1, pos2, pos3};
  if (current > 0 && !positions[current - 1])
    return emitError() << "current is " << current
                       << ", and that position is invalid";
  return success();
}

LogicalResult FilterAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, FilterKind kind,
    bool countData, bool countControl, bool filterControl,
    std::optional<int64_t> initCounter, std::optional<int64_t> limit1,
    std::optional<int64_t> limit2, std::optional<int64_t> maxCounter,
    std::optional<int64_t> minIdx, std::optional<int64_t> maxIdx) {
  struct Field {
    StringRef name;
    bool given;
    bool counter, sparse, range;
  };
  Field fields[] = {
      {"count_data", countData, true, true, false},
      {"count_control", countControl, true, true, false},
      {"filter_control", filterControl, true, false, false},
      {"init_counter", initCounter.has_value(), true, true, false},
      {"limit1", limit1.has_value(), true, true, false},
      {"limit2", limit2.has_value(), false, true, false},
      {"max_counter", maxCounter.has_value(), true, true, false},
      {"min_idx", minIdx.has_value(), false, false, true},
      {"max_idx", maxIdx.has_value(), false, false, true},
  };
  for (const Field &field : fields) {
    bool legal = kind == FilterKind::Counter         ? field.counter
                 : kind == FilterKind::SparseCounter ? field.sparse
                                                     : field.range;
    if (!field.given || legal)
      continue;
    InFlightDiagnostic error = emitError();
    error << "a " << stringifyEnum(kind) << " filter has no " << field.name
          << ", its fields are ";
    llvm::ListSeparator comma;
    for (const Field &other : fields)
      if (kind == FilterKind::Counter         ? other.counter
          : kind == FilterKind::SparseCounter ? other.sparse
                                              : other.range)
        error << StringRef(comma) << other.name;
    return error;
  }
  std::pair<StringRef, std::optional<int64_t>> numbers[] = {
      {"init_counter", initCounter}, {"limit1", limit1},  {"limit2", limit2},
      {"max_counter", maxCounter},   {"min_idx", minIdx}, {"max_idx", maxIdx}};
  for (auto [name, value] : numbers)
    if (value && (*value < 0 || *value > UINT16_MAX))
      return emitError() << name << " is " << *value << ", allowed are 0 to "
                         << UINT16_MAX;
  // A counter runs from 0 to limit1. Without one a sparse counter is off.
  bool counts = kind == FilterKind::Counter ||
                (kind == FilterKind::SparseCounter && limit1);
  if (counts && initCounter.value_or(0) > limit1.value_or(0))
    return emitError() << "init_counter is " << *initCounter
                       << ", allowed are 0 to limit1, which is "
                       << limit1.value_or(0);
  return success();
}

//===----------------------------------------------------------------------===//
// AccessAttr
//===----------------------------------------------------------------------===//

/// `expr` as constant + sum of coefficient * variable; false if it is not of
/// that form or a number does not fit.
static bool linearize(AffineExpr expr, AffineForm &form) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    form.constant = constant.getValue();
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    form.coefficients[dim.getPosition()] = 1;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  AffineForm left = form, right = form;
  if (!linearize(binary.getLHS(), left) || !linearize(binary.getRHS(), right))
    return false;
  if (binary.getKind() == AffineExprKind::Mul) {
    if (!right.isConstant())
      std::swap(left, right);
    if (!right.isConstant())
      return false;
    int64_t factor = right.constant;
    bool overflow =
        __builtin_mul_overflow(left.constant, factor, &form.constant);
    for (auto [out, in] : llvm::zip(form.coefficients, left.coefficients))
      overflow |= __builtin_mul_overflow(in, factor, &out);
    return !overflow;
  }
  if (binary.getKind() != AffineExprKind::Add)
    return false;
  bool overflow =
      __builtin_add_overflow(left.constant, right.constant, &form.constant);
  for (auto [out, a, b] :
       llvm::zip(form.coefficients, left.coefficients, right.coefficients))
    overflow |= __builtin_add_overflow(a, b, &out);
  return !overflow;
}

LogicalResult AccessAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 AffineMap map, ArrayRef<int64_t> extents) {
  if (map.getNumSymbols())
    return emitError() << "a tensor access has no symbols, found "
                       << map.getNumSymbols();
  if (map.getNumDims() != extents.size())
    return emitError() << "a tensor access has as many lengths as variables, "
                          "found "
                       << extents.size() << " for " << map.getNumDims();
  if (extents.empty())
    return emitError() << "a tensor access has at least one variable";
  for (int64_t extent : extents)
    if (extent < 0)
      return emitError() << "a length is " << extent
                         << ", it must not be negative";
  for (AffineExpr expr : map.getResults()) {
    AffineForm form;
    form.coefficients.assign(map.getNumDims(), 0);
    if (!linearize(expr, form))
      return emitError() << "an index is a constant plus multiples of the "
                            "variables, found "
                         << AffineMapAttr::get(
                                AffineMap::get(map.getNumDims(), 0, expr));
  }
  return success();
}

llvm::Expected<MemDsd> AccessAttr::lower(ArrayRef<int64_t> shape,
                                         sequin::DsdKind kind) const {
  TensorAccess access;
  access.array = "A";
  access.extents.assign(getExtents().begin(), getExtents().end());
  for (unsigned i = 0; i < getMap().getNumDims(); ++i)
    access.variables.push_back("d" + std::to_string(i));
  for (AffineExpr expr : getMap().getResults()) {
    AffineForm &form = access.indices.emplace_back();
    form.coefficients.assign(getMap().getNumDims(), 0);
    linearize(expr, form);
  }
  return access.lower(shape, kind);
}

//===----------------------------------------------------------------------===//
// DistributionAttr
//===----------------------------------------------------------------------===//

DistributionAttr DistributionAttr::get(MLIRContext *context,
                                       const Distribution &distribution) {
  SmallVector<int64_t> sizes, axes, blocks, origins, lows, extents, order;
  for (auto [d, dim] : llvm::enumerate(distribution.dims)) {
    sizes.push_back(dim.size);
    axes.push_back(static_cast<int64_t>(dim.axis));
    blocks.push_back(dim.axis == FabricAxis::None ? dim.size + dim.origin
                                                  : dim.block);
    origins.push_back(dim.origin);
    lows.push_back(dim.low);
    extents.push_back(dim.extent);
    order.push_back(distribution.order.empty() ? d : distribution.order[d]);
  }
  return get(context, sizes, axes, blocks, origins, lows, extents, order);
}

static Distribution
makeDistribution(ArrayRef<int64_t> sizes, ArrayRef<int64_t> axes,
                 ArrayRef<int64_t> blocks, ArrayRef<int64_t> origins,
                 ArrayRef<int64_t> lows, ArrayRef<int64_t> extents,
                 ArrayRef<int64_t> order) {
  Distribution result;
  for (size_t d = 0; d < sizes.size(); ++d)
    result.dims.push_back({sizes[d], static_cast<FabricAxis>(axes[d]),
                           blocks[d], origins[d], lows[d], extents[d]});
  for (int64_t d : order)
    result.order.push_back(static_cast<unsigned>(d));
  return result;
}

LogicalResult
DistributionAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         ArrayRef<int64_t> sizes, ArrayRef<int64_t> axes,
                         ArrayRef<int64_t> blocks, ArrayRef<int64_t> origins,
                         ArrayRef<int64_t> lows, ArrayRef<int64_t> extents,
                         ArrayRef<int64_t> order) {
  // Products and sums of such numbers stay within 64 bits.
  constexpr int64_t kMost = int64_t(1) << 31;
  for (ArrayRef<int64_t> list :
       {sizes, blocks, origins, lows, extents, order}) {
    if (list.size() != sizes.size() || axes.size() != sizes.size())
      return emitError() << "the lists of a distribution differ in length";
    for (int64_t number : list)
      if (number < 0 || number > kMost)
        return emitError() << "a distribution has number " << number
                           << ", allowed are 0 to " << kMost;
  }
  // The grid is not known here; it is checked where one is.
  if (llvm::Error error =
          makeDistribution(sizes, axes, blocks, origins, lows, extents, order)
              .check(kMost, kMost))
    return emitError() << llvm::toString(std::move(error));
  return success();
}

Distribution DistributionAttr::getDistribution() const {
  return makeDistribution(getSizes(), getAxes(), getBlocks(), getOrigins(),
                          getLows(), getExtents(), getOrder());
}
