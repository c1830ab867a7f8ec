//===- TcpFetch.cpp - Fetches of tcp programs -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fetch does to every element what its adapter does (TCP manual, Fetch
// Engine); two interleaved tensors are one tensor with an axis more. Masking
// has no meaning here: what stands at padding is no element.
//
//===----------------------------------------------------------------------===//

#include "TcpInterpreter.h"
#include "sequin/Support/Arithmetic.h"
#include "sequin/Support/Interrupt.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

/// The axis called `name`; the verifier saw to it that there is one.
static int axisNamed(const Space &space, StringRef name) {
  int axis = 0;
  while (axis < space.axisCount() && space.axisName(axis) != name)
    ++axis;
  return axis;
}

/// Calls `visit(index, offset)` for every index of `tensor` that it holds.
template <typename Visit>
static void forEachOffset(const Space &space, const Tensor &tensor,
                          Visit visit) {
  Index index(space.axisCount());
  for (int64_t offset = 0, n = tensor.count(space);
       offset < n && !interrupted(/*every=*/1024); ++offset) {
    if (!tensor.present || (*tensor.present)[offset])
      visit(index, offset);
    for (int axis : llvm::reverse(tensor.axes)) {
      if (++index[axis] < space.size(axis))
        break;
      index[axis] = 0;
    }
  }
}

LogicalResult TcpInterpreter::run(tcp::BeginInterleavedOp op, Values &values) {
  FailureOr<Layout> to = getLayout(op, op.getResult().getType());
  if (failed(to))
    return failure();
  Space &space = *to->space;
  SmallVector<Tensor, 2> tensors;
  Tensor joined;
  for (Value input : op.getInputs()) {
    FailureOr<Tensor> tensor = get(op, input, values);
    if (failed(tensor))
      return failure();
    llvm::append_range(joined.axes, tensor->axes);
    tensors.push_back(std::move(*tensor));
  }
  int which = axisNamed(space, op.getAxis());
  joined.axes.push_back(which);
  llvm::sort(joined.axes);
  joined.axes.erase(llvm::unique(joined.axes), joined.axes.end());
  joined.type = tensors.front().type;

  auto bits = std::make_shared<std::vector<uint32_t>>(joined.count(space));
  auto present = std::make_shared<std::vector<uint8_t>>(bits->size());
  forEachOffset(space, joined, [&](const Index &index, int64_t offset) {
    const Tensor &tensor = tensors[index[which]];
    int64_t from = tensor.offsetOf(space, index);
    (*present)[offset] = !tensor.present || (*tensor.present)[from];
    (*bits)[offset] = (*tensor.bits)[from];
  });
  joined.bits = std::move(bits);
  if (!llvm::all_of(*present, [](uint8_t held) { return held; }))
    joined.present = std::move(present);
  return define(op.getResult(), joined, values);
}

/// Every element replaced by the table's entry at its number.
static Tensor lookUp(const Tensor &tensor, ElementsAttr table) {
  std::vector<uint32_t> entries;
  for (Attribute entry : table.getValues<Attribute>()) {
    APInt bits = isa<FloatAttr>(entry)
                     ? cast<FloatAttr>(entry).getValue().bitcastToAPInt()
                     : cast<IntegerAttr>(entry).getValue();
    entries.push_back(static_cast<uint32_t>(bits.getZExtValue()));
  }
  auto bits = std::make_shared<std::vector<uint32_t>>();
  for (uint32_t element : *tensor.bits)
    bits->push_back(entries[element & (entries.size() - 1)]);
  Tensor result = tensor;
  result.type = *tcp::getElementKind(table.getElementType());
  result.bits = std::move(bits);
  return result;
}

/// A cast to integers of `type` with the tensor's zero point taken off.
static Tensor subtract(const Space &space, const Tensor &tensor,
                       ElementType type, ArrayRef<int64_t> zeroPoints,
                       int tensorAxis) {
  auto bits = std::make_shared<std::vector<uint32_t>>(tensor.bits->size());
  forEachOffset(space, tensor, [&](const Index &index, int64_t offset) {
    int64_t zero =
        zeroPoints.size() == 1 ? zeroPoints[0] : zeroPoints[index[tensorAxis]];
    int64_t value = decodeInt(tensor.type, (*tensor.bits)[offset]) - zero;
    int64_t clamped = std::clamp<int64_t>(value, INT32_MIN, INT32_MAX);
    (*bits)[offset] = encodeInt(type, static_cast<int32_t>(clamped));
  });
  Tensor result = tensor;
  result.type = type;
  result.bits = std::move(bits);
  return result;
}

LogicalResult TcpInterpreter::run(tcp::FetchOp op, Values &values) {
  FailureOr<Tensor> tensor = get(op, op.getInput(), values);
  if (failed(tensor))
    return failure();
  if (op.getTable())
    tensor = lookUp(*tensor, *op.getTable());
  ElementType type = *tcp::getElementKind(op.getElementType());
  if (!op.getZeroPoints())
    return define(op.getResult(), convert(*tensor, type), values);

  FailureOr<Layout> place = getLayout(op, op.getResult().getType());
  if (failed(place))
    return failure();
  int axis = 0;
  if (auto begin = op.getInput().getDefiningOp<tcp::BeginInterleavedOp>())
    axis = axisNamed(*place->space, begin.getAxis());
  return define(
      op.getResult(),
      subtract(*place->space, *tensor, type, *op.getZeroPoints(), axis),
      values);
}
