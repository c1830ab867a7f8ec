//===- TcpCommit.cpp - The commit engine's own modes in tcp programs ------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Valid count packing and generate mode (TCP manual, Commit Engine, Sub-Context
// Operations). Packing is about the order of a stream, so it walks the
// positions of every slice.
//
//===----------------------------------------------------------------------===//

#include "TcpInterpreter.h"
#include "sequin/Support/Arithmetic.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

namespace {
/// Mappings of one tensor, looked up by positions.
class Places {
public:
  Places(const Space &space, ArrayRef<Digits> mappings)
      : space(space), spoken(space.spokenOf(mappings)),
        sums(space.baseCount()) {
    for (const Digits &digits : mappings)
      tables.emplace_back(digits);
  }

  int64_t size(size_t dimension) const { return tables[dimension].size; }
  std::optional<Index> at(ArrayRef<int64_t> positions) {
    std::fill(sums.begin(), sums.end(), 0);
    for (auto [table, position] : llvm::zip_equal(tables, positions)) {
      if (!table.valid[position])
        return std::nullopt;
      table.addTo(sums, position);
    }
    return space.resolve(sums, spoken);
  }

private:
  const Space &space;
  std::vector<uint8_t> spoken;
  std::vector<Table> tables;
  std::vector<int64_t> sums;
};
} // namespace

LogicalResult TcpInterpreter::run(tcp::CommitPackedOp op, Values &values) {
  FailureOr<Tensor> stream = get(op, op.getInput(), values);
  FailureOr<Tensor> count = get(op, op.getCount(), values);
  FailureOr<Tensor> old = get(op, op.getDestination(), values);
  FailureOr<Layout> from = getLayout(op, op.getInput().getType());
  FailureOr<Layout> to = getLayout(op, op.getDestination().getType());
  if (failed(stream) || failed(count) || failed(old) || failed(from) ||
      failed(to))
    return failure();
  Space &space = *to->space;

  // The old contents, over all axes that the destination speaks of.
  std::vector<uint8_t> spoken = space.spokenOf(to->mappings);
  Tensor result;
  result.type = old->type;
  for (int axis = 0; axis < space.axisCount(); ++axis)
    if (spoken[axis] || llvm::is_contained(old->axes, axis))
      result.axes.push_back(axis);
  auto bits = std::make_shared<std::vector<uint32_t>>(result.count(space));
  auto present = std::make_shared<std::vector<uint8_t>>(bits->size());
  Index index(space.axisCount(), 0);
  for (size_t offset = 0; offset < bits->size(); ++offset) {
    int64_t at = old->offsetOf(space, index);
    (*bits)[offset] = (*old->bits)[at];
    (*present)[offset] = old->holds(at);
    for (int axis : llvm::reverse(result.axes)) {
      if (++index[axis] < space.size(axis))
        break;
      index[axis] = 0;
    }
  }

  Places in(space, from->mappings), out(space, to->mappings);
  Places steps(space, ArrayRef(from->mappings).drop_back());
  int64_t elements = in.size(4), capacity = out.size(3);
  for (int64_t chip = 0; chip < in.size(0); ++chip)
    for (int64_t cluster = 0; cluster < in.size(1); ++cluster)
      for (int64_t slice = 0; slice < in.size(2); ++slice) {
        int64_t filled = 0;
        for (int64_t time = 0; time < in.size(3); ++time) {
          auto step = steps.at({chip, cluster, slice, time});
          if (!step)
            continue;
          int64_t counted = count->offsetOf(space, *step);
          if (!count->holds(counted))
            return op.emitOpError() << "reads a count that is undefined";
          int64_t n = decodeInt(count->type, (*count->bits)[counted]);
          if (n < 0 || n > elements)
            return op.emitOpError() << "reads the count " << n << " of "
                                    << elements << " elements";
          for (int64_t i = 0; i < n; ++i, ++filled) {
            if (filled == capacity)
              return op.emitOpError() << "keeps more than the " << capacity
                                      << " elements that the destination has";
            auto source = in.at({chip, cluster, slice, time, i});
            auto target = out.at({chip, cluster, slice, filled});
            if (!target)
              continue;
            int64_t offset = result.offsetOf(space, *target);
            int64_t at = source ? stream->offsetOf(space, *source) : 0;
            bool known = source && stream->holds(at);
            (*present)[offset] = known;
            (*bits)[offset] = known ? (*stream->bits)[at] : 0;
          }
        }
      }
  result.bits = std::move(bits);
  if (!llvm::all_of(*present, [](uint8_t held) { return held; }))
    result.present = std::move(present);
  values[op.getResult()] = std::move(result);
  return success();
}

LogicalResult TcpInterpreter::run(tcp::ItosOp op, Values &values) {
  APInt value = isa<FloatAttr>(op.getValue())
                    ? cast<FloatAttr>(op.getValue()).getValue().bitcastToAPInt()
                    : cast<IntegerAttr>(op.getValue()).getValue();
  Tensor tensor;
  tensor.type = *tcp::getElementKind(op.getResult().getType().getElementType());
  tensor.bits = std::make_shared<std::vector<uint32_t>>(
      1, static_cast<uint32_t>(value.getZExtValue()));
  return define(op.getResult(), tensor, values);
}
