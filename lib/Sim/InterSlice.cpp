//===- InterSlice.cpp - The inter-slice block -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engines.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/bit.h"
#include <type_traits>

using namespace sequin;
using namespace sequin::sim;
using config::InterSliceOpcode;

InterSliceEngine::InterSliceEngine(const config::InterSliceStage &stage,
                                   const TcpMachine &machine)
    : stage(stage), flitBytes(machine.flitBytes), table(stage.routing),
      taken(packetsTaken(stage.routing)), streams(stage.routing.ringSize) {}

void InterSliceEngine::clear() {
  reduced.reset();
  for (std::vector<uint8_t> &stream : streams)
    stream.clear();
}

// One function per operation; the first operand is what has been folded so far.
static uint32_t evalAddI(uint32_t a, uint32_t b) { return a + b; }
static uint32_t evalAddSatI(uint32_t a, uint32_t b) {
  return addSat(static_cast<int32_t>(a), static_cast<int32_t>(b));
}
static uint32_t evalMaxI(uint32_t a, uint32_t b) {
  return std::max(static_cast<int32_t>(a), static_cast<int32_t>(b));
}
static uint32_t evalMinI(uint32_t a, uint32_t b) {
  return std::min(static_cast<int32_t>(a), static_cast<int32_t>(b));
}

/// The one quiet NaN, whichever the host's processor made.
static uint32_t toBits(float value) {
  return value != value ? 0x7fc00000u : llvm::bit_cast<uint32_t>(value);
}
static float toFloat(uint32_t bits) { return llvm::bit_cast<float>(bits); }
static uint32_t evalAddF(uint32_t a, uint32_t b) {
  return toBits(toFloat(a) + toFloat(b));
}
static uint32_t evalMulF(uint32_t a, uint32_t b) {
  return toBits(toFloat(a) * toFloat(b));
}
static uint32_t evalMaxF(uint32_t a, uint32_t b) {
  return toBits(maxNum(toFloat(a), toFloat(b)));
}
static uint32_t evalMinF(uint32_t a, uint32_t b) {
  return toBits(minNum(toFloat(a), toFloat(b)));
}

using FoldFunction = void (*)(uint32_t *folded, const uint32_t *next,
                              int64_t count);

template <uint32_t (*Eval)(uint32_t, uint32_t)>
static void fold(uint32_t *folded, const uint32_t *next, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    folded[i] = Eval(folded[i], next[i]);
}

static FoldFunction foldFunction(InterSliceOpcode opcode, ElementType type) {
  bool isFloat = type == ElementType::F32;
  switch (opcode) {
  case InterSliceOpcode::Add:
    return isFloat ? fold<evalAddF> : fold<evalAddI>;
  case InterSliceOpcode::AddSat:
    return fold<evalAddSatI>;
  case InterSliceOpcode::Max:
    return isFloat ? fold<evalMaxF> : fold<evalMaxI>;
  case InterSliceOpcode::Min:
    return isFloat ? fold<evalMinF> : fold<evalMinI>;
  case InterSliceOpcode::Mul:
    return fold<evalMulF>;
  }
  return nullptr;
}

/// Calls visit(packet, position, count) for runs of neighbouring packets.
template <class Visit>
static void forEachRun(llvm::ArrayRef<int64_t> packets, Visit &&visit) {
  for (size_t begin = 0; begin < packets.size();) {
    size_t end = begin + 1;
    while (end < packets.size() && packets[end] == packets[end - 1] + 1)
      ++end;
    visit(packets[begin], static_cast<int64_t>(begin),
          static_cast<int64_t>(end - begin));
    begin = end;
  }
}

llvm::ArrayRef<uint8_t> InterSliceEngine::reduce(int64_t slice) {
  if (reduced && table.alike(*reduced, slice))
    return result;
  reduced = slice;
  result.resize(taken.size() * flitBytes);
  FoldFunction function = foldFunction(stage.opcode, stage.type);
  int64_t words = flitBytes / sizeof(uint32_t);
  // The streams come from std::vector's allocation and are aligned for this.
  auto *folded = reinterpret_cast<uint32_t *>(result.data());
  bool first = true;
  for (int64_t source : table.sources(slice)) {
    auto *stream = reinterpret_cast<const uint32_t *>(streams[source].data()) +
                   table.firstPacket(slice) * words;
    forEachRun(taken, [&](int64_t packet, int64_t position, int64_t count) {
      if (first)
        std::memcpy(folded + position * words, stream + packet * words,
                    count * flitBytes);
      else
        function(folded + position * words, stream + packet * words,
                 count * words);
    });
    first = false;
  }
  return result;
}
