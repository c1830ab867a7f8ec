//===- RingSizes.cpp - Sizes that a mapping by rings can have -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ring counts rows in eighths of a register file, slices in powers of two,
// tiles in whole ones and the sum in whole packets. What a product has of each
// is padded to that: loops run past their end, over memory that every tensor
// has behind its dimensions, and nobody looks at what is computed there. Sums
// that run past their end add zeros, which HBM holds behind what the host
// sends; behind what the program has computed may be anything, so fetches mask
// the end of the last packet, and the sum has no packets more than it needs.
//
// Padding is a cost like others, as sizes are those that are computed. Which
// sizes are tried: each count itself, and the multiples of the largest powers
// of two that add a sixteenth or a quarter at most; of these all divisors.
//
//===----------------------------------------------------------------------===//

#include "RingSizes.h"
#include "RingPlanner.h"
#include <numeric>

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

/// What rounding up may add to a count: parts of it.
static constexpr int64_t kPadding[] = {16, 4};
/// Numbers of chunks that are tried, from the fewest that fit.
static constexpr int64_t kChunkCounts = 4;
static constexpr int64_t kMaxChunks = 256;

SmallVector<int64_t> linalg_to_tcp::getDivisors(int64_t n) {
  SmallVector<int64_t> small, large;
  for (int64_t d = 1; d * d <= n; ++d)
    if (n % d == 0) {
      small.push_back(d);
      if (d * d != n)
        large.push_back(n / d);
    }
  small.append(large.rbegin(), large.rend());
  return small;
}

SmallVector<int64_t> linalg_to_tcp::getPaddedCounts(int64_t count) {
  SmallVector<int64_t> counts{count};
  for (int64_t part : kPadding) {
    int64_t best = count;
    for (int64_t unit = 2; unit <= count; unit *= 2)
      if (int64_t padded = llvm::alignTo(count, unit);
          (padded - count) * part <= count)
        best = padded;
    if (best != counts.back())
      counts.push_back(best);
  }
  return counts;
}

SmallVector<int64_t> linalg_to_tcp::getTileCounts(int64_t count) {
  SmallVector<int64_t> tiles;
  for (int64_t padded : getPaddedCounts(count))
    tiles.append(getDivisors(padded));
  llvm::sort(tiles);
  tiles.erase(llvm::unique(tiles), tiles.end());
  return tiles;
}

//===----------------------------------------------------------------------===//
// What may be padded
//===----------------------------------------------------------------------===//

bool linalg_to_tcp::endsAlone(const Access &access, LoopId loop) {
  return llvm::all_of(access.dims, [&](const Index &index) {
    bool uses = llvm::any_of(
        index.terms, [&](const auto &term) { return term.first == loop; });
    return !uses || (index.terms.size() == 1 && access.tensor->size == 0);
  });
}

bool linalg_to_tcp::addsZerosBehind(const Group &group, LoopId loop) {
  return llvm::all_of(
      ArrayRef<const Access *>{&group.lhs, &group.rhs},
      [&](const Access *access) {
        const Tensor &tensor = *access->tensor;
        auto isEnd = [&](unsigned dim) {
          return access->dims[dim].loop() == loop &&
                 tensor.type.getDimSize(dim) == group.loops[loop].extent;
        };
        return tensor.hasZerosBehind() && access->countDims(loop) == 1 &&
               llvm::any_of(llvm::seq<unsigned>(tensor.rank()), isEnd);
      });
}

/// Loops that may run past their end: those whose results are not somebody
/// else's, and the sum's packets, which add zeros or are masked.
void RingPlanner::findPadding() {
  padded.resize(group.loops.size());
  SmallVector<Access *, 4> accesses = group.reads();
  accesses.push_back(&group.result);
  for (LoopId i = 0; i < group.loops.size(); ++i) {
    const Loop &loop = group.loops[i];
    if (loop.single || loop.pinnedTile || loop.pinnedParts ||
        !llvm::all_of(accesses, [&](const Access *access) {
          return endsAlone(*access, i);
        }))
      continue;
    if (loop.reduced ? i == group.k.back() : !group.exact)
      padded.set(i);
  }
  LoopId sum = group.k.back();
  int64_t extent = group.loops[sum].extent;
  masksSum = !addsZerosBehind(group, sum) && extent % lanes() != 0;
  // A mask that ends with a flit, in one of several packets: as parts of a
  // mapping, the flits are digits of the axis itself and the packets digits of
  // what is left of it, and the two are not known to be the same.
  int64_t flit = machine.flitBytes * 8 / group.lhs.tensor->bits();
  if (masksSum && extent > lanes() && extent % flit == 0) {
    padded.reset(sum);
    masksSum = false;
  }
}

/// A count of iterations in whole `unit`s; nothing if it does not divide and
/// may not be padded.
std::optional<int64_t> RingPlanner::alignExtent(LoopId loop, int64_t extent,
                                                int64_t unit) const {
  if (extent % unit == 0)
    return extent;
  if (!padded.test(loop))
    return std::nullopt;
  return llvm::alignTo(extent, unit);
}

/// Tiles of so many iterations, in units.
SmallVector<int64_t> RingPlanner::tileCountsOf(LoopId loop,
                                               int64_t count) const {
  return padded.test(loop) ? getTileCounts(count) : getDivisors(count);
}

//===----------------------------------------------------------------------===//
// Sizes of a mapping
//===----------------------------------------------------------------------===//

/// Deals `parts` slices to the loops, innermost first, in units of iterations:
/// to each as many as divide it. What is left goes to the one that is padded
/// least by it.
bool RingPlanner::deal(Sizes &sizes, ArrayRef<LoopId> loops, int64_t rows,
                       int64_t parts) const {
  auto unitOf = [&](LoopId loop) { return loop == rowLoop ? rows : 1; };
  for (LoopId loop : llvm::reverse(loops)) {
    std::optional<int64_t> extent =
        alignExtent(loop, sizes.extent[loop], unitOf(loop));
    if (!extent)
      return false;
    int64_t mine = std::gcd(parts, *extent / unitOf(loop));
    sizes.parts[loop] = mine;
    parts /= mine;
  }
  if (parts > 1) {
    std::optional<LoopId> best;
    auto growth = [&](LoopId loop) {
      int64_t step = sizes.parts[loop] * parts * unitOf(loop);
      return static_cast<double>(llvm::alignTo(sizes.extent[loop], step)) /
             static_cast<double>(sizes.extent[loop]);
    };
    for (LoopId loop : loops)
      if (padded.test(loop) && (!best || growth(loop) < growth(*best)))
        best = loop;
    if (!best)
      return false;
    sizes.parts[*best] *= parts;
  }
  for (LoopId loop : loops) {
    sizes.tile[loop] = sizes.parts[loop] * unitOf(loop);
    std::optional<int64_t> extent =
        alignExtent(loop, sizes.extent[loop], sizes.tile[loop]);
    if (!extent)
      return false;
    sizes.extent[loop] = *extent;
  }
  return true;
}

std::optional<Sizes> RingPlanner::sizesOf(const Choice &choice) const {
  Sizes sizes;
  for (const Loop &loop : group.loops)
    sizes.extent.push_back(loop.extent);
  sizes.tile.assign(group.loops.size(), 1);
  sizes.parts.assign(group.loops.size(), 1);
  if (choice.cluster) {
    int64_t &extent = sizes.extent[*choice.cluster];
    std::optional<int64_t> all =
        alignExtent(*choice.cluster, extent, machine.clustersPerChip);
    if (!all)
      return std::nullopt;
    extent = *all / machine.clustersPerChip;
  }
  // The sum, whole packets in each chunk of a slice.
  LoopId sum = group.k.back();
  std::optional<int64_t> all =
      alignExtent(sum, sizes.extent[sum], choice.packets * lanes());
  if (!all || *all % (choice.chunks * choice.sumParts * lanes()) != 0)
    return std::nullopt;
  sizes.extent[sum] = *all;
  for (LoopId loop : group.k)
    sizes.tile[loop] = sizes.extent[loop];
  sizes.tile[sum] /= choice.chunks;
  sizes.parts[sum] = choice.sumParts;
  if (!deal(sizes, group.batch, 1, choice.batchParts) ||
      !deal(sizes, group.n, choice.rows, rowPartsOf(choice)))
    return std::nullopt;
  if (!streamLoop) {
    if (choice.streamParts != 1)
      return std::nullopt;
  } else {
    int64_t tile = choice.tile * choice.streamParts;
    std::optional<int64_t> extent =
        alignExtent(*streamLoop, sizes.extent[*streamLoop], tile);
    if (!extent)
      return std::nullopt;
    sizes.extent[*streamLoop] = *extent;
    sizes.tile[*streamLoop] = tile;
    sizes.parts[*streamLoop] = choice.streamParts;
  }
  return loadsWords(sizes) ? std::optional(sizes) : std::nullopt;
}

/// Whether what a slice loads of the steps' operands are whole words of DMA.
bool RingPlanner::loadsWords(const Sizes &sizes) const {
  for (const Step &step : group.steps)
    for (const Access *operand : step.tensors()) {
      const Tensor &tensor = *operand->tensor;
      if (!tensor.inner)
        continue;
      std::optional<LoopId> along = operand->dims[*tensor.inner].finest();
      if (along &&
          sizes.local(*along) * tensor.bits() % (machine.dmaAlignBytes * 8) !=
              0)
        return false;
    }
  return true;
}

/// Chunks of the sum with which a refill fits into the register file, from the
/// fewest on, and the packets that the sum is padded to. Slices that have parts
/// of the sum have as many chunks each.
SmallVector<std::pair<int64_t, int64_t>>
RingPlanner::chunksOf(const Choice &choice) const {
  SmallVector<std::pair<int64_t, int64_t>> list;
  LoopId sum = group.k.back();
  int64_t extent = group.loops[sum].extent;
  if (!alignExtent(sum, extent, lanes()))
    return list;
  int64_t rowBits =
      choice.refillRows / machine.rowsPerSlice * group.rhs.tensor->bits();
  for (LoopId loop : group.k)
    if (loop != sum)
      rowBits *= group.loops[loop].extent;
  int64_t parts = choice.sumParts;
  int64_t packets = llvm::divideCeil(extent, lanes());
  int64_t inPart = llvm::divideCeil(packets, parts);
  SmallVector<int64_t> counts{inPart};
  // A mask ends in the last packet, and data may be anything behind it.
  if (padded.test(sum) && addsZerosBehind(group, sum))
    counts = getPaddedCounts(inPart);
  else if (packets % parts != 0)
    return list;
  for (int64_t all : counts) {
    int64_t found = 0;
    for (int64_t chunks : getDivisors(all)) {
      if (chunks > kMaxChunks || found == kChunkCounts)
        break;
      if (all / chunks * lanes() * rowBits / 8 > machine.trfBytesPerRow)
        continue;
      list.push_back({chunks, all * parts});
      ++found;
    }
  }
  return list;
}

/// The fewest packets of the sum; none if slices cannot have parts of it.
std::optional<int64_t> RingPlanner::leastPackets(const Choice &choice) const {
  LoopId sum = group.k.back();
  int64_t packets = llvm::divideCeil(group.loops[sum].extent, lanes());
  int64_t all = llvm::alignTo(packets, choice.sumParts);
  if (all != packets && !(padded.test(sum) && addsZerosBehind(group, sum)))
    return std::nullopt;
  return all;
}

bool RingPlanner::isPadded(const Choice &choice, const Sizes &sizes) const {
  for (auto [i, loop] : llvm::enumerate(group.loops))
    if (sizes.extent[i] * (choice.cluster == i ? machine.clustersPerChip : 1) !=
        loop.extent)
      return true;
  return false;
}

/// Products that the array of a slice makes of padded sizes: no mapping of
/// these sizes takes less.
int64_t RingPlanner::leastPasses(const Sizes &sizes) const {
  int64_t products = 1;
  for (LoopId i = 0; i < group.loops.size(); ++i)
    products = llvm::SaturatingMultiply<uint64_t>(
        products, llvm::divideCeil(sizes.extent[i], sizes.parts[i]));
  return products / (lanes() * machine.rowsPerSlice);
}
