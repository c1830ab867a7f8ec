//===- ContractKernel.h - The inner loops of the contraction ----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products, adder tree and accumulator for a tile of results: a few packets of
// activations past a few packets of weights, along the steps of one sum.
//
// The eight rows of the MAC array are the lanes of the host's vectors, so that
// the tree's adjacent pairs are whole vectors and the sum has exactly the order
// that the manual gives: level by level, adjacent pairs, each addition rounded.
//
// A packet is a list of 32-bit cells: a float or an integer per lane, or two
// lanes of 16 bits each, whose products are added at once. Cells j and
// j + cells/2 go together: a packet of activations is a list of such pairs, and
// a vector of weights holds both cells for each row in turn. One broadcast of a
// pair then multiplies two cells for all rows, the trees over the lower and the
// upper half of the cells run in one go, and only the last level crosses the
// halves.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_ENGINE_CONTRACTKERNEL_H
#define SEQUIN_LIB_SIM_ENGINE_CONTRACTKERNEL_H

#include <array>
#include <cstdint>

namespace sequin::sim {

/// Rows of one vector: the MAC array's, whether used or not.
inline constexpr int64_t kRows = 8;

/// What a cell of a packet holds and how cells are multiplied.
enum class CellKind : uint8_t {
  Float,   ///< f32
  Integer, ///< i32, wrapping
  Pair,    ///< two lanes of i16; the product is the sum of both, an i32
  /// Two lanes of bf16; the product is the sum of both as f32. Products must be
  /// exact: zero, normal, infinite or NaN, and subnormals count as zero. Not
  /// every processor can.
  Bf16Pair,
  /// One row, cells in the order of lanes; the tree takes the maximum.
  MaxFloat,
  MaxInteger,
};

/// A sum's steps, in order: where the packets are, in cells from the first.
struct ContractStep {
  int32_t activation = 0;
  int32_t weight = 0;
};

/// Results (m, n) with m < M and n < N of a kernel, each a sum over the same
/// steps. Strides are in cells.
struct ContractCall {
  const uint32_t *activations;
  int64_t activationStride; ///< from m to m + 1
  /// Aligned to a vector of 16 cells, for speed.
  const uint32_t *weights;
  int64_t weightStride; ///< from n to n + 1
  const ContractStep *steps;
  int64_t count;
  /// Instead of adding the first step.
  bool store;
  /// Cells of a packet, levels of the tree, and results kept of it.
  int64_t cells, depth, columns;
  /// [column][row] of the first result.
  uint32_t *accumulator;
  int64_t accumulatorStrideM, accumulatorStrideN;
};

using ContractFunction = void (*)(const ContractCall &);

/// Kernels by tile, M and N each 1, 2 or 4: entry [log2 M][log2 N]; null where
/// the processor has too few registers.
struct ContractKernels {
  std::array<std::array<ContractFunction, 3>, 3> tile = {};
  /// The largest tiles there are, as log2: M = N; N = 1; M = 1.
  int square = 0, tall = 0, wide = 0;
};

/// The kernels for packets of `cells` cells and a tree of `depth` levels over
/// them, for the processor this runs on. Results do not depend on the
/// processor. Null if there is no such packet or the processor cannot.
const ContractKernels *contractKernels(CellKind kind, int64_t cells,
                                       int64_t depth);

/// The kernel of reduce-max; always one packet past another.
ContractFunction maxFunction(CellKind kind);

inline constexpr int64_t kPairBf16Cells = 16;
/// Arranges packets of that many cells of bf16 pairs as the kernels want
/// activations, and extends the range of the magnitudes: bits of the smallest
/// normal one and of the largest one.
using PairBf16Function = void (*)(const uint8_t *lanes, int64_t packets,
                                  uint32_t *out, int16_t &smallest,
                                  int16_t &largest);
PairBf16Function pairBf16Function();

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_ENGINE_CONTRACTKERNEL_H
