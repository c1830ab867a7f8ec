//===- Fetch.cpp - Fetch engine -------------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of packets is read as it lies in memory, masked in place, and
// converted. What table, conversion and zero point do to an element depends on
// the element alone, so narrow elements go through one table of results, and
// only the wide ones are computed.
//
//===----------------------------------------------------------------------===//

#include "Engine/Engines.h"
#include "Engine/FloatBits.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/bit.h"
#include <limits>

using namespace sequin;
using namespace sequin::sim;

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

/// What becomes of the element `bits` behind the mask, as bits of stage.to.
static uint32_t adapt(const config::FetchStage &stage, int64_t zeroPoint,
                      uint32_t bits) {
  ElementType type = stage.from;
  if (stage.table) {
    type = stage.table->type;
    bits = static_cast<uint32_t>(stage.table->values[bits]);
  }
  if (type == stage.to)
    return bits;
  if (isFloat(type))
    return encodeFloat(stage.to, decodeFloat(type, bits));
  int64_t value = decodeInt(type, bits) - zeroPoint;
  using Limits = std::numeric_limits<int32_t>;
  return encodeInt(stage.to, static_cast<int32_t>(std::clamp<int64_t>(
                                 value, Limits::min(), Limits::max())));
}

//===----------------------------------------------------------------------===//
// Many elements
//===----------------------------------------------------------------------===//

/// One entry of `Out` for every source unit of `In`: an element, or a byte of
/// two 4-bit elements.
template <class In, class Out>
static void lookUp(const AdapterMap &map, const uint8_t *source,
                   uint8_t *result, int64_t units) {
  const auto *table = reinterpret_cast<const Out *>(map.table.data());
  for (int64_t i = 0; i < units; ++i) {
    In unit;
    std::memcpy(&unit, source + i * sizeof(In), sizeof(In));
    std::memcpy(result + i * sizeof(Out), &table[unit], sizeof(Out));
  }
}

template <class In> static AdapterMap::Function lookUpOf(int64_t outBytes) {
  switch (outBytes) {
  case 1:
    return lookUp<In, uint8_t>;
  case 2:
    return lookUp<In, uint16_t>;
  case 4:
    return lookUp<In, uint32_t>;
  default:
    return lookUp<In, uint64_t>;
  }
}

static void element(const AdapterMap &map, const uint8_t *source,
                    uint8_t *result, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    storeElement(map.stage->to, result, i,
                 adapt(*map.stage, map.zeroPoint,
                       loadElement(map.stage->from, source, i)));
}

static void widenI16(const AdapterMap &map, const uint8_t *source,
                     uint8_t *result, int64_t count) {
  // A sum of 16 and 32 bits overflows towards the zero point's other side.
  auto zero = static_cast<int32_t>(map.zeroPoint);
  for (int64_t i = 0; i < count; ++i) {
    int16_t value;
    std::memcpy(&value, source + 2 * i, sizeof(value));
    int32_t wide;
    if (__builtin_sub_overflow(static_cast<int32_t>(value), zero, &wide))
      wide = zero < 0 ? std::numeric_limits<int32_t>::max()
                      : std::numeric_limits<int32_t>::min();
    std::memcpy(result + 4 * i, &wide, sizeof(wide));
  }
}

/// Signed zero for a subnormal if `keep` is the sign alone.
static uint32_t withoutSubnormal(uint32_t word, uint32_t keep) {
  return (word & 0x7f800000u) ? word : word & keep;
}

static void widenBf16(const AdapterMap &map, const uint8_t *source,
                      uint8_t *result, int64_t count) {
  uint32_t keep = map.subnormalBits;
  for (int64_t i = 0; i < count; ++i) {
    uint16_t bits;
    std::memcpy(&bits, source + 2 * i, sizeof(bits));
    uint32_t word = withoutSubnormal(static_cast<uint32_t>(bits) << 16, keep);
    word = isNan(word) ? 0x7fc00000u : word;
    std::memcpy(result + 4 * i, &word, sizeof(word));
  }
}

static void narrowF32(const AdapterMap &map, const uint8_t *source,
                      uint8_t *result, int64_t count) {
  uint32_t keep = map.subnormalBits;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t word;
    std::memcpy(&word, source + 4 * i, sizeof(word));
    word = withoutSubnormal(word, keep);
    uint32_t rounded = (word + 0x7fffu + ((word >> 16) & 1)) >> 16;
    auto bits = static_cast<uint16_t>(isNan(word) ? 0x7fc0u : rounded);
    std::memcpy(result + 2 * i, &bits, sizeof(bits));
  }
}

/// f16 has no value whose f32 depends on the treatment of subnormals.
static const std::vector<uint32_t> &f16Values() {
  static const std::vector<uint32_t> values = [] {
    std::vector<uint32_t> result(1 << 16);
    for (uint32_t bits = 0; bits < result.size(); ++bits)
      result[bits] =
          encodeFloat(ElementType::F32, decodeFloat(ElementType::F16, bits));
    return result;
  }();
  return values;
}

static void widenF16(const AdapterMap &, const uint8_t *source, uint8_t *result,
                     int64_t count) {
  const uint32_t *values = f16Values().data();
  for (int64_t i = 0; i < count; ++i) {
    uint16_t bits;
    std::memcpy(&bits, source + 2 * i, sizeof(bits));
    std::memcpy(result + 4 * i, &values[bits], sizeof(uint32_t));
  }
}

AdapterMap::AdapterMap(const config::FetchStage &stage, int64_t zeroPoint)
    : stage(&stage), zeroPoint(zeroPoint),
      subnormalBits(isFlushingSubnormals() ? 0x80000000u : ~0u) {
  int64_t from = getBitWidth(stage.from);
  int64_t outBytes = slotBytes(stage.to, 1), pairBytes = slotBytes(stage.to, 2);
  function = element;
  if (from == 4) {
    elementsPerUnit = 2;
    table.resize(256 * pairBytes);
    for (uint32_t unit = 0; unit < 256; ++unit)
      for (uint32_t i = 0; i < 2; ++i)
        storeElement(stage.to, table.data() + unit * pairBytes, i,
                     adapt(stage, zeroPoint, unit >> (4 * i) & 0xf));
    function = lookUpOf<uint8_t>(pairBytes);
  } else if (getBitWidth(stage.to) != 4 || stage.to == ElementType::I5) {
    bool wide = from == 16 && (stage.table || stage.to == ElementType::I9);
    if (from == 8 || wide) {
      uint32_t units = 1u << from;
      table.resize(units * outBytes);
      for (uint32_t unit = 0; unit < units; ++unit)
        storeElement(stage.to, table.data(), unit,
                     adapt(stage, zeroPoint, unit));
      function =
          wide ? lookUpOf<uint16_t>(outBytes) : lookUpOf<uint8_t>(outBytes);
    } else if (!stage.table && stage.to == ElementType::I32) {
      function = widenI16;
    } else if (!stage.table && stage.to == ElementType::F32) {
      function = stage.from == ElementType::BF16 ? widenBf16 : widenF16;
    } else if (!stage.table && stage.from == ElementType::F32) {
      function = narrowF32;
    }
  }
}

//===----------------------------------------------------------------------===//
// Masking
//===----------------------------------------------------------------------===//

FetchMaskEngine::FetchMaskEngine(const config::FetchStage &stage)
    : mask(*stage.mask), type(stage.from),
      dim0(stage.sequencer.entries.back().size) {
  for (const Loop &entry : llvm::ArrayRef(stage.sequencer.entries).drop_back())
    wheels.push_back({entry.size, 0});
}

/// Sets elements [begin, end) of `data`.
static void fill(ElementType type, uint8_t *data, int64_t begin, int64_t end,
                 int64_t value) {
  switch (getBitWidth(type)) {
  case 8:
    std::memset(data + begin, static_cast<uint8_t>(value), end - begin);
    return;
  case 16: {
    auto half = static_cast<uint16_t>(value);
    for (int64_t i = begin; i < end; ++i)
      std::memcpy(data + 2 * i, &half, sizeof(half));
    return;
  }
  default:
    for (int64_t i = begin; i < end; ++i)
      storeElement(type, data, i, static_cast<uint32_t>(value));
  }
}

void FetchMaskEngine::apply(uint8_t *data, int64_t elements) {
  for (int64_t row = 0; row < elements; row += dim0) {
    const Wheel &last = wheels[mask.lastDim];
    if (last.count == 0 && mask.leftPad > 0)
      fill(type, data, row, row + mask.leftPad, mask.padValue);
    if (last.count == last.size - 1) {
      int64_t valid =
          mask.validCounts[mask.countDim ? wheels[*mask.countDim].count : 0];
      if (valid < dim0)
        fill(type, data, row + valid, row + dim0, mask.padValue);
    }
    for (Wheel &wheel : llvm::reverse(wheels)) {
      if (++wheel.count < wheel.size)
        break;
      wheel.count = 0;
    }
  }
}

void FetchMaskEngine::begin() {
  for (Wheel &wheel : wheels)
    wheel.count = 0;
}

//===----------------------------------------------------------------------===//
// The engine
//===----------------------------------------------------------------------===//

FetchEngine::FetchEngine(const config::FetchStage &stage,
                         const CommandPlan &plan, const TcpMachine &machine)
    : stage(stage), sourceBytes(plan.sourcePacketBytes),
      streamBytes(slotBytes(stage.to, stage.packetElements)),
      paddedBytes(
          plan.flits / plan.packets *
          slotBytes(stage.to, machine.flitBytes * 8 / getBitWidth(stage.to))),
      addresses(
          makeByteNest(stage.sequencer.entries, getBitWidth(stage.from))) {
  if (stage.mask)
    mask.emplace(stage);
  if (stage.table || stage.from != stage.to) {
    if (stage.zeroPoints.empty())
      maps.emplace_back(stage, 0);
    for (int64_t zeroPoint : stage.zeroPoints)
      maps.emplace_back(stage, zeroPoint);
  }
}

void FetchEngine::begin(const uint8_t *dm) {
  base = dm + stage.sequencer.baseAddress;
  addresses.reset();
  if (mask)
    mask->begin();
  turn = 0;
}

llvm::MutableArrayRef<uint8_t> FetchEngine::read(int64_t packets) {
  flits.resize(packets * paddedBytes);
  bool dense = streamBytes == paddedBytes;
  // The common case needs no second buffer.
  bool inPlace = dense && maps.empty();
  if (!inPlace)
    source.resize(packets * sourceBytes);
  uint8_t *raw = inPlace ? flits.data() : source.data();
  addresses.read(base, raw, packets * sourceBytes);
  if (mask)
    mask->apply(raw, packets * stage.packetElements);
  if (inPlace)
    return flits;
  if (dense && maps.size() == 1) {
    maps.front().apply(raw, flits.data(), packets * stage.packetElements);
    return flits;
  }
  for (int64_t i = 0; i < packets; ++i) {
    uint8_t *packet = flits.data() + i * paddedBytes;
    if (maps.empty()) {
      copyBytes(packet, raw + i * sourceBytes, sourceBytes);
    } else {
      maps[turn].apply(raw + i * sourceBytes, packet, stage.packetElements);
      turn = turn + 1 == maps.size() ? 0 : turn + 1;
    }
    std::memset(packet + streamBytes, 0, paddedBytes - streamBytes);
  }
  return flits;
}

llvm::ArrayRef<uint8_t> FetchEngine::view(int64_t packets) {
  int64_t bytes = packets * paddedBytes;
  if (streamBytes == paddedBytes && maps.empty() && !mask)
    if (const uint8_t *begin = addresses.view(base, bytes))
      return {begin, static_cast<size_t>(bytes)};
  return read(packets);
}
