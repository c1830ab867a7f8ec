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

#include "MemoryOrder.h"
#include "RingPlanner.h"
#include "sequin/Machine/Cycles.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

/// Every pass is emitted by itself.
static constexpr int64_t kMaxPasses = 2048;
/// What HBM gives of its peak where rows of a tensor begin anywhere in its own
/// rows: some of these are opened twice, and bank groups meet. Measured.
static constexpr int64_t kUnevenRowsPercent = 88;
/// Parts of rows that begin at equal distances may all be in one of the bank
/// groups that take turns. Measured.
static constexpr int64_t kPartsOfRowsPercent = 50;
/// Where units that follow each other are of one bank group (TCP,
/// Column-to-Column Delay).
static constexpr int64_t kSharedPercent = 50;
/// Units that are written in parts meet in channels, a few of which have many.
/// Measured.
static constexpr int64_t kPartialUnitsPercent = 60;
/// And where engines are so far apart that their rows meet in banks: 15 to 90.
static constexpr int64_t kMeetingPercent = 40;

//===----------------------------------------------------------------------===//
// What fits
//===----------------------------------------------------------------------===//

/// Of one slice and step, without a ring.
int64_t RingPlanner::elements(const Access &access, const Sizes &sizes) const {
  int64_t product = 1;
  for (LoopId i = 0; i < group.loops.size(); ++i)
    if (access.uses(i))
      product *= sizes.local(i);
  return product;
}

/// Of one slice and pass.
int64_t RingPlanner::passElements(const Access &access, const Choice &choice,
                                  const Sizes &sizes, int64_t piece) const {
  int64_t product = 1;
  for (LoopId i = 0; i < group.loops.size(); ++i)
    if (access.uses(i))
      product *= i == rowLoop      ? choice.refillRows
                 : i == streamLoop ? piece
                                   : sizes.local(i);
  return product;
}

/// Of a refill, in each row of the register file.
int64_t RingPlanner::trfBytes(const Choice &choice, const Sizes &sizes) const {
  int64_t bits =
      choice.refillRows / machine.rowsPerSlice * group.rhs.tensor->bits();
  for (LoopId loop : group.k)
    bits *= sizes.local(loop);
  return bits / 8;
}

/// What the vector engine's operands take of its register file in one pass.
int64_t RingPlanner::vrfBytes(const Choice &choice, const Sizes &sizes,
                              int64_t piece) const {
  int64_t most = 0;
  for (const VectorPass &pass : passesOf(choice)) {
    int64_t bytes = 0;
    for (const PlacedStep &placed : pass.steps) {
      for (const Access *operand : placed.step->tensors()) {
        int64_t count = passElements(*operand, choice, sizes, piece);
        if (!operand->uses(rowLoop))
          count *= machine.outputLanes;
        bytes += llvm::alignTo(count * kSumBytes, machine.flitBytes);
      }
      if (placed.step->head || placed.step->partial)
        bytes += passElements(group.result, choice, sizes, piece) * kSumBytes;
    }
    most = std::max(most, bytes);
  }
  return most;
}

/// How the slices of a ring share what a pass streams: iterations in turn, as
/// many as are accumulated together, and parts of the sum. False if they
/// cannot.
bool RingPlanner::spread(const Choice &choice, const Sizes &sizes,
                         PassSizes &pass) const {
  if (!choice.spreads)
    return true;
  int64_t ring = ringOf(choice);
  int64_t packets =
      sizes.local(group.k.back()) / machine.lanes(group.lhs.tensor->kind());
  pass.ringTurns = std::gcd(ring, pass.together);
  pass.ringSums = ring / pass.ringTurns;
  // All slices have one mask.
  if (masksSum && pass.ringSums > 1)
    return false;
  return ring > 1 && packets % pass.ringSums == 0;
}

/// The largest pieces of a tile that fit, in half of the vector register file
/// if there are several passes; none if not even one iteration does.
std::optional<PassSizes> RingPlanner::passSizesOf(const Choice &choice,
                                                  const Sizes &sizes) const {
  int64_t blocks = choice.refillRows / machine.rowsPerSlice;
  int64_t slots = machine.accumulatorColumns * machine.accumulatorRegisters;
  if (trfBytes(choice, sizes) > machine.trfBytesPerRow || blocks > slots)
    return std::nullopt;
  // A pass that others follow loads its operands behind them.
  bool mayHalve =
      passesOf(choice).size() == 1 && !passesOf(choice).front().keepsHead;
  for (int64_t part : {mayHalve ? 2 : 1, 1})
    for (int64_t pieces = 1; pieces <= choice.tile; ++pieces) {
      if (choice.tile % pieces != 0)
        continue;
      PassSizes pass;
      pass.piece = choice.tile / pieces;
      pass.vrfInHalves = part == 2;
      if (vrfBytes(choice, sizes, pass.piece) > machine.vrfBytesPerSlice / part)
        continue;
      for (int64_t groups = 1; groups <= pass.piece; ++groups) {
        if (pass.piece % groups != 0)
          continue;
        pass.together = pass.piece / groups;
        if (pass.together * blocks <= slots && spread(choice, sizes, pass))
          return pass;
      }
    }
  return std::nullopt;
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
  if (choice.order == Order::NotOperands) {
    LoopList inner;
    for (const LoopList &list : {rows, stream})
      for (LoopId loop : list)
        (operandsUse(loop) ? plan.order : inner).push_back(loop);
    llvm::append_range(plan.order, inner);
  } else {
    bool rowsFirst = choice.order == Order::Rows;
    llvm::append_range(plan.order, rowsFirst ? stream : rows);
    llvm::append_range(plan.order, rowsFirst ? rows : stream);
  }
  plan.chunks = choice.chunks;
  plan.loads = loadsOf(choice.chunks, choice.mostChunks);
  plan.steps *= plan.loads.size();
}

/// Places for pieces of the result, as many as help: with several refills two
/// tiles, of which one is stored while the other is computed.
SmallVector<int64_t, 2> RingPlanner::resultPlacesOf(const Choice &choice,
                                                    int64_t pieces,
                                                    int64_t tiles) {
  constexpr int64_t kPlaces = 4;
  if (choice.refills() == 1)
    return {std::min(pieces * tiles, kPlaces)};
  if (tiles == 1)
    return {pieces};
  return {2 * pieces, pieces};
}

/// How many tiles of the operands and of the result are in DM; false if not
/// even those are that the pipeline needs.
bool RingPlanner::setPlaces(RingPlan &plan, const Choice &choice,
                            const Sizes &sizes, const PassSizes &pass) const {
  auto bytesOf = [&](const Access &access, int64_t count) {
    return dmBytesWithMargin(count * access.tensor->bits() / 8, machine);
  };
  auto tilesOf = [&](const Access &access) {
    int64_t tiles = plan.loads.size();
    for (LoopId loop : plan.order)
      if (access.uses(loop))
        tiles *= sizes.tiles(loop);
    return tiles;
  };
  int64_t pieces = choice.tile / pass.piece;
  int64_t pieceResults = passElements(group.result, choice, sizes, pass.piece);
  // Sums of a tile, refill by refill.
  int64_t dm = 0;
  if (plan.chunks > 1)
    dm += choice.refills() *
          dmBytesWithMargin(pieces * pieceResults * kSumBytes, machine);
  // Results, piece by piece, and rows put side by side.
  int64_t rows =
      bytesOf(group.result, pieceResults * choice.refills() / choice.rows *
                                storedRows(plan, choice));
  int64_t beside = pass.gathered == 1                ? 0
                   : pass.piece % pass.gathered == 0 ? rows
                                                     : rows * pass.gathered;
  int64_t tiles = plan.steps / static_cast<int64_t>(plan.loads.size());
  // What passes leave for the next one.
  if (passesOf(choice).size() > 1)
    dm += 3 * dmBytesWithMargin(pieceResults * kSumBytes, machine);
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
  int64_t stationary = elements(group.rhs, sizes) * choice.mostChunks;
  dm += plan.rhsPlaces * bytesOf(group.rhs, stationary);
  if (plan.turns) {
    // Where tiles are turned to, a flit apart from row to row; and what was
    // exchanged until it is turned.
    int64_t flits = choice.rows * choice.mostChunks * machine.flitBytes * 8 /
                    group.rhs.tensor->bits();
    dm += plan.rhsPlaces * bytesOf(group.rhs, stationary + flits);
    if (pass.exchanged > 1)
      dm += bytesOf(group.rhs, stationary);
  }
  int64_t count = elements(group.lhs, sizes) * choice.mostChunks;
  if (plan.spreads)
    count /= plan.ring;
  int64_t lhsBytes = bytesOf(group.lhs, count);
  // All of the stream if it comes by again and there is room.
  for (int64_t places : resultPlacesOf(choice, pieces, tiles))
    for (int64_t streamed : {lhsTiles, std::min<int64_t>(2, lhsTiles)}) {
      int64_t all = dm + places * (rows + beside) + streamed * lhsBytes;
      if (all > machine.dmBytesPerSlice)
        continue;
      plan.resultPlaces = places;
      plan.lhsPlaces = streamed;
      return true;
    }
  return false;
}

/// Whether a slice has whole rows of the result, which end in padding that is
/// nobody else's.
bool RingPlanner::hasUnitRows(const Choice &choice, const Sizes &sizes) const {
  const Tensor &result = *group.result.tensor;
  int64_t bits = choice.rows * result.bits();
  return bits % (machine.hbm.unitBytes * 8) != 0 && sizes.parts[rowLoop] == 1 &&
         sizes.tiles(rowLoop) == 1 && choice.refills() == 1 &&
         choice.cluster != rowLoop && result.isAlone && result.size == 0 &&
         padded.test(rowLoop) && group.n.size() == 1;
}

/// Of a row of the result in DM, elements that a store takes.
int64_t RingPlanner::storedRows(const RingPlan &plan,
                                const Choice &choice) const {
  return plan.unitRows
             ? llvm::alignTo(choice.rows, machine.hbm.unitBytes * 8 /
                                              group.result.tensor->bits())
             : choice.rows;
}

/// How many slices put their rows of the result side by side: as many as make
/// whole units of HBM; 1 if stores are of whole units as they are, or no number
/// of slices does.
int64_t RingPlanner::gatheredSlices(const Choice &choice,
                                    const Sizes &sizes) const {
  int64_t unit = machine.hbm.unitBytes * 8;
  int64_t bits = choice.rows * group.result.tensor->bits();
  for (int64_t slices = 1; slices <= sizes.parts[rowLoop]; slices *= 2)
    if (bits * slices % unit == 0)
      return slices;
  return 1;
}

/// How many slices bring rows of the stationary operand for each other: as many
/// as make whole units of HBM, or fewer if data memory takes longer than HBM
/// even so; 1 if rows lie along the sum.
int64_t RingPlanner::exchangedSlices(const Choice &choice,
                                     const Sizes &sizes) const {
  if (!turns)
    return 1;
  int64_t unit = machine.hbm.unitBytes;
  int64_t rowBytes = choice.rows * group.rhs.tensor->bits() / 8;
  int64_t slices = 1;
  for (; slices < sizes.parts[rowLoop]; slices *= 2) {
    int64_t run = slices * rowBytes;
    if (run % unit == 0 ||
        hbmCycles(machine, llvm::alignTo(run, unit)) <= dmCycles(machine, run))
      break;
  }
  return slices;
}

//===----------------------------------------------------------------------===//
// What it costs
//===----------------------------------------------------------------------===//

/// Rows that follow each other in a slice, where the sum is one loop.
int64_t RingPlanner::innerRows(const Access &access, const Choice &choice,
                               const Sizes &sizes,
                               const PassSizes &pass) const {
  if (group.k.size() > 1)
    return 1;
  if (&access == &group.rhs)
    return choice.refillRows;
  if (group.m.empty())
    return 1;
  return group.m.back() == streamLoop ? pass.piece / pass.ringTurns
                                      : sizes.local(group.m.back());
}

/// How many times as long as at its peak HBM takes for a factor that all
/// engines read, so often that the queues of its channels hold one unit each: a
/// step of few units is in few channels, and engines cannot be in two bank
/// groups at a time (SplitTransfers.cpp) if they read an odd number of parts.
int64_t RingPlanner::sharedSlowdown(const Access &access, const Choice &choice,
                                    const Sizes &sizes) const {
  const HbmModel &hbm = machine.hbm;
  // Slices with different parts of it: those of the stream are in different
  // engines, those of the rows and the sum are neighbours.
  bool isStream = &access == &group.lhs;
  int64_t apart = choice.batchParts * (isStream ? choice.streamParts : 1);
  int64_t different =
      apart * choice.sumParts * (isStream ? 1 : rowPartsOf(choice));
  if (isStream ? choice.spreads || apart > 1
               : different > machine.slicesPerEngine)
    return 1;
  bool clustersDiffer = choice.cluster && access.uses(*choice.cluster);
  int64_t readers = usedSlices(choice) / different *
                    (clustersDiffer ? 1 : machine.clustersPerChip);
  int64_t queued = hbm.queueEntries * hbm.controllerBytes / hbm.unitBytes;
  if (readers < queued)
    return 1;
  int64_t bits = access.tensor->bits();
  for (LoopId i = 0; i < group.loops.size(); ++i)
    if (access.uses(i))
      bits *= sizes.tile[i];
  int64_t pair = 2 * hbm.unitBytes * hbm.channels() * 8;
  if (bits >= pair)
    return bits % pair != 0 ? 2 : 1;
  return std::max<int64_t>(2, pair / bits);
}

/// DMA of a factor, for a step.
int64_t RingPlanner::loadCycles(const Access &access, const Choice &choice,
                                const Sizes &sizes, const RingPlan &plan,
                                const PassSizes &pass) const {
  const TcpMachine &m = machine;
  int64_t bits = access.tensor->bits();
  // What slices or clusters have in common is read by each.
  int64_t bytes = m.clustersPerChip;
  for (LoopId i = 0; i < group.loops.size(); ++i)
    if (access.uses(i))
      bytes *= sizes.tile[i];
  bytes = bytes * bits / 8;
  bool isStream = &access == &group.lhs;
  if (!isStream)
    bytes *= choice.streamParts;
  else if (!plan.spreads)
    bytes *= rowPartsOf(choice);
  // Runs of the sum, each of which touches whole units of HBM.
  int64_t unit = m.hbm.unitBytes;
  int64_t run = sizes.local(group.k.back()) * bits / 8;
  if (isStream && plan.spreads)
    run /= plan.ringSums;
  if (!isStream && plan.turns)
    run = choice.rows * pass.exchanged * bits / 8;
  int64_t runs = bytes / run;
  int64_t units = llvm::divideCeil(run, unit);
  int64_t touched = countTouchedUnits(m, run);
  int64_t requests = unevenly(choice, runs * units);
  int64_t dmBytes = unevenly(choice, bytes);
  // On several chips memory has no order of digits that run past their end.
  if (mayReorder(*access.tensor) &&
      (access.tensor->isAlone || !isPadded(choice, sizes))) {
    if (isStream || !plan.turns) {
      RequestRun request =
          getRequestRun(*access.tensor, run * 8 / bits,
                        innerRows(access, choice, sizes, pass), m);
      int64_t taken = request.elements * request.rows * bits / 8;
      runs = bytes / taken;
      requests = unevenly(choice, runs * engineCyclesOfRun(m, taken));
      int64_t read = runs * hbmBytesOfRun(m, taken);
      read *= sharedSlowdown(access, choice, sizes);
      return dmaCycles(m, requests, 1, read, dmBytes);
    }
    return dmaCycles(m, requests, 1, bytes, dmBytes);
  }
  if (!isStream && plan.turns) {
    bool isShared = choice.streamParts > 1 || choice.cluster == streamLoop;
    return dmaCycles(
        m, requests, 1,
        runs * units * unit * 100 / (isShared ? kSharedPercent : 100), dmBytes);
  }
  int64_t pitch = bits / 8;
  for (auto [loop, coefficient] : access.dims[*access.tensor->inner].terms)
    pitch *= sizes.extent[loop];
  int64_t percent = llvm::isPowerOf2_64(pitch) ? 100 : kUnevenRowsPercent;
  // Engines that have a batch each read far from each other, and slices that
  // have parts of the sum a unit or two of each row.
  if (choice.batchParts > 1 || choice.sumParts > 1)
    percent = kMeetingPercent;
  if (choice.chunks > 1)
    percent = std::min(percent, kPartsOfRowsPercent);
  return dmaCycles(m, requests, 1, runs * touched * unit * 100 / percent,
                   dmBytes);
}

/// DMA of the result of a piece.
int64_t RingPlanner::storeCycles(const RingPlan &plan, const Choice &choice,
                                 const Sizes &sizes,
                                 const PassSizes &pass) const {
  const TcpMachine &m = machine;
  int64_t unit = m.hbm.unitBytes;
  int64_t bytes = m.clustersPerChip * group.result.tensor->bits();
  for (LoopId i = 0; i < group.loops.size(); ++i)
    if (group.result.uses(i))
      bytes *=
          i == streamLoop ? pass.piece * choice.streamParts : sizes.tile[i];
  int64_t rows = storedRows(plan, choice);
  bytes = bytes / 8 / choice.rows * rows;
  int64_t run = std::max<int64_t>(1, pass.gathered * rows *
                                         group.result.tensor->bits() / 8);
  int64_t runs = bytes / run;
  int64_t requests = runs * llvm::divideCeil(run, m.dmaRequestBytes);
  // A request reads and then writes; what it writes of a unit that is not all
  // of it costs a multiple, at both ends of a run that begins anywhere.
  int64_t touched = runs * run;
  if (int64_t aligned = std::gcd(run, unit); aligned != unit)
    touched += 2 * runs * (unit - aligned) * m.hbm.partialWriteFactor * 100 /
               kPartialUnitsPercent;
  // Clusters store at the same time.
  TilePart part = getTilePart(group, group.result, m, [&](LoopId loop) {
    return sizes.tile[loop] * (choice.cluster == loop ? m.clustersPerChip : 1);
  });
  // An opened row takes as long as all of its units, of which the tile may have
  // one.
  double opened = static_cast<double>(part.all) / static_cast<double>(part.had);
  touched = static_cast<int64_t>(
      static_cast<double>(touched) *
      std::min(static_cast<double>(m.hbm.rowBytes / unit), opened));
  if (choice.batchParts > 1)
    touched = touched * 100 / kMeetingPercent;
  return dmaCycles(m, unevenly(choice, requests), 2, touched,
                   unevenly(choice, bytes));
}

/// DMA of an operand of the vector engine, for all slices that have sums. A few
/// units that all of them read are in as few channels and bank groups.
int64_t RingPlanner::operandCycles(const Access &operand, const Choice &choice,
                                   const Sizes &sizes) const {
  const TcpMachine &m = machine;
  int64_t bits = operand.tensor->bits();
  int64_t slices = usedSlices(choice) * m.clustersPerChip / choice.sumParts;
  int64_t bytes = elements(operand, sizes) * bits / 8;
  int64_t requests = slices * llvm::divideCeil(bytes, m.dmaRequestBytes);
  for (LoopId i = 0; i < group.loops.size(); ++i)
    if (operand.uses(i))
      bits *= sizes.tile[i] * (choice.cluster == i ? m.clustersPerChip : 1);
  int64_t unit = m.hbm.unitBytes, spread = 2 * m.hbm.channels();
  int64_t units = std::min<int64_t>(llvm::divideCeil(bits, unit * 8), spread);
  return dmaCycles(
      m, requests, 1,
      std::max(bytes * slices,
               units < spread ? requests * unit * spread / units : 0),
      bytes * slices);
}

StepCosts RingPlanner::costsOf(const Sizes &sizes, const RingPlan &plan,
                               const Choice &choice,
                               const PassSizes &pass) const {
  const TcpMachine &m = machine;
  StepCosts costs;
  costs.startup = m.dmaStartupCycles;
  costs.lhsLoad = loadCycles(group.lhs, choice, sizes, plan, pass);
  costs.rhsLoad = loadCycles(group.rhs, choice, sizes, plan, pass);
  costs.lhsLoad -= costs.startup;
  costs.rhsLoad -= costs.startup;
  costs.store = storeCycles(plan, choice, sizes, pass);

  // The vector engine's operands, one after the other. What lies along the rows
  // is read as it is, which the sub context can do.
  for (const Step &step : group.steps)
    for (const Access *operand : step.tensors()) {
      int64_t bits = operand->tensor->bits();
      costs.operandLoads.push_back(operandCycles(*operand, choice, sizes));
      bool isAlong = operand->tensor->inner && operand->uses(rowLoop) &&
                     operand->dims[*operand->tensor->inner].finest() == rowLoop;
      (isAlong ? costs.vrfSubLoad : costs.vrfLoad) += passCycles(
          m, llvm::divideCeil(
                 passElements(*operand, choice, sizes, pass.piece) * bits / 8,
                 m.dmBankBytes));
    }
  int64_t results = passElements(group.result, choice, sizes, pass.piece);
  costs.partialLoad = passCycles(m, results * kSumBytes / m.dmBankBytes);

  ElementType type = group.lhs.tensor->kind();
  int64_t sum = 1;
  for (LoopId loop : group.k)
    sum *= sizes.local(loop);
  int64_t blocks = choice.refillRows / m.rowsPerSlice;
  int64_t packets = pass.piece * sum / m.lanes(type);
  int64_t flits = pass.piece * blocks;
  costs.pass = passCycles(
      m, tensorUnitCycles({contractCycles(packets, blocks),
                           flitCycles(m, packets * m.macWidthBytes), flits}) +
             llvm::Log2_64(m.lanes(type)) * m.treeLevelCycles +
             (choice.sumParts > 1 ? choice.sumParts : 0));
  // What comes from DM goes through the vector engine by half flits, and sums
  // that its steps look back at come through its register file first.
  for (auto [i, later] : llvm::enumerate(passesOf(choice))) {
    if (i == 0 && !later.keepsHead)
      continue;
    costs.lastPasses += passCycles(m, 2 * flits);
    if (llvm::any_of(later.steps, [](const PlacedStep &placed) {
          return placed.step->head;
        }))
      costs.lastPasses += costs.partialLoad;
  }
  int64_t stationary = choice.refillRows * sum * group.rhs.tensor->bits() / 8;
  costs.trfLoad = passCycles(m, flitCycles(m, stationary));
  // Reads that miss the cache keep the sub context from writing: the first of
  // those that meet a packet.
  costs.trfSubLoad = stationary / m.dmBankBytes;
  if (pass.together > 1)
    costs.trfSubLoad = costs.trfSubLoad * pass.together / (pass.together - 1);
  costs.trfSubLoad = passCycles(m, costs.trfSubLoad);
  if (turns) {
    int64_t held = choice.rows * sum;
    int64_t flit = m.flitBytes * 8 / group.rhs.tensor->bits();
    int64_t packets = held / std::gcd(flit, choice.refillRows);
    costs.turn = passCycles(m, held / turns->maxRows);
    if (pass.exchanged > 1)
      costs.exchange = passCycles(m, ringCycles(pass.exchanged, packets, 1));
  }
  if (pass.gathered > 1) {
    int64_t bits = group.result.tensor->bits();
    int64_t packets =
        choice.rows / std::gcd(m.flitBytes * 8 / bits, choice.refillRows);
    costs.gather = passCycles(
        m, std::max(
               ringCycles(pass.gathered * choice.sumParts, pass.piece, packets),
               pass.piece * choice.rows * bits / 8 / m.dmBankBytes));
  }
  return costs;
}

/// What the resources take by themselves: no pipeline is faster.
int64_t RingPlanner::leastCycles(const RingPlan &plan, const Choice &choice,
                                 const Sizes &sizes,
                                 const StepCosts &costs) const {
  int64_t loads = plan.loads.size(), tiles = plan.steps / loads;
  int64_t pieces = plan.passes / tiles / choice.chunks / choice.refills();
  int64_t unit = plan.passes * costs.pass;
  // Tiles of the stationary operand that are loaded anew.
  int64_t inner = 1;
  for (LoopId loop : llvm::reverse(plan.order)) {
    if (group.rhs.uses(loop))
      break;
    inner *= sizes.tiles(loop);
  }
  if (loads > 1)
    inner = 1;
  int64_t dma =
      tiles / inner * (loads * costs.startup + plan.chunks * costs.rhsLoad) +
      tiles * pieces * costs.store + costs.lhsLoad;
  return std::max(unit, dma);
}

/// Cycles from the first load to the last store. Loads of the next steps come
/// before the stores of this one; the sub context fills register files while
/// the main one works, where there is room for two.
void RingPlanner::runPipeline(const Sizes &sizes, RingPlan &plan,
                              const Choice &choice,
                              const StepCosts &costs) const {
  struct Place {
    int64_t ready = 0, free = 0;
  };
  SmallVector<Place, 16> lhs(plan.lhsPlaces), rhs(plan.rhsPlaces);
  int64_t dma = 0, main = 0, stored = 0;
  int64_t loads = plan.loads.size();
  auto load = [&](Place &place, int64_t cycles) {
    dma = std::max(dma, place.free) + cycles;
    plan.dmaCycles += cycles;
    place.ready = dma;
  };
  // Which tile a step reads.
  auto numberOf = [&](const Access &access, int64_t step) {
    int64_t number = plan.loadOf(step), scale = loads;
    step /= loads;
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
  /// What was brought for a step.
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
    int64_t chunks = plan.loads[plan.loadOf(step)];
    if (int64_t number = numberOf(group.rhs, step); number != rhsNow) {
      rhsNow = number;
      right = &rhs[rhsLoads++ % plan.rhsPlaces];
      load(*right, costs.startup + chunks * costs.rhsLoad);
    }
    if (int64_t number = numberOf(group.lhs, step); number != lhsNow) {
      lhsNow = number;
      left = &lhs[(allLhs ? number : lhsLoads++) % plan.lhsPlaces];
      if (!allLhs || !isThere.test(number)) {
        isThere.set(number);
        load(*left, costs.startup + chunks * costs.lhsLoad);
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
  int64_t refills = choice.refills();
  int64_t pieces = plan.passes / (plan.steps / loads) / plan.chunks / refills;
  int64_t trfTile = -1, turned = -1, gathers = 0, resultFree = 0, tileFree = 0;
  // What a refill commits one after the other is in the same banks, if these
  // are not all: DMA does not work beside it (EmitRings.cpp, resultType).
  bool holdsBanks = refills > 1 && costs.gather == 0 &&
                    choice.refillRows * group.result.tensor->bits() / 8 <
                        machine.dmBanks * machine.dmBankBytes;
  for (int64_t step = 0; step < plan.steps; ++step) {
    bringUpTo(step + 1);
    auto [lhsPlace, rhsPlace, rhsTile, operandsHere] = brought[step];
    bool finishes = plan.finishesSums(step);
    int64_t ready = std::max(lhsPlace->ready, rhsPlace->ready);
    if (finishes)
      ready = std::max(ready, operandsHere);
    int64_t chunks = plan.loads[plan.loadOf(step)];
    int64_t passes = chunks * refills * pieces;
    bool reloads =
        std::exchange(trfTile, rhsTile) != rhsTile || refills > 1 || chunks > 1;
    // The last rows that were put side by side keep the sub context busy.
    int64_t work = passes * costs.pass, beside = std::exchange(gathers, 0);
    if (turned != rhsTile) {
      // The first tile is waited for, others are exchanged beside products.
      (step == 0 ? ready : beside) += chunks * costs.exchange;
      work += chunks * costs.turn;
      turned = rhsTile;
    }
    int64_t perPass = plan.chunks > 1 ? costs.partialLoad : 0;
    int64_t operandLoads = passes * perPass;
    if (plan.loadOf(step) == 0)
      operandLoads -= refills * pieces * perPass;
    if (finishes) {
      perPass += costs.vrfSubLoad;
      operandLoads += refills * pieces * costs.vrfSubLoad;
    }
    // The sub context has no masks.
    if (plan.sumEnd > 0 && finishes)
      work += refills * costs.trfLoad;
    if (reloads && plan.trfInHalves) {
      beside += chunks * refills * costs.trfSubLoad;
      // The sub context loads for a pass while the one before it works, and
      // rows between two such loads.
      if (plan.vrfInHalves && perPass > 0)
        work +=
            chunks * refills *
            std::max<int64_t>(0, costs.trfSubLoad - 2 * (costs.pass - perPass));
    } else if (reloads) {
      work += chunks * refills * costs.trfLoad;
    }
    if (step == 0 && plan.trfInHalves)
      work += costs.trfLoad;
    (plan.vrfInHalves ? beside : work) += operandLoads;
    if (finishes)
      work += refills * pieces * (costs.lastPasses + costs.vrfLoad);
    main = std::max(main, ready);
    if (step == 0)
      plan.leadCycles = main;
    work = std::max(work, beside);
    main += work;
    plan.tensorUnitCycles += work;
    lhsPlace->free = rhsPlace->free = main;
    if (!finishes)
      continue;
    bringUpTo(step + 2);
    // Pieces are complete one after the other in the last refill. What the sub
    // context does with them it does beside the next pass.
    int64_t each =
        std::max(costs.pass + costs.lastPasses, costs.gather + perPass);
    main += (pieces - 1) * (each - costs.pass - costs.lastPasses);
    gathers = costs.gather;
    for (int64_t piece = 1; piece <= pieces; ++piece) {
      int64_t done = main - (pieces - piece) * each + costs.gather;
      dma = std::max(dma, done) + costs.store;
      plan.dmaCycles += costs.store;
      if (piece == 1)
        resultFree = costs.gather > 0 ? done : dma;
    }
    stored = dma;
    // With several refills a tile that has no places of its own waits for the
    // store of the one before.
    if (refills > 1)
      main = std::max(main, plan.resultPlaces > pieces ? tileFree : resultFree);
    tileFree = resultFree;
    if (holdsBanks)
      main = std::max(main, dma);
  }
  plan.cycles = stored;
  plan.tailCycles = stored - main;
}

/// Whether the least that a step and a program have is within limits.
bool RingPlanner::mayFit(const Choice &choice, const Sizes &sizes) const {
  int64_t passes = choice.chunks * choice.refills();
  for (LoopId loop : group.parallel())
    passes = llvm::SaturatingMultiply<uint64_t>(passes, sizes.tiles(loop));
  int64_t ring = ringOf(choice);
  int64_t dm = elements(group.rhs, sizes) * group.rhs.tensor->bits() / 8 +
               elements(group.lhs, sizes) * group.lhs.tensor->bits() / 8 / ring;
  if (choice.chunks > 1)
    dm += elements(group.result, sizes) * kSumBytes;
  return passes <= kMaxPasses && dm <= machine.dmBytesPerSlice;
}

/// What does not depend on the order of tiles.
const PreparedChoice &RingPlanner::prepare(const Choice &choice,
                                           const Sizes &sizes) {
  if (prepared && prepared->choice.hasSizesOf(choice))
    return *prepared;
  prepared.emplace().choice = choice;
  std::optional<PassSizes> pass = passSizesOf(choice, sizes);
  if (!pass)
    return *prepared;
  RingPlan &plan = prepared->plan;
  plan.ring = ringOf(choice);
  plan.streamed = streamLoop;
  plan.spreads = choice.spreads;
  plan.ringTurns = pass->ringTurns;
  plan.ringSums = pass->ringSums;
  plan.together = pass->together;
  pass->gathered = gatheredSlices(choice, sizes);
  pass->exchanged = exchangedSlices(choice, sizes);
  // One loop over slices is for both.
  for (int64_t *slices : {&pass->gathered, &pass->exchanged})
    if (*slices > 1)
      *slices = pass->beside();
  plan.unitRows = hasUnitRows(choice, sizes);
  plan.turns = turns != nullptr;
  LoopId sum = group.k.back();
  if (masksSum)
    plan.sumEnd = group.loops[sum].extent % sizes.tile[sum];
  if (plan.turns &&
      sizes.local(sum) % std::max(pass->exchanged, turns->maxRows) != 0)
    return *prepared;
  prepared->pass = *pass;
  prepared->costs = costsOf(sizes, plan, choice, *pass);
  prepared->fits = true;
  return *prepared;
}

/// None if it does not fit, or takes more than `most` cycles.
std::optional<Candidate>
RingPlanner::evaluate(const Choice &choice, const Sizes &sizes, int64_t most) {
  if (!keepsPins(choice, sizes))
    return std::nullopt;
  const PreparedChoice &common = prepare(choice, sizes);
  if (!common.fits)
    return std::nullopt;
  const PassSizes *pass = &common.pass;
  const StepCosts &costs = common.costs;
  RingPlan plan = common.plan;
  setOrder(plan, choice, sizes);
  plan.passes = plan.steps / static_cast<int64_t>(plan.loads.size()) *
                choice.chunks * choice.refills() * (choice.tile / pass->piece);
  if (plan.passes > kMaxPasses)
    return std::nullopt;
  plan.vrfInHalves = plan.passes > 1 && pass->vrfInHalves;
  if (leastCycles(plan, choice, sizes, costs) > most ||
      !setPlaces(plan, choice, sizes, *pass))
    return std::nullopt;
  RingPlan aside = plan;
  runPipeline(sizes, plan, choice, costs);
  // A read that misses the cache of the register file keeps the sub context
  // from writing, so the cache must hold all that a packet of the stream meets.
  // Whether it is worth the time that a slower context takes is seen then.
  int64_t cached =
      machine.trfCacheDepth * machine.trfBankColumns * machine.trfCellBytes;
  int64_t meets =
      choice.refillRows / machine.rowsPerSlice * machine.macWidthBytes;
  if ((plan.rhsPlaces > 1 || choice.refills() > 1) && meets <= cached &&
      pass->together > 1 &&
      trfBytes(choice, sizes) <= machine.trfBytesPerRow / 2) {
    aside.trfInHalves = true;
    int64_t beside = costs.pass - costs.partialLoad - costs.vrfSubLoad;
    aside.trfAhead = std::max<int64_t>(
        1, llvm::divideCeilSigned(costs.trfSubLoad - beside, costs.pass));
    runPipeline(sizes, aside, choice, costs);
    if (aside.cycles < plan.cycles)
      plan = std::move(aside);
  }
  plan.exchangeAhead =
      plan.trfAhead +
      llvm::divideCeil(choice.mostChunks * costs.exchange, costs.pass);
  if (plan.cycles > most)
    return std::nullopt;
  return Candidate{choice, std::move(plan), *pass};
}
