//===- ContractPlan.cpp - The loops of a contraction ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/ContractPlan.h"
#include <numeric>

using namespace sequin;
using namespace sequin::sim;

/// Cells of activations and of results that a block may have: both stay in a
/// second-level cache, beside the weights.
static constexpr int64_t kBlockCells = 1 << 14;

namespace {
/// A nest from the inside out, loop by loop and in parts of loops.
template <class NestLoop> class Peeler {
public:
  explicit Peeler(llvm::ArrayRef<NestLoop> loops) : loops(loops) { settle(); }
  bool done() const { return loops.empty(); }
  /// The iterations of the current loop that are left.
  int64_t size() const { return loops.back().size / peeled; }
  /// What one iteration of the rest of the current loop is in iterations of the
  /// whole.
  int64_t scale() const { return peeled; }
  const NestLoop &loop() const { return loops.back(); }
  size_t index() const { return loops.size() - 1; }
  /// `count` divides size().
  void peel(int64_t count) {
    peeled *= count;
    settle();
  }

private:
  void settle() {
    while (!loops.empty() && loops.back().size == peeled) {
      loops = loops.drop_back();
      peeled = 1;
    }
  }
  llvm::ArrayRef<NestLoop> loops;
  int64_t peeled = 1;
};
} // namespace

ContractPlan::ContractPlan(const config::ContractStage &stage,
                           const TcpMachine &machine, int64_t steps,
                           int64_t cells, const config::FetchStage *fetch)
    : cells(cells), columns(stage.columns),
      weightCells(cells *
                  (stage.reduceOp == config::ReduceOp::Max ? 1 : kRows)) {
  int64_t collected =
      stage.collectFlits * machine.flitBytes * 8 / getBitWidth(stage.type);
  makeStream(stage, steps, collected, fetch);
  numberWeights(stage);
  isRegular = makeNest(stage);
  if (!isRegular && fetch) {
    makeStream(stage, steps, collected, nullptr);
    isRegular = makeNest(stage);
  }
  if (isRegular)
    chooseBlocks();
}

/// The packets of the stream as a nest: fetched, shifted, repeated.
void ContractPlan::makeStream(const config::ContractStage &stage, int64_t steps,
                              int64_t collected,
                              const config::FetchStage *fetch) {
  int64_t windows = stage.shifts + 1;
  int64_t groups = steps / windows / stage.timeBroadcast;
  stream.clear();
  if (fetch && windows == 1) {
    Peeler<Loop> peeler(fetch->sequencer.entries);
    int64_t left = collected;
    while (left > 1 && !peeler.done()) {
      int64_t part = std::gcd(left, peeler.size());
      if (part != left && part != peeler.size())
        break;
      peeler.peel(part);
      left /= part;
    }
    // Only whole packets of the fetch engine can be left out.
    size_t outside =
        fetch->sequencer.entries.size() - fetch->sequencer.packetEntries;
    for (; left == 1 && !peeler.done(); peeler.peel(peeler.size()))
      stream.insert(stream.begin(), StreamLoop{peeler.size(),
                                               peeler.loop().stride == 0 &&
                                                   peeler.index() < outside,
                                               true, peeler.index()});
  }
  if (stream.empty())
    stream.push_back({groups, false, true, std::nullopt});
  stream.push_back({windows, false, false, std::nullopt});
  stream.push_back({stage.timeBroadcast, true, false, std::nullopt});
}

void ContractPlan::numberWeights(const config::ContractStage &stage) {
  int64_t bits = getBitWidth(stage.type);
  int64_t low = stage.trf.baseAddress, high = low;
  llvm::SmallVector<Loop, 8> moving;
  addressUnit = 0;
  for (const Loop &entry : stage.trf.entries) {
    int64_t stride = entry.size == 1 ? 0 : entry.stride * bits / 8;
    if (stride == 0)
      continue;
    moving.push_back({entry.size, stride});
    addressUnit = std::gcd(addressUnit, stride);
    (stride < 0 ? low : high) += (entry.size - 1) * stride;
  }
  addressUnit = std::max<int64_t>(addressUnit, 1);
  firstAddress = low;
  weightPackets = (high - low) / addressUnit + 1;
  std::vector<bool> seen(weightPackets, false);
  Odometer walk(moving);
  for (int64_t i = 0, end = *tripCount(moving); i < end; ++i, walk.advance()) {
    int64_t address = stage.trf.baseAddress + walk.offset();
    if (seen[weightIndex(address)])
      continue;
    seen[weightIndex(address)] = true;
    addresses.push_back(address);
  }
}

/// The common refinement of the three nests; whether there is one.
bool ContractPlan::makeNest(const config::ContractStage &stage) {
  int64_t bits = getBitWidth(stage.type);
  nest.clear();
  Peeler<StreamLoop> packets(stream);
  Peeler<Loop> trf(stage.trf.entries);
  Peeler<config::AccumulateLoop> sums(stage.loops);
  while (!packets.done() && !trf.done() && !sums.done()) {
    int64_t size = std::min({packets.size(), trf.size(), sums.size()});
    if (packets.size() % size || trf.size() % size || sums.size() % size)
      return false;
    NestLoop loop{size};
    loop.weight = trf.loop().stride * trf.scale() * bits / 8;
    loop.reduced = sums.loop().reduced;
    loop.repeats = packets.loop().repeats;
    loop.canCut = packets.loop().canCut;
    loop.fetchEntry = packets.loop().fetchEntry;
    nest.insert(nest.begin(), loop);
    packets.peel(size);
    trf.peel(size);
    sums.peel(size);
  }
  if (nest.empty())
    nest.push_back({1});
  return packets.done() && trf.done() && sums.done();
}

void ContractPlan::chooseBlocks() {
  level = nest.size();
  step = 1;
  for (int64_t packets = 1, results = 1; level > 0;) {
    NestLoop &loop = nest[--level];
    step = loop.size;
    if (loop.canCut) {
      int64_t mostResults =
          std::max<int64_t>(1, kBlockCells / (results * columns * kRows));
      int64_t mostPackets =
          std::max<int64_t>(1, kBlockCells / (packets * cells));
      if (!loop.reduced)
        step = std::min(step, mostResults);
      // A loop that is cut brings its packets again.
      if (step < loop.size)
        loop.repeats = false;
      if (!loop.repeats)
        step = std::min(step, mostPackets);
      if (step < loop.size)
        break;
    }
    if (loop.repeats && loop.fetchEntry) {
      fetchRepeats.push_back({*loop.fetchEntry, loop.size});
      repeated *= loop.size;
    }
    packets *= loop.repeats ? 1 : loop.size;
    results *= loop.reduced ? 1 : loop.size;
  }
  for (size_t outer = 0; outer < level; ++outer)
    nest[outer].repeats = false;

  whole = makeBlock(step);
  if (nest[level].size % step)
    rest = makeBlock(nest[level].size % step);

  // Sums that several blocks add to are open until the outermost reduced loop
  // ends.
  counts.assign(level + 1, 0);
  openStrides.assign(level + 1, 0);
  openCount = whole.resultCount;
  size_t outermost = 0;
  while (outermost < nest.size() && !nest[outermost].reduced)
    ++outermost;
  int64_t results =
      nest[level].reduced ? whole.resultCount : whole.resultCount / step;
  for (size_t i = level + 1; i-- > outermost + 1;) {
    if (nest[i].reduced)
      continue;
    openStrides[i] = results;
    results *= nest[i].size;
    openCount = results;
  }
}

ContractBlock ContractPlan::makeBlock(int64_t count) const {
  ContractBlock block;
  llvm::SmallVector<Loop, 8> activations, weights;
  int64_t packet = cells, result = columns * kRows;
  for (size_t i = nest.size(); i-- > level;) {
    const NestLoop &loop = nest[i];
    int64_t size = i == level ? count : loop.size;
    int64_t activation = loop.repeats ? 0 : packet;
    int64_t weight = loop.weight / addressUnit * weightCells;
    if (loop.reduced) {
      activations.insert(activations.begin(), {size, activation});
      weights.insert(weights.begin(), {size, weight});
    } else {
      block.results.insert(block.results.begin(),
                           {size, activation, weight, result});
      result *= size;
    }
    packet *= loop.repeats ? 1 : size;
  }
  block.packets = packet / cells;
  block.resultCount = result / (columns * kRows);
  Odometer activation(activations), weight(weights);
  for (int64_t i = 0, end = *tripCount(activations); i < end; ++i) {
    block.sum.push_back({static_cast<int32_t>(activation.offset()),
                         static_cast<int32_t>(weight.offset())});
    activation.advance();
    weight.advance();
  }
  return block;
}

void ContractPlan::restart() {
  llvm::fill(counts, 0);
  isRest = false;
}

int64_t ContractPlan::weightOffset(int64_t baseAddress) const {
  int64_t address = baseAddress;
  for (auto [count, loop] : llvm::zip(counts, nest))
    address += count * loop.weight;
  return weightIndex(address) * weightCells;
}

int64_t ContractPlan::firstResult() const {
  int64_t result = 0;
  for (auto [count, stride] : llvm::zip_equal(counts, openStrides))
    result += count * stride;
  return result;
}

bool ContractPlan::begins() const {
  for (auto [count, loop] : llvm::zip(counts, nest))
    if (loop.reduced && count != 0)
      return false;
  return true;
}

bool ContractPlan::ends() const {
  for (size_t i = 0; i <= level; ++i)
    if (nest[i].reduced && counts[i] + (i == level ? step : 1) < nest[i].size)
      return false;
  return true;
}

void ContractPlan::advance() {
  counts[level] += step;
  for (size_t i = level; counts[i] >= nest[i].size;) {
    counts[i] = 0;
    if (i == 0)
      break;
    ++counts[--i];
  }
  isRest = counts[level] + step > nest[level].size;
}
