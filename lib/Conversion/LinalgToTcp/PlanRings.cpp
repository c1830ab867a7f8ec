//===- PlanRings.cpp - Contractions on all slices at once -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search over mappings of a contraction by rings (Program.h). A mapping is
//
//   cluster      the loop that goes over clusters
//   batchParts   slices that differ in the batch
//   streamParts  slices that differ in iterations of the streamed loop; those
//                that remain differ in rows
//   sumParts     slices that differ in parts of the sum, which the inter-slice
//                block adds; their stream is not passed around
//   rows         of the stationary operand, in each slice
//   refillRows   of these, in the register file at once
//   tile         iterations of the streamed loop at once
//   chunks       of the sum, one after the other, each of which adds to what
//                the one before has left
//   mostChunks   of these, that are loaded at once
//   spreads      whether a ring passes the streamed operand around
//   order        whether rows or the stream change last, or what the vector
//                engine's operands do not have
//
// and whether register files are loaded in halves by turns, beside products. A
// stationary operand whose rows are contiguous in HBM is turned in DM, beside
// products too.
// All of them are tried; loops that these do not divide are padded
// (RingSizes.cpp), and what does not fit into register files or DM is no
// mapping. A mapping costs what the pipeline of its steps
// takes: DMA brings the operands of the next step while the tensor unit works.
// One that cannot be among the best even if nothing waits is not looked at
// further. Among mappings that take about the same time the one with fewest
// passes is chosen, which makes the shortest program.
//
//===----------------------------------------------------------------------===//

#include "PlanGroups.h"
#include "RingPlanner.h"
#include "sequin/Machine/Cycles.h"
#include "sequin/Support/Interrupt.h"
#include "sequin/Support/Progress.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

/// What the estimate may be off for what runs past the end of the product: a
/// mapping of its own sizes is taken if it costs no more than that.
static constexpr int64_t kPaddingPercent = 3;
/// What a shorter program may cost.
static constexpr int64_t kSlackPerMille = 2;
/// Blocks of rows that the read cache of the register file holds, and fewer.
static constexpr int64_t kRefillBlocks[] = {1, 2, 3, 4};
static constexpr int64_t kMostChunks = 8;

//===----------------------------------------------------------------------===//
// What a mapping is of
//===----------------------------------------------------------------------===//

/// Whether no loop is in two dimensions.
bool RingPlanner::hasPlainDims(const Access &access) const {
  return llvm::all_of(access.dims, [&](const Index &index) {
    return llvm::all_of(index.terms, [&](const auto &term) {
      return access.countDims(term.first) == 1;
    });
  });
}

bool RingPlanner::isEligible() {
  if (group.kind != Group::Kind::Contraction || !group.hasRows ||
      group.k.empty() || group.result.tensor->bits() < 8)
    return false;
  for (const Loop &loop : group.loops)
    if (loop.single && loop.reduced)
      return false;
  auto innerOf = [](const Access &access) -> std::optional<LoopId> {
    if (!access.tensor->inner)
      return std::nullopt;
    return access.dims[*access.tensor->inner].finest();
  };
  rowLoop = group.n.back();
  if (innerOf(group.lhs) != group.k.back() || innerOf(group.result) != rowLoop)
    return false;
  if (innerOf(group.rhs) == rowLoop && group.k.size() == 1 &&
      group.rhs.tensor->bits() >= 8)
    turns = machine.transposeFormat(group.rhs.tensor->kind());
  if (innerOf(group.rhs) != group.k.back() && !turns)
    return false;
  for (Access *access : group.reads())
    if (!hasPlainDims(*access))
      return false;
  if (!hasPlainDims(group.result))
    return false;
  for (LoopId loop : group.k)
    if (!group.lhs.uses(loop) || !group.rhs.uses(loop))
      return false;
  for (LoopId loop : group.m)
    if (!streamLoop ||
        group.loops[loop].extent > group.loops[*streamLoop].extent)
      streamLoop = loop;
  findPadding();
  return alignExtent(rowLoop, group.loops[rowLoop].extent, machine.rowsPerSlice)
      .has_value();
}

/// Whether tiles and parts are what the program asks for.
bool RingPlanner::keepsPins(const Choice &choice, const Sizes &sizes) const {
  for (auto [i, loop] : llvm::enumerate(group.loops)) {
    int64_t outside = choice.cluster == i ? machine.clustersPerChip : 1;
    if (loop.pinnedTile &&
        std::min(loop.pinnedTile, loop.extent) != sizes.tile[i] * outside)
      return false;
    if (loop.pinnedParts && loop.pinnedParts != sizes.parts[i] * outside)
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// How many chunks each step of a tile has. The tensor unit begins when the
/// first load is there, and works on the last one when there is no other.
SmallVector<int64_t, 8> RingPlanner::loadsOf(int64_t chunks, int64_t most) {
  SmallVector<int64_t, 8> ends;
  int64_t left = chunks;
  for (int64_t size = 1; size < most; size *= 2)
    for (int64_t i = 0; i < (size == 1 ? 2 : 1) && left >= 2 * size; ++i) {
      ends.push_back(size);
      left -= 2 * size;
    }
  SmallVector<int64_t, 8> loads = ends;
  for (int64_t size = llvm::bit_floor<uint64_t>(left % most); size > 0;
       size = llvm::bit_floor<uint64_t>(left % most)) {
    loads.push_back(size);
    left -= size;
  }
  loads.append(left / most, most);
  loads.append(ends.rbegin(), ends.rend());
  return loads;
}

/// Whether both rows and the stream have tiles, of which either may change
/// first.
bool RingPlanner::hasOrders(const Sizes &sizes) const {
  int64_t rows = 1, stream = 1;
  for (LoopId loop : group.parallel())
    if (!llvm::is_contained(group.batch, loop))
      (group.rhs.uses(loop) ? rows : stream) *= sizes.tiles(loop);
  return rows > 1 && stream > 1;
}

/// With the given parts and rows; until the callback returns false, false then.
template <class Callback>
bool RingPlanner::forEachCut(Choice choice, ArrayRef<int64_t> tiles,
                             Callback &callback) const {
  SmallVector<Order, 3> orders{Order::Stream, Order::Rows};
  if (hasOperands())
    orders.push_back(Order::NotOperands);
  SmallVector<int64_t, 5> refills;
  for (int64_t blocks : kRefillBlocks)
    if (choice.rows % (blocks * machine.rowsPerSlice) == 0)
      refills.push_back(blocks * machine.rowsPerSlice);
  if (!llvm::is_contained(refills, choice.rows))
    refills.push_back(choice.rows);
  for (int64_t rows : refills) {
    choice.refillRows = rows;
    for (auto [chunks, packets] : chunksOf(choice)) {
      choice.chunks = chunks;
      choice.packets = packets;
      for (int64_t tile : tiles) {
        choice.tile = tile;
        std::optional<Sizes> sizes = sizesOf(choice);
        if (!sizes || !mayFit(choice, *sizes) || leastPasses(*sizes) > bound)
          continue;
        bool isOrdered = hasOrders(*sizes);
        for (bool spreads : {false, true}) {
          if (spreads && (!streamLoop || choice.sumParts > 1))
            continue;
          for (Order order : orders) {
            if (!isOrdered && order == Order::Rows)
              continue;
            for (int64_t atOnce = 1; atOnce <= std::min(kMostChunks, chunks);
                 atOnce *= 2) {
              choice.spreads = spreads;
              choice.order = order;
              choice.mostChunks = atOnce;
              if (!callback(choice, *sizes))
                return false;
            }
          }
        }
      }
    }
  }
  return true;
}

/// Until the callback returns false; false then.
template <class Callback>
bool RingPlanner::forEachChoice(Callback &&callback) const {
  // Who goes over clusters.
  int64_t count = machine.clustersPerChip;
  SmallVector<std::optional<LoopId>> clusters;
  if (count == 1)
    clusters.push_back(std::nullopt);
  for (LoopId loop : group.parallel())
    if (count > 1 && !group.loops[loop].single &&
        alignExtent(loop, group.loops[loop].extent, count) &&
        (loop == streamLoop || llvm::is_contained(group.n, loop) ||
         llvm::is_contained(group.batch, loop)))
      clusters.push_back(loop);
  int64_t slices = machine.slicesPerCluster;
  // No more slices than a loop has use for.
  auto mostParts = [&](int64_t count) {
    return std::min<int64_t>(slices, llvm::bit_ceil<uint64_t>(count));
  };
  int64_t batches = 1;
  for (LoopId loop : group.batch)
    batches *= mostParts(group.loops[loop].extent);
  for (std::optional<LoopId> cluster : clusters) {
    Choice choice;
    choice.cluster = cluster;
    auto extentOf = [&](LoopId loop) {
      int64_t extent = group.loops[loop].extent;
      return loop == choice.cluster ? llvm::divideCeil(extent, count) : extent;
    };
    int64_t stream = streamLoop ? extentOf(*streamLoop) : 1;
    for (int64_t batch = 1; batch <= std::min(slices, batches); batch *= 2)
      for (int64_t parts = 1; parts * batch <= slices; parts *= 2) {
        if (parts > mostParts(stream) ||
            (streamLoop && !alignExtent(*streamLoop, stream, parts)))
          break;
        SmallVector<int64_t> tiles{1};
        if (streamLoop)
          tiles = tileCountsOf(*streamLoop, llvm::divideCeil(stream, parts));
        int64_t left = slices / batch / parts;
        for (int64_t sums = 1; sums <= mostSumParts(left); sums *= 2) {
          choice.batchParts = batch;
          choice.streamParts = parts;
          choice.sumParts = sums;
          if (!forEachRows(choice, extentOf(rowLoop), tiles, callback))
            return false;
        }
      }
    if (!forEachPartOfSlices(choice, stream, extentOf(rowLoop), callback))
      return false;
  }
  return true;
}

/// With all slices of more than half of the networks of data memory: parts of
/// the sum where each slice has fewer packets than on half of all slices, rows
/// where fewer are padding than on all. The other slices hold nothing.
template <class Callback>
bool RingPlanner::forEachPartOfSlices(Choice choice, int64_t stream,
                                      int64_t rows, Callback &callback) const {
  int64_t all = machine.slicesPerCluster, half = all / 2;
  int64_t packets =
      llvm::divideCeil(group.loops[group.k.back()].extent, lanes());
  int64_t blocks = llvm::divideCeil(rows, machine.rowsPerSlice);
  choice.batchParts = choice.streamParts = 1;
  SmallVector<int64_t> tiles{1};
  if (streamLoop)
    tiles = tileCountsOf(*streamLoop, stream);
  for (int64_t slices = half + machine.slicesPerDmn; slices < all;
       slices += machine.slicesPerDmn) {
    choice.sumParts = slices;
    choice.rowParts = 0;
    if (mostSumParts(slices) > 1 &&
        llvm::divideCeil(packets, slices) < llvm::divideCeil(packets, half) &&
        !forEachRows(choice, rows, tiles, callback))
      return false;
    choice.sumParts = 1;
    choice.rowParts = slices;
    if (group.n.size() == 1 &&
        llvm::alignTo(blocks, slices) < llvm::alignTo(blocks, all) &&
        !forEachRows(choice, rows, tiles, callback))
      return false;
  }
  return true;
}

/// Slices that may have parts of the sum, of so many: each has packets.
int64_t RingPlanner::mostSumParts(int64_t slices) const {
  if (masksSum || turns)
    return 1;
  int64_t packets =
      llvm::divideCeil(group.loops[group.k.back()].extent, lanes());
  return std::min<int64_t>(slices, llvm::bit_floor<uint64_t>(packets));
}

/// With the given parts and `extent` rows in a cluster.
template <class Callback>
bool RingPlanner::forEachRows(Choice choice, int64_t extent,
                              ArrayRef<int64_t> tiles,
                              Callback &callback) const {
  // What slices have of the rows, where these are one loop; else all.
  int64_t parts = group.n.size() > 1 ? 1 : rowPartsOf(choice);
  std::optional<int64_t> rows =
      alignExtent(rowLoop, extent, parts * machine.rowsPerSlice);
  if (!rows)
    return true;
  SmallVector<int64_t> blocks =
      tileCountsOf(rowLoop, *rows / (parts * machine.rowsPerSlice));
  for (int64_t block : blocks) {
    choice.rows = block * machine.rowsPerSlice;
    choice.refillRows = std::min(choice.rows, machine.rowsPerSlice);
    choice.chunks = 1;
    std::optional<int64_t> packets = leastPackets(choice);
    if (!packets)
      continue;
    choice.packets = *packets;
    bool isPossible = llvm::any_of(tiles, [&](int64_t tile) {
      choice.tile = tile;
      return sizesOf(choice).has_value();
    });
    if (isPossible && !forEachCut(choice, tiles, callback))
      return false;
  }
  return true;
}

bool RingPlanner::search(int64_t limit, int64_t budget) {
  std::vector<Candidate> candidates;
  // A group without another plan has no limit; what is computed from the
  // least must not overflow then.
  limit = std::min(limit, kMostCycles);
  int64_t least = limit;
  auto withSlack = [](int64_t cycles) {
    return cycles + cycles * kSlackPerMille / 1000;
  };
  bound = limit;
  found.complete = forEachChoice([&](const Choice &choice, const Sizes &sizes) {
    if (found.evaluated == budget || interrupted() ||
        (found.feasible > 0 && isSearchEnded()))
      return false;
    ++found.evaluated;
    reportProgress({"search", "", found.evaluated, 0, "mappings"});
    std::optional<Candidate> candidate =
        evaluate(choice, sizes, withSlack(least));
    if (!candidate)
      return true;
    ++found.feasible;
    candidate->charged = candidate->plan.cycles;
    if (isPadded(choice, sizes))
      candidate->charged += candidate->charged * kPaddingPercent / 100;
    least = std::min(least, candidate->charged);
    bound = withSlack(least);
    candidates.push_back(std::move(*candidate));
    return true;
  });
  int64_t most = withSlack(least);
  const Candidate *chosen = nullptr;
  for (const Candidate &candidate : candidates) {
    auto key = [](const Candidate &c) {
      return std::tuple(c.plan.passes, c.charged, c.plan.steps);
    };
    if (candidate.charged <= most && candidate.plan.cycles < limit &&
        (!chosen || key(candidate) < key(*chosen)))
      chosen = &candidate;
  }
  if (!chosen)
    return false;
  record(*chosen, candidates);
  best = *chosen;
  return true;
}

//===----------------------------------------------------------------------===//
// The record
//===----------------------------------------------------------------------===//

std::string RingPlanner::describe(const Candidate &candidate) const {
  const Choice &choice = candidate.choice;
  const RingPlan &plan = candidate.plan;
  auto role = [&](LoopId loop) -> StringRef {
    return llvm::is_contained(group.batch, loop) ? "the batch"
           : group.rhs.uses(loop)                ? "rows"
                                                 : "the stream";
  };
  std::string text;
  llvm::raw_string_ostream os(text);
  if (choice.cluster)
    os << "clusters over " << role(*choice.cluster) << "; ";
  os << "slices: ";
  if (choice.batchParts > 1)
    os << choice.batchParts << " of the batch x ";
  if (choice.streamParts > 1)
    os << choice.streamParts << " of the stream x ";
  if (choice.sumParts > 1)
    os << choice.sumParts << " of the sum x ";
  os << rowPartsOf(choice) << " of the rows";
  if (int64_t idle = machine.slicesPerCluster - usedSlices(choice))
    os << ", " << idle << " idle";
  os << "; " << choice.rows << " rows each";
  if (choice.refills() > 1)
    os << ", " << choice.refillRows << " at once";
  if (streamLoop)
    os << "; " << choice.tile << " of the stream at once, "
       << (plan.spreads ? "passed around" : "in every slice");
  if (candidate.pass.piece != choice.tile)
    os << ", " << candidate.pass.piece << " in a pass";
  if (choice.chunks > 1)
    os << "; the sum in " << choice.chunks << " chunks";
  os << "; " << plan.steps << (plan.steps == 1 ? " step" : " steps");
  if (plan.passes > plan.steps)
    os << " of " << plan.passes / plan.steps << " passes";
  if (choice.mostChunks > 1)
    os << ", of up to " << choice.mostChunks << " chunks";
  if (plan.steps > static_cast<int64_t>(plan.loads.size()))
    os << ", "
       << (choice.order == Order::Stream ? "the stream"
           : choice.order == Order::Rows ? "rows"
                                         : "what operands do not have")
       << " changing first";
  if (plan.trfInHalves)
    os << "; register files in halves by turns";
  if (candidate.pass.gathered > 1)
    os << "; rows of " << candidate.pass.gathered << " slices side by side";
  if (plan.turns)
    os << "; rows turned in DM";
  if (candidate.pass.exchanged > 1)
    os << ", brought for " << candidate.pass.exchanged << " slices at once";
  return text;
}

/// Of two resources that work side by side.
static StringRef busiest(const RingPlan &plan) {
  return plan.dmaCycles > plan.tensorUnitCycles ? "dma" : "tensor unit";
}

void RingPlanner::record(const Candidate &chosen,
                         ArrayRef<Candidate> candidates) {
  found.kind = "rings";
  found.mapping = describe(chosen);
  found.cycles = chosen.plan.cycles;
  found.boundBy = busiest(chosen.plan).str();
  // The cheapest one that is another mapping in words.
  std::vector<const Candidate *> others;
  for (const Candidate &candidate : candidates)
    others.push_back(&candidate);
  llvm::sort(others, [](const Candidate *a, const Candidate *b) {
    return std::pair(a->plan.cycles, a) < std::pair(b->plan.cycles, b);
  });
  auto other = llvm::find_if(others, [&](const Candidate *candidate) {
    return describe(*candidate) != found.mapping;
  });
  if (other == others.end())
    return;
  const Candidate *next = *other;
  found.runnerUp = describe(*next);
  found.runnerUpCycles = next->plan.cycles;
  const RingPlan &a = chosen.plan, &b = next->plan;
  std::pair<int64_t, StringRef> differences[] = {
      {b.leadCycles - a.leadCycles, "the tensor unit starts {0} cycles later"},
      {b.tailCycles - a.tailCycles, "the last store takes {0} cycles longer"},
      {b.tensorUnitCycles - a.tensorUnitCycles,
       "the tensor unit works {0} cycles longer"},
      {b.dmaCycles - a.dmaCycles, "DMA works {0} cycles longer"}};
  auto worst =
      *std::max_element(std::begin(differences), std::end(differences));
  if (b.cycles == a.cycles)
    found.reason = "it takes the same time, and the first is taken";
  else if (b.cycles < a.cycles && next->charged > chosen.charged)
    found.reason = llvm::formatv("it runs past the end of the product, and "
                                 "saves less than {0} per cent",
                                 kPaddingPercent);
  else if (b.cycles < a.cycles)
    found.reason =
        llvm::formatv("{0} passes instead of {1} for {2} cycles less", b.passes,
                      a.passes, a.cycles - b.cycles);
  else if (worst.first > 0)
    found.reason = llvm::formatv(false, worst.second.data(), worst.first);
  else
    found.reason = "its loads and passes overlap less";
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

/// Whether clusters and networks have iterations of the stream by turns, so
/// that what engines read at a time is in the same rows of HBM: where memory
/// has an order already, and nothing is contiguous along the stream.
bool RingPlanner::takesTurns() const {
  return !mayReorder(*group.lhs.tensor) &&
         llvm::none_of(group.reads(), [&](const Access *access) {
           const Tensor &tensor = *access->tensor;
           return tensor.inner &&
                  access->dims[*tensor.inner].finest() == streamLoop;
         });
}

void RingPlanner::apply() {
  RingPlan plan = best->plan;
  const Choice &choice = best->choice;
  const PassSizes &pass = best->pass;
  Sizes sizes = *sizesOf(choice);
  for (auto [i, loop] : llvm::enumerate(group.loops)) {
    loop.extent = sizes.extent[i];
    loop.tile = sizes.tile[i];
    loop.parts = sizes.parts[i];
    loop.local = sizes.local(i);
  }
  auto forEachAccess = [&](auto function) {
    for (Access *access : group.reads())
      function(*access);
    function(group.result);
  };
  // Iterations that are `distance` of the former ones apart.
  auto spaceOut = [&](LoopId spaced, int64_t distance) {
    forEachAccess([&](Access &access) {
      for (Index &index : access.dims)
        for (auto &[loop, coefficient] : index.terms)
          if (loop == spaced)
            coefficient *= distance;
    });
  };
  // A loop of its own, outside of the one that it takes a part of.
  auto divide = [&](LoopId inner, int64_t step, int64_t extent) {
    LoopId outer = group.loops.size();
    Loop &loop = group.loops.emplace_back();
    loop.extent = loop.tile = loop.local = extent;
    forEachAccess([&](Access &access) {
      for (Index &index : access.dims)
        for (auto [loop, coefficient] : llvm::to_vector(index.terms))
          if (loop == inner)
            index.terms.push_back({outer, coefficient * step});
    });
    for (LoopList *list : {&group.n, &group.m, &group.batch})
      if (auto *place = llvm::find(*list, inner); place != list->end())
        list->insert(place, outer);
    return outer;
  };
  // From the finest step on a loop is: what a pass takes, refills, slices whose
  // rows are put side by side, clusters, networks of data memory, other slices,
  // pieces, tiles. So DMA engines, and the networks between which each of them
  // alternates, have what is side by side. A stream may take turns instead:
  // then clusters and networks are finer than what a pass takes.
  int64_t networks = std::max<int64_t>(
      1, usedSlices(choice) / machine.slicesPerDmn / choice.batchParts);
  LoopList outerSlices, innerSlices;
  auto cut = [&](LoopId inner, int64_t unit, int64_t side) {
    bool overClusters = choice.cluster == inner;
    int64_t clusters = overClusters ? machine.clustersPerChip : 1;
    int64_t parts = sizes.parts[inner] / side;
    int64_t mine = std::gcd(networks, parts);
    networks /= mine;
    int64_t local = sizes.local(inner), rest = parts / mine;
    int64_t step = local * side * clusters * mine * rest;
    bool isStream = inner == streamLoop;
    bool byTurns = isStream && takesTurns();
    std::optional<LoopId> over;
    auto take = [&](int64_t count) -> std::optional<LoopId> {
      step /= count;
      if (count == 1)
        return std::nullopt;
      return divide(inner, step, count);
    };
    auto addSlices = [&](LoopList &list, std::optional<LoopId> id) {
      if (!id)
        return;
      Loop &loop = group.loops[*id];
      loop.parts = loop.extent;
      loop.local = 1;
      list.push_back(*id);
    };
    if (int64_t tiles = sizes.tiles(inner); tiles > 1) {
      LoopId outer = divide(inner, step, tiles);
      group.loops[outer].tile = group.loops[outer].local = 1;
      llvm::replace(plan.order, inner, outer);
    }
    if (isStream)
      over = take(local / unit);
    std::optional<LoopId> others = take(rest);
    if (byTurns)
      step /= unit;
    std::optional<LoopId> network = take(mine);
    addSlices(outerSlices, network);
    addSlices(innerSlices, others);
    if (std::optional<LoopId> each = take(clusters)) {
      group.loops[*each].parts = group.loops[*each].extent;
      group.loops[*each].local = 1;
      plan.cluster = each;
    }
    std::optional<LoopId> near = take(side);
    addSlices(innerSlices, near);
    if (inner == rowLoop && pass.gathered > 1)
      plan.gathered = near;
    if (inner == rowLoop && pass.exchanged > 1)
      plan.exchanged = near;
    if (!isStream)
      over = take(local / unit);
    if (byTurns)
      spaceOut(inner, mine * clusters);
    Loop &loop = group.loops[inner];
    loop.extent = loop.tile = loop.local = unit;
    loop.parts = 1;
    return over;
  };
  auto addWhole = [&](const LoopList &loops) {
    for (LoopId loop : loops)
      if (loop != streamLoop && loop != rowLoop && sizes.parts[loop] > 1)
        innerSlices.push_back(loop);
  };
  LoopList batch = group.batch, rows = group.n;
  if (choice.cluster && choice.cluster != streamLoop &&
      choice.cluster != rowLoop) {
    LoopId over = divide(*choice.cluster, sizes.extent[*choice.cluster],
                         machine.clustersPerChip);
    group.loops[over].parts = group.loops[over].extent;
    group.loops[over].local = 1;
    plan.cluster = over;
  }
  addWhole(batch);
  outerSlices = std::move(innerSlices);
  innerSlices.clear();
  LoopList streamSlices;
  if (streamLoop)
    plan.pieces = cut(*streamLoop, pass.piece, 1);
  streamSlices = std::move(innerSlices);
  innerSlices.clear();
  addWhole(rows);
  LoopList otherRows = std::move(innerSlices);
  innerSlices.clear();
  plan.refills = cut(rowLoop, choice.refillRows, pass.beside());
  if (choice.chunks > 1)
    for (int64_t count : plan.loads) {
      auto counts = [&](LoopId loop) {
        return group.loops[loop].extent == count;
      };
      if (count == 1 || llvm::any_of(plan.chunkLoops, counts))
        continue;
      LoopId sum = group.k.back();
      LoopId over = divide(sum, sizes.local(sum), count);
      group.loops[over].reduced = group.loops[over].countsTiles = true;
      group.k.insert(std::prev(group.k.end()), over);
      plan.chunkLoops.push_back(over);
    }
  plan.slices = std::move(outerSlices);
  for (const LoopList &list : {streamSlices, otherRows, innerSlices})
    llvm::append_range(plan.slices, list);
  if (choice.sumParts > 1) {
    // Each slice has what follows each other of the sum, in chunks.
    LoopId sum = group.k.back();
    int64_t mine = sizes.extent[sum] / choice.sumParts;
    LoopId over = divide(sum, mine, choice.sumParts);
    group.loops[over].parts = choice.sumParts;
    group.loops[over].local = 1;
    group.loops[over].reduced = true;
    Loop &loop = group.loops[sum];
    loop.extent = mine;
    loop.tile = loop.local;
    loop.parts = 1;
    group.k.insert(std::prev(group.k.end()), over);
    plan.slices.push_back(over);
    plan.summed = over;
  }
  group.ring = std::move(plan);
}

std::optional<int64_t> linalg_to_tcp::getRingCycles(const Group &group,
                                                    const TcpMachine &machine,
                                                    int64_t budget,
                                                    int64_t cycles) {
  if (group.kind != Group::Kind::Contraction)
    return std::nullopt;
  Group trial = group;
  GroupPlanner roles(trial, machine, budget);
  RingPlanner planner(trial, machine);
  if (!planner.isEligible() || !planner.search(cycles, budget))
    return std::nullopt;
  return planner.takeRecord().cycles;
}

bool linalg_to_tcp::planRings(Group &group, const TcpMachine &machine,
                              int64_t cycles, int64_t budget) {
  RingPlanner planner(group, machine);
  if (!planner.isEligible())
    return false;
  bool found = planner.search(cycles, budget);
  group.record = planner.takeRecord();
  if (!found)
    return false;
  planner.apply();
  return true;
}
