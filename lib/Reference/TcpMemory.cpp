//===- TcpMemory.cpp - What the tensor DMA engine's operations mean -------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain moves keep the tensor; here are the operations that do not: a chip
// shuffle exchanges indices along the chip mapping, gather and scatter find one
// axis through an index tensor.
//
//===----------------------------------------------------------------------===//

#include "TcpInterpreter.h"
#include "sequin/Support/Arithmetic.h"
#include "sequin/Support/Interrupt.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

namespace {

/// A tensor being written, over the given axes.
class TensorBuilder {
public:
  TensorBuilder(const Space &space, ElementType type, llvm::ArrayRef<int> axes)
      : space(space) {
    tensor.type = type;
    tensor.axes.assign(axes.begin(), axes.end());
    llvm::sort(tensor.axes);
    tensor.axes.erase(llvm::unique(tensor.axes), tensor.axes.end());
  }
  bool allocate() {
    int64_t count = tensor.count(space);
    if (count > kLargestTensor)
      return false;
    bits.assign(count, 0);
    present.assign(count, false);
    return true;
  }
  void set(llvm::ArrayRef<int64_t> index, uint32_t value) {
    int64_t offset = tensor.offsetOf(space, index);
    bits[offset] = value;
    present[offset] = true;
  }
  void drop(llvm::ArrayRef<int64_t> index) {
    present[tensor.offsetOf(space, index)] = false;
  }
  /// Calls visit(index) for every index of the tensor's axes.
  template <class Visit> void forEach(Visit &&visit) const {
    forEachIndex(space, tensor.axes, visit);
  }
  template <class Visit>
  static void forEachIndex(const Space &space, llvm::ArrayRef<int> axes,
                           Visit &&visit) {
    Index index(space.axisCount(), 0);
    while (true) {
      visit(index);
      size_t i = axes.size();
      while (i > 0 && ++index[axes[i - 1]] == space.size(axes[i - 1]))
        index[axes[--i]] = 0;
      if (i == 0 || interrupted(/*every=*/1024))
        return;
    }
  }
  Tensor finish() {
    tensor.bits = std::make_shared<std::vector<uint32_t>>(std::move(bits));
    if (!llvm::all_of(present, [](uint8_t p) { return p; }))
      tensor.present =
          std::make_shared<std::vector<uint8_t>>(std::move(present));
    return std::move(tensor);
  }

private:
  const Space &space;
  Tensor tensor;
  std::vector<uint32_t> bits;
  std::vector<uint8_t> present;
};

std::optional<uint32_t> valueAt(const Space &space, const Tensor &tensor,
                                llvm::ArrayRef<int64_t> index) {
  int64_t offset = tensor.offsetOf(space, index);
  if (!tensor.holds(offset))
    return std::nullopt;
  return (*tensor.bits)[offset];
}

int axisNumber(const Space &space, llvm::StringRef name) {
  for (int axis = 0; axis < space.axisCount(); ++axis)
    if (space.axisName(axis) == name)
      return axis;
  return -1;
}

} // namespace

static LogicalResult tooLarge(Operation *op) {
  return op->emitOpError()
         << "makes a tensor too large for the reference interpreter";
}

/// Rows are found by index: none of those that the operation reads may be
/// undefined.
FailureOr<Tensor> TcpInterpreter::getIndices(Operation *op, Value list,
                                             const Values &values) {
  FailureOr<Tensor> tensor = get(op, list, values);
  FailureOr<Layout> from = getLayout(op, list.getType());
  if (failed(tensor) || failed(from))
    return failure();
  auto placed = place(*from->space, *tensor, from->mappings);
  if (!placed)
    return op->emitOpError() << llvm::toString(placed.takeError());
  if (placed->undefined)
    return op->emitOpError() << "finds a row by the index at "
                             << from->space->describe(*placed->undefined)
                             << ", which is undefined";
  return std::move(*placed);
}

LogicalResult TcpInterpreter::run(tcp::ChipShuffleOp op, Values &values) {
  FailureOr<Tensor> input = get(op, op.getInput(), values);
  FailureOr<Layout> place = getLayout(op, op.getResult().getType());
  if (failed(input) || failed(place))
    return failure();
  Space &space = *place->space;
  const Digits &chips = place->mappings.front();
  llvm::SmallVector<int> axes(input->axes.begin(), input->axes.end());
  for (const Digit &digit : chips) {
    if (digit.base == kNoBase)
      continue; // the same on all of its chips
    if (digit.base >= space.axisCount())
      return op.emitOpError() << "shuffles chips of a mapping that the "
                                 "reference interpreter cannot take apart";
    axes.push_back(digit.base);
  }
  TensorBuilder result(space, input->type, axes);
  if (!result.allocate())
    return tooLarge(op);
  auto digitOf = [](const Digit &digit, int64_t coordinate) {
    return (coordinate - digit.offset) / digit.stride % digit.extent;
  };
  result.forEach([&](const Index &index) {
    int64_t position = 0;
    for (const Digit &digit : chips)
      position =
          position * digit.extent +
          (digit.base == kNoBase ? 0 : digitOf(digit, index[digit.base]));
    int64_t source = op.getSources()[position];
    Index from = index;
    for (const Digit &digit : llvm::reverse(chips)) {
      int64_t value = source % digit.extent;
      source /= digit.extent;
      if (digit.base != kNoBase)
        from[digit.base] +=
            (value - digitOf(digit, index[digit.base])) * digit.stride;
    }
    if (auto value = valueAt(space, *input, from))
      result.set(index, *value);
  });
  return define(op.getResult(), result.finish(), values);
}

LogicalResult TcpInterpreter::run(tcp::GatherOp op, Values &values) {
  FailureOr<Tensor> table = get(op, op.getTable(), values);
  FailureOr<Tensor> indices = getIndices(op, op.getIndices(), values);
  FailureOr<Layout> place = getLayout(op, op.getResult().getType());
  if (failed(table) || failed(indices) || failed(place))
    return failure();
  Space &space = *place->space;
  int axis = axisNumber(space, op.getAxis());
  llvm::SmallVector<int> axes(indices->axes.begin(), indices->axes.end());
  for (int other : table->axes)
    if (other != axis)
      axes.push_back(other);
  TensorBuilder result(space, table->type, axes);
  if (!result.allocate())
    return tooLarge(op);
  std::optional<int64_t> wrong;
  result.forEach([&](const Index &index) {
    auto bits = valueAt(space, *indices, index);
    if (!bits)
      return;
    int64_t row = decodeInt(ElementType::I32, *bits);
    if (row < 0 || row >= space.size(axis)) {
      wrong = row;
      return;
    }
    Index from = index;
    from[axis] = row;
    if (auto value = valueAt(space, *table, from))
      result.set(index, *value);
  });
  if (wrong)
    return op.emitOpError() << "has index " << *wrong << ", axis "
                            << op.getAxis() << " has size " << space.size(axis);
  return define(op.getResult(), result.finish(), values);
}

LogicalResult TcpInterpreter::run(tcp::ScatterOp op, Values &values) {
  FailureOr<Tensor> input = get(op, op.getInput(), values);
  FailureOr<Tensor> indices = getIndices(op, op.getIndices(), values);
  FailureOr<Tensor> old = get(op, op.getDestination(), values);
  FailureOr<Layout> place = getLayout(op, op.getInput().getType());
  if (failed(input) || failed(indices) || failed(old) || failed(place))
    return failure();
  Space &space = *place->space;
  int axis = axisNumber(space, op.getAxis());
  llvm::SmallVector<int> listAxes(indices->axes.begin(), indices->axes.end());
  llvm::SmallVector<int> rowAxes;
  for (int other : input->axes)
    if (!llvm::is_contained(listAxes, other))
      rowAxes.push_back(other);
  llvm::SmallVector<int> axes(old->axes.begin(), old->axes.end());
  axes.push_back(axis);
  axes.append(rowAxes.begin(), rowAxes.end());
  TensorBuilder result(space, old->type, axes);
  if (!result.allocate())
    return tooLarge(op);
  result.forEach([&](const Index &index) {
    if (auto value = valueAt(space, *old, index))
      result.set(index, *value);
  });
  // Axes of the list that the destination has too, as those of chips, have rows
  // of their own at each of their positions.
  llvm::SmallVector<int> shared;
  int64_t places = space.size(axis);
  for (int other : listAxes)
    if (llvm::is_contained(old->axes, other)) {
      shared.push_back(other);
      places *= space.size(other);
    }
  std::vector<bool> taken(places, false);
  std::optional<int64_t> wrong, twice;
  TensorBuilder::forEachIndex(space, listAxes, [&](const Index &list) {
    auto bits = valueAt(space, *indices, list);
    if (!bits)
      return;
    int64_t row = decodeInt(ElementType::I32, *bits);
    if (row < 0 || row >= space.size(axis)) {
      wrong = row;
      return;
    }
    int64_t place = row;
    for (int other : shared)
      place = place * space.size(other) + list[other];
    if (taken[place])
      twice = row;
    taken[place] = true;
    TensorBuilder::forEachIndex(space, rowAxes, [&](const Index &rest) {
      Index from = list, to = rest;
      for (int other : rowAxes)
        from[other] = rest[other];
      for (int other : shared)
        to[other] = list[other];
      to[axis] = row;
      if (auto value = valueAt(space, *input, from))
        result.set(to, *value);
      else
        result.drop(to);
    });
  });
  if (wrong)
    return op.emitOpError() << "has index " << *wrong << ", axis "
                            << op.getAxis() << " has size " << space.size(axis);
  if (twice)
    return op.emitOpError() << "has index " << *twice << " twice";
  // What was not written may be undefined still.
  values[op.getResult()] = result.finish();
  return success();
}
