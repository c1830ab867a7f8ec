//===- TcpViewOps.cpp - Parts of tensors in memory ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamAssembly.h"
#include "sequin/Dialect/Tcp/IR/TcpShapes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using sequin::stream::AxesAttr;
using sequin::stream::MappingAttr;

Mapping tcp::getElementMapping(Type type) {
  if (auto hbm = dyn_cast<HbmType>(type))
    return hbm.getElementMapping();
  return cast<DmType>(type).getElementMapping();
}

AxesAttr tcp::getAxes(Type type) {
  if (auto hbm = dyn_cast<HbmType>(type))
    return hbm.getAxes();
  return cast<DmType>(type).getGrid().getAxes();
}

//===----------------------------------------------------------------------===//
// Assembly: `2`, `%i`, `%i + 2`, `[0, 3, 2, 1]`, `%i + [0, 3, 2, 1]`
//===----------------------------------------------------------------------===//

ParseResult
tcp::parseTileStart(OpAsmParser &parser,
                    std::optional<OpAsmParser::UnresolvedOperand> &index,
                    DenseI64ArrayAttr &starts) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult parsed = parser.parseOptionalOperand(operand);
  SmallVector<int64_t, 4> values;
  if (parsed.has_value()) {
    if (failed(*parsed))
      return failure();
    index = operand;
    if (failed(parser.parseOptionalPlus())) {
      starts = parser.getBuilder().getDenseI64ArrayAttr({0});
      return success();
    }
  }
  auto parseValue = [&] { return parser.parseInteger(values.emplace_back()); };
  if (succeeded(parser.parseOptionalLSquare())) {
    if (parser.parseCommaSeparatedList(parseValue) || parser.parseRSquare())
      return failure();
  } else if (parseValue()) {
    return failure();
  }
  starts = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

void tcp::printTileStart(OpAsmPrinter &printer, Operation *, Value index,
                         DenseI64ArrayAttr starts) {
  bool one = starts.size() == 1;
  if (index) {
    printer << index;
    if (one && starts[0] == 0)
      return;
    printer << " + ";
  }
  if (one) {
    printer << starts[0];
    return;
  }
  printer << '[';
  llvm::interleaveComma(starts.asArrayRef(), printer);
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

/// The single digit that `mapping` is, of an axis or of a group of axes that
/// only count together (`[A, B] # 64 % 4` with 20 of B); null if it is more
/// than that.
static const Factor *asDigit(const Mapping &mapping) {
  if (mapping.factors().size() != 1)
    return nullptr;
  const Factor &f = mapping.factors().front();
  bool counts =
      f.kind == Factor::Kind::Axis || f.kind == Factor::Kind::Composite;
  return counts && !f.isPadded() && f.offset == 0 ? &f : nullptr;
}

static void addAxes(const MappingExpr &expr, llvm::StringSet<> &axes) {
  for (const MappingTerm &term : expr.terms) {
    if (term.atom.kind == MappingAtom::Kind::Axis)
      axes.insert(term.atom.name);
    if (term.atom.group)
      addAxes(*term.atom.group, axes);
  }
}

/// The axes that `mapping` is written with.
static llvm::StringSet<> writtenAxes(const Mapping &mapping) {
  llvm::StringSet<> axes;
  addAxes(*llvm::cantFail(MappingExpr::parse(mapping.str())), axes);
  return axes;
}

/// Whether `tensor` is written with the axes of a dimension that has a single
/// element: an axis of size 1, or the digit of an axis above its end. A normal
/// form does not show it.
static bool isWritten(const Mapping &tensor, const Mapping &dimension) {
  llvm::StringSet<> all = writtenAxes(tensor), own = writtenAxes(dimension);
  return !own.empty() && llvm::all_of(own, [&](const auto &axis) {
    return all.contains(axis.getKey());
  });
}

/// Whether `outer` counts through all that `digit` does and starts there.
static bool covers(const Factor &outer, const Factor &digit) {
  return outer.kind == digit.kind && outer.base == digit.base &&
         outer.first == 0 && outer.offset == 0 &&
         digit.stride >= outer.stride && digit.stride % outer.stride == 0 &&
         digit.stride / outer.stride <= outer.extent / digit.extent &&
         outer.extent % (digit.stride / outer.stride * digit.extent) == 0;
}

/// The text of `tensor` with `digit` cut to `size` and padded to what it was;
/// empty if the digit is spread over several terms.
static std::string cutText(const Mapping &tensor, const Factor &digit,
                           int64_t size) {
  std::string text;
  bool found = false;
  for (const Mapping::Term &term : tensor.terms()) {
    if (!text.empty())
      text += ", ";
    if (found || term.factors.size() != 1 ||
        !covers(term.factors.front(), digit)) {
      text += term.text;
      continue;
    }
    found = true;
    const Factor &f = term.factors.front();
    int64_t inner = digit.stride / f.stride;
    int64_t within = inner * digit.extent;
    std::string whole = "[" + term.text + "]";
    if (within < f.extent)
      text += whole + " / " + std::to_string(within) + ", ";
    text += whole + " / " + std::to_string(inner) + " % " +
            std::to_string(digit.extent) + " = " + std::to_string(size) +
            " # " + std::to_string(digit.extent);
    if (inner > 1)
      text += ", " + whole + " % " + std::to_string(inner);
  }
  return found ? text : std::string();
}

FailureOr<TileShape> tcp::inferTile(const Mapping &tensor,
                                    MappingAttr dimension, int64_t size,
                                    MappingAttr element, EmitError emitError) {
  auto resolve = [&](MappingAttr attr) -> FailureOr<Mapping> {
    llvm::Expected<Mapping> mapping =
        Mapping::parse(attr.getText(), tensor.axes());
    if (mapping)
      return std::move(*mapping);
    return emitError() << llvm::toString(mapping.takeError());
  };
  FailureOr<Mapping> whole = resolve(dimension), part = resolve(element);
  if (failed(whole) || failed(part))
    return failure();
  bool isSingle = whole->size() == 1 && whole->factors().empty();
  if (isSingle && isWritten(tensor, *whole)) {
    // All of it.
    if (size > 1)
      return emitError() << "tile of " << size << " along \""
                         << dimension.getText() << "\", which has 1";
    if (part->isEquivalent(tensor))
      return TileShape{1, 1};
    return emitError() << "tile is \"" << element.getText() << "\", expected \""
                       << tensor.str() << "\"";
  }
  if (isSingle && !writtenAxes(*whole).empty())
    return emitError() << "tiles \"" << dimension.getText()
                       << "\", which is no dimension of \"" << tensor.str()
                       << "\"";
  const Factor *digit = asDigit(*whole);
  if (!digit)
    return emitError() << "tiles \"" << dimension.getText()
                       << "\", a dimension is an axis or one digit of it, as "
                          "\"B\" or \"B / 32\"";
  if (size > digit->extent)
    return emitError() << "tile of " << size << " along \""
                       << dimension.getText() << "\", which has "
                       << digit->extent;

  auto placed = tensor.placedFactors();
  if (!placed)
    return emitError() << llvm::toString(placed.takeError());
  const PlacedFactor *holder = llvm::find_if(*placed, [&](auto &candidate) {
    return covers(candidate.factor, *digit);
  });
  std::string text;
  if (holder != placed->end())
    text = cutText(tensor, *digit, size);
  if (text.empty())
    return emitError() << "tiles \"" << dimension.getText()
                       << "\", which is no dimension of \"" << tensor.str()
                       << "\"";
  // The expression is made of valid parts.
  Mapping expected = llvm::cantFail(Mapping::parse(text, tensor.axes()));
  // Padding at the end may be left out.
  if (part->size() < expected.size())
    expected = llvm::cantFail(Mapping::parse(
        "[" + text + "] = " + std::to_string(part->size()), tensor.axes()));
  bool complete = part->validSize() >= expected.validSize();
  if (!complete || !part->isEquivalent(expected)) {
    InFlightDiagnostic diag = emitError() << "tile is \"" << element.getText()
                                          << "\", expected \"" << text << "\"";
    if (auto position = part->firstDifference(expected))
      diag << ": they differ at position " << *position;
    return diag;
  }
  return TileShape{holder->positionStride *
                       (digit->stride / holder->factor.stride),
                   digit->extent};
}

FailureOr<TileShape> tcp::inferTile(TileOp op, EmitError emitError) {
  return inferTile(getElementMapping(op.getSource().getType()),
                   op.getDimension(), op.getSize(), op.getElement(), emitError);
}

FailureOr<TileShape> tcp::inferTile(CommitViewOp op, EmitError emitError) {
  return inferTile(op.getDestination().getType().getElementMapping(),
                   op.getDimension(), op.getSize(), op.getElement(), emitError);
}

/// Constant starts lie inside the tensor; what follows an index is known when
/// the program is configured.
template <typename OpTy> static LogicalResult verifyTile(OpTy op) {
  FailureOr<TileShape> shape = inferTile(op, errorAt(op));
  if (failed(shape))
    return failure();
  for (int64_t start : op.getStarts()) {
    if (start < 0 && !op.getIndex())
      return op.emitOpError() << "starts at " << start << " of \""
                              << op.getDimension().getText() << "\"";
    if (start > shape->extent - static_cast<int64_t>(op.getSize()))
      return op.emitOpError()
             << "tile [" << start << ", " << start + op.getSize() << ") of \""
             << op.getDimension().getText() << "\", which has "
             << shape->extent;
  }
  if (op.getStarts().empty())
    return op.emitOpError() << "has no start";
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult FromAddressOp::verify() {
  Type type = getResult().getType();
  Type element = isa<HbmType>(type) ? cast<HbmType>(type).getElementType()
                                    : cast<DmType>(type).getElementType();
  int64_t bytes =
      std::max<int64_t>(1, getBitWidth(*getElementKind(element)) / 8);
  if (getAddress() % bytes != 0)
    return emitOpError() << "address " << getAddress()
                         << " is not a multiple of the element size, " << bytes
                         << " bytes";
  return success();
}

LogicalResult
TileOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                         ValueRange operands, DictionaryAttr attributes,
                         OpaqueProperties properties, RegionRange regions,
                         SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  Type source = adaptor.getSource().getType();
  FailureOr<Type> type = failure();
  if (auto hbm = dyn_cast<HbmType>(source))
    type =
        checkedType<HbmType>(loc, context, hbm.getElementType(), hbm.getAxes(),
                             hbm.getChip(), adaptor.getElement());
  else if (auto dm = dyn_cast<DmType>(source))
    type = checkedType<DmType>(loc, context, dm.getElementType(), dm.getGrid(),
                               adaptor.getElement());
  else
    return emitOptionalError(loc, "expects an HBM or DM tensor");
  if (failed(type))
    return failure();
  inferred.push_back(*type);
  return success();
}

LogicalResult TileOp::verify() { return verifyTile(*this); }

LogicalResult CommitViewOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
  DmType destination = getDestination().getType();
  if (input.getElementType() != destination.getElementType())
    return emitOpError() << "stream has element type " << input.getElementType()
                         << ", the destination "
                         << destination.getElementType();
  if (input.getGrid() != destination.getGrid())
    return emitOpError() << "stream is spread as " << input.getGrid()
                         << ", the destination as " << destination.getGrid();
  if (getSlicesAttr() && failed(checkCommitSlices(
                             input.getGrid(), getSlicesAttr(), errorAt(*this))))
    return failure();
  if (failed(verifyTile(*this)) ||
      failed(inferViewElements(input, *this, errorAt(*this))))
    return failure();
  return success();
}

/// The type with other elements.
static Type withElements(Type type, Type element) {
  if (auto hbm = dyn_cast<HbmType>(type))
    return HbmType::get(type.getContext(), element, hbm.getAxes(),
                        hbm.getChip(), hbm.getElement());
  if (auto vrf = dyn_cast<VrfType>(type))
    return VrfType::get(type.getContext(), element, vrf.getGrid(),
                        vrf.getElement());
  auto dm = cast<DmType>(type);
  return DmType::get(type.getContext(), element, dm.getGrid(), dm.getElement());
}

static Type elementsOf(Type type) {
  if (auto hbm = dyn_cast<HbmType>(type))
    return hbm.getElementType();
  if (auto vrf = dyn_cast<VrfType>(type))
    return vrf.getElementType();
  return cast<DmType>(type).getElementType();
}

LogicalResult BitcastOp::verify() {
  Type source = getSource().getType(), result = getResult().getType();
  Type from = elementsOf(source), to = elementsOf(result);
  if (getBitWidth(*getElementKind(from)) != getBitWidth(*getElementKind(to)))
    return emitOpError() << "reads " << from << " as " << to
                         << ", only types of one width can be exchanged";
  if (withElements(source, to) == result)
    return success();
  auto before = dyn_cast<DmType>(source), after = dyn_cast<DmType>(result);
  if (!before || !after)
    return emitOpError() << "makes " << result << " of " << source
                         << ", only the element type may change";
  std::pair<Mapping, Mapping> levels[] = {
      {before.getGrid().getChipMapping(), after.getGrid().getChipMapping()},
      {before.getGrid().getClusterMapping(),
       after.getGrid().getClusterMapping()},
      {before.getGrid().getSliceMapping(), after.getGrid().getSliceMapping()},
      {before.getElementMapping(), after.getElementMapping()}};
  // Padding behind the elements may be left out.
  auto isShortened = [](const Mapping &mine, const Mapping &theirs) {
    llvm::Expected<Mapping> padded = theirs.pad(mine.size());
    if (padded)
      return padded->isEquivalent(mine);
    llvm::consumeError(padded.takeError());
    return false;
  };
  for (const auto &[mine, theirs] : levels)
    if (mine.size() != theirs.size() &&
        (&mine != &std::end(levels)[-1].first || mine.size() < theirs.size() ||
         !isShortened(mine, theirs)))
      return emitOpError() << "names \"" << mine.str() << "\" of size "
                           << mine.size() << " anew as \"" << theirs.str()
                           << "\" of size " << theirs.size();
  return success();
}
