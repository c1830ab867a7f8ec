//===- ContractPacket.h - Packets in the order of the kernels ---*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_ENGINE_CONTRACTPACKET_H
#define SEQUIN_LIB_SIM_ENGINE_CONTRACTPACKET_H

#include "Engine/ContractKernel.h"
#include "sequin/Config/Config.h"

namespace sequin::sim {

/// What the cells of a contraction hold, on this processor.
CellKind cellKind(const config::ContractStage &stage, int64_t lanes);
inline bool isPair(CellKind kind) {
  return kind == CellKind::Pair || kind == CellKind::Bf16Pair;
}
/// Bytes of the host for a lane: two of them make a cell, or one does.
inline int64_t laneBytes(CellKind kind) { return isPair(kind) ? 2 : 4; }
/// Levels of the tree over cells.
inline int64_t cellDepth(CellKind kind, int64_t depth) {
  return isPair(kind) ? depth - 1 : depth;
}

/// The values of packed elements, in the order of lanes.
void decodeLanes(ElementType type, CellKind kind, const uint8_t *source,
                 int64_t count, uint8_t *lanes);
/// Cells in the order of lanes to a packet of activations.
void pairCells(CellKind kind, const uint8_t *lanes, int64_t cells,
               uint32_t *packet);
/// The same packets with one lane to a cell: of activations (`rows` is 1), or
/// of weights.
void widenBf16(const uint32_t *packets, int64_t count, int64_t cells,
               int64_t rows, uint32_t *wide);
/// Packets of activations, one for each row and `stride` cells apart, to a
/// packet of weights.
void joinRows(const uint32_t *rows, int64_t stride, int64_t cells,
              uint32_t *packet);

/// The smallest and the largest magnitude of some bf16 numbers, as bits;
/// numbers that count as zero are left out.
struct Bf16Range {
  int16_t smallest = 0x7fff, largest = 0;

  void extend(const uint8_t *lanes, int64_t count);
  /// Whether all products with numbers of the other range are zero or normal.
  bool hasExactProducts(const Bf16Range &other) const;
};

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_ENGINE_CONTRACTPACKET_H
