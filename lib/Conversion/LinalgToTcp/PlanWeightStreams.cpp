//===- PlanWeightStreams.cpp - Weights that stream past activations -------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice of a plan as WeightStream.h has it. All numbers of parts of the
// sum and of loads are tried; the rest follows: the weights' rows are dealt to
// the slices that remain, as many rows at a time as the scales of one pass fill
// half of the vector register file, and memory is in such an order that runs
// are whole units of HBM.
//
// Groups that stream weights follow each other often. DM is theirs in halves,
// so that the next one's loads need not wait.
//
//===----------------------------------------------------------------------===//

#include "MemoryOrder.h"
#include "RingSizes.h"
#include "WeightStream.h"
#include "sequin/Machine/Cycles.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

/// More loads than this are never faster.
static constexpr int64_t kMostSteps = 64;
/// Halves of the rows and of the sum that are loaded at most, with padding.
static constexpr int64_t kMostPadding = 3;

SmallVector<SliceDigit, 4>
linalg_to_tcp::getSliceOrder(const WeightStreamPlan &plan,
                             const TcpMachine &machine) {
  using Of = SliceDigit::Of;
  SmallVector<SliceDigit, 4> order;
  int64_t inNetwork = std::min(machine.slicesPerDmn, machine.slicesPerCluster);
  int64_t sums = std::min(plan.sumParts, inNetwork);
  int64_t rows = inNetwork / sums;
  if (plan.rowParts != plan.rowSlots)
    rows = sums = 1;
  order.push_back({Of::Row, 1, rows});
  order.push_back({Of::SumPart, 1, sums});
  order.push_back({Of::Cluster, 1, plan.clusters});
  order.push_back({Of::Row, rows, plan.rowParts / rows});
  order.push_back({Of::SumPart, sums, plan.sumParts / sums});
  llvm::erase_if(order,
                 [](const SliceDigit &digit) { return digit.count == 1; });
  return order;
}

namespace {

class WeightStreamPlanner {
public:
  WeightStreamPlanner(Group &group, const TcpMachine &machine)
      : group(group), machine(machine),
        passes(
            assignPasses(group.steps, group.computeType, group.resultType())) {}

  /// Why the group cannot be planned so; empty if it can.
  std::string findMisfit();
  /// The cheapest plan.
  std::optional<WeightStreamPlan> search() const;
  void apply(WeightStreamPlan plan);

private:
  std::string findRoles();
  bool hasPlainDims(const Access &access) const;
  std::optional<LoopId> innerOf(const Access &access) const;
  bool coversTensor(const Access &access) const;
  bool endsAlone(LoopId loop);
  int64_t extent(std::optional<LoopId> loop) const {
    return loop ? group.loops[*loop].extent : 1;
  }
  SmallVector<int64_t> cellsOf(int64_t sumParts, int64_t columns) const;
  std::vector<WeightStreamPlan> deal(int64_t sumParts, int64_t columns,
                                     int64_t cells) const;
  bool cut(WeightStreamPlan &plan, int64_t steps) const;
  void orderMemory(WeightStreamPlan &plan) const;
  int64_t gatheredSlices(const WeightStreamPlan &plan) const;
  bool spread(WeightStreamPlan &plan) const;
  int64_t dmBytes(const WeightStreamPlan &plan) const;
  int64_t estimate(const WeightStreamPlan &plan) const;
  int64_t weightBits() const { return group.rhs.tensor->bits(); }
  int64_t streamBits() const { return group.lhs.tensor->bits(); }

  Group &group;
  const TcpMachine &machine;
  std::vector<VectorPass> passes;
  /// Loops of the group before they are split.
  LoopId row = 0, element = 0;
  std::optional<LoopId> cell, token;
  int64_t allCells = 1, cellSize = 1;
  SmallVector<int64_t, 2> columns; ///< that packets may have
  bool ordered = false;
  /// Whether the weights may have rows behind their end, and the sum packets,
  /// which are zeros.
  bool padsRows = false, padsSum = false;
  /// What turns weights whose rows are contiguous.
  const tcp_isa::TransposeFormat *turns = nullptr;
  mutable int64_t evaluated = 0, feasible = 0; ///< plans
};

} // namespace

//===----------------------------------------------------------------------===//
// What fits
//===----------------------------------------------------------------------===//

bool WeightStreamPlanner::hasPlainDims(const Access &access) const {
  return llvm::all_of(access.dims, [&](const Index &index) {
    return llvm::all_of(index.terms, [&](const auto &term) {
      return access.countDims(term.first) == 1 && term.second > 0;
    });
  });
}

std::optional<LoopId> WeightStreamPlanner::innerOf(const Access &access) const {
  if (!access.tensor->inner)
    return std::nullopt;
  return access.dims[*access.tensor->inner].finest();
}

/// Whether the access visits every position once.
bool WeightStreamPlanner::coversTensor(const Access &access) const {
  for (auto [dim, index] : llvm::enumerate(access.dims)) {
    auto terms = index.terms;
    llvm::sort(terms, [](const auto &a, const auto &b) {
      return a.second < b.second;
    });
    int64_t covered = 1;
    for (auto [loop, coefficient] : terms) {
      if (coefficient != covered)
        return false;
      covered *= group.loops[loop].extent;
    }
    if (index.offset != 0 || covered != access.tensor->type.getDimSize(dim))
      return false;
  }
  return true;
}

/// Whether what lies behind the end of a loop belongs to nobody else.
bool WeightStreamPlanner::endsAlone(LoopId loop) {
  SmallVector<Access *, 4> accesses = group.reads();
  accesses.push_back(&group.result);
  return llvm::all_of(accesses, [&](const Access *access) {
    return linalg_to_tcp::endsAlone(*access, loop);
  });
}

std::string WeightStreamPlanner::findRoles() {
  // What streams has rows of its own, what stays has few.
  auto tokensOf = [&](const Access &one, const Access &other) {
    int64_t product = 1;
    for (LoopId loop : group.parallel())
      if (one.uses(loop) && !other.uses(loop))
        product *= group.loops[loop].extent;
    return product;
  };
  int64_t left = tokensOf(group.lhs, group.rhs),
          right = tokensOf(group.rhs, group.lhs);
  if (!group.scale && left > right) {
    std::swap(group.lhs, group.rhs);
    std::swap(left, right);
  }
  if (!llvm::is_contained(machine.rowCounts, left))
    return "there are " + std::to_string(left) +
           " rows of activations, a pass takes 1, 2, 4 or 8";
  LoopList rows, tokens, sums;
  for (LoopId i = 0; i < group.loops.size(); ++i) {
    const Loop &loop = group.loops[i];
    if (loop.pinnedTile || loop.pinnedParts)
      return "its loops are pinned";
    if (loop.extent == 1)
      continue;
    if (loop.single)
      return "its indices are sums of loops";
    bool lhs = group.lhs.uses(i), rhs = group.rhs.uses(i);
    if (loop.reduced) {
      if (!lhs || !rhs)
        return "a loop of the sum is in one factor only";
      sums.push_back(i);
    } else if (lhs && rhs) {
      return "it is a batch of products";
    } else {
      (rhs ? rows : tokens).push_back(i);
    }
  }
  if (rows.size() != 1 || tokens.size() > 1)
    return "the weights or the activations have several dimensions of rows";
  row = rows[0];
  if (!tokens.empty())
    token = tokens[0];
  if (group.scale) {
    if (sums.size() != 2)
      return "the sum has " + std::to_string(sums.size()) +
             " loops, one over scales and one of what shares a scale are "
             "needed";
    element = group.scale.uses(sums[0]) ? sums[1] : sums[0];
    cell = group.scale.uses(sums[0]) ? sums[0] : sums[1];
    if (group.scale.uses(element) || !group.scale.uses(*cell) ||
        (token && group.scale.uses(*token)))
      return "the scales have other loops than the weights' rows and the "
             "groups";
  } else if (sums.size() != 1) {
    return "the sum has " + std::to_string(sums.size()) + " loops";
  } else {
    element = sums[0];
  }
  return "";
}

std::string WeightStreamPlanner::findMisfit() {
  if (group.kind != Group::Kind::Contraction)
    return "it is no contraction";
  if (std::string reason = findRoles(); !reason.empty())
    return reason;
  int64_t lanes = machine.lanes(group.lhs.tensor->kind());
  if (lanes == 0)
    return "the contraction engine does not take the activations";
  int64_t flit = machine.flitBytes * 8 / streamBits();
  int64_t sum = extent(cell) * extent(element);
  cellSize = group.scale ? extent(element) : flit;
  int64_t least = 2 * lanes / machine.outputLanes;
  if (group.scale && (!llvm::isPowerOf2_64(cellSize) || cellSize < least))
    return "a scale is for " + std::to_string(cellSize) +
           " elements of the sum, the contraction engine adds a power of two "
           "of at least " +
           std::to_string(least);
  padsSum = !group.scale && innerOf(group.rhs) == element &&
            endsAlone(element) && addsZerosBehind(group, element);
  if (sum % std::max(flit, cellSize) != 0 && !padsSum)
    return "the sum has " + std::to_string(sum) +
           " elements, whole packets of " +
           std::to_string(std::max(flit, cellSize)) +
           " are needed, or zeros behind both factors, which only what the "
           "host sends has";
  allCells = llvm::divideCeil(sum, cellSize);
  // Whole packets, or one flit in each; a cell may have several packets.
  columns.push_back(std::max<int64_t>(1, lanes / cellSize));
  if (flit >= cellSize)
    columns.push_back(flit / cellSize);
  if (group.result.tensor->bits() < 8)
    return "the result has elements of less than a byte";
  if (innerOf(group.rhs) == row && !group.scale &&
      weightBits() == streamBits() && weightBits() >= 8)
    turns = machine.transposeFormat(group.rhs.tensor->kind());
  if (innerOf(group.lhs) != element ||
      (innerOf(group.rhs) != element && !turns))
    return "the sum is not along contiguous memory";
  if (innerOf(group.result) != row)
    return "the rows are not along contiguous memory of the result";
  if (group.scale && innerOf(group.scale) != cell)
    return "the scales are not contiguous along the sum";
  for (Access *access : group.reads())
    if (!hasPlainDims(*access))
      return "its indices are sums of loops";
  if (!hasPlainDims(group.result))
    return "its indices are sums of loops";
  auto mayOrder = [&](const Access &access) {
    if (!access)
      return true;
    const Tensor &tensor = *access.tensor;
    return tensor.origin != Tensor::Origin::Computed && tensor.mayReorder &&
           tensor.readers == 1 && coversTensor(access);
  };
  ordered = !turns && mayOrder(group.rhs) && mayOrder(group.scale);
  // On several chips memory has no order of digits that run past their end.
  padsRows =
      !group.exact && !turns && endsAlone(row) && group.rhs.tensor->isAlone;
  return "";
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Cells of each of the parts of the sum: whole packets, padded ones if they do
/// not divide.
SmallVector<int64_t> WeightStreamPlanner::cellsOf(int64_t sumParts,
                                                  int64_t columns) const {
  int64_t parts = sumParts * columns;
  bool isFull = allCells % parts == 0 &&
                allCells * cellSize == extent(cell) * extent(element);
  if (!isFull && !padsSum)
    return {};
  int64_t packets = llvm::divideCeil(allCells, parts);
  SmallVector<int64_t> cells{packets};
  if (allCells % parts != 0)
    cells = getPaddedCounts(packets);
  for (int64_t &count : cells)
    count *= columns;
  llvm::erase_if(cells, [&](int64_t count) {
    return count * sumParts > kMostPadding * allCells / 2;
  });
  return cells;
}

/// Parts on slices; none if they do not fit into the register file.
std::vector<WeightStreamPlan> WeightStreamPlanner::deal(int64_t sumParts,
                                                        int64_t columns,
                                                        int64_t cells) const {
  WeightStreamPlan plan;
  plan.row = row;
  plan.element = element;
  plan.token = token;
  plan.tokens = extent(token);
  plan.cellSize = cellSize;
  plan.columns = columns;
  plan.sumParts = sumParts;
  plan.rowSlots = machine.slicesPerCluster / sumParts;
  plan.cells = cells;
  std::vector<WeightStreamPlan> plans;
  auto add = [&](int64_t clusters, int64_t rowParts) {
    plan.clusters = clusters;
    plan.rowParts = rowParts;
    int64_t parts = rowParts * clusters;
    plan.rows = llvm::alignTo(llvm::divideCeil(extent(row), parts),
                              machine.outputLanes);
    bool isFull = plan.rows * parts == extent(row);
    // Rows that are only padding are loaded like others.
    bool mayPad =
        padsRows && plan.rows * parts <= kMostPadding * extent(row) / 2;
    plan.ordered = ordered && (isFull || mayPad);
    plan.across = turns;
    plan.gathered = 1;
    // Behind the end of a contiguous row is the next one.
    if ((!isFull && (group.exact || turns)) || !spread(plan))
      return isFull;
    plans.push_back(plan);
    plan.gathered = gatheredSlices(plan);
    if (plan.gathered > 1)
      plans.push_back(plan);
    return isFull;
  };
  // All slices, the last ones with rows behind the end; or as many as the rows
  // can be dealt to.
  if (add(machine.clustersPerChip, plan.rowSlots) ||
      extent(row) % machine.outputLanes != 0)
    return plans;
  int64_t flits = extent(row) / machine.outputLanes;
  int64_t clusters =
      flits % machine.clustersPerChip == 0 ? machine.clustersPerChip : 1;
  flits /= clusters;
  add(clusters, std::min(plan.rowSlots, flits & -flits));
  return plans;
}

/// How many slices put their rows side by side, so that stores are of whole
/// units of HBM; 1 if they are, or no number of slices makes them so.
int64_t
WeightStreamPlanner::gatheredSlices(const WeightStreamPlan &plan) const {
  int64_t unit = machine.hbm.unitBytes * 8;
  int64_t bits = plan.rows * group.result.tensor->bits();
  if (plan.rowParts != plan.rowSlots)
    return 1;
  for (int64_t slices = 1; slices <= plan.rowParts; slices *= 2)
    if (bits * slices % unit == 0)
      return slices;
  return 1;
}

/// What the switch brings of the activations; false if they do not fit into the
/// register file.
bool WeightStreamPlanner::spread(WeightStreamPlan &plan) const {
  int64_t cellBytes = plan.cellSize * streamBits() / 8;
  auto fits = [&](int64_t cells) {
    return cells * cellBytes <= machine.trfBytesPerRow;
  };
  plan.spreadCells = 0;
  if (!fits(plan.cells))
    return false;
  // Slices without rows pass nothing on. What goes around passes all slices of
  // the cluster, whatever part of the sum they have.
  if (plan.rowParts == 1 || plan.rowParts != plan.rowSlots)
    return true;
  // Two flits from each slice, or more: shorter reads of HBM cost as much.
  for (int64_t n = llvm::divideCeil(plan.cells, plan.rowParts);
       fits(n * plan.rowParts) &&
       plan.spreadCells * cellBytes < 2 * machine.flitBytes;
       ++n)
    if (plan.cells % n == 0 && n * cellBytes % machine.flitBytes == 0 &&
        (!turns || n * plan.rowParts == plan.cells))
      plan.spreadCells = n;
  return true;
}

/// The order of the host's data: runs of a whole unit of HBM where they can be.
void WeightStreamPlanner::orderMemory(WeightStreamPlan &plan) const {
  int64_t cellBits = plan.cellSize * weightBits();
  int64_t unit = machine.hbm.unitBytes * 8;
  plan.runCells = plan.columns;
  while (plan.runCells * cellBits < machine.flitBytes * 8 &&
         plan.cells % (2 * plan.runCells) == 0)
    plan.runCells *= 2;
  plan.runRows = 1;
  while (plan.runRows * plan.runCells * cellBits < unit &&
         plan.stepRows % (2 * plan.runRows) == 0)
    plan.runRows *= 2;
  if (!group.scale)
    return;
  // Flits of scales, in runs of whole units where rows make them.
  int64_t bits = group.scale.tensor->bits();
  plan.scaleCells = llvm::alignTo(plan.cells, machine.outputLanes);
  plan.scaleRows = 1;
  while (plan.ordered && plan.scaleRows * plan.scaleCells * bits % unit != 0 &&
         plan.rows % (2 * plan.scaleRows) == 0)
    plan.scaleRows *= 2;
}

/// Cuts what a slice has into loads and passes; false if they do not fit.
bool WeightStreamPlanner::cut(WeightStreamPlan &plan, int64_t steps) const {
  plan.steps = steps;
  plan.stepRows = turns ? plan.rows : plan.rows / steps;
  plan.stepCells = turns ? plan.cells / steps : plan.cells;
  if (plan.stepCells % plan.columns != 0)
    return false;
  orderMemory(plan);
  // Rows of a tensor are padded, parts of them are not.
  int64_t words = machine.dmaAlignBytes * 8;
  int64_t scaleCells = plan.sumParts == 1 ? plan.scaleCells : plan.cells;
  int64_t run = turns ? plan.rows : plan.cells * plan.cellSize;
  if (!plan.ordered &&
      (run * weightBits() % words != 0 ||
       (group.scale && (scaleCells * group.scale.tensor->bits() % words != 0 ||
                        scaleCells != plan.scaleCells))))
    return false;
  plan.passRows = plan.stepRows;
  constexpr int64_t kBytes = 4;
  // The sums of the loads before.
  if (turns && plan.rows * plan.tokens * kBytes > machine.vrfBytesPerSlice)
    return false;
  if (group.scale) {
    int64_t rowBytes = plan.scaleCells * kBytes;
    // Scales of two passes take turns.
    auto fits = [&] {
      return 2 * plan.passRows * rowBytes <= machine.vrfBytesPerSlice;
    };
    for (int64_t parts = 1; !fits(); ++parts) {
      if (parts > plan.stepRows)
        return false;
      if (plan.stepRows % parts == 0)
        plan.passRows = plan.stepRows / parts;
    }
  }
  for (const VectorPass &pass : passes) {
    int64_t vrf = 0;
    for (const PlacedStep &placed : pass.steps)
      for (const Access *operand : placed.step->tensors()) {
        int64_t count = operand->uses(row) ? plan.rows : machine.outputLanes;
        if (token && operand->uses(*token))
          count *= plan.tokens;
        vrf += llvm::alignTo(count * kBytes, machine.flitBytes);
      }
    for (const PlacedStep &placed : pass.steps)
      if (placed.step->head)
        vrf += plan.rows * plan.tokens * kBytes;
    if (vrf > machine.vrfBytesPerSlice)
      return false;
  }
  return dmBytes(plan) <= machine.dmBytesPerSlice / 2;
}

int64_t WeightStreamPlanner::dmBytes(const WeightStreamPlan &plan) const {
  auto with = [&](int64_t bytes) { return dmBytesWithMargin(bytes, machine); };
  constexpr int64_t kBytes = 4;
  int64_t sum = plan.cells * plan.cellSize;
  int64_t load = plan.stepRows * plan.stepCells * plan.cellSize;
  int64_t dm = std::min<int64_t>(2, plan.steps) * with(load * weightBits() / 8);
  if (turns)
    // A load along the sum, and the activations of all loads.
    dm += with(load * weightBits() / 8 + plan.rows * machine.flitBytes) +
          with(plan.tokens * sum * streamBits() / 8);
  if (group.scale)
    dm += with(plan.rows * plan.scaleCells * group.scale.tensor->bits() / 8);
  int64_t cells = plan.spreadCells ? plan.spreadCells : plan.cells;
  dm += with(plan.tokens * cells * plan.cellSize * streamBits() / 8);
  int64_t results = with(plan.rows * plan.tokens * kBytes);
  // The sums, each with a word of its own.
  dm += 2 * results;
  dm += (2 + std::min<int64_t>(3, passes.size())) * results;
  for (const Step &step : group.steps)
    dm += step.tensors().size() * results;
  return dm;
}

int64_t WeightStreamPlanner::estimate(const WeightStreamPlan &plan) const {
  const TcpMachine &m = machine;
  int64_t sum = plan.cells * plan.cellSize;
  int64_t unit = m.hbm.unitBytes;
  auto load = [&](int64_t bytes, int64_t run) {
    int64_t runs = llvm::divideCeil(bytes, run) * plan.clusters *
                   plan.sumParts * plan.rowParts;
    int64_t units = llvm::divideCeil(run, unit) + (run % unit > 0 ? 1 : 0);
    return dmaCycles(m, runs * units, 1, runs * units * unit, runs * run);
  };
  int64_t rowBytes = sum * weightBits() / 8;
  // Rows of a tensor are padded, also short ones.
  const Tensor &tensor = *group.rhs.tensor;
  bool isWhole = tensor.type.getDimSize(*tensor.inner) != plan.cellSize;
  int64_t loaded =
      plan.stepRows * plan.stepCells * plan.cellSize * weightBits() / 8;
  int64_t run = turns          ? plan.rows * weightBits() / 8
                : plan.ordered ? plan.runRows * plan.runCells * plan.cellSize *
                                     weightBits() / 8
                : isWhole      ? rowBytes
                               : plan.cellSize * weightBits() / 8;
  int64_t weights = load(loaded, run);
  int64_t head = 0;
  if (group.scale) {
    int64_t bytes = plan.scaleCells * group.scale.tensor->bits() / 8;
    head +=
        load(plan.rows * bytes, plan.ordered ? plan.scaleRows * bytes : bytes);
  }
  int64_t part = sum * streamBits() / 8 * plan.tokens;
  int64_t activations = plan.spreadCells
                            ? dmaCycles(m, plan.clusters * part / m.flitBytes,
                                        1, part, plan.clusters * part)
                            : load(part, part) * 2;
  // What is fetched makes a flit in each cycle.
  int64_t packetBytes = std::min(m.macWidthBytes, plan.columns * plan.cellSize *
                                                      streamBits() / 8);
  int64_t flits = plan.stepRows * plan.stepCells * plan.cellSize *
                  streamBits() / 8 /
                  std::min(packetBytes, m.flitBytes * m.dualChannelAccesses);
  int64_t sums = group.scale
                     ? plan.stepRows * plan.cells / plan.columns * plan.tokens
                     : plan.stepRows;
  // Scales come between passes, as those take both contexts.
  int64_t scales =
      group.scale
          ? passCycles(m, plan.stepRows * plan.scaleCells / m.outputLanes)
          : 0;
  int64_t work = tensorUnitCycles({flits, sums}) + scales +
                 plan.stepRows / plan.passRows * passCycles(m, m.outputLanes);
  int64_t finish =
      passCycles(m, plan.rows * plan.tokens) +
      passes.size() * passCycles(m, plan.rows * plan.tokens / m.outputLanes);
  if (turns) {
    int64_t turned = plan.stepCells * plan.cellSize * streamBits() / 8;
    work += passCycles(m, loaded * 8 / weightBits() / turns->maxRows) +
            passCycles(m, plan.tokens * turned /
                              llvm::max_element(m.subFetch.accessBytes)[0]) +
            passCycles(m, plan.rows * plan.tokens);
  }
  int64_t bits = group.result.tensor->bits();
  int64_t results = extent(row) * plan.tokens * bits / 8;
  int64_t stored = plan.rows * plan.gathered * bits / 8;
  int64_t runs = llvm::divideCeil(results, stored);
  int64_t store =
      dmaCycles(m, runs * llvm::divideCeil(stored, m.dmaRequestBytes), 2,
                hbmBytesToWrite(m, runs, stored), results);
  if (plan.gathered > 1)
    finish +=
        passCycles(m, ringCycles(plan.gathered * plan.sumParts, plan.tokens,
                                 flitCycles(m, plan.rows * bits / 8)));
  int64_t dma = head + activations, main = 0;
  for (int64_t step = 0; step < plan.steps; ++step) {
    dma += weights;
    main = std::max(main, dma) + work;
  }
  return std::max(dma, main + finish) + store;
}

std::optional<WeightStreamPlan> WeightStreamPlanner::search() const {
  std::optional<WeightStreamPlan> best;
  for (int64_t sumParts = 1; sumParts <= machine.slicesPerCluster;
       sumParts *= 2) {
    std::vector<WeightStreamPlan> list;
    for (int64_t count : columns)
      for (int64_t cells : cellsOf(sumParts, count))
        llvm::append_range(list, deal(sumParts, count, cells));
    for (const WeightStreamPlan &dealt : list) {
      std::optional<WeightStreamCut> least;
      int64_t parts = turns ? dealt.cells : dealt.rows;
      for (int64_t steps = 1; steps <= std::min(kMostSteps, parts); ++steps) {
        if (parts % steps != 0)
          continue;
        WeightStreamPlan plan = dealt;
        ++evaluated;
        if (!cut(plan, steps))
          continue;
        ++feasible;
        if (!least)
          least = plan;
        plan.followed = *least;
        plan.cycles = estimate(plan);
        // Without the host's help runs are short, which costs more than this
        // estimate says.
        auto key = [](const WeightStreamPlan &p) {
          return std::pair(!p.ordered, p.cycles);
        };
        if (!best || key(plan) < key(*best))
          best = plan;
      }
    }
  }
  return best;
}

//===----------------------------------------------------------------------===//
// The plan as loops
//===----------------------------------------------------------------------===//

static std::string describePlan(const WeightStreamPlan &plan, bool scales) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << (plan.across ? "across the sum; " : "") << "slices: " << plan.clusters
     << " clusters x " << plan.sumParts << " of the sum x " << plan.rowParts
     << " of the rows; " << plan.rows << " rows each, in " << plan.steps
     << " loads, passes of " << plan.passRows << "; activations "
     << (plan.spreadCells > 0 ? "by the switch" : "by DMA");
  if (scales)
    os << "; a scale for " << plan.cellSize << ", after the sum";
  return text;
}

void WeightStreamPlanner::apply(WeightStreamPlan plan) {
  // A loop outside another one, `count` times as far.
  auto addOutside = [&](LoopId inner, int64_t step, int64_t count, bool parts) {
    LoopId id = group.loops.size();
    Loop &loop = group.loops.emplace_back();
    loop.extent = loop.tile = count;
    loop.parts = parts ? count : 1;
    loop.local = count / loop.parts;
    loop.reduced = group.loops[inner].reduced;
    auto split = [&](Access &access) {
      for (Index &index : access.dims)
        for (auto [term, coefficient] : llvm::to_vector(index.terms))
          if (term == inner)
            index.terms.push_back({id, coefficient * step});
    };
    for (Access *access : group.reads())
      split(*access);
    split(group.result);
    return id;
  };
  auto setLocal = [&](LoopId id, int64_t size) {
    Loop &loop = group.loops[id];
    loop.extent = loop.tile = loop.local = size;
    loop.parts = 1;
  };
  for (LoopId i = 0; i < group.loops.size(); ++i)
    setLocal(i, group.loops[i].extent);
  setLocal(row, plan.rows);
  plan.slice = addOutside(row, plan.rows, plan.rowParts, true);
  plan.cluster =
      addOutside(row, plan.rows * plan.rowParts, plan.clusters, true);
  if (group.scale) {
    plan.cell = *cell;
    setLocal(*cell, plan.cells);
  } else {
    setLocal(element, plan.cellSize);
    plan.cell = addOutside(element, plan.cellSize, plan.cells, false);
  }
  // The part of the sum steps over the cells of one slice.
  plan.sumPart = group.loops.size();
  Loop &loop = group.loops.emplace_back();
  loop.extent = loop.tile = loop.parts = plan.sumParts;
  loop.reduced = true;
  for (Access *access : group.reads())
    for (Index &index : access->dims)
      for (auto [term, coefficient] : llvm::to_vector(index.terms))
        if (term == plan.cell)
          index.terms.push_back({plan.sumPart, coefficient * plan.cells});
  group.batch.clear();
  group.n = {plan.cluster, plan.slice, row};
  group.k = {plan.sumPart, plan.cell, plan.element};
  group.m.clear();
  if (token)
    group.m.push_back(*token);
  group.hasRows = true;
  group.packet = row;
  group.lanes = machine.outputLanes;
  // What the other search has found stays as the runner-up.
  MappingRecord record = group.record.value_or(MappingRecord());
  if (!record.mapping.empty()) {
    record.runnerUp = record.mapping;
    record.runnerUpCycles = record.cycles;
    record.reason = "its loads do not follow HBM";
  }
  record.kind = "weight streams";
  record.mapping = describePlan(plan, static_cast<bool>(group.scale));
  record.cycles = plan.cycles;
  record.boundBy = "dma";
  record.evaluated += evaluated;
  record.feasible += feasible;
  group.record = std::move(record);
  group.weightStream = std::move(plan);
}

bool linalg_to_tcp::needsWeightStream(const Group &group) {
  return group.scale || (group.rhs && group.rhs.tensor->isE2m1);
}

int64_t linalg_to_tcp::getWeightStreamCycles(const Group &group,
                                             const TcpMachine &machine) {
  Group trial = group;
  WeightStreamPlanner planner(trial, machine);
  if (planner.findMisfit().empty())
    // Without the host's help runs along the sum are short.
    if (auto plan = planner.search(); plan && (plan->ordered || plan->across))
      return plan->cycles;
  return INT64_MAX;
}

bool linalg_to_tcp::streamsAcross(const Group &group,
                                  const TcpMachine &machine) {
  Group trial = group;
  WeightStreamPlanner planner(trial, machine);
  if (!planner.findMisfit().empty())
    return false;
  auto plan = planner.search();
  return plan && plan->across;
}

void linalg_to_tcp::planWeightStream(Group &group, const TcpMachine &machine) {
  WeightStreamPlanner planner(group, machine);
  (void)planner.findMisfit();
  planner.apply(*planner.search());
}

LogicalResult linalg_to_tcp::requireWeightStream(Group &group,
                                                 const TcpMachine &machine) {
  WeightStreamPlanner planner(group, machine);
  std::string misfit = planner.findMisfit();
  std::optional<WeightStreamPlan> plan;
  if (misfit.empty()) {
    plan = planner.search();
    if (!plan)
      misfit = "no part of the sum fits into the register files";
  }
  if (!misfit.empty())
    return group.emitOpError()
           << "multiplies " << Float4E2M1FNType::get(group.loc.getContext())
           << " weights, which machine \"" << machine.name
           << "\" does as they stream past a few rows of activations: "
           << misfit;
  planner.apply(*plan);
  return success();
}

//===----------------------------------------------------------------------===//
// When all groups are planned
//===----------------------------------------------------------------------===//

/// The order in which the host sends weights and scales.
static bool orderMemory(Group &group, const TcpMachine &machine) {
  WeightStreamPlan &plan = *group.weightStream;
  MemoryOrder weights(group.rhs), scales(group.scale);
  auto addSlices = [&](MemoryOrder &order) {
    for (const SliceDigit &digit : getSliceOrder(plan, machine))
      order.add({digit.of == SliceDigit::Of::Cluster   ? plan.cluster
                 : digit.of == SliceDigit::Of::SumPart ? plan.sumPart
                                                       : plan.slice,
                 digit.unit, digit.count});
  };
  weights.add({plan.row, plan.stepRows, plan.steps});
  weights.add({plan.cell, plan.runCells, plan.cells / plan.runCells});
  weights.add({plan.row, plan.runRows, plan.stepRows / plan.runRows});
  addSlices(weights);
  weights.add({plan.row, 1, plan.runRows});
  weights.add({plan.cell, 1, plan.runCells});
  weights.add({plan.element, 1, plan.cellSize});
  if (!weights.fits())
    return false;
  if (group.scale) {
    scales.add({plan.row, plan.scaleRows, plan.rows / plan.scaleRows});
    addSlices(scales);
    scales.add({plan.row, 1, plan.scaleRows});
    scales.add({plan.cell, 1, plan.cells}, plan.scaleCells);
    if (!scales.fits())
      return false;
    scales.apply();
  }
  weights.apply();
  return true;
}

void linalg_to_tcp::cutFollowedWeights(Program &program) {
  for (size_t i = 0; i + 1 < program.groups.size(); ++i) {
    Group &group = *program.groups[i];
    if (!group.weightStream || !program.groups[i + 1]->weightStream)
      continue;
    WeightStreamPlan &plan = *group.weightStream;
    static_cast<WeightStreamCut &>(plan) = plan.followed;
    group.record->mapping = describePlan(plan, static_cast<bool>(group.scale));
  }
}

void linalg_to_tcp::orderWeightMemory(Program &program) {
  for (auto &group : program.groups)
    if (group->weightStream && group->weightStream->ordered &&
        group->rhs.tensor->size == 0)
      group->weightStream->ordered = orderMemory(*group, *program.machine);
}
