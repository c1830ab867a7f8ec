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
        steps(stage, machine, plan.computationSteps),
        lanes(machine.lanes(stage.type)),
        kernel(contractKernel<E>(lanes, stage.depth)),
        packetBytes(stage.collectFlits * machine.flitBytes),
        weights(steps.weightAddresses().size() * lanes * kRows),
        accumulator(steps.slotCount() * stage.columns * kRows),
        activations(kBlockSteps * lanes),
        emitted(kBlockSteps * stage.columns * kRows), rowWeights(kRows * lanes),
        packetLanes(lanes) {}

  void begin(const uint8_t *trf) override;
  void push(llvm::ArrayRef<uint8_t> flits, FlitSink sink) override;
  void finish(FlitSink sink) override;

private:
  void decodeActivations(const uint8_t *source, E *packet);
  void emit(const E *begin, const E *end);

  const config::ContractStage &stage;
  const TcpMachine &machine;
  ContractPlan steps;
  int64_t lanes;
  ContractKernel<E> kernel;
  int64_t packetBytes;
  std::vector<E> weights, accumulator, activations, emitted;
  std::vector<E> rowWeights, packetLanes; ///< in the order of lanes
  std::vector<uint32_t> pending;          ///< output flits not passed on yet
};

} // namespace

template <class E> void ContractEngineOf<E>::begin(const uint8_t *trf) {
  steps.restart();
  int64_t read = stage.regReadBytes * 8 / getBitWidth(stage.type);
  int64_t half = lanes / 2;
  E *packet = weights.data();
  for (int64_t address : steps.weightAddresses()) {
    // Rows of one packet, one after the other; missing rows stay zero.
    for (int64_t row = 0; row < stage.rows; ++row) {
      E *lane = rowWeights.data() + row * lanes;
      decode(stage.type, trf + row * machine.trfBytesPerRow + address, read,
             lane);
      for (int64_t i = read; i < lanes; ++i)
        lane[i] = lane[i - read];
    }
    for (int64_t lane = 0; lane < half; ++lane)
      for (int64_t row = 0; row < kRows; ++row) {
        const E *source = rowWeights.data() + row * lanes + lane;
        *packet++ = source[0];
        *packet++ = source[half];
      }
  }
}

template <class E>
void ContractEngineOf<E>::decodeActivations(const uint8_t *source, E *packet) {
  // The upper part stays zero if a packet does not fill it.
  decode(stage.type, source, packetBytes * 8 / getBitWidth(stage.type),
         packetLanes.data());
  int64_t half = lanes / 2;
  for (int64_t lane = 0; lane < half; ++lane) {
    packet[2 * lane] = packetLanes[lane];
    packet[2 * lane + 1] = packetLanes[lane + half];
  }
}

template <class E>
void ContractEngineOf<E>::push(llvm::ArrayRef<uint8_t> flits, FlitSink sink) {
  int64_t packets = flits.size() / packetBytes;
  int64_t broadcast = stage.timeBroadcast;
  for (int64_t first = 0; first < packets;) {
    // A block is some packets with all their repetitions, or a part of the
    // repetitions of one packet.
    int64_t block = std::min(packets - first,
                             std::max<int64_t>(1, kBlockSteps / broadcast));
    for (int64_t i = 0; i < block; ++i)
      decodeActivations(flits.data() + (first + i) * packetBytes,
                        activations.data() + i * lanes);
    int64_t total = block * broadcast;
    for (int64_t done = 0; done < total;) {
      llvm::ArrayRef<ContractStep> next =
          steps.next(std::min(total - done, kBlockSteps));
      const E *end =
          kernel({activations.data() + done / broadcast * lanes, broadcast,
                  done % broadcast, weights.data(), next.data(),
                  static_cast<int64_t>(next.size()), stage.columns,
                  accumulator.data(), emitted.data()});
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
