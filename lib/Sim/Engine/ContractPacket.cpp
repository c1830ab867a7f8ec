//===- ContractPacket.cpp - Packets in the order of the kernels -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/ContractPacket.h"
#include "sequin/Support/Arithmetic.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

using namespace sequin;
using namespace sequin::sim;

CellKind sim::cellKind(const config::ContractStage &stage, int64_t lanes) {
  bool isMax = stage.reduceOp == config::ReduceOp::Max;
  if (isFloat(stage.type)) {
    // The dot products of two pairs know no subnormals.
    if (!isMax && stage.depth > 0 && isFlushingSubnormals() &&
        contractKernels(CellKind::Bf16Pair, lanes / 2, stage.depth - 1))
      return CellKind::Bf16Pair;
    return isMax ? CellKind::MaxFloat : CellKind::Float;
  }
  if (isMax)
    return CellKind::MaxInteger;
  // Every integer that the multipliers take has at most nine bits.
  return stage.depth > 0 ? CellKind::Pair : CellKind::Integer;
}

/// The values of all elements of a type of up to eight bits.
template <class Lane> using ByteTable = std::array<Lane, 256>;

/// As float or as bf16, which holds them all.
template <ElementType Type, class Lane>
static const ByteTable<Lane> &floatTable() {
  static const ByteTable<Lane> table = [] {
    ByteTable<Lane> values;
    for (uint32_t bits = 0; bits < values.size(); ++bits) {
      float value = decodeFloat(Type, bits);
      if constexpr (std::is_same_v<Lane, float>)
        values[bits] = value;
      else
        values[bits] = floatToBf16(value);
    }
    return values;
  }();
  return table;
}

template <class Lane>
static void decodeF8(ElementType type, const uint8_t *source, int64_t count,
                     Lane *lanes) {
  const ByteTable<Lane> &table = type == ElementType::F8E4M3
                                     ? floatTable<ElementType::F8E4M3, Lane>()
                                     : floatTable<ElementType::F8E5M2, Lane>();
  for (int64_t i = 0; i < count; ++i)
    lanes[i] = table[source[i]];
}

/// As the table, for the host's vectors: exponents have ExponentBits with the
/// usual bias, and `Infinity` and larger magnitudes are not finite.
template <int ExponentBits, uint32_t Infinity>
static void decodeF8ToBf16(const uint8_t *source, int64_t count,
                           uint16_t *lanes) {
  constexpr int kFraction = 7 - ExponentBits;
  constexpr int kBias = (1 << (ExponentBits - 1)) - 1;
  constexpr uint32_t kInfinity = 0x7f80, kNan = 0x7fc0;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t magnitude = source[i] & 0x7f, sign = source[i] & 0x80;
    uint32_t normal = (magnitude << (7 - kFraction)) + ((127 - kBias) << 7);
    // An integer times a power of two.
    float integer = static_cast<float>(static_cast<int32_t>(magnitude));
    uint32_t subnormal = (llvm::bit_cast<uint32_t>(integer) >> 16) -
                         ((kBias - 1 + kFraction) << 7);
    uint32_t bits = magnitude >> kFraction ? normal : subnormal;
    bits = magnitude == 0 ? 0 : bits;
    bits = magnitude < Infinity                         ? bits
           : ExponentBits == 5 && magnitude == Infinity ? kInfinity
                                                        : kNan;
    lanes[i] = static_cast<uint16_t>(bits | sign << 8);
  }
}

static void decodeFloats(ElementType type, const uint8_t *source, int64_t count,
                         float *lanes) {
  if (type != ElementType::BF16)
    return decodeF8(type, source, count, lanes);
  for (int64_t i = 0; i < count; ++i) {
    uint16_t bits;
    std::memcpy(&bits, source + 2 * i, sizeof(bits));
    lanes[i] = bf16ToFloat(bits);
  }
}

template <class Lane>
static void decodeInts(ElementType type, const uint8_t *source, int64_t count,
                       Lane *lanes) {
  switch (type) {
  case ElementType::I8:
    for (int64_t i = 0; i < count; ++i)
      lanes[i] = static_cast<int8_t>(source[i]);
    break;
  case ElementType::I4:
    for (int64_t i = 0; i < count / 2; ++i) {
      lanes[2 * i] = static_cast<int8_t>(source[i] << 4) >> 4;
      lanes[2 * i + 1] = static_cast<int8_t>(source[i]) >> 4;
    }
    break;
  default:
    for (int64_t i = 0; i < count; ++i)
      lanes[i] =
          static_cast<Lane>(decodeInt(type, loadElement(type, source, i)));
  }
}

void sim::decodeLanes(ElementType type, CellKind kind, const uint8_t *source,
                      int64_t count, uint8_t *lanes) {
  if (kind == CellKind::Bf16Pair) {
    if (type == ElementType::BF16)
      std::memcpy(lanes, source, 2 * count);
    else if (type == ElementType::F8E4M3)
      decodeF8ToBf16<4, 0x7f>(source, count,
                              reinterpret_cast<uint16_t *>(lanes));
    else
      decodeF8ToBf16<5, 0x7c>(source, count,
                              reinterpret_cast<uint16_t *>(lanes));
  } else if (isFloat(type))
    decodeFloats(type, source, count, reinterpret_cast<float *>(lanes));
  else if (kind == CellKind::Pair)
    decodeInts(type, source, count, reinterpret_cast<int16_t *>(lanes));
  else
    decodeInts(type, source, count, reinterpret_cast<int32_t *>(lanes));
}

// Four cells or two pairs: what every processor shuffles well.
typedef uint32_t Cells __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t Pairs __attribute__((vector_size(16), aligned(4), may_alias));

void sim::pairCells(CellKind kind, const uint8_t *lanes, int64_t cells,
                    uint32_t *packet) {
  if (kind == CellKind::MaxFloat || kind == CellKind::MaxInteger) {
    std::memcpy(packet, lanes, cells * sizeof(uint32_t));
    return;
  }
  const uint8_t *upper = lanes + cells / 2 * sizeof(uint32_t);
  for (int64_t i = 0; i < cells / 2; i += 4) {
    Cells low = *reinterpret_cast<const Cells *>(lanes + i * sizeof(uint32_t));
    Cells high = *reinterpret_cast<const Cells *>(upper + i * sizeof(uint32_t));
    auto *out = reinterpret_cast<Cells *>(packet + 2 * i);
    out[0] = __builtin_shufflevector(low, high, 0, 4, 1, 5);
    out[1] = __builtin_shufflevector(low, high, 2, 6, 3, 7);
  }
}

void sim::joinRows(const uint32_t *rows, int64_t stride, int64_t cells,
                   uint32_t *packet) {
  for (int64_t row = 0; row < kRows; row += 2) {
    const uint32_t *even = rows + row * stride, *odd = even + stride;
    uint32_t *out = packet + 2 * row;
    for (int64_t i = 0; i < cells; i += 4) {
      Pairs a = *reinterpret_cast<const Pairs *>(even + i);
      Pairs b = *reinterpret_cast<const Pairs *>(odd + i);
      *reinterpret_cast<Pairs *>(out + i * kRows) =
          __builtin_shufflevector(a, b, 0, 2);
      *reinterpret_cast<Pairs *>(out + (i + 2) * kRows) =
          __builtin_shufflevector(a, b, 1, 3);
    }
  }
}

void sim::widenBf16(const uint32_t *packets, int64_t count, int64_t cells,
                    int64_t rows, uint32_t *wide) {
  // Cell c of the upper half becomes lanes 2 c and 2 c + 1 of the upper half.
  for (int64_t i = 0; i < count * cells / 2; ++i)
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t half = 0; half < 2; ++half) {
        uint32_t pair = packets[(i * rows + row) * 2 + half];
        wide[(2 * i * rows + row) * 2 + half] = pair << 16;
        wide[((2 * i + 1) * rows + row) * 2 + half] = pair & 0xffff0000u;
      }
}

void Bf16Range::extend(const uint8_t *lanes, int64_t count) {
  constexpr int16_t kSmallestNormal = 0x0080, kMagnitude = 0x7fff;
  int16_t low = smallest, high = largest;
  for (int64_t i = 0; i < count; ++i) {
    int16_t bits;
    std::memcpy(&bits, lanes + 2 * i, sizeof(bits));
    bits &= kMagnitude;
    high = std::max(high, bits);
    low = std::min(low, bits < kSmallestNormal ? kMagnitude : bits);
  }
  smallest = low;
  largest = high;
}

bool Bf16Range::hasExactProducts(const Bf16Range &other) const {
  // Exponents with bias 127: a product has the sum of its factors', less one
  // bias, or one more. Infinity and NaN are among the large ones.
  constexpr int kBias = 127, kLargest = 254, kFraction = 7;
  int low = (smallest >> kFraction) + (other.smallest >> kFraction);
  int high = (largest >> kFraction) + (other.largest >> kFraction);
  return low - kBias >= 1 && high - kBias + 1 <= kLargest;
}
