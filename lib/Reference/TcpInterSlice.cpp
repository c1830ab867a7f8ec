//===- TcpInterSlice.cpp - Reductions over slices -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element of the result at an index is what the elements of the stream at
// the indices that the slices of the result do not tell apart fold to, in
// ascending order of the slices they are in (TCP manual, Inter-Slice Block;
// ruling SIL-11).
//
//===----------------------------------------------------------------------===//

#include "TcpInterpreter.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

static uint32_t foldInts(tcp::InterSliceOp op, uint32_t a, uint32_t b) {
  auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
  switch (op) {
  case tcp::InterSliceOp::AddSat:
    return addSat(x, y);
  case tcp::InterSliceOp::Max:
    return x > y ? a : b;
  case tcp::InterSliceOp::Min:
    return x < y ? a : b;
  default:
    return a + b;
  }
}

static uint32_t foldFloats(tcp::InterSliceOp op, uint32_t a, uint32_t b) {
  auto x = llvm::bit_cast<float>(a), y = llvm::bit_cast<float>(b);
  auto result = [&] {
    switch (op) {
    case tcp::InterSliceOp::Max:
      return maxNum(x, y);
    case tcp::InterSliceOp::Min:
      return minNum(x, y);
    case tcp::InterSliceOp::Mul:
      return x * y;
    default:
      return x + y;
    }
  };
  return encodeFloat(ElementType::F32, result());
}

namespace {
/// A stretch of an axis' index, as index % end - index % begin.
struct Stretch {
  int axis;
  int64_t begin, end;
};
} // namespace

/// What `digits` count of every axis; std::nullopt if they count through
/// something else.
static std::optional<std::vector<Stretch>>
stretchesOf(const Space &space, llvm::ArrayRef<Digit> digits) {
  std::vector<Stretch> stretches;
  for (const Digit &digit : digits) {
    if (digit.base == kNoBase)
      continue;
    if (digit.base >= space.axisCount())
      return std::nullopt;
    stretches.push_back(
        {digit.base, digit.stride,
         llvm::SaturatingMultiply<uint64_t>(digit.stride, digit.extent) >
                 static_cast<uint64_t>(INT64_MAX)
             ? INT64_MAX
             : digit.stride * digit.extent});
  }
  return stretches;
}

/// The stretches of `slices` that none of `kept` covers.
static std::vector<Stretch> uncovered(llvm::ArrayRef<Stretch> slices,
                                      llvm::ArrayRef<Stretch> kept) {
  std::vector<Stretch> result;
  for (const Stretch &whole : slices) {
    llvm::SmallVector<int64_t, 8> cuts = {whole.begin, whole.end};
    for (const Stretch &part : kept)
      for (int64_t cut : {part.begin, part.end})
        if (part.axis == whole.axis && cut > whole.begin && cut < whole.end)
          cuts.push_back(cut);
    llvm::sort(cuts);
    for (size_t i = 1; i < cuts.size(); ++i) {
      Stretch piece{whole.axis, cuts[i - 1], cuts[i]};
      bool covered = llvm::any_of(kept, [&](const Stretch &part) {
        return part.axis == piece.axis && part.begin <= piece.begin &&
               part.end >= piece.end;
      });
      if (!covered && piece.begin < piece.end)
        result.push_back(piece);
    }
  }
  return result;
}

LogicalResult TcpInterpreter::run(tcp::VectorInterSliceReduceOp op,
                                  Values &values) {
  FailureOr<Tensor> stream = get(op, op.getInput(), values);
  FailureOr<Layout> in = getLayout(op, op.getInput().getType());
  FailureOr<Layout> out = getLayout(op, op.getResult().getType());
  if (failed(stream) || failed(in) || failed(out))
    return failure();
  Space &space = *in->space;

  // Chip, cluster, slice, time, packet.
  constexpr int kSlice = 2, kDimensions = 5;
  auto slices = stretchesOf(space, in->mappings[kSlice]);
  auto kept = stretchesOf(space, out->mappings[kSlice]);
  if (!slices || !kept)
    return op.emitOpError() << "reduces over slices that count through several "
                               "axes at once, which the reference interpreter "
                               "does not know";
  std::vector<Stretch> reduced = uncovered(*slices, *kept);

  std::vector<Table> tables;
  for (int i = 0; i < kDimensions; ++i)
    tables.emplace_back(in->mappings[i]);
  std::vector<uint8_t> spoken = space.spokenOf(in->mappings);

  // An index counts once, wherever else it is.
  Tensor all;
  for (int axis = 0; axis < space.axisCount(); ++axis)
    if (spoken[axis] || llvm::is_contained(stream->axes, axis))
      all.axes.push_back(axis);
  int64_t total = 1;
  for (int axis : all.axes)
    if (llvm::MulOverflow(total, space.size(axis), total) ||
        total > kLargestTensor)
      return op.emitOpError() << "has more than " << kLargestTensor
                              << " elements, too many for the reference "
                                 "interpreter";
  std::vector<uint8_t> seen(total);

  Tensor result;
  result.type = stream->type;
  result.axes = stream->axes;
  auto bits = std::make_shared<std::vector<uint32_t>>(result.count(space));
  auto present = std::make_shared<std::vector<uint8_t>>(bits->size());
  bool isFloat = stream->type == ElementType::F32;
  std::vector<int64_t> undefined; // elements that such an element enters

  auto add = [&](Index index) {
    uint8_t &counted = seen[all.offsetOf(space, index)];
    int64_t from = stream->offsetOf(space, index);
    if (counted)
      return;
    counted = true;
    for (const Stretch &stretch : reduced) {
      int64_t &at = index[stretch.axis];
      at -= at % stretch.end - at % stretch.begin;
    }
    int64_t to = result.offsetOf(space, index);
    if (!stream->holds(from)) {
      undefined.push_back(to);
      return;
    }
    uint32_t next = (*stream->bits)[from], &folded = (*bits)[to];
    folded = !(*present)[to] ? next
             : isFloat       ? foldFloats(op.getOp(), folded, next)
                             : foldInts(op.getOp(), folded, next);
    (*present)[to] = true;
  };

  // The slices are the outer loop inside a cluster: ascending per result.
  std::vector<int64_t> unit(space.baseCount()), sums;
  for (int64_t chip = 0; chip < tables[0].size; ++chip)
    for (int64_t cluster = 0; cluster < tables[1].size; ++cluster)
      for (int64_t slice = 0; slice < tables[kSlice].size; ++slice) {
        if (!tables[0].valid[chip] || !tables[1].valid[cluster] ||
            !tables[kSlice].valid[slice])
          continue;
        std::fill(unit.begin(), unit.end(), 0);
        tables[0].addTo(unit, chip);
        tables[1].addTo(unit, cluster);
        tables[kSlice].addTo(unit, slice);
        for (int64_t time = 0; time < tables[3].size; ++time)
          for (int64_t lane = 0; lane < tables[4].size; ++lane) {
            if (!tables[3].valid[time] || !tables[4].valid[lane])
              continue;
            sums = unit;
            tables[3].addTo(sums, time);
            tables[4].addTo(sums, lane);
            if (std::optional<Index> index = space.resolve(sums, spoken))
              add(std::move(*index));
          }
      }
  for (int64_t offset : undefined)
    (*present)[offset] = false;
  result.bits = std::move(bits);
  result.present = std::move(present);
  return define(op.getResult(), result, values);
}
