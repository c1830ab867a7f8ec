//===- SliceIndex.cpp - Finding slices by what they hold ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceIndex.h"
#include "sequin/Dialect/Tcp/IR/TcpSwitchShapes.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;

static void collectAxes(ArrayRef<Factor> factors,
                        llvm::StringMap<unsigned> &axes) {
  for (const Factor &factor : factors) {
    if (factor.kind == Factor::Kind::Axis)
      axes.try_emplace(factor.base, 0);
    if (!factor.composite)
      continue;
    ::collectAxes(factor.composite->factors, axes);
    for (const CompositeBase::SlidingTerm &term : factor.composite->sliding)
      ::collectAxes(term.factors, axes);
  }
}

void tcp::collectAxes(const Mapping &mapping, llvm::StringMap<unsigned> &axes) {
  ::collectAxes(mapping.factors(), axes);
  // The index of a skewed axis is that of the axes it is made from.
  for (const AxisSizes::Skew &skew : mapping.axes().skews())
    if (axes.contains(skew.name)) {
      axes.try_emplace(skew.base, 0);
      axes.try_emplace(skew.by, 0);
    }
}

StreamAxes::StreamAxes(StreamType stream) {
  llvm::StringMap<unsigned> found;
  GridAttr grid = stream.getGrid();
  for (const Mapping &mapping :
       {grid.getChipMapping(), grid.getClusterMapping(), grid.getSliceMapping(),
        stream.getTimeMapping(), stream.getPacketMapping()})
    collectAxes(mapping, found);
  Mapping slice = grid.getSliceMapping();
  for (const auto &[name, size] : slice.axes().axes())
    if (found.contains(name)) {
      numbers[name] = names.size();
      names.push_back(name);
    }
}

std::optional<Coordinates> StreamAxes::at(const Mapping &mapping,
                                          int64_t position) const {
  std::optional<TensorIndex> index = mapping.at(position);
  if (!index)
    return std::nullopt;
  Coordinates coordinates(names.size(), 0);
  for (const auto &[axis, coordinate] : *index)
    if (has(axis))
      coordinates[number(axis)] = coordinate;
  return coordinates;
}

std::string StreamAxes::describe(ArrayRef<int64_t> coordinates) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '{';
  bool first = true;
  for (auto [name, coordinate] : llvm::zip_equal(names, coordinates)) {
    if (!coordinate)
      continue;
    os << (first ? "" : ", ") << name << ": " << coordinate;
    first = false;
  }
  os << '}';
  return text;
}

PositionIndex::PositionIndex(const StreamAxes &axes, const Mapping &mapping) {
  for (int64_t i = 0; i < mapping.size(); ++i)
    if (std::optional<Coordinates> coordinates = axes.at(mapping, i))
      positions[*coordinates].push_back(i);
}

ArrayRef<int64_t> PositionIndex::find(const Coordinates &coordinates) const {
  auto found = positions.find(coordinates);
  if (found == positions.end())
    return {};
  return found->second;
}

std::optional<int64_t> PositionIndex::nearest(const Coordinates &coordinates,
                                              int64_t near) const {
  // Ascending; the longest common prefix is with a neighbour of `near`, and the
  // positions that share it follow each other.
  ArrayRef<int64_t> same = find(coordinates);
  if (same.empty())
    return std::nullopt;
  auto width = [&](int64_t position) {
    return llvm::bit_width(static_cast<uint64_t>(position ^ near));
  };
  const int64_t *after = llvm::lower_bound(same, near);
  int shared = 64;
  if (after != same.end())
    shared = width(*after);
  if (after != same.begin())
    shared = std::min<int>(shared, width(*std::prev(after)));
  int64_t first = shared == 64 ? 0 : near >> shared << shared;
  return *llvm::lower_bound(same, first);
}

int64_t tcp::smallestRing(const RoutingShape &shape) {
  uint64_t differing = 0;
  for (auto [slice, router] : llvm::enumerate(shape.routers))
    for (int64_t source : router.sources)
      differing |= slice ^ static_cast<uint64_t>(source);
  return int64_t(1) << llvm::bit_width(differing);
}
