//===- TcpViews.cpp - Parts of tensors, and loops, in tcp programs --------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is the tensor with one axis counted from elsewhere, and fewer indices.
// A tensor whose parts are written one by one holds the indices written so far;
// whoever reads others finds them undefined.
//
//===----------------------------------------------------------------------===//

#include "TcpInterpreter.h"
#include "sequin/Support/Interrupt.h"
#include <map>

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult TcpInterpreter::compute(Operation *op) {
  SmallVector<Attribute> operands;
  Builder builder(op->getContext());
  for (Value operand : op->getOperands()) {
    FailureOr<int64_t> index = indexOf(op, operand);
    if (failed(index))
      return failure();
    operands.push_back(builder.getIndexAttr(*index));
  }
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) ||
      results.size() != op->getNumResults())
    return op->emitOpError() << "cannot be evaluated";
  for (auto [result, value] : llvm::zip_equal(op->getResults(), results)) {
    auto number =
        dyn_cast_or_null<IntegerAttr>(dyn_cast_or_null<Attribute>(value));
    if (number)
      indices[result] = number.getInt();
    else if (auto same = dyn_cast_or_null<Value>(value))
      indices[result] = indices.lookup(same);
    else
      return op->emitOpError() << "cannot be evaluated";
  }
  return success();
}

FailureOr<int64_t> TcpInterpreter::indexOf(Operation *op, Value index) {
  auto found = indices.find(index);
  if (found != indices.end())
    return found->second;
  return op->emitOpError() << "uses an index that has not been computed";
}

LogicalResult TcpInterpreter::run(scf::ForOp op, Values &values) {
  FailureOr<int64_t> lower = indexOf(op, op.getLowerBound());
  FailureOr<int64_t> upper = indexOf(op, op.getUpperBound());
  FailureOr<int64_t> step = indexOf(op, op.getStep());
  if (failed(lower) || failed(upper) || failed(step))
    return failure();
  if (*step <= 0)
    return op.emitOpError() << "has step " << *step << ", it must be positive";
  // What goes around, tensors and indices.
  struct Carried {
    std::optional<Tensor> tensor;
    int64_t index = 0;
  };
  auto read = [&](ValueRange sources) -> FailureOr<SmallVector<Carried>> {
    SmallVector<Carried> carried;
    for (Value source : sources) {
      Carried &one = carried.emplace_back();
      if (source.getType().isIntOrIndex()) {
        FailureOr<int64_t> index = indexOf(op, source);
        if (failed(index))
          return failure();
        one.index = *index;
        continue;
      }
      FailureOr<Tensor> tensor = get(op, source, values);
      if (failed(tensor))
        return failure();
      one.tensor = std::move(*tensor);
    }
    return carried;
  };
  auto write = [&](ValueRange targets, MutableArrayRef<Carried> carried) {
    for (auto [target, one] : llvm::zip_equal(targets, carried)) {
      if (one.tensor)
        values[target] = std::move(*one.tensor);
      else
        indices[target] = one.index;
    }
  };
  FailureOr<SmallVector<Carried>> carried = read(op.getInitArgs());
  for (int64_t i = *lower; succeeded(carried) && i < *upper; i += *step) {
    indices[op.getInductionVar()] = i;
    write(op.getRegionIterArgs(), *carried);
    if (failed(runBlock(*op.getBody(), values)))
      return failure();
    carried = read(op.getBody()->getTerminator()->getOperands());
    // What a round has computed is gone with it, so that what it carries on has
    // one owner.
    for (Operation &inner : *op.getBody())
      for (Value result : inner.getResults())
        values.erase(result);
    for (Value argument : op.getRegionIterArgs())
      values.erase(argument);
    if (i > INT64_MAX - *step)
      break;
  }
  if (failed(carried))
    return failure();
  write(op.getResults(), *carried);
  return success();
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {
/// Moves indices along the dimension that a tile cuts: the coordinate of an
/// axis, or the place in a group of axes that count together. How far depends
/// on the chip that holds an index.
class Shift {
public:
  Shift(const Space &space, BaseId base, int64_t unit, ArrayRef<int64_t> starts,
        const Digits &chips)
      : space(space), base(base), unit(unit), starts(starts), chips(chips) {
    if (base < space.axisCount())
      return;
    // Every place of the group, found by what it holds.
    std::vector<uint8_t> spoken(space.baseCount());
    spoken[base] = true;
    for (int64_t place = 0; place < space.size(base); ++place) {
      SmallVector<int64_t, 8> sums(space.baseCount());
      sums[base] = place;
      places.push_back(space.resolve(sums, spoken));
      if (places.back())
        placeOf[coordinates(*places.back())] = place;
    }
  }

  /// `index` in the tensor around the tile; std::nullopt past its end.
  std::optional<Index> move(const Index &index) const {
    Index moved = index;
    if (base == kNoBase)
      return moved;
    int64_t distance = at(index);
    if (base < space.axisCount()) {
      moved[base] += distance;
      return moved[base] < space.size(base) ? std::optional(moved)
                                            : std::nullopt;
    }
    auto found = placeOf.find(coordinates(index));
    if (found == placeOf.end() ||
        found->second + distance >= static_cast<int64_t>(places.size()))
      return std::nullopt;
    const std::optional<Index> &place = places[found->second + distance];
    if (!place)
      return std::nullopt;
    for (int axis : space.axesOf(base))
      moved[axis] = (*place)[axis];
    return moved;
  }

private:
  std::vector<int64_t> coordinates(const Index &index) const {
    std::vector<int64_t> result;
    for (int axis : space.axesOf(base))
      result.push_back(index[axis]);
    return result;
  }

  int64_t at(ArrayRef<int64_t> index) const {
    if (starts.size() == 1)
      return starts[0] * unit;
    int64_t chip = 0;
    for (const Digit &digit : chips) {
      int64_t value = index[digit.base] / digit.stride % digit.extent;
      chip = chip * digit.extent + value;
    }
    return starts[chip] * unit;
  }

  const Space &space;
  BaseId base;
  int64_t unit;
  ArrayRef<int64_t> starts;
  const Digits &chips;
  std::vector<std::optional<Index>> places;
  std::map<std::vector<int64_t>, int64_t> placeOf;
};

/// Counts through all indices of `axes`, the others at 0.
template <typename Visit>
void forEachIndex(const Space &space, ArrayRef<int> axes, Visit &&visit) {
  Index index(space.axisCount(), 0);
  while (true) {
    visit(index);
    size_t k = axes.size();
    while (k > 0 && ++index[axes[k - 1]] == space.size(axes[k - 1]))
      index[axes[--k]] = 0;
    if (k == 0 || interrupted(/*every=*/1024))
      return;
  }
}

SmallVector<int, 4> unionOf(ArrayRef<int> a, ArrayRef<int> b) {
  SmallVector<int, 4> result(a);
  llvm::append_range(result, b);
  llvm::sort(result);
  result.erase(llvm::unique(result), result.end());
  return result;
}

/// A tensor without elements yet.
struct Draft {
  explicit Draft(const Space &space, ElementType type, ArrayRef<int> axes) {
    tensor.type = type;
    tensor.axes.assign(axes.begin(), axes.end());
    bits = std::make_shared<std::vector<uint32_t>>(tensor.count(space));
    present = std::make_shared<std::vector<uint8_t>>(bits->size());
  }
  Tensor finish() {
    tensor.bits = std::move(bits);
    if (!llvm::all_of(*present, [](uint8_t p) { return p; }))
      tensor.present = std::move(present);
    return tensor;
  }
  Tensor tensor;
  std::shared_ptr<std::vector<uint32_t>> bits;
  std::shared_ptr<std::vector<uint8_t>> present;
};
} // namespace

template <typename OpTy>
FailureOr<TcpInterpreter::Cut> TcpInterpreter::readCut(OpTy op, Space &space) {
  FailureOr<Digits> digits = read(op, space, op.getDimension());
  if (failed(digits))
    return failure();
  Cut cut;
  int64_t extent = sizeOf(*digits);
  if (extent > 1) {
    Digits counting = space.normalize(*digits);
    if (counting.size() != 1 || counting.front().base == kNoBase)
      return op.emitOpError() << "tiles \"" << op.getDimension().getText()
                              << "\", which is no single digit";
    cut.base = counting.front().base;
    cut.unit = counting.front().stride;
  }
  int64_t index = 0;
  if (op.getIndex()) {
    FailureOr<int64_t> value = indexOf(op, op.getIndex());
    if (failed(value))
      return failure();
    index = *value;
  }
  for (int64_t start : op.getStarts()) {
    cut.starts.push_back(index + start);
    if (cut.starts.back() < 0 ||
        cut.starts.back() > extent - static_cast<int64_t>(op.getSize()))
      return op.emitOpError()
             << "tile of " << op.getSize() << " from " << cut.starts.back()
             << " of \"" << op.getDimension().getText() << "\"";
  }
  return cut;
}

/// Starts that differ from chip to chip need chips that hold different indices;
/// the last ones may hold none.
static LogicalResult checkChips(Operation *op, const Space &space,
                                size_t starts, const Digits &chips) {
  if (starts == 1)
    return success();
  if (static_cast<int64_t>(starts) != sizeOf(chips))
    return op->emitOpError()
           << "has " << starts << " starts for " << sizeOf(chips) << " chips";
  for (const Digit &digit : chips)
    if (digit.base == kNoBase || digit.base >= space.axisCount() ||
        digit.first != 0 || digit.offset != 0)
      return op->emitOpError() << "starts elsewhere on every chip, but chips "
                                  "hold the same indices";
  return success();
}

LogicalResult TcpInterpreter::run(tcp::FromAddressOp op, Values &values) {
  FailureOr<Layout> to = getLayout(op, op.getResult().getType());
  if (failed(to))
    return failure();
  Space &space = *to->space;
  SmallVector<int, 4> axes;
  std::vector<uint8_t> spoken = space.spokenOf(to->mappings);
  for (int axis = 0; axis < space.axisCount(); ++axis)
    if (spoken[axis])
      axes.push_back(axis);
  Type type = op.getResult().getType();
  Type element = isa<tcp::HbmType>(type)
                     ? cast<tcp::HbmType>(type).getElementType()
                     : cast<tcp::DmType>(type).getElementType();
  values[op.getResult()] =
      Draft(space, *tcp::getElementKind(element), axes).finish();
  return success();
}

LogicalResult TcpInterpreter::run(tcp::TileOp op, Values &values) {
  FailureOr<Tensor> source = get(op, op.getSource(), values);
  FailureOr<Layout> to = getLayout(op, op.getResult().getType());
  if (failed(source) || failed(to))
    return failure();
  Space &space = *to->space;
  FailureOr<Cut> cut = readCut(op, space);
  if (failed(cut) ||
      failed(checkChips(op, space, cut->starts.size(), to->mappings.front())))
    return failure();
  Shift shift(space, cut->base, cut->unit, cut->starts, to->mappings.front());
  SmallVector<int, 4> axes(source->axes);
  if (cut->starts.size() > 1)
    for (const Digit &digit : to->mappings.front())
      axes = unionOf(axes, {digit.base});
  Draft draft(space, source->type, axes);
  forEachIndex(space, axes, [&](Index &index) {
    int64_t offset = draft.tensor.offsetOf(space, index);
    std::optional<Index> from = shift.move(index);
    if (!from)
      return;
    int64_t at = source->offsetOf(space, *from);
    (*draft.bits)[offset] = (*source->bits)[at];
    (*draft.present)[offset] = source->holds(at);
  });
  return define(op.getResult(), draft.finish(), values);
}

LogicalResult TcpInterpreter::run(tcp::CommitViewOp op, Values &values) {
  FailureOr<Tensor> stream = get(op, op.getInput(), values);
  FailureOr<Tensor> old = get(op, op.getDestination(), values);
  tcp::DmType destination = op.getDestination().getType();
  tcp::GridAttr grid = destination.getGrid();
  if (op.getSlices()) // the others keep what they hold
    grid = tcp::GridAttr::get(op.getContext(), grid.getAxes(), grid.getChip(),
                              grid.getCluster(), *op.getSlices());
  FailureOr<Layout> part = getLayout(
      op, tcp::DmType::get(op.getContext(), destination.getElementType(), grid,
                           op.getElement()));
  if (failed(stream) || failed(old) || failed(part))
    return failure();
  Space &space = *part->space;
  FailureOr<Cut> cut = readCut(op, space);
  const Digits &chips = part->mappings.front();
  if (failed(cut) || failed(checkChips(op, space, cut->starts.size(), chips)))
    return failure();
  llvm::Expected<Tensor> placed = place(space, *stream, part->mappings);
  if (!placed)
    return op.emitOpError() << llvm::toString(placed.takeError());

  std::vector<uint8_t> spoken = space.spokenOf(part->mappings);
  SmallVector<int, 4> reached;
  for (int axis = 0; axis < space.axisCount(); ++axis)
    if (spoken[axis])
      reached.push_back(axis);
  SmallVector<int, 4> axes = unionOf(old->axes, reached);
  if (cut->base != kNoBase)
    axes = unionOf(axes, space.axesOf(cut->base));
  Draft draft(space, old->type, axes);
  forEachIndex(space, axes, [&](Index &index) {
    int64_t offset = draft.tensor.offsetOf(space, index);
    int64_t at = old->offsetOf(space, index);
    (*draft.bits)[offset] = (*old->bits)[at];
    (*draft.present)[offset] = old->holds(at);
  });
  // An axis that the part does not speak of is at coordinate 0.
  Shift shift(space, cut->base, cut->unit, cut->starts, chips);
  llvm::Expected<Image> image = computeImage(space, part->mappings, reached);
  if (!image)
    return op.emitOpError() << llvm::toString(image.takeError());
  forEachIndex(space, reached, [&](Index &index) {
    for (const Image::Group &group : image->groups) {
      int64_t row = 0;
      for (int axis : group.axes)
        row = row * space.size(axis) + index[axis];
      if (!group.complete && !group.reached[row])
        return;
    }
    std::optional<Index> to = shift.move(index);
    if (!to)
      return;
    int64_t offset = draft.tensor.offsetOf(space, *to);
    int64_t at = placed->offsetOf(space, index);
    (*draft.bits)[offset] = (*placed->bits)[at];
    (*draft.present)[offset] = placed->holds(at);
  });
  values[op.getResult()] = draft.finish();
  return success();
}

LogicalResult TcpInterpreter::run(tcp::BitcastOp op, Values &values) {
  FailureOr<Tensor> tensor = get(op, op.getSource(), values);
  if (failed(tensor))
    return failure();
  Type type = op.getResult().getType();
  if (auto from = dyn_cast<tcp::DmType>(op.getSource().getType()))
    if (auto to = cast<tcp::DmType>(type);
        from.getGrid() != to.getGrid() ||
        from.getElement() != to.getElement()) {
      FailureOr<Tensor> renamed = rename(op, *tensor);
      if (failed(renamed))
        return failure();
      tensor = std::move(renamed);
    }
  Type element =
      isa<tcp::HbmType>(type)   ? cast<tcp::HbmType>(type).getElementType()
      : isa<tcp::VrfType>(type) ? cast<tcp::VrfType>(type).getElementType()
                                : cast<tcp::DmType>(type).getElementType();
  tensor->type = *tcp::getElementKind(element);
  // Narrow integers may come sign-extended.
  if (int64_t width = getBitWidth(tensor->type); width < 32) {
    auto bits = std::make_shared<std::vector<uint32_t>>(*tensor->bits);
    for (uint32_t &word : *bits)
      word &= (1u << width) - 1;
    tensor->bits = std::move(bits);
  }
  values[op.getResult()] = std::move(*tensor);
  return success();
}
