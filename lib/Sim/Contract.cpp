//===- Contract.cpp - Stream adapter, MAC array, accumulator --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractPlan.h"
#include "Engines.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/bit.h"

using namespace sequin;
using namespace sequin::sim;
using config::AccumulationKind;

/// Steps per call of the kernel: activations and results stay in the cache.
static constexpr int64_t kBlockSteps = 256;
/// Flits collected before they are passed on.
static constexpr int64_t kFlushFlits = 256;

/// The values of packed elements.
static void decode(ElementType type, const uint8_t *source, int64_t count,
                   float *out) {
  if (type == ElementType::BF16) {
    for (int64_t i = 0; i < count; ++i) {
      uint16_t bits;
      std::memcpy(&bits, source + 2 * i, sizeof(bits));
      out[i] = bf16ToFloat(bits);
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    out[i] = decodeFloat(type, loadElement(type, source, i));
}

static void decode(ElementType type, const uint8_t *source, int64_t count,
                   uint32_t *out) {
  if (type == ElementType::I8) {
    for (int64_t i = 0; i < count; ++i)
      out[i] = static_cast<uint32_t>(static_cast<int8_t>(source[i]));
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    out[i] =
        static_cast<uint32_t>(decodeInt(type, loadElement(type, source, i)));
}

static uint32_t toBits(uint32_t value) { return value; }
/// One quiet NaN, whichever the host's processor made.
static uint32_t toBits(float value) {
  return value != value ? 0x7fc00000u : llvm::bit_cast<uint32_t>(value);
}

namespace {

template <class E> class ContractEngineOf : public ContractEngine {
public:
  ContractEngineOf(const config::ContractStage &stage, const CommandPlan &plan,
                   const TcpMachine &machine)
      : stage(stage), machine(machine),
        layout(machine, stage.trfAddress, stage.rows),
        steps(stage, machine, plan.computationSteps),
        lanes(machine.lanes(stage.type)),
        isMax(stage.reduceOp == config::ReduceOp::Max),
        kernel(isMax ? maxKernel<E>() : contractKernel<E>(lanes, stage.depth)),
        windows(stage.shifts + 1),
        collected(stage.collectFlits * machine.flitBytes * 8 /
                  getBitWidth(stage.type)),
        packetBytes(stage.collectFlits * machine.flitBytes *
                    TrfLayout::hostScale(stage.type)),
        weights(steps.weightAddresses().size() * lanes * (isMax ? 1 : kRows)),
        accumulator(steps.slotCount() * stage.columns * kRows),
        activations(std::max(kBlockSteps, windows) * lanes),
        emitted(kBlockSteps * stage.columns * kRows), rowWeights(kRows * lanes),
        packetLanes(windows * std::max<int64_t>(stage.shiftStride, 1) +
                    std::max(lanes, collected)) {}

  void begin(const uint8_t *trf) override;
  void push(llvm::ArrayRef<uint8_t> flits, FlitSink sink) override;
  void finish(FlitSink sink) override;

private:
  void readRow(const uint8_t *trf, int64_t row, int64_t address, E *lane);
  void decodeActivations(const uint8_t *source, E *packets);
  void arrange(const E *lane, E *packet);
  void emit(const E *begin, const E *end);

  const config::ContractStage &stage;
  const TcpMachine &machine;
  TrfLayout layout;
  ContractPlan steps;
  int64_t lanes;
  bool isMax;
  ContractKernel<E> kernel;
  /// Packets that the flits collected at a time make, the elements of those
  /// flits, and the host's bytes that these take.
  int64_t windows, collected, packetBytes;
  std::vector<E> weights, accumulator, activations, emitted;
  std::vector<E> rowWeights, packetLanes; ///< in the order of lanes
  std::vector<uint32_t> pending;          ///< output flits not passed on yet
};

} // namespace

/// One read of a row, repeated to fill the packet.
template <class E>
void ContractEngineOf<E>::readRow(const uint8_t *trf, int64_t row,
                                  int64_t address, E *lane) {
  int64_t bits = getBitWidth(stage.type);
  int64_t inBank = layout.bankBytes() - address % layout.bankBytes();
  int64_t first = std::min(stage.regReadBytes, inBank);
  decode(stage.type, trf + layout.hostOffset(stage.type, row, address),
         first * 8 / bits, lane);
  if (first < stage.regReadBytes)
    decode(stage.type,
           trf + layout.hostOffset(stage.type, row, address + first),
           (stage.regReadBytes - first) * 8 / bits, lane + first * 8 / bits);
  int64_t read = stage.regReadBytes * 8 / bits;
  for (int64_t i = read; i < lanes; ++i)
    lane[i] = lane[i - read];
  // Where one flit fills half a packet, the multipliers of the other half are
  // idle: their product is zero whatever the weight, also infinity.
  if (!isMax)
    for (int64_t i = collected; i < lanes; ++i)
      lane[i] = 0;
}

template <class E> void ContractEngineOf<E>::begin(const uint8_t *trf) {
  steps.restart();
  int64_t half = lanes / 2;
  E *packet = weights.data();
  for (int64_t address : steps.weightAddresses()) {
    if (isMax) {
      readRow(trf, 0, address, packet);
      packet += lanes;
      continue;
    }
    // Rows of one packet, one after the other; missing rows stay zero.
    for (int64_t row = 0; row < stage.rows; ++row)
      readRow(trf, row, address, rowWeights.data() + row * lanes);
    for (int64_t lane = 0; lane < half; ++lane)
      for (int64_t row = 0; row < kRows; ++row) {
        const E *source = rowWeights.data() + row * lanes + lane;
        *packet++ = source[0];
        *packet++ = source[half];
      }
  }
}

/// The lanes of a packet in the kernel's order.
template <class E> void ContractEngineOf<E>::arrange(const E *lane, E *packet) {
  int64_t half = lanes / 2;
  if (isMax) {
    std::copy_n(lane, lanes, packet);
    return;
  }
  for (int64_t i = 0; i < half; ++i) {
    packet[2 * i] = lane[i];
    packet[2 * i + 1] = lane[i + half];
  }
}

/// The packets that one group of collected flits makes.
template <class E>
void ContractEngineOf<E>::decodeActivations(const uint8_t *source, E *packets) {
  // What the flits do not reach stays zero.
  decode(stage.type, source, collected, packetLanes.data());
  for (int64_t window = 0; window < windows; ++window)
    arrange(packetLanes.data() + window * stage.shiftStride,
            packets + window * lanes);
}

template <class E>
void ContractEngineOf<E>::push(llvm::ArrayRef<uint8_t> flits, FlitSink sink) {
  int64_t groups = flits.size() / packetBytes;
  int64_t broadcast = stage.timeBroadcast;
  for (int64_t first = 0; first < groups;) {
    // A block is some groups with all their packets and repetitions, or a part
    // of those of one group.
    int64_t block =
        std::min(groups - first,
                 std::max<int64_t>(1, kBlockSteps / windows / broadcast));
    for (int64_t i = 0; i < block; ++i)
      decodeActivations(flits.data() + (first + i) * packetBytes,
                        activations.data() + i * windows * lanes);
    int64_t total = block * windows * broadcast;
    for (int64_t done = 0; done < total;) {
      llvm::ArrayRef<ContractStep> next =
          steps.next(std::min(total - done, kBlockSteps));
      const E *end =
          kernel({activations.data() + done / broadcast * lanes, broadcast,
                  done % broadcast, weights.data(), next.data(),
                  static_cast<int64_t>(next.size()), stage.columns, lanes,
                  stage.depth, accumulator.data(), emitted.data()});
      done += next.size();
      emit(emitted.data(), end);
      if (static_cast<int64_t>(pending.size()) >=
          kFlushFlits * machine.outputLanes)
        finish(sink);
    }
    first += block;
  }
}

/// Slots as they leave the accumulator, as flits.
template <class E>
void ContractEngineOf<E>::emit(const E *begin, const E *end) {
  int64_t columns = stage.columns, rows = stage.rows;
  bool interleaved = stage.kind == AccumulationKind::Interleaved;
  int64_t padded = llvm::alignTo(columns, machine.outputLanes);
  int64_t slotWords = interleaved ? columns * kRows : rows * padded;
  int64_t slots = (end - begin) / (columns * kRows);
  size_t old = pending.size();
  pending.resize(old + slots * slotWords, 0);
  uint32_t *out = pending.data() + old;
  for (const E *slot = begin; slot < end; slot += columns * kRows) {
    if (interleaved)
      for (int64_t column = 0; column < columns; ++column)
        for (int64_t row = 0; row < rows; ++row)
          out[column * kRows + row] = toBits(slot[column * kRows + row]);
    else
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column)
          out[row * padded + column] = toBits(slot[column * kRows + row]);
    out += slotWords;
  }
}

template <class E> void ContractEngineOf<E>::finish(FlitSink sink) {
  if (pending.empty())
    return;
  sink({reinterpret_cast<uint8_t *>(pending.data()),
        pending.size() * sizeof(uint32_t)});
  pending.clear();
}

std::unique_ptr<ContractEngine>
ContractEngine::create(const config::ContractStage &stage,
                       const CommandPlan &plan, const TcpMachine &machine) {
  if (isFloat(stage.type))
    return std::make_unique<ContractEngineOf<float>>(stage, plan, machine);
  return std::make_unique<ContractEngineOf<uint32_t>>(stage, plan, machine);
}
