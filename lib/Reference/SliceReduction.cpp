//===- SliceReduction.cpp - Reduction inside a slice ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceReduction.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <limits>
#include <set>

using namespace sequin;
using namespace sequin::reference;
using Kind = SliceReductionKind;

static int32_t apply(Kind kind, int32_t a, int32_t b) {
  switch (kind) {
  case Kind::Add:
    return addSat(a, b);
  case Kind::Max:
    return std::max(a, b);
  case Kind::Min:
    return std::min(a, b);
  }
  return 0;
}

static float apply(Kind kind, float a, float b) {
  switch (kind) {
  case Kind::Add:
    return a + b;
  case Kind::Max:
    return maxNum(a, b);
  case Kind::Min:
    return minNum(a, b);
  }
  return 0;
}

template <typename T> static T identity(Kind kind) {
  using Limits = std::numeric_limits<T>;
  switch (kind) {
  case Kind::Add:
    return 0;
  case Kind::Max:
    return Limits::has_infinity ? -Limits::infinity() : Limits::min();
  case Kind::Min:
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  return 0;
}

uint32_t sequin::reference::identityOf(Kind kind, ElementType type) {
  return isFloat(type) ? llvm::bit_cast<uint32_t>(identity<float>(kind))
                       : static_cast<uint32_t>(identity<int32_t>(kind));
}

template <typename T>
static llvm::Expected<Tensor> reduceAs(const Space &space,
                                       const SliceReductionShape &shape,
                                       const Tensor &stream) {
  auto loops = matchLoops(space, shape.time, shape.outTime);
  if (!loops)
    return llvm::createStringError(
        "the time of the result is not that of the stream with axes left out");
  Table grid[3] = {Table(shape.grid[0]), Table(shape.grid[1]),
                   Table(shape.grid[2])};
  Table time(shape.time), packet(shape.packet);
  Table outTime(shape.outTime), outPacket(shape.outPacket);
  if (packet.size != 4 || outPacket.size != 4)
    return llvm::createStringError("packets have " + llvm::Twine(packet.size) +
                                   " and " + llvm::Twine(outPacket.size) +
                                   " lanes, not 4");
  std::vector<int64_t> steps = resultSteps(*loops);
  bool tree = llvm::any_of(packet.bases, [&](BaseId base) {
    return llvm::is_contained(space.axesOf(base), shape.axis);
  });

  llvm::SmallVector<Digits, 5> in(shape.grid.begin(), shape.grid.end());
  llvm::SmallVector<Digits, 5> out = in;
  in.append({shape.time, shape.packet});
  out.append({shape.outTime, shape.outPacket});
  std::vector<uint8_t> inSpoken = space.spokenOf(in);
  std::vector<uint8_t> outSpoken = space.spokenOf(out);
  Tensor result;
  result.type = stream.type;
  for (int axis = 0; axis < space.axisCount(); ++axis)
    if (outSpoken[axis])
      result.axes.push_back(axis);
  if (result.count(space) > kLargestTensor)
    return llvm::createStringError(
        "a result of more than " + llvm::Twine(kLargestTensor) +
        " elements is too large for the reference interpreter");
  auto bits = std::make_shared<std::vector<uint32_t>>(result.count(space));
  auto present = std::make_shared<std::vector<uint8_t>>(bits->size());

  const T nothing = identity<T>(shape.kind);
  auto op = [&](T a, T b) { return apply(shape.kind, a, b); };
  std::vector<T> sums;
  std::vector<int64_t> sumsOf(space.baseCount());
  auto elementAt = [&](llvm::ArrayRef<int64_t> unit, int64_t t, int64_t lane) {
    if (!time.valid[t] || !packet.valid[lane])
      return nothing;
    sumsOf.assign(unit.begin(), unit.end());
    time.addTo(sumsOf, t);
    packet.addTo(sumsOf, lane);
    std::optional<Index> index = space.resolve(sumsOf, inSpoken);
    if (!index)
      return nothing;
    int64_t from = stream.offsetOf(space, *index);
    if (stream.present && !(*stream.present)[from])
      return nothing;
    return llvm::bit_cast<T>((*stream.bits)[from]);
  };
  auto runUnit = [&](llvm::ArrayRef<int64_t> unit) {
    sums.assign(outTime.size * 4, nothing);
    for (int64_t t = 0; t < time.size; ++t) {
      T *sum = &sums[steps[t] * 4];
      T lane[4];
      for (int64_t l = 0; l < 4; ++l)
        lane[l] = elementAt(unit, t, l);
      if (tree)
        sum[0] = op(sum[0], op(op(lane[0], lane[1]), op(lane[2], lane[3])));
      else
        for (int64_t l = 0; l < 4; ++l)
          sum[l] = op(sum[l], lane[l]);
    }
    for (int64_t u = 0; u < outTime.size; ++u)
      for (int64_t l = 0; l < 4; ++l) {
        if (!outTime.valid[u] || !outPacket.valid[l])
          continue;
        sumsOf.assign(unit.begin(), unit.end());
        outTime.addTo(sumsOf, u);
        outPacket.addTo(sumsOf, l);
        std::optional<Index> index = space.resolve(sumsOf, outSpoken);
        if (!index)
          continue;
        int64_t to = result.offsetOf(space, *index);
        if constexpr (std::is_same_v<T, float>)
          (*bits)[to] = encodeFloat(ElementType::F32, sums[u * 4 + l]);
        else
          (*bits)[to] = static_cast<uint32_t>(sums[u * 4 + l]);
        (*present)[to] = true;
      }
  };

  std::set<std::vector<int64_t>> done;
  std::vector<int64_t> at(space.baseCount());
  for (int64_t chip = 0; chip < grid[0].size; ++chip)
    for (int64_t cluster = 0; cluster < grid[1].size; ++cluster)
      for (int64_t slice = 0; slice < grid[2].size; ++slice) {
        if (!grid[0].valid[chip] || !grid[1].valid[cluster] ||
            !grid[2].valid[slice])
          continue;
        std::fill(at.begin(), at.end(), 0);
        grid[0].addTo(at, chip);
        grid[1].addTo(at, cluster);
        grid[2].addTo(at, slice);
        // Units over which everything is broadcast compute the same.
        if (done.insert(at).second)
          runUnit(at);
      }
  result.bits = std::move(bits);
  if (!llvm::all_of(*present, [](uint8_t p) { return p; }))
    result.present = std::move(present);
  return result;
}

llvm::Expected<Tensor>
sequin::reference::reduceInSlices(const Space &space,
                                  const SliceReductionShape &shape,
                                  const Tensor &stream) {
  auto result = isFloat(stream.type) ? reduceAs<float>(space, shape, stream)
                                     : reduceAs<int32_t>(space, shape, stream);
  if (!result || !stream.undefined)
    return result;
  SliceReductionShape largest = shape;
  largest.kind = Kind::Max;
  auto marks = reduceAs<int32_t>(space, largest, markUndefined(stream));
  if (!marks)
    return marks;
  dropMarked(*result, *marks);
  return result;
}
