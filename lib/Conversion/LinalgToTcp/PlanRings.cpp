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
//   cluster   the loop that goes over clusters
//   batch     slices that differ in the batch
//   sumParts  slices that share a sum
//   rows      of the stationary operand, in each slice
//   tile      iterations of the streamed loop at once
//   spreads   whether a ring passes the streamed operand around
//   order     whether rows or the stream change last, or what the vector
//             engine's operands do not have
//   head      pieces of the first tile
//   chunks    of the sum, one after the other, each of which adds to what the
//             one before has left
//
// and whether register files are loaded in halves by turns, beside products.
// All of them are tried; what does not divide, or does not fit into register
// files or DM, is no mapping. A mapping costs what the pipeline of its steps
// takes: DMA brings the operands of the next step while the tensor unit works.
// Among mappings that take about the same time the one with fewest steps is
// chosen, which makes the shortest program.
//
//===----------------------------------------------------------------------===//

#include "RingPlanner.h"
#include "sequin/Machine/Cycles.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

/// What a shorter program may cost.
static constexpr int64_t kSlackPerMille = 2;
/// No program takes as long; a thousand times as much is still an int64_t.
static constexpr int64_t kMostCycles = INT64_MAX / 4096;
static constexpr int64_t kMaxChunks = 8;

static int64_t largestPowerOfTwoIn(int64_t n) { return n & -n; }

static SmallVector<int64_t> divisorsOf(int64_t n) {
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
  if (innerOf(group.lhs) != group.k.back() ||
      innerOf(group.rhs) != group.k.back() || innerOf(group.result) != rowLoop)
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
  return group.loops[rowLoop].extent % machine.rowsPerSlice == 0;
}

/// Puts as many of `parts` on `loop` as its units can be dealt to.
bool RingPlanner::deal(Sizes &sizes, LoopId loop, int64_t iterations,
                       int64_t unit, int64_t &parts) {
  int64_t available = iterations / unit;
  int64_t mine = std::min(parts, largestPowerOfTwoIn(available));
  sizes.parts[loop] = mine;
  parts /= mine;
  return parts == 1;
}

std::optional<Sizes> RingPlanner::sizesOf(const Choice &choice) const {
  Sizes sizes;
  for (const Loop &loop : group.loops)
    sizes.extent.push_back(loop.extent);
  sizes.tile.assign(group.loops.size(), 1);
  sizes.parts.assign(group.loops.size(), 1);
  if (choice.cluster)
    sizes.extent[*choice.cluster] /= machine.clustersPerChip;
  // The sum, whole packets in each part.
  int64_t parts = choice.sumParts;
  int64_t lanes = machine.lanes(group.lhs.tensor->kind());
  if (sizes.extent[group.k.back()] % (lanes * choice.chunks) != 0)
    return std::nullopt;
  for (LoopId loop : group.k) {
    bool inner = loop == group.k.back();
    sizes.tile[loop] = sizes.extent[loop] / (inner ? choice.chunks : 1);
    deal(sizes, loop, sizes.tile[loop], inner ? lanes : 1, parts);
  }
  if (parts != 1)
    return std::nullopt;
  parts = choice.batchParts;
  for (LoopId loop : group.batch) {
    deal(sizes, loop, sizes.extent[loop], 1, parts);
    sizes.tile[loop] = sizes.parts[loop];
  }
  if (parts != 1)
    return std::nullopt;
  parts = machine.slicesPerCluster / choice.sumParts / choice.batchParts;
  if (sizes.extent[rowLoop] % choice.rows != 0)
    return std::nullopt;
  for (LoopId loop : llvm::reverse(group.n)) {
    int64_t unit = loop == rowLoop ? choice.rows : 1;
    deal(sizes, loop, sizes.extent[loop], unit, parts);
    sizes.tile[loop] = sizes.parts[loop] * unit;
  }
  if (parts != 1)
    return std::nullopt;
  if (streamLoop)
    sizes.tile[*streamLoop] = choice.tile;
  return sizes;
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

/// Of one slice, without a ring.
int64_t RingPlanner::elements(const Access &access, const Sizes &sizes) const {
  int64_t product = 1;
  for (LoopId i = 0; i < group.loops.size(); ++i)
    if (access.uses(i))
      product *= sizes.local(i);
  return product;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// With the given parts, rows and chunks; until the callback returns false,
/// false then.
template <class Callback>
bool RingPlanner::forEachTile(Choice choice, ArrayRef<int64_t> tiles,
                              Callback &callback) const {
  choice.tile = 1;
  std::optional<Sizes> sizes = sizesOf(choice);
  if (!sizes)
    return true;
  // One of both lets the tensor unit start early. What the vector engine's
  // register file holds of a tile is more than that for a piece.
  bool looksBack =
      llvm::any_of(group.steps, [](const Step &step) { return step.head; });
  int64_t maxHead =
      hasOperands() || looksBack || choice.chunks > 1 ? 1 : kMaxHead;
  SmallVector<Order, 3> orders{Order::Stream, Order::Rows};
  if (hasOperands())
    orders.push_back(Order::NotOperands);
  for (int64_t tile : tiles) {
    choice.tile = tile;
    if (streamLoop)
      sizes->tile[*streamLoop] = tile;
    for (bool spreads : {false, true})
      for (Order order : orders)
        for (int64_t head = 1; head <= maxHead; head *= 2) {
          if (tile % head != 0 || (spreads && !streamLoop))
            break;
          choice.spreads = spreads;
          choice.order = order;
          choice.head = head;
          if (!callback(choice, *sizes))
            return false;
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
        group.loops[loop].extent % count == 0 &&
        (loop == streamLoop || llvm::is_contained(group.n, loop) ||
         llvm::is_contained(group.batch, loop)))
      clusters.push_back(loop);
  // Parts of rows of HBM cost about what whole rows do, unless these lie in
  // chunks.
  bool mayChunk =
      group.loops[group.k.back()].pinnedTile ||
      (mayLieInChunks(*group.lhs.tensor) && mayLieInChunks(*group.rhs.tensor));
  int64_t packets = machine.trfBytesPerRow / machine.macWidthBytes;
  for (std::optional<LoopId> cluster : clusters) {
    int64_t maxChunks = mayChunk ? kMaxChunks : 1;
    Choice choice;
    choice.cluster = cluster;
    auto extentOf = [&](LoopId loop) {
      int64_t extent = group.loops[loop].extent;
      return loop == choice.cluster ? extent / machine.clustersPerChip : extent;
    };
    int64_t rowExtent = extentOf(rowLoop);
    if (rowExtent % machine.rowsPerSlice != 0)
      continue;
    SmallVector<int64_t> blocks = divisorsOf(rowExtent / machine.rowsPerSlice);
    SmallVector<int64_t> tiles =
        divisorsOf(streamLoop ? extentOf(*streamLoop) : 1);
    int64_t slices = machine.slicesPerCluster;
    for (int64_t batch = 1; batch <= slices; batch *= 2)
      for (int64_t sum = 1; sum * batch <= slices; sum *= 2)
        for (int64_t block : blocks) {
          if (block > packets)
            break;
          choice.batchParts = batch;
          choice.sumParts = sum;
          choice.rows = block * machine.rowsPerSlice;
          for (choice.chunks = 1; choice.chunks <= maxChunks;
               choice.chunks *= 2)
            if (!forEachTile(choice, tiles, callback))
              return false;
        }
  }
  return true;
}

bool RingPlanner::search(int64_t limit, int64_t budget) {
  std::vector<Candidate> candidates;
  // A group without another plan has no limit; what is computed from the
  // least must not overflow then.
  limit = std::min(limit, kMostCycles);
  int64_t least = limit;
  found.complete = forEachChoice([&](const Choice &choice, const Sizes &sizes) {
    if (found.evaluated == budget)
      return false;
    ++found.evaluated;
    std::optional<RingPlan> plan = evaluate(choice, sizes);
    if (!plan)
      return true;
    ++found.feasible;
    // The others cannot be chosen, nor be the next best of interest.
    if (plan->cycles <= 2 * least)
      candidates.push_back({choice, std::move(*plan)});
    least = std::min(least, candidates.empty() ? least
                                               : candidates.back().plan.cycles);
    return true;
  });
  int64_t most = std::min(limit, least + least * kSlackPerMille / 1000);
  const Candidate *chosen = nullptr;
  for (const Candidate &candidate : candidates) {
    auto key = [](const Candidate &c) {
      return std::tuple(c.plan.steps, c.plan.cycles, c.choice.head);
    };
    if (candidate.plan.cycles <= most && candidate.plan.cycles < limit &&
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
  os << choice.sumParts << " of the sum x " << plan.ring << " of the rows; "
     << choice.rows << " rows each";
  if (streamLoop)
    os << "; " << choice.tile << " of the stream at once, "
       << (plan.spreads ? "passed around" : "in every slice");
  if (choice.head > 1)
    os << ", the first in " << choice.head << " pieces";
  if (choice.chunks > 1)
    os << "; the sum in " << choice.chunks << " chunks";
  os << "; " << plan.steps << (plan.steps == 1 ? " step" : " steps");
  if (plan.steps > 1)
    os << ", "
       << (choice.order == Order::Stream ? "the stream"
           : choice.order == Order::Rows ? "rows"
                                         : "what operands do not have")
       << " changing first";
  if (plan.trfInHalves)
    os << "; register files in halves by turns";
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
  else if (b.cycles < a.cycles)
    found.reason = llvm::formatv("{0} steps instead of {1} for {2} cycles less",
                                 b.steps, a.steps, a.cycles - b.cycles);
  else if (worst.first > 0)
    found.reason = llvm::formatv(false, worst.second.data(), worst.first);
  else
    found.reason = "its loads and passes overlap less";
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

void RingPlanner::apply() {
  RingPlan plan = best->plan;
  const Choice &choice = best->choice;
  Sizes sizes = *sizesOf(choice);
  if (plan.promotes)
    sizes.parts[*streamLoop] = choice.sumParts;
  for (auto [i, loop] : llvm::enumerate(group.loops)) {
    loop.extent = sizes.extent[i];
    loop.tile = sizes.tile[i];
    loop.parts = sizes.parts[i];
    loop.local = sizes.local(i);
  }
  // A loop of its own, outside of the one that it takes a part of.
  auto divide = [&](LoopId inner, int64_t step, int64_t extent) {
    LoopId outer = group.loops.size();
    group.loops.emplace_back().extent = extent;
    auto add = [&](Access &access) {
      for (Index &index : access.dims)
        for (auto [loop, coefficient] : llvm::to_vector(index.terms))
          if (loop == inner)
            index.terms.push_back({outer, coefficient * step});
    };
    for (Access *access : group.reads())
      add(*access);
    add(group.result);
    for (LoopList *list : {&group.n, &group.m, &group.batch})
      if (auto *place = llvm::find(*list, inner); place != list->end())
        list->insert(place, outer);
    return outer;
  };
  if (choice.cluster) {
    LoopId over = divide(*choice.cluster, sizes.extent[*choice.cluster],
                         machine.clustersPerChip);
    Loop &loop = group.loops[over];
    loop.tile = loop.parts = loop.extent;
    plan.cluster = over;
  }
  if (choice.head > 1) {
    // Tiles, their pieces, and the iterations of a piece.
    LoopId inner = *streamLoop;
    int64_t piece = choice.piece(), tiles = sizes.tiles(inner);
    plan.head = divide(inner, piece, choice.head);
    Loop &head = group.loops[*plan.head];
    head.tile = head.extent;
    if (plan.promotes)
      head.parts = std::min(choice.head, choice.sumParts);
    head.local = head.tile / head.parts;
    int64_t headParts = head.parts;
    LoopId over = divide(inner, choice.tile, tiles);
    for (LoopId &loop : plan.order)
      if (loop == inner)
        loop = over;
    Loop &loop = group.loops[inner];
    loop.extent = loop.tile = piece;
    loop.parts /= headParts;
    loop.local = piece / loop.parts;
  }
  group.ring = std::move(plan);
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
