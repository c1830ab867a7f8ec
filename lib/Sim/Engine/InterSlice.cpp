//===- InterSlice.cpp - The inter-slice block -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/Engines.h"
#include "Engine/FloatBits.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/bit.h"

using namespace sequin;
using namespace sequin::sim;
using config::InterSliceOpcode;

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

template <uint32_t (*Eval)(uint32_t, uint32_t)>
static void foldWords(uint32_t *folded, const uint32_t *next, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    folded[i] = Eval(folded[i], next[i]);
}

InterSliceEngine::FoldFunction
InterSliceEngine::foldFunction(InterSliceOpcode opcode, ElementType type) {
  bool isFloat = type == ElementType::F32;
  switch (opcode) {
  case InterSliceOpcode::Add:
    return isFloat ? foldWords<evalAddF> : foldWords<evalAddI>;
  case InterSliceOpcode::AddSat:
    return foldWords<evalAddSatI>;
  case InterSliceOpcode::Max:
    return isFloat ? foldWords<evalMaxF> : foldWords<evalMaxI>;
  case InterSliceOpcode::Min:
    return isFloat ? foldWords<evalMinF> : foldWords<evalMinI>;
  case InterSliceOpcode::Mul:
    return foldWords<evalMulF>;
  }
  return nullptr;
}

InterSliceEngine::InterSliceEngine(const config::InterSliceStage &stage,
                                   const TcpMachine &machine)
    : flitBytes(machine.flitBytes),
      fold(foldFunction(stage.opcode, stage.type)), table(stage.routing),
      sumOf(stage.routing.ringSize, 0), sums(stage.routing.ringSize) {
  for (int64_t flit : packetsTaken(stage.routing)) {
    if (!taken.empty() && taken.back().first + taken.back().second == flit)
      ++taken.back().second;
    else
      taken.push_back({flit, 1});
    ++takenFlits;
  }
}

void InterSliceEngine::beginRing(int64_t first,
                                 llvm::ArrayRef<uint64_t> takers) {
  // Groups are blocks of slices (Machine/ReduceGroups.h).
  for (int64_t slice = first; slice < first + table.ringSize(); ++slice)
    if (takesPart(takers, slice))
      for (int64_t source : table.sources(slice))
        sumOf[source] = table.sources(slice).front();
  reduced.reset();
  for (std::vector<uint8_t> &sum : sums)
    sum.clear();
}

void InterSliceEngine::begin(int64_t slice) {
  current = &sums[sumOf[slice % table.ringSize()]];
  position = 0;
}

void InterSliceEngine::push(llvm::ArrayRef<uint8_t> flits) {
  // The first stream makes the sum, the others meet what is there.
  if (position == current->size())
    current->insert(current->end(), flits.begin(), flits.end());
  else
    fold(reinterpret_cast<uint32_t *>(current->data() + position),
         reinterpret_cast<const uint32_t *>(flits.data()),
         flits.size() / sizeof(uint32_t));
  position += flits.size();
}

llvm::ArrayRef<uint8_t> InterSliceEngine::reduce(int64_t slice) {
  if (reduced && table.alike(*reduced, slice))
    return result;
  llvm::ArrayRef<uint8_t> sum = sums[table.sources(slice).front()];
  int64_t firstByte = table.firstPacket(slice) * flitBytes;
  if (taken.size() == 1)
    return sum.slice(firstByte + taken[0].first * flitBytes,
                     takenFlits * flitBytes);
  reduced = slice;
  result.clear();
  for (auto [flit, count] : taken)
    llvm::append_range(
        result, sum.slice(firstByte + flit * flitBytes, count * flitBytes));
  return result;
}
