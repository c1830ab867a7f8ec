//===- RingCosts.cpp - What a mapping by rings costs ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a mapping fits into register files and DM, and the cycles that the
// pipeline of its steps takes: DMA brings the operands of the next step while
// the tensor unit works.
//
//===----------------------------------------------------------------------===//

#include "RingPlanner.h"
#include "sequin/Machine/Cycles.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

/// Every step is emitted by itself.
static constexpr int64_t kMaxSteps = 256;
/// What HBM gives of its peak where rows of a tensor begin anywhere in its own
/// rows: some of these are opened twice, and bank groups meet. Measured.
static constexpr int64_t kUnevenRowsPercent = 88;
/// Parts of rows that begin at equal distances may all be in one of the bank
/// groups that take turns. Measured.
static constexpr int64_t kPartsOfRowsPercent = 50;
/// How often, at most, stores of parts of rows cost what whole ones do:
/// neighbouring rows that wait in the queue make up for some of it.
static constexpr int64_t kMostOpened = 2;
/// And where engines are so far apart that their rows meet in banks: 15 to 90.
static constexpr int64_t kApartPercent = 40;

//===----------------------------------------------------------------------===//
// What a mapping costs
//===----------------------------------------------------------------------===//

int64_t RingPlanner::trfBytes(const Choice &choice, const Sizes &sizes) const {
  int64_t bytes = choice.rows / machine.rowsPerSlice * group.rhs.tensor->bits();
  for (LoopId loop : group.k)
    bytes *= sizes.local(loop);
  return bytes / 8;
}

/// What the vector engine's operands take of the register file in one pass;
/// none if they, or the stationary operand, do not fit.
std::optional<int64_t> RingPlanner::getVrfBytes(const Choice &choice,
                                                const Sizes &sizes) const {
  int64_t blocks = choice.rows / machine.rowsPerSlice;
  if (trfBytes(choice, sizes) > machine.trfBytesPerRow ||
      blocks > machine.accumulatorColumns * machine.accumulatorRegisters)
    return std::nullopt;
  constexpr int64_t kBytes = 4;
  int64_t most = 0;
  for (const VectorPass &pass : passesOf(choice)) {
    int64_t vrf = 0;
    for (const PlacedStep &placed : pass.steps)
      for (const Access *operand : placed.step->tensors()) {
        int64_t count = elements(*operand, sizes);
        if (!operand->uses(rowLoop))
          count *= machine.outputLanes;
        vrf += llvm::alignTo(count * kBytes, machine.flitBytes);
      }
    for (const PlacedStep &placed : pass.steps)
      if (placed.step->head || placed.step->partial)
        vrf += llvm::alignTo(elements(group.result, sizes) * kBytes,
                             machine.flitBytes);
    most = std::max(most, vrf);
  }
  return most <= machine.vrfBytesPerSlice ? std::optional(most) : std::nullopt;
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
  LoopList outer = plan.order, inner;
  if (choice.order == Order::NotOperands) {
    for (const LoopList &list : {rows, stream})
      for (LoopId loop : list)
        (operandsUse(loop) ? outer : inner).push_back(loop);
  } else {
    bool rowsFirst = choice.order == Order::Rows;
    llvm::append_range(outer, rowsFirst ? stream : rows);
    inner = rowsFirst ? rows : stream;
  }
  plan.order = std::move(outer);
  // Between two chunks of a sum are those of everything inside.
  plan.chunks = choice.chunks;
  if (choice.chunks > 1) {
    plan.steps *= choice.chunks;
    plan.order.push_back(group.k.back());
  }
  for (LoopId loop : inner)
    plan.sums *= sizes.tiles(loop);
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
  int64_t places = 1 + std::min<int64_t>(3, passesOf(choice).size());
  int64_t results = elements(group.result, sizes) * kBytes;
  int64_t dm = 2 * places * dmBytesWithMargin(results, machine);
  if (plan.chunks > 1)
    dm += plan.sums * dmBytesWithMargin(results, machine);
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
    if (choice.chunks > 1 && mayLieInChunks(*access.tensor))
      percent = std::min(percent, kUnevenRowsPercent);
    else if (choice.chunks > 1)
      percent = std::min(percent, kPartsOfRowsPercent);
    return dmaCycles(m, runs * units, 1, runs * touched * unit * 100 / percent);
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
    return dmaCycles(m, requests * m.dmaEngines / engines, 2, touched);
  };
  int64_t resultBytes = bytesOf(group.result);
  costs.store = storeOf(resultBytes, plan.promotes);
  costs.pieceStore =
      storeOf(resultBytes / choice.head, plan.promotes && choice.head == 1);

  // The vector engine's operands, one after the other. What lies along the rows
  // is read as it is, which the sub context can do.
  for (const Step &step : group.steps)
    for (const Access *operand : step.tensors()) {
      int64_t bytes = elements(*operand, sizes) * operand->tensor->bits() / 8;
      costs.operandLoads.push_back(
          dmaCycles(m, slices * llvm::divideCeil(bytes, m.dmaRequestBytes), 1,
                    bytes * slices));
      bool isAlong = operand->tensor->inner && operand->uses(rowLoop) &&
                     operand->dims[*operand->tensor->inner].finest() == rowLoop;
      (isAlong ? costs.vrfSubLoad : costs.vrfLoad) +=
          llvm::divideCeil(bytes, m.dmBankBytes);
    }
  constexpr int64_t kBytes = 4;
  costs.partialLoad = elements(group.result, sizes) * kBytes / m.dmBankBytes;
  auto passOf = [&](int64_t tile) {
    int64_t flits = tile * blocks;
    int64_t contract = contractCycles(tile * packets, blocks);
    int64_t feed = flitCycles(m, tile * packets * m.macWidthBytes);
    int64_t cycles =
        tensorUnitCycles(
            {contract, feed, interSliceCycles(flits, plan.sumParts)}) +
        llvm::Log2_64(m.lanes(group.lhs.tensor->kind())) * m.treeLevelCycles;
    int64_t more = static_cast<int64_t>(passesOf(choice).size()) - 1;
    return cycles + more * flits / (plan.promotes ? plan.sumParts : 1);
  };
  int64_t tile = streamLoop ? choice.tile : 1;
  costs.pass = passOf(tile);
  costs.piecePass = passOf(tile / choice.head);
  int64_t stationary = choice.rows * sum * bits / 8;
  costs.trfLoad = flitCycles(m, stationary);
  costs.trfSubLoad = stationary / m.dmBankBytes;
  return costs;
}

/// Cycles from the first load to the last store. Loads of the next step come
/// before the store of this one; the sub context fills register files while
/// the main one works, where there is room for two.
void RingPlanner::runPipeline(const Sizes &sizes, RingPlan &plan,
                              const Choice &choice,
                              const StepCosts &costs) const {
  struct Place {
    int64_t ready = 0, free = 0;
  };
  SmallVector<Place, 16> lhs(plan.lhsPlaces), rhs(plan.rhsPlaces), results(2);
  int64_t dma = 0, main = 0, sub = 0;
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
  /// What was brought for a step, and the tile of the stationary operand.
  struct Brought {
    Place *lhs = nullptr, *rhs = nullptr;
    int64_t rhsTile = 0, operandsReady = 0;
  };
  SmallVector<Brought, 64> brought;
  Place *left = nullptr, *right = nullptr;
  SmallVector<const Access *, 2> operands;
  for (const Step &step : group.steps)
    llvm::append_range(operands, step.tensors());
  SmallVector<int64_t, 2> operandsNow(operands.size(), -1);
  int64_t operandsReady = 0;
  auto bring = [&] {
    int64_t step = static_cast<int64_t>(brought.size());
    int64_t ahead = std::min(step + plan.trfAhead, plan.steps - 1);
    if (int64_t number = numberOf(group.rhs, ahead); number != rhsNow) {
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
    if (plan.finishesSums(step))
      for (auto [i, operand] : llvm::enumerate(operands)) {
        int64_t number = numberOf(*operand, step);
        if (std::exchange(operandsNow[i], number) == number)
          continue;
        dma += costs.operandLoads[i];
        plan.dmaCycles += costs.operandLoads[i];
        operandsReady = dma;
      }
    brought.push_back({left, right, rhsNow, operandsReady});
  };
  auto bringUpTo = [&](int64_t step) {
    while (static_cast<int64_t>(brought.size()) <=
           std::min(step, plan.steps - 1))
      bring();
  };
  auto work = [&](int64_t ready, int64_t cycles) {
    main = std::max(main, ready) + cycles;
    plan.tensorUnitCycles += cycles;
  };
  auto store = [&](int64_t cycles) {
    dma = std::max(dma, main) + cycles;
    plan.dmaCycles += cycles;
  };
  // Register files, by turns; tiles that were loaded, and that were used.
  Place trfs[2];
  int64_t trfTile = -1, trfLoads = 0, trfUsed = -1, trfUses = 0, stored = 0;
  int64_t vrfFree[2] = {0, 0};
  SmallVector<int64_t, 16> sums(plan.chunks > 1 ? plan.sums : 0);
  bringUpTo(0);
  for (int64_t step = 0; step < plan.steps; ++step) {
    bool pieces = step == 0 && choice.head > 1;
    if (!pieces)
      bringUpTo(step + plan.loadsAhead);
    auto [lhsPlace, rhsPlace, rhsTile, operandsHere] = brought[step];
    if (std::exchange(trfTile, rhsTile) != rhsTile) {
      Place &half = trfs[trfLoads % 2];
      if (plan.trfInHalves && trfLoads > 0) {
        sub = std::max({sub, rhsPlace->ready, half.free}) + costs.trfSubLoad;
        half.ready = rhsPlace->free = sub;
      } else {
        work(rhsPlace->ready, costs.trfLoad);
        half.ready = rhsPlace->free = main;
      }
      ++trfLoads;
    }
    int64_t used = numberOf(group.rhs, step);
    if (std::exchange(trfUsed, used) != used)
      ++trfUses;
    Place &trf = trfs[(trfUses - 1) % 2];
    if (pieces) {
      SmallVector<int64_t, kMaxHead> ready;
      for (int64_t piece = 0; piece < choice.head; ++piece) {
        load(*lhsPlace, costs.lhsPieceLoad);
        ready.push_back(lhsPlace->ready);
      }
      if (plan.lhsPlaces > 1)
        bringUpTo(1);
      for (int64_t piece = 0; piece < choice.head; ++piece) {
        work(std::max(ready[piece], trf.ready), costs.piecePass);
        if (piece == 0)
          plan.leadCycles = main - costs.piecePass;
        store(costs.pieceStore);
        // Whole tiles have their places where the first pieces had theirs.
        if (piece < 2 || !plan.promotes)
          results[piece % 2].free = dma;
      }
      lhsPlace->free = trf.free = main;
      bringUpTo(1);
      continue;
    }
    int64_t ready = std::max(lhsPlace->ready, trf.ready);
    bool finishes = plan.finishesSums(step);
    int64_t aside = 0;
    int64_t &vrf = vrfFree[plan.vrfInHalves ? step % 2 : 0];
    if (step / plan.sums % plan.chunks > 0) {
      aside = costs.partialLoad;
      sub = std::max(sub, sums[step % plan.sums]);
    }
    if (finishes && !operands.empty()) {
      aside += costs.vrfSubLoad;
      sub = std::max(sub, operandsHere);
      ready = std::max(ready, operandsHere);
      if (costs.vrfLoad > 0)
        work(std::max(operandsHere, vrf), costs.vrfLoad);
    }
    if (aside > 0) {
      sub = std::max(sub, vrf) + aside;
      ready = std::max(ready, sub);
    }
    Place &result = results[stored % 2];
    if (finishes)
      ready = std::max(ready, result.free);
    work(ready, costs.pass);
    if (step == 0)
      plan.leadCycles = main - costs.pass;
    lhsPlace->free = vrf = trf.free = main;
    if (!finishes) {
      sums[step % plan.sums] = main;
      continue;
    }
    store(costs.store);
    result.free = dma;
    ++stored;
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
  plan.streamed = streamLoop;
  plan.spreads = choice.spreads;
  if (choice.spreads && (plan.ring == 1 || choice.piece() % plan.ring != 0))
    return std::nullopt;
  // The pieces' loop is dealt out first.
  plan.promotes = choice.sumParts > 1 && streamLoop &&
                  (choice.sumParts >= choice.head
                       ? choice.piece() % (choice.sumParts / choice.head) == 0
                       : choice.head % choice.sumParts == 0);
  if (plan.promotes)
    sizes.parts[*streamLoop] = choice.sumParts;
  if (!keepsPins(choice, sizes))
    return std::nullopt;
  std::optional<int64_t> vrf = getVrfBytes(choice, sizes);
  if (!vrf)
    return std::nullopt;
  setOrder(plan, choice, sizes);
  if (plan.steps > kMaxSteps || !setPlaces(plan, choice, sizes))
    return std::nullopt;
  // A pass that others follow loads its operands behind them.
  plan.vrfInHalves = passesOf(choice).size() == 1 && plan.steps > 1 &&
                     2 * *vrf <= machine.vrfBytesPerSlice;
  StepCosts costs = costsOf(sizes, plan, choice);
  // Steps with the same rows.
  int64_t run = 1;
  for (LoopId loop : llvm::reverse(plan.order)) {
    if (group.rhs.uses(loop))
      break;
    run *= sizes.tiles(loop);
  }
  // Chunks before the last one store nothing, and DMA may be ahead of them.
  if (plan.chunks > 1 && !hasOperands())
    plan.loadsAhead = std::max<int64_t>(1, std::min(plan.lhsPlaces - 1, run));
  RingPlan aside = plan;
  runPipeline(sizes, plan, choice, costs);
  // A read that misses the cache of the register file keeps the sub context
  // from writing, so it must find there all that a pass reads again and again.
  // Whether it is worth the time that a slower context takes is seen then.
  int64_t cached =
      machine.trfCacheDepth * machine.trfBankColumns * machine.trfCellBytes;
  if (plan.spreads && plan.rhsPlaces > 1 &&
      trfBytes(choice, sizes) <= std::min(cached, machine.trfBytesPerRow / 2)) {
    aside.trfInHalves = true;
    aside.trfAhead =
        std::min<int64_t>(run - 1, costs.trfSubLoad / costs.pass + 1);
    runPipeline(sizes, aside, choice, costs);
    if (aside.cycles < plan.cycles)
      return aside;
  }
  return plan;
}
