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
//
// All of them are tried; what does not divide, or does not fit into register
// files or DM, is no mapping. A mapping costs what the pipeline of its steps
// takes: DMA brings the operands of the next step while the tensor unit works.
// Among mappings that take about the same time the one with fewest steps is
// chosen, which makes the shortest program.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "sequin/Machine/Cycles.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

/// Every step is emitted by itself.
static constexpr int64_t kMaxSteps = 256;
/// What a shorter program may cost.
static constexpr int64_t kSlackPerMille = 3;

/// No program takes as long; a thousand times as much is still an int64_t.
static constexpr int64_t kMostCycles = INT64_MAX / 4096;
static constexpr int64_t kMaxHead = 8;
/// What HBM gives of its peak where rows of a tensor begin anywhere in its own
/// rows: some of these are opened twice, and bank groups meet. Measured.
static constexpr int64_t kUnevenRowsPercent = 88;
/// How often, at most, stores of parts of rows cost what whole ones do:
/// neighbouring rows that wait in the queue make up for some of it.
static constexpr int64_t kMostOpened = 2;
/// And where engines are so far apart that their rows meet in banks: 15 to 90.
static constexpr int64_t kApartPercent = 40;

namespace {

/// Which loops over tiles change first; the others stay as long as they can.
enum class Order { Stream, Rows, NotOperands };

/// What is chosen; everything else follows.
struct Choice {
  std::optional<LoopId> chip, cluster;
  int64_t batchParts = 1, sumParts = 1, rows = 8, tile = 1, head = 1;
  bool spreads = false;
  Order order = Order::Stream;

  int64_t piece() const { return tile / head; }
};

/// Iterations by loop.
struct Sizes {
  SmallVector<int64_t, 6> extent, tile, parts;
  int64_t local(LoopId loop) const { return tile[loop] / parts[loop]; }
  int64_t tiles(LoopId loop) const { return extent[loop] / tile[loop]; }
};

/// Cycles of one step of each kind.
struct StepCosts {
  int64_t lhsLoad, lhsPieceLoad, rhsLoad;
  SmallVector<int64_t, 2> operandLoads;
  int64_t trfLoad, pass, piecePass;
  int64_t store, pieceStore;
};

struct Candidate {
  Choice choice;
  RingPlan plan;
};

class RingPlanner {
public:
  RingPlanner(Group &group, const TcpMachine &machine, int64_t chips)
      : group(group), machine(machine), chips(chips),
        passes(
            assignPasses(group.steps, group.computeType, group.resultType())) {}

  bool isEligible();
  bool search(int64_t limit, int64_t budget);
  void apply();
  MappingRecord takeRecord() { return std::move(found); }

private:
  bool hasPlainDims(const Access &access) const;
  bool hasOperands() const {
    return llvm::any_of(
        group.steps, [](const Step &step) { return !step.tensors().empty(); });
  }
  bool operandsUse(LoopId loop) const {
    return llvm::any_of(group.steps, [&](const Step &step) {
      return llvm::any_of(step.tensors(), [&](const Access *access) {
        return access->uses(loop);
      });
    });
  }
  static bool deal(Sizes &sizes, LoopId loop, int64_t unit, int64_t &parts);
  std::optional<Sizes> sizesOf(const Choice &choice) const;
  bool keepsPins(const Choice &choice, const Sizes &sizes) const;
  std::optional<RingPlan> evaluate(const Choice &choice, Sizes sizes) const;
  bool fitsRegisterFiles(const Choice &choice, const Sizes &sizes) const;
  void setOrder(RingPlan &plan, const Choice &choice, const Sizes &sizes) const;
  bool setPlaces(RingPlan &plan, const Choice &choice,
                 const Sizes &sizes) const;
  int64_t elements(const Access &access, const Sizes &sizes) const;
  StepCosts costsOf(const Sizes &sizes, const RingPlan &plan,
                    const Choice &choice) const;
  void runPipeline(const Sizes &sizes, RingPlan &plan,
                   const Choice &choice) const;
  template <class Callback> bool forEachChoice(Callback &&callback) const;
  std::string describe(const Candidate &candidate) const;
  void record(const Candidate &chosen, ArrayRef<Candidate> candidates);

  Group &group;
  const TcpMachine &machine;
  int64_t chips;
  std::vector<VectorPass> passes;
  LoopId rowLoop = 0;
  std::optional<LoopId> streamLoop;
  std::optional<Candidate> best;
  MappingRecord found;
};

} // namespace

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
bool RingPlanner::deal(Sizes &sizes, LoopId loop, int64_t unit,
                       int64_t &parts) {
  int64_t available = sizes.extent[loop] / unit;
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
  if (choice.chip)
    sizes.extent[*choice.chip] /= chips;
  if (choice.cluster)
    sizes.extent[*choice.cluster] /= machine.clustersPerChip;
  // The sum, whole packets in each part.
  int64_t parts = choice.sumParts;
  int64_t lanes = machine.lanes(group.lhs.tensor->kind());
  if (sizes.extent[group.k.back()] % lanes != 0)
    return std::nullopt;
  for (LoopId loop : group.k) {
    deal(sizes, loop, loop == group.k.back() ? lanes : 1, parts);
    sizes.tile[loop] = sizes.extent[loop];
  }
  if (parts != 1)
    return std::nullopt;
  parts = choice.batchParts;
  for (LoopId loop : group.batch) {
    deal(sizes, loop, 1, parts);
    sizes.tile[loop] = sizes.parts[loop];
  }
  if (parts != 1)
    return std::nullopt;
  parts = machine.slicesPerCluster / choice.sumParts / choice.batchParts;
  if (sizes.extent[rowLoop] % choice.rows != 0)
    return std::nullopt;
  for (LoopId loop : llvm::reverse(group.n)) {
    int64_t unit = loop == rowLoop ? choice.rows : 1;
    deal(sizes, loop, unit, parts);
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
    if (choice.chip == i)
      outside *= chips;
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
// What a mapping costs
//===----------------------------------------------------------------------===//

bool RingPlanner::fitsRegisterFiles(const Choice &choice,
                                    const Sizes &sizes) const {
  int64_t blocks = choice.rows / machine.rowsPerSlice;
  int64_t sum = 1;
  for (LoopId loop : group.k)
    sum *= sizes.local(loop);
  if (blocks * sum * group.rhs.tensor->bits() / 8 > machine.trfBytesPerRow ||
      blocks > machine.accumulatorColumns * machine.accumulatorRegisters)
    return false;
  constexpr int64_t kBytes = 4;
  for (const VectorPass &pass : passes) {
    int64_t vrf = 0;
    for (const PlacedStep &placed : pass.steps)
      for (const Access *operand : placed.step->tensors()) {
        int64_t count = elements(*operand, sizes);
        if (!operand->uses(rowLoop))
          count *= machine.outputLanes;
        vrf += llvm::alignTo(count * kBytes, machine.flitBytes);
      }
    for (const PlacedStep &placed : pass.steps)
      if (placed.step->head)
        vrf += llvm::alignTo(elements(group.result, sizes) * kBytes,
                             machine.flitBytes);
    if (vrf > machine.vrfBytesPerSlice)
      return false;
  }
  return true;
}

/// Rows of the stationary operand stay while the stream goes by, or the other
/// way around.
void RingPlanner::setOrder(RingPlan &plan, const Choice &choice,
                           const Sizes &sizes) const {
  LoopList rows, stream;
  for (LoopId i : group.parallel()) {
    int64_t tiles = sizes.tiles(i);
    if (tiles == 1)
      continue;
    plan.steps *= tiles;
    if (llvm::is_contained(group.batch, i))
      plan.order.push_back(i);
    else
      (group.rhs.uses(i) ? rows : stream).push_back(i);
  }
  bool rowsFirst = choice.order == Order::Rows;
  llvm::append_range(plan.order, rowsFirst ? stream : rows);
  llvm::append_range(plan.order, rowsFirst ? rows : stream);
  if (choice.order != Order::NotOperands)
    return;
  LoopList outer, inner;
  for (LoopId loop : plan.order)
    (operandsUse(loop) ? outer : inner).push_back(loop);
  plan.order = std::move(outer);
  llvm::append_range(plan.order, inner);
}

/// How many tiles of the operands are in DM; false if not even those are that
/// the pipeline needs.
bool RingPlanner::setPlaces(RingPlan &plan, const Choice &choice,
                            const Sizes &sizes) const {
  auto bytesOf = [&](const Access &access, int64_t count) {
    return dmBytesWithMargin(count * access.tensor->bits() / 8, machine);
  };
  auto tilesOf = [&](const Access &access) {
    int64_t tiles = 1;
    for (LoopId loop : plan.order)
      if (access.uses(loop))
        tiles *= sizes.tiles(loop);
    return tiles;
  };
  // What passes leave for the next one, of two steps, in 32 bits.
  constexpr int64_t kBytes = 4;
  int64_t places = 1 + std::min<int64_t>(3, passes.size());
  int64_t results = elements(group.result, sizes) * kBytes;
  int64_t dm = 2 * places * dmBytesWithMargin(results, machine);
  // Pieces have places of their own, where they are added.
  if (choice.head > 1) {
    int64_t piece = results / choice.head;
    if (plan.promotes)
      piece *= plan.sumParts;
    dm = std::max(dm, choice.head * places * dmBytesWithMargin(piece, machine));
  }
  for (const Step &step : group.steps)
    for (const Access *operand : step.tensors()) {
      // Without packets along the rows, elements have words of their own.
      int64_t count = elements(*operand, sizes);
      if (!operand->uses(rowLoop))
        count *= machine.dmaAlignBytes * 8 / operand->tensor->bits();
      dm += 2 * bytesOf(*operand, count);
    }
  int64_t lhsTiles = tilesOf(group.lhs);
  plan.rhsPlaces = std::min<int64_t>(2, tilesOf(group.rhs));
  dm += plan.rhsPlaces * bytesOf(group.rhs, elements(group.rhs, sizes));
  int64_t count = elements(group.lhs, sizes);
  if (plan.promotes)
    count *= plan.sumParts;
  if (plan.spreads)
    count /= plan.ring;
  int64_t lhsBytes = bytesOf(group.lhs, count);
  // All of the stream if it comes by again and there is room.
  plan.lhsPlaces = lhsTiles;
  if (dm + lhsTiles * lhsBytes > machine.dmBytesPerSlice)
    plan.lhsPlaces = std::min<int64_t>(2, lhsTiles);
  return dm + plan.lhsPlaces * lhsBytes <= machine.dmBytesPerSlice;
}

StepCosts RingPlanner::costsOf(const Sizes &sizes, const RingPlan &plan,
                               const Choice &choice) const {
  const TcpMachine &m = machine;
  int64_t bits = group.lhs.tensor->bits();
  int64_t slices = m.slicesPerCluster * m.clustersPerChip;
  int64_t sum = 1;
  for (LoopId loop : group.k)
    sum *= sizes.local(loop);
  int64_t blocks = choice.rows / m.rowsPerSlice;
  int64_t packets = sum / m.lanes(group.lhs.tensor->kind());

  // What the clusters have in common is read once by each.
  auto bytesOf = [&](const Access &access) {
    int64_t product = 1;
    for (LoopId i = 0; i < group.loops.size(); ++i)
      if (access.uses(i))
        product *= sizes.tile[i];
    return product * access.tensor->bits() / 8 * m.clustersPerChip;
  };
  // Engines that have a batch each read far from each other.
  int64_t enginesPerCluster = m.slicesPerCluster / m.slicesPerEngine;
  int64_t batchParts = m.slicesPerCluster / plan.sumParts / plan.ring;
  bool apart = batchParts > 1 && plan.sumParts < enginesPerCluster;
  // What is on the first chip comes to the others, or from them, by its link.
  auto linkCycles = [&](const Access &access, int64_t bytes) -> int64_t {
    // What nobody reads but the host stays where it is.
    if (!choice.chip || access.tensor->origin != Tensor::Origin::Computed ||
        access.tensor->readers == 0)
      return 0;
    return m.dmaStartupCycles + bytes * (chips - 1) / m.interChipBytesPerCycle;
  };
  // Runs of the sum, each of which touches whole units of HBM.
  int64_t run = sizes.local(group.k.back()) * bits / 8, unit = m.hbm.unitBytes;
  auto loadOf = [&](const Access &access, int64_t bytes) {
    int64_t runs = bytes / run;
    int64_t units = run / unit + (run % unit != 0);
    int64_t touched = units + (run % unit != 0);
    int64_t pitch = bits / 8;
    for (auto [loop, coefficient] : access.dims[*access.tensor->inner].terms)
      pitch *= sizes.extent[loop];
    int64_t percent = llvm::isPowerOf2_64(pitch) ? 100 : kUnevenRowsPercent;
    if (apart)
      percent = kApartPercent;
    int64_t cycles =
        dmaCycles(m, runs * units, 1, runs * touched * unit * 100 / percent);
    return std::max(cycles, linkCycles(access, bytes));
  };
  StepCosts costs;
  int64_t lhsBytes = bytesOf(group.lhs) * (plan.spreads ? 1 : plan.ring);
  costs.lhsLoad = loadOf(group.lhs, lhsBytes);
  costs.lhsPieceLoad = loadOf(group.lhs, lhsBytes / choice.head);
  costs.rhsLoad = loadOf(group.rhs, bytesOf(group.rhs));

  // Slices side by side complete the units of HBM that each writes in part.
  int64_t resultRun = std::min<int64_t>(
      m.dmaMaxPacketBytes, choice.rows * group.result.tensor->bits() / 8);
  int64_t side = resultRun * std::min(sizes.parts[rowLoop], m.slicesPerEngine);
  bool whole = side % unit == 0 || sizes.tiles(rowLoop) == 1;
  auto storeOf = [&](int64_t bytes, bool promotes) {
    int64_t engines =
        promotes || plan.sumParts == 1
            ? m.dmaEngines
            : std::max(m.clustersPerChip, m.dmaEngines / plan.sumParts);
    int64_t requests =
        bytes / resultRun * llvm::divideCeil(resultRun, m.dmaRequestBytes);
    // A request reads and then writes.
    int64_t touched =
        whole ? bytes : bytes / side * unit * m.hbm.partialWriteFactor;
    TilePart part = getTilePart(group, group.result, m,
                                [&](LoopId loop) { return sizes.tile[loop]; });
    touched *= std::min<int64_t>(kMostOpened, part.all / part.had);
    if (apart)
      touched = touched * 100 / kApartPercent;
    int64_t cycles =
        dmaCycles(m, requests * m.dmaEngines / engines, 2, touched);
    return std::max(cycles, linkCycles(group.result, bytes));
  };
  int64_t resultBytes = bytesOf(group.result);
  costs.store = storeOf(resultBytes, plan.promotes);
  costs.pieceStore =
      storeOf(resultBytes / choice.head, plan.promotes && choice.head == 1);

  // The vector engine's operands, one after the other.
  int64_t vrfLoad = 0;
  for (const Step &step : group.steps)
    for (const Access *operand : step.tensors()) {
      int64_t bytes = elements(*operand, sizes) * operand->tensor->bits() / 8;
      costs.operandLoads.push_back(
          dmaCycles(m, slices * llvm::divideCeil(bytes, m.dmaRequestBytes), 1,
                    bytes * slices));
      vrfLoad += llvm::divideCeil(bytes, m.dmBankBytes);
    }
  auto passOf = [&](int64_t tile) {
    int64_t flits = tile * blocks;
    int64_t contract = contractCycles(tile * packets, blocks);
    int64_t feed = flitCycles(m, tile * packets * m.macWidthBytes);
    int64_t cycles = tensorUnitCycles(
        {contract, feed, interSliceCycles(flits, plan.sumParts)});
    int64_t more = static_cast<int64_t>(passes.size()) - 1;
    return cycles + more * flits / (plan.promotes ? plan.sumParts : 1);
  };
  int64_t tile = streamLoop ? choice.tile : 1;
  costs.pass = vrfLoad + passOf(tile);
  costs.piecePass = passOf(tile / choice.head);
  costs.trfLoad = flitCycles(m, choice.rows * sum * bits / 8);
  return costs;
}

/// Cycles from the first load to the last store. Loads of the next step come
/// before the store of this one.
void RingPlanner::runPipeline(const Sizes &sizes, RingPlan &plan,
                              const Choice &choice) const {
  StepCosts costs = costsOf(sizes, plan, choice);
  struct Place {
    int64_t ready = 0, free = 0;
  };
  SmallVector<Place, 16> lhs(plan.lhsPlaces), rhs(plan.rhsPlaces), results(2);
  int64_t dma = 0, main = 0;
  auto load = [&](Place &place, int64_t cycles) {
    dma = std::max(dma, place.free) + cycles;
    plan.dmaCycles += cycles;
    place.ready = dma;
  };
  // Which tile a step reads.
  auto numberOf = [&](const Access &access, int64_t step) {
    int64_t number = 0, scale = 1;
    for (LoopId loop : llvm::reverse(plan.order)) {
      int64_t count = sizes.tiles(loop), index = step % count;
      step /= count;
      if (!access.uses(loop))
        continue;
      number += index * scale;
      scale *= count;
    }
    return number;
  };
  int64_t lhsTiles = numberOf(group.lhs, plan.steps - 1) + 1;
  bool allLhs = plan.lhsPlaces == lhsTiles;
  llvm::SmallBitVector isThere(lhsTiles);
  int64_t lhsLoads = 0, rhsLoads = 0, lhsNow = -1, rhsNow = -1;
  /// The places of the operands of the step that was brought last.
  Place *left = nullptr, *right = nullptr;
  SmallVector<const Access *, 2> operands;
  for (const Step &step : group.steps)
    llvm::append_range(operands, step.tensors());
  SmallVector<int64_t, 2> operandsNow(operands.size(), -1);
  int64_t operandsReady = 0;
  auto bring = [&](int64_t step) {
    if (int64_t number = numberOf(group.rhs, step); number != rhsNow) {
      rhsNow = number;
      right = &rhs[rhsLoads++ % plan.rhsPlaces];
      load(*right, costs.rhsLoad);
    }
    if (int64_t number = numberOf(group.lhs, step); number != lhsNow) {
      lhsNow = number;
      left = &lhs[(allLhs ? number : lhsLoads++) % plan.lhsPlaces];
      bool inPieces = step == 0 && choice.head > 1;
      if (!inPieces && (!allLhs || !isThere.test(number))) {
        isThere.set(number);
        load(*left, costs.lhsLoad);
      }
    }
    for (auto [i, operand] : llvm::enumerate(operands)) {
      int64_t number = numberOf(*operand, step);
      if (std::exchange(operandsNow[i], number) == number)
        continue;
      dma += costs.operandLoads[i];
      plan.dmaCycles += costs.operandLoads[i];
      operandsReady = dma;
    }
  };
  auto work = [&](int64_t ready, int64_t cycles) {
    main = std::max(main, ready) + cycles;
    plan.tensorUnitCycles += cycles;
  };
  auto store = [&](int64_t cycles) {
    dma = std::max(dma, main) + cycles;
    plan.dmaCycles += cycles;
  };
  const Place *trfHolds = nullptr;
  int64_t trfTile = -1;
  bring(0);
  for (int64_t step = 0; step < plan.steps; ++step) {
    Place *lhsPlace = left, *rhsPlace = right;
    int64_t rhsTile = rhsNow, operandsHere = operandsReady;
    bool pieces = step == 0 && choice.head > 1;
    if (!pieces && step + 1 < plan.steps)
      bring(step + 1);
    if (trfHolds != rhsPlace || trfTile != rhsTile) {
      trfHolds = rhsPlace;
      trfTile = rhsTile;
      work(rhsPlace->ready, costs.trfLoad);
      rhsPlace->free = main;
    }
    if (pieces) {
      SmallVector<int64_t, kMaxHead> ready;
      for (int64_t piece = 0; piece < choice.head; ++piece) {
        load(*lhsPlace, costs.lhsPieceLoad);
        ready.push_back(lhsPlace->ready);
      }
      if (plan.steps > 1 && plan.lhsPlaces > 1)
        bring(1);
      for (int64_t piece = 0; piece < choice.head; ++piece) {
        work(ready[piece], costs.piecePass);
        if (piece == 0)
          plan.leadCycles = main - costs.piecePass;
        store(costs.pieceStore);
      }
      lhsPlace->free = main;
      if (plan.steps > 1 && plan.lhsPlaces == 1)
        bring(1);
      continue;
    }
    Place &result = results[step % 2];
    work(std::max({lhsPlace->ready, operandsHere, result.free}), costs.pass);
    if (step == 0)
      plan.leadCycles = main - costs.pass;
    lhsPlace->free = main;
    store(costs.store);
    result.free = dma;
  }
  plan.cycles = dma;
  plan.tailCycles = dma - main;
}

std::optional<RingPlan> RingPlanner::evaluate(const Choice &choice,
                                              Sizes sizes) const {
  RingPlan plan;
  plan.sumParts = choice.sumParts;
  plan.ring = machine.slicesPerCluster / choice.sumParts / choice.batchParts;
  plan.cluster = choice.cluster;
  plan.chip = choice.chip;
  plan.streamed = streamLoop;
  plan.spreads = choice.spreads;
  if (choice.spreads && (plan.ring == 1 || choice.piece() % plan.ring != 0))
    return std::nullopt;
  // The pieces' loop is dealt out first.
  plan.promotes = choice.sumParts > 1 && streamLoop &&
                  (choice.sumParts >= choice.head
                       ? choice.tile % (choice.sumParts * plan.ring) == 0
                       : choice.head % choice.sumParts == 0);
  if (plan.promotes)
    sizes.parts[*streamLoop] = choice.sumParts;
  if (!keepsPins(choice, sizes) || !fitsRegisterFiles(choice, sizes))
    return std::nullopt;
  setOrder(plan, choice, sizes);
  if (plan.steps > kMaxSteps || !setPlaces(plan, choice, sizes))
    return std::nullopt;
  runPipeline(sizes, plan, choice);
  return plan;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// Until the callback returns false; false then.
template <class Callback>
bool RingPlanner::forEachChoice(Callback &&callback) const {
  // Who goes over chips, and over clusters. One chip may be faster than what
  // several send each other.
  auto candidates = [&](int64_t count, bool mayIdle) {
    SmallVector<std::optional<LoopId>> loops;
    if (count == 1 || mayIdle)
      loops.push_back(std::nullopt);
    for (LoopId loop : group.parallel())
      if (count > 1 && !group.loops[loop].single &&
          group.loops[loop].extent % count == 0 &&
          (loop == streamLoop || llvm::is_contained(group.n, loop) ||
           llvm::is_contained(group.batch, loop)))
        loops.push_back(loop);
    return loops;
  };
  SmallVector<std::pair<std::optional<LoopId>, std::optional<LoopId>>> outside;
  for (std::optional<LoopId> chip : candidates(chips, true))
    for (std::optional<LoopId> cluster :
         candidates(machine.clustersPerChip, false))
      outside.push_back({chip, cluster});
  int64_t packets = machine.trfBytesPerRow / machine.macWidthBytes;
  bool mayHead = !hasOperands();
  SmallVector<Order, 3> orders{Order::Stream, Order::Rows};
  if (hasOperands())
    orders.push_back(Order::NotOperands);
  for (auto &[chip, cluster] : outside) {
    // Both may be the same.
    if (chip && chip == cluster &&
        group.loops[*chip].extent % (chips * machine.clustersPerChip) != 0)
      continue;
    Choice choice;
    choice.chip = chip;
    choice.cluster = cluster;
    auto extentOf = [&](LoopId loop) {
      int64_t extent = group.loops[loop].extent;
      if (loop == choice.chip)
        extent /= chips;
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
          choice.tile = 1;
          std::optional<Sizes> sizes = sizesOf(choice);
          if (!sizes)
            continue;
          for (int64_t tile : tiles) {
            choice.tile = tile;
            if (streamLoop)
              sizes->tile[*streamLoop] = tile;
            for (bool spreads : {false, true})
              for (Order order : orders)
                for (int64_t head = 1; head <= (mayHead ? kMaxHead : 1);
                     head *= 2) {
                  if (tile % head != 0 || (spreads && !streamLoop))
                    break;
                  choice.spreads = spreads;
                  choice.order = order;
                  choice.head = head;
                  if (!callback(choice, *sizes))
                    return false;
                }
          }
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
  if (choice.chip)
    os << "chips over " << role(*choice.chip) << "; ";
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
  os << "; " << plan.steps << (plan.steps == 1 ? " step" : " steps");
  if (plan.steps > 1)
    os << ", "
       << (choice.order == Order::Stream ? "the stream"
           : choice.order == Order::Rows ? "rows"
                                         : "what operands do not have")
       << " changing first";
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
  if (choice.chip) {
    int64_t step = sizes.extent[*choice.chip];
    if (choice.chip == choice.cluster)
      step *= machine.clustersPerChip;
    LoopId over = divide(*choice.chip, step, chips);
    Loop &loop = group.loops[over];
    loop.tile = loop.parts = loop.extent;
    plan.chip = over;
  }
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
                              int64_t chips, int64_t cycles, int64_t budget) {
  RingPlanner planner(group, machine, chips);
  if (!planner.isEligible())
    return false;
  bool found = planner.search(cycles, budget);
  group.record = planner.takeRecord();
  if (!found)
    return false;
  planner.apply();
  return true;
}
