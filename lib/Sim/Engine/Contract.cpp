//===- Contract.cpp - Stream adapter, MAC array, accumulator --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/ContractPacket.h"
#include "Engine/ContractPlan.h"
#include "Engine/Engines.h"
#include "Engine/FloatBits.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Allocator.h"

using namespace sequin;
using namespace sequin::sim;
using config::AccumulationKind;

/// Flits collected before they are passed on.
static constexpr int64_t kFlushFlits = 256;
/// Weights that a kernel goes through for all packets of a block before it goes
/// on: half of a first-level cache.
static constexpr int64_t kTileCells = (16 << 10) / sizeof(uint32_t);
/// Activations that are kept for slices that get the same: they stay in a
/// second-level cache or a part of the third.
static constexpr int64_t kKeptCells = (1 << 20) / sizeof(uint32_t);

namespace {

/// Cells at the start of a cache line.
class AlignedCells {
public:
  explicit AlignedCells(int64_t count)
      : cells(static_cast<uint32_t *>(
            llvm::allocate_buffer(count * sizeof(uint32_t), kAlign))),
        bytes(count * sizeof(uint32_t)) {
    std::memset(cells, 0, bytes);
  }
  ~AlignedCells() { llvm::deallocate_buffer(cells, bytes, kAlign); }
  AlignedCells(const AlignedCells &) = delete;
  AlignedCells &operator=(const AlignedCells &) = delete;
  uint32_t *data() { return cells; }

private:
  static constexpr size_t kAlign = 64;
  uint32_t *cells;
  size_t bytes;
};

/// The steps of a contraction whose nests have no common refinement, one by
/// one.
class StepWalk {
public:
  explicit StepWalk(const config::ContractStage &stage) {
    int64_t bits = getBitWidth(stage.type);
    llvm::SmallVector<Loop, 8> loops;
    for (const Loop &entry : stage.trf.entries)
      loops.push_back(
          {entry.size, entry.size == 1 ? 0 : entry.stride * bits / 8});
    trf = Odometer(loops);
    for (const config::AccumulateLoop &loop : stage.loops) {
      if (loop.size == 1)
        continue;
      wheels.push_back({loop.size, loop.slotStride, 0, loop.reduced});
      slots += (loop.size - 1) * loop.slotStride;
    }
  }

  int64_t slotCount() const { return slots; }
  int64_t weightAddress() const { return trf.offset(); }
  int64_t slot() const {
    int64_t slot = 0;
    for (const Wheel &wheel : wheels)
      slot += wheel.count * wheel.stride;
    return slot;
  }
  /// Whether the slot's sum begins, and ends, here.
  bool begins() const {
    return llvm::all_of(wheels, [](const Wheel &wheel) {
      return !wheel.reduced || wheel.count == 0;
    });
  }
  bool ends() const {
    return llvm::all_of(wheels, [](const Wheel &wheel) {
      return !wheel.reduced || wheel.count == wheel.size - 1;
    });
  }
  void advance() {
    trf.advance();
    for (Wheel &wheel : llvm::reverse(wheels)) {
      if (++wheel.count < wheel.size)
        break;
      wheel.count = 0;
    }
  }
  void restart() {
    trf.reset();
    for (Wheel &wheel : wheels)
      wheel.count = 0;
  }

private:
  struct Wheel {
    int64_t size, stride, count;
    bool reduced;
  };
  Odometer trf;
  llvm::SmallVector<Wheel, 6> wheels; ///< outermost first
  int64_t slots = 1;
};

class ContractEngineImpl final : public ContractEngine {
public:
  ContractEngineImpl(const config::ContractStage &stage, int64_t totalSteps,
                     const TcpMachine &machine, const config::FetchStage *fetch,
                     bool repeats);

  void begin(const uint8_t *trf) override;
  void push(llvm::ArrayRef<uint8_t> flits, FlitSink sink) override;
  bool pushAgain(FlitSink sink) override;
  void finish(FlitSink sink) override;
  int64_t shorten(config::FetchStage &fetch) const override;

private:
  void readRow(const uint8_t *trf, int64_t row, int64_t address,
               uint32_t *packet);
  void readRows(const uint8_t *trf);
  void decodeActivations(const uint8_t *source, uint32_t *packets);
  void fill(int64_t packets, FlitSink sink);
  void runBlock(FlitSink sink);
  bool isExact() const {
    return !checksRange || weightRange.hasExactProducts(activationRange);
  }
  ContractCall makeCall(const uint32_t *packets, int64_t first);
  const ContractKernels &widen(ContractCall &call, int64_t packets);
  void runTiles(const ContractBlock &block, const ContractKernels &kernels,
                ContractCall call) const;
  void runSteps(const uint32_t *packet, FlitSink sink);
  void emit(uint32_t *begin, int64_t results, FlitSink sink);
  int64_t keptPackets(int64_t totalSteps, bool repeats) const;

  const config::ContractStage &stage;
  const TcpMachine &machine;
  TrfLayout layout;
  bool isMax;
  int64_t lanes; ///< of a packet
  CellKind kind;
  /// Of a packet, of its weights for all rows, and of a result.
  int64_t cells, weightCells, resultCells;
  ContractPlan plan;
  std::optional<StepWalk> walk; ///< without a nest
  ContractKernels kernels;
  /// Packets that the flits collected at a time make, the elements of those
  /// flits, and the host's bytes that these take.
  int64_t windows, collected, packetBytes;
  AlignedCells weights, accumulator;
  /// Packets of a whole stream that are kept, 0 if none are.
  int64_t kept;
  AlignedCells activations;
  AlignedCells packetLanes; ///< collected lanes in order
  AlignedCells rowPackets;
  /// Packets before those of the block, and of the block.
  int64_t passed = 0, filled = 0;
  /// Of pairs of bf16: what there has been of this slice, and what is needed if
  /// products may be inexact.
  bool checksRange;
  /// For whole packets, or null.
  PairBf16Function pairBf16 = nullptr;
  bool readsWholeRows = false;
  Bf16Range weightRange, activationRange;
  struct Wide {
    ContractKernels kernels;
    AlignedCells weights, activations;
    std::vector<ContractStep> sum;
    bool hasWeights = false;
  };
  std::unique_ptr<Wide> wide;
  std::vector<uint32_t> pending; ///< output flits not passed on yet
};

} // namespace

ContractEngineImpl::ContractEngineImpl(const config::ContractStage &stage,
                                       int64_t totalSteps,
                                       const TcpMachine &machine,
                                       const config::FetchStage *fetch,
                                       bool repeats)
    : stage(stage), machine(machine),
      layout(machine, stage.trfAddress, stage.rows),
      isMax(stage.reduceOp == config::ReduceOp::Max),
      lanes(machine.lanes(stage.type)), kind(cellKind(stage, lanes)),
      cells(lanes * laneBytes(kind) / 4),
      weightCells(cells * (isMax ? 1 : kRows)),
      resultCells(stage.columns * kRows),
      plan(stage, machine, totalSteps, cells, fetch), windows(stage.shifts + 1),
      collected(stage.collectFlits * machine.flitBytes * 8 /
                getBitWidth(stage.type)),
      packetBytes(stage.collectFlits * machine.flitBytes *
                  TrfLayout::hostScale(stage.type)),
      weights(plan.weightCount() * weightCells),
      accumulator(
          (plan.hasNest() ? plan.openResults() : StepWalk(stage).slotCount()) *
          resultCells),
      kept(keptPackets(totalSteps, repeats)),
      activations(std::max({plan.maxPackets(), windows, kept}) * cells),
      packetLanes(windows * std::max<int64_t>(stage.shiftStride, 1) +
                  std::max(lanes, collected)),
      rowPackets(kRows * cells * plan.weightCount()),
      checksRange(kind == CellKind::Bf16Pair &&
                  stage.type == ElementType::BF16) {
  if (!plan.hasNest())
    walk.emplace(stage);
  else if (checksRange && windows == 1 && collected == lanes &&
           cells == kPairBf16Cells)
    pairBf16 = pairBf16Function();
  int64_t last = plan.lowestAddress() + plan.weightBytes();
  readsWholeRows =
      pairBf16 && stage.regReadBytes == machine.macWidthBytes &&
      plan.weightBytes() == plan.weightCount() * stage.regReadBytes &&
      last <= layout.bankBytes();
  if (isMax)
    kernels.tile[0][0] = maxFunction(kind);
  else
    kernels = *contractKernels(kind, cells, cellDepth(kind, stage.depth));
}

int64_t ContractEngineImpl::keptPackets(int64_t totalSteps,
                                        bool repeats) const {
  int64_t packets = totalSteps / stage.timeBroadcast;
  return repeats && plan.hasNest() && packets * cells <= kKeptCells ? packets
                                                                    : 0;
}

/// The fetch without the repetitions that this engine makes itself; by how much
/// it is shorter.
int64_t ContractEngineImpl::shorten(config::FetchStage &fetch) const {
  for (auto [entry, times] : plan.repeatsInFetch())
    fetch.sequencer.entries[entry].size /= times;
  return plan.repetition();
}

/// One read of a row, repeated to fill the packet.
void ContractEngineImpl::readRow(const uint8_t *trf, int64_t row,
                                 int64_t address, uint32_t *packet) {
  int64_t bits = getBitWidth(stage.type), size = laneBytes(kind);
  auto *lane = reinterpret_cast<uint8_t *>(packetLanes.data());
  int64_t inBank = layout.bankBytes() - address % layout.bankBytes();
  int64_t first = std::min(stage.regReadBytes, inBank);
  decodeLanes(stage.type, kind,
              trf + layout.hostOffset(stage.type, row, address),
              first * 8 / bits, lane);
  if (first < stage.regReadBytes)
    decodeLanes(stage.type, kind,
                trf + layout.hostOffset(stage.type, row, address + first),
                (stage.regReadBytes - first) * 8 / bits,
                lane + first * 8 / bits * size);
  int64_t read = stage.regReadBytes * 8 / bits;
  for (int64_t i = read; i < lanes; i += read)
    std::memcpy(lane + i * size, lane, read * size);
  // Where one flit fills half a packet, the multipliers of the other half are
  // idle: their product is zero whatever the weight, also infinity.
  if (!isMax && collected < lanes)
    std::memset(lane + collected * size, 0, (lanes - collected) * size);
  pairCells(kind, lane, cells, packet);
}

void ContractEngineImpl::begin(const uint8_t *trf) {
  passed = filled = 0;
  weightRange = {};
  if (wide)
    wide->hasWeights = false;
  if (walk)
    walk->restart();
  else
    plan.restart();
  // What the flits of the stream do not reach is zero.
  auto clearLanes = llvm::scope_exit(
      [&] { std::memset(packetLanes.data(), 0, lanes * laneBytes(kind)); });
  if (readsWholeRows)
    return readRows(trf);
  for (int64_t address : plan.weightAddresses()) {
    uint32_t *packet = weights.data() + plan.weightIndex(address) * weightCells;
    if (isMax) {
      readRow(trf, 0, address, packet);
      continue;
    }
    // Missing rows stay zero.
    for (int64_t row = 0; row < stage.rows; ++row)
      readRow(trf, row, address, rowPackets.data() + row * cells);
    joinRows(rowPackets.data(), cells, cells, packet);
    if (checksRange)
      weightRange.extend(reinterpret_cast<uint8_t *>(rowPackets.data()),
                         stage.rows * lanes);
  }
}

/// All packets of all rows at once, where they are neighbours.
void ContractEngineImpl::readRows(const uint8_t *trf) {
  int64_t packets = plan.weightCount(), stride = packets * cells;
  for (int64_t row = 0; row < stage.rows; ++row)
    pairBf16(trf + layout.hostOffset(stage.type, row, plan.lowestAddress()),
             packets, rowPackets.data() + row * stride, weightRange.smallest,
             weightRange.largest);
  for (int64_t i = 0; i < packets; ++i)
    joinRows(rowPackets.data() + i * cells, stride, cells,
             weights.data() + i * weightCells);
}

/// The packets that one group of collected flits makes.
void ContractEngineImpl::decodeActivations(const uint8_t *source,
                                           uint32_t *packets) {
  auto *lane = reinterpret_cast<uint8_t *>(packetLanes.data());
  decodeLanes(stage.type, kind, source, collected, lane);
  for (int64_t window = 0; window < windows; ++window)
    pairCells(kind, lane + window * stage.shiftStride * laneBytes(kind), cells,
              packets + window * cells);
}

void ContractEngineImpl::push(llvm::ArrayRef<uint8_t> flits, FlitSink sink) {
  if (passed + filled == 0)
    activationRange = {};
  if (pairBf16) {
    while (!flits.empty()) {
      int64_t packets = std::min<int64_t>(flits.size() / packetBytes,
                                          plan.block().packets - filled);
      pairBf16(flits.data(), packets,
               activations.data() + (passed + filled) * cells,
               activationRange.smallest, activationRange.largest);
      flits = flits.drop_front(packets * packetBytes);
      fill(packets, sink);
    }
    return;
  }
  if (checksRange)
    activationRange.extend(flits.data(), flits.size() / 2);
  for (; !flits.empty(); flits = flits.drop_front(packetBytes)) {
    decodeActivations(flits.data(),
                      activations.data() + (passed + filled) * cells);
    if (walk) {
      runSteps(activations.data(), sink);
      continue;
    }
    fill(windows, sink);
  }
}

bool ContractEngineImpl::pushAgain(FlitSink sink) {
  if (kept == 0)
    return false;
  while (passed < kept)
    fill(plan.block().packets, sink);
  return true;
}

/// Goes on after `packets` more have come.
void ContractEngineImpl::fill(int64_t packets, FlitSink sink) {
  filled += packets;
  if (filled < plan.block().packets)
    return;
  runBlock(sink);
  if (kept > 0)
    passed += filled;
  filled = 0;
}

/// What all calls have in common; `first` is the place of the weights.
ContractCall ContractEngineImpl::makeCall(const uint32_t *packets,
                                          int64_t first) {
  ContractCall call = {};
  call.activations = packets;
  call.weights = weights.data() + first;
  call.cells = cells;
  call.depth = cellDepth(kind, stage.depth);
  call.columns = stage.columns;
  return call;
}

/// Goes over to floats in `call` and everything it points to.
const ContractKernels &ContractEngineImpl::widen(ContractCall &call,
                                                 int64_t packets) {
  if (!wide)
    wide.reset(
        new Wide{*contractKernels(CellKind::Float, 2 * cells, stage.depth),
                 AlignedCells(2 * plan.weightCount() * weightCells),
                 AlignedCells(2 * std::max(plan.maxPackets(), windows) * cells),
                 {}});
  if (!wide->hasWeights)
    widenBf16(weights.data(), plan.weightCount(), cells, kRows,
              wide->weights.data());
  wide->hasWeights = true;
  widenBf16(call.activations, packets, cells, 1, wide->activations.data());
  call.activations = wide->activations.data();
  call.weights = wide->weights.data() + 2 * (call.weights - weights.data());
  call.cells *= 2;
  call.depth = stage.depth;
  return wide->kernels;
}

void ContractEngineImpl::runBlock(FlitSink sink) {
  const ContractBlock &block = plan.block();
  ContractCall call = makeCall(activations.data() + passed * cells,
                               plan.weightOffset(stage.trf.baseAddress));
  call.store = plan.begins();
  uint32_t *results = accumulator.data() + plan.firstResult() * resultCells;
  call.accumulator = results;
  if (isExact()) {
    runTiles(block, kernels, call);
  } else {
    ContractBlock twice = block;
    for (ResultLoop &loop : twice.results) {
      loop.activation *= 2;
      loop.weight *= 2;
    }
    for (ContractStep &step : twice.sum) {
      step.activation *= 2;
      step.weight *= 2;
    }
    const ContractKernels &floats = widen(call, block.packets);
    runTiles(twice, floats, call);
  }
  if (plan.ends())
    emit(results, block.resultCount, sink);
  plan.advance();
}

/// The largest of the tiles, by log2, that `left` has room for.
static int fit(int most, int64_t left) {
  while (int64_t(1) << most > left)
    --most;
  return most;
}

/// All results of a block, in any order.
void ContractEngineImpl::runTiles(const ContractBlock &block,
                                  const ContractKernels &kernels,
                                  ContractCall call) const {
  // The sides of the tile: a loop over packets past the same weights, and one
  // over weights past the same packets.
  const ResultLoop *m = nullptr, *n = nullptr;
  for (const ResultLoop &loop : block.results) {
    if (loop.weight == 0 && loop.activation != 0 && (!m || loop.size > m->size))
      m = &loop;
    if (loop.activation == 0 && loop.weight != 0 && (!n || loop.size > n->size))
      n = &loop;
  }
  llvm::SmallVector<Loop, 8> activation, weight, result;
  for (const ResultLoop &loop : block.results) {
    if (&loop == m || &loop == n)
      continue;
    activation.push_back({loop.size, loop.activation});
    weight.push_back({loop.size, loop.weight});
    result.push_back({loop.size, loop.result});
  }
  constexpr ResultLoop once;
  ResultLoop rows = m ? *m : once, columns = n ? *n : once;
  call.activationStride = rows.activation;
  call.accumulatorStrideM = rows.result;
  call.weightStride = columns.weight;
  call.accumulatorStrideN = columns.result;
  // One packet past many weights needs the fewest broadcasts.
  bool isSquare = rows.size > 1 && columns.size > 1 &&
                  columns.size < int64_t(1) << kernels.wide;
  int mostM = isSquare ? kernels.square : columns.size == 1 ? kernels.tall : 0;
  int mostN = isSquare ? kernels.square : kernels.wide;

  Odometer activationWalk(activation), weightWalk(weight), resultWalk(result);
  int64_t stepCount = block.sum.size();
  for (int64_t i = 0, end = *tripCount(activation); i < end; ++i) {
    const uint32_t *packets = call.activations + activationWalk.offset();
    const uint32_t *rowWeights = call.weights + weightWalk.offset();
    uint32_t *results = call.accumulator + resultWalk.offset();
    for (int64_t column = 0; column < columns.size;) {
      int tileN = fit(mostN, columns.size - column);
      int64_t most = stepCount;
      if (rows.size > int64_t(1) << mostM)
        most = std::max<int64_t>(1, kTileCells / (call.cells * kRows << tileN));
      for (int64_t step = 0; step < stepCount; step += most) {
        for (int64_t row = 0; row < rows.size;) {
          int tileM = fit(mostM, rows.size - row);
          ContractCall tile = call;
          tile.activations = packets + row * rows.activation;
          tile.weights = rowWeights + column * columns.weight;
          tile.accumulator =
              results + row * rows.result + column * columns.result;
          tile.steps = block.sum.data() + step;
          tile.count = std::min(most, stepCount - step);
          tile.store = call.store && step == 0;
          kernels.tile[tileM][tileN](tile);
          row += int64_t(1) << tileM;
        }
      }
      column += int64_t(1) << tileN;
    }
    activationWalk.advance();
    weightWalk.advance();
    resultWalk.advance();
  }
}

/// The packets of one group of flits without a nest.
void ContractEngineImpl::runSteps(const uint32_t *packet, FlitSink sink) {
  ContractStep step;
  for (int64_t window = 0; window < windows; ++window)
    for (int64_t i = 0; i < stage.timeBroadcast; ++i) {
      int64_t address = stage.trf.baseAddress + walk->weightAddress();
      ContractCall call = makeCall(packet + window * cells,
                                   plan.weightIndex(address) * weightCells);
      call.steps = &step;
      call.count = 1;
      call.store = walk->begins();
      call.accumulator = accumulator.data() + walk->slot() * resultCells;
      const ContractKernels &used = isExact() ? kernels : widen(call, 1);
      used.tile[0][0](call);
      if (walk->ends())
        emit(call.accumulator, 1, sink);
      walk->advance();
    }
}

/// One quiet NaN, whichever the host's processor made. Most results have none,
/// so that they are only read.
static void settleNans(uint32_t *words, int64_t count) {
  constexpr int64_t kPiece = 256;
  for (; count > 0; words += kPiece, count -= kPiece) {
    int64_t piece = std::min(kPiece, count);
    uint32_t found = 0;
    for (int64_t i = 0; i < piece; ++i)
      found |= isNan(words[i]);
    if (!found)
      continue;
    for (int64_t i = 0; i < piece; ++i)
      words[i] = isNan(words[i]) ? 0x7fc00000u : words[i];
  }
}

/// Finished results as they leave the accumulator, as flits.
void ContractEngineImpl::emit(uint32_t *begin, int64_t results, FlitSink sink) {
  if (isFloat(stage.type))
    settleNans(begin, results * resultCells);
  int64_t columns = stage.columns, rows = stage.rows;
  bool interleaved = stage.kind == AccumulationKind::Interleaved;
  // The accumulator itself where it looks like flits: later sums do not read
  // it.
  int64_t most = kFlushFlits * machine.outputLanes;
  if (interleaved && rows == kRows && results * resultCells >= most / 2) {
    finish(sink);
    return sink({reinterpret_cast<uint8_t *>(begin),
                 results * resultCells * sizeof(uint32_t)});
  }
  int64_t padded = llvm::alignTo(columns, machine.outputLanes);
  int64_t words = interleaved ? resultCells : rows * padded;
  size_t old = pending.size();
  pending.resize(old + results * words, 0);
  uint32_t *out = pending.data() + old;
  for (const uint32_t *result = begin; result < begin + results * resultCells;
       result += resultCells) {
    if (interleaved)
      for (int64_t column = 0; column < columns; ++column)
        for (int64_t row = 0; row < rows; ++row)
          out[column * kRows + row] = result[column * kRows + row];
    else
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column)
          out[row * padded + column] = result[column * kRows + row];
    out += words;
  }
  if (static_cast<int64_t>(pending.size()) >= most)
    finish(sink);
}

void ContractEngineImpl::finish(FlitSink sink) {
  if (pending.empty())
    return;
  sink({reinterpret_cast<uint8_t *>(pending.data()),
        pending.size() * sizeof(uint32_t)});
  pending.clear();
}

std::unique_ptr<ContractEngine>
ContractEngine::create(const config::ContractStage &stage,
                       const CommandPlan &plan, const TcpMachine &machine,
                       const config::FetchStage *fetch, bool repeats) {
  return std::make_unique<ContractEngineImpl>(stage, plan.computationSteps,
                                              machine, fetch, repeats);
}
