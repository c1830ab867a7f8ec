//===- ChoosePadding.cpp - Gaps between rows of memory --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DMA engines walk parts of a tensor side by side. Where two of them are in one
// bank of HBM but in different rows of it, they open these rows by turns, which
// takes several times as long as what they move. How far apart the engines are
// follows from the mapping of the group that moves the tensor, and from the
// length of its rows in memory: a gap behind every row, of a few units of HBM,
// leads the engines to banks of their own.
//
//===----------------------------------------------------------------------===//

#include "Padding.h"
#include "sequin/Machine/HbmPlace.h"
#include <numeric>

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

/// Smaller tensors are there before engines meet.
static constexpr int64_t kLeastBytes = 1 << 20;
/// Units of HBM in a gap at most.
static constexpr int64_t kMostUnits = 24;
/// Places at which engines are looked at.
static constexpr int64_t kSamples = 32;
/// What two engines in one bank cost, and a gap, as parts of what is moved.
static constexpr double kConflictCost = 0.6, kGapCost = 0.06;

namespace {
/// A digit of the number of a slice: `count` steps of a loop.
struct Digit {
  std::optional<LoopId> loop;
  int64_t count = 1, step = 1;
};

/// What cluster and slice tell of the loops, outermost digit first.
struct Digits {
  Digit cluster;
  SmallVector<Digit, 8> slice;
};
} // namespace

/// Loops one after the other, blocks of each on a slice.
static void addBlocks(SmallVectorImpl<Digit> &digits, const Group &group,
                      ArrayRef<LoopId> loops) {
  for (LoopId id : loops) {
    const Loop &loop = group.loops[id];
    if (loop.parts > 1)
      digits.push_back({id, loop.parts, loop.local});
  }
}

static Digits digitsOfRing(const Group &group, const Access &access) {
  const RingPlan &plan = *group.ring;
  Digits digits;
  if (plan.cluster)
    digits.cluster = {plan.cluster, group.loops[*plan.cluster].extent, 1};
  bool spreads = &access == &group.lhs && plan.spreads;
  for (LoopId loop : plan.slices)
    if (!spreads || group.lhs.uses(loop))
      digits.slice.push_back({loop, group.loops[loop].extent, 1});
  if (!spreads)
    return digits;
  const Loop &sum = group.loops[group.k.back()];
  digits.slice.push_back(
      {group.k.back(), plan.ringSums, sum.tile / plan.ringSums});
  digits.slice.push_back({plan.streamed, plan.ringTurns, 1});
  return digits;
}

/// As GroupEmitter::makeGrid() has them.
static Digits digitsOfTiles(const Group &group, const TcpMachine &machine) {
  Digits digits;
  int64_t slices = 1;
  for (const Loop &loop : group.loops)
    slices *= loop.parts;
  int64_t clusters =
      slices > machine.slicesPerCluster ? machine.clustersPerChip : 1;
  LoopList loops = group.parallel();
  if (group.dealt) {
    const Loop &loop = group.loops[*group.dealt];
    int64_t mine = loop.parts % clusters == 0 ? clusters : 1;
    int64_t engines = std::gcd(
        machine.slicesPerCluster / machine.slicesPerEngine, loop.parts / mine);
    digits.cluster = {group.dealt, mine, group.dealtUnit};
    digits.slice.push_back({group.dealt, engines, mine * group.dealtUnit});
    // The slices of an engine count no further here.
    digits.slice.push_back(
        {std::nullopt, machine.slicesPerCluster / engines, 1});
    return digits;
  }
  addBlocks(digits.slice, group, loops);
  for (Digit &digit : digits.slice)
    if (clusters > 1 && digit.count % clusters == 0) {
      digit.count /= clusters;
      digits.cluster = {digit.loop, clusters, digit.count * digit.step};
      break;
    }
  return digits;
}

EngineStarts linalg_to_tcp::getEngineStarts(const Group &group,
                                            const Access &access,
                                            const TcpMachine &machine) {
  EngineStarts starts;
  if (group.weightStream || group.movesRows() ||
      group.kind == Group::Kind::Collective)
    return starts;
  Digits digits =
      group.ring ? digitsOfRing(group, access) : digitsOfTiles(group, machine);
  auto move = [&](SmallVectorImpl<int64_t> &at, const Digit &digit,
                  int64_t index) {
    if (!digit.loop)
      return;
    for (auto [position, dim] : llvm::zip(at, access.dims))
      for (auto [loop, coefficient] : dim.terms)
        if (loop == *digit.loop)
          position += index * digit.step * coefficient;
  };
  for (int64_t cluster = 0; cluster < digits.cluster.count; ++cluster)
    for (int64_t first = 0; first < machine.slicesPerCluster;
         first += machine.slicesPerEngine) {
      SmallVector<int64_t, 4> at(access.dims.size());
      move(at, digits.cluster, cluster);
      int64_t rest = first;
      bool isIdle = false;
      for (const Digit &digit : llvm::reverse(digits.slice)) {
        int64_t index = rest % digit.count;
        rest /= digit.count;
        // Slices that only pad have nothing.
        isIdle |= !digit.loop && index > 0 && !group.dealt;
        move(at, digit, index);
      }
      if (rest == 0 && !isIdle && !llvm::is_contained(starts, at))
        starts.push_back(at);
    }
  return starts;
}

/// Pairs of engines that are in one bank, but in different rows, on average.
static double countConflicts(const Tensor &tensor, const EngineStarts &starts,
                             const TcpMachine &machine) {
  SmallVector<int64_t, 8> offsets;
  for (ArrayRef<int64_t> start : starts) {
    int64_t elements = 0;
    for (auto [dim, position] : llvm::enumerate(start))
      elements += tensor.distance(dim, position);
    offsets.push_back(getByteSize(tensor.kind(), elements));
  }
  int64_t units =
      getByteSize(tensor.kind(), tensor.size) / machine.hbm.unitBytes;
  int64_t conflicts = 0;
  for (int64_t i = 0; i < kSamples; ++i) {
    SmallVector<HbmPlace, 8> places;
    int64_t base = units * i / kSamples * machine.hbm.unitBytes;
    for (int64_t offset : offsets)
      places.push_back(placeOf(machine.hbm, base + offset));
    for (size_t a = 0; a < places.size(); ++a)
      for (size_t b = 0; b < a; ++b)
        conflicts +=
            places[a].bank == places[b].bank && places[a].row != places[b].row;
  }
  return static_cast<double>(conflicts) / kSamples;
}

int64_t linalg_to_tcp::choosePadding(
    Tensor &tensor, ArrayRef<EngineStarts> starts, const TcpMachine &machine,
    llvm::function_ref<void(int64_t units)> setStrides) {
  int64_t best = 0;
  double least = 0;
  for (int64_t units = 0; units <= kMostUnits; ++units) {
    setStrides(units);
    if (units == 0 && getByteSize(tensor.kind(), tensor.size) < kLeastBytes)
      return 0;
    double cost = units > 0 ? kGapCost * starts.size() : 0;
    for (const EngineStarts &engines : starts)
      cost += kConflictCost * countConflicts(tensor, engines, machine);
    if (units == 0 || cost < least) {
      least = cost;
      best = units;
    }
  }
  return best;
}
