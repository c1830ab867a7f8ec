//===- ContractKernel.h - The inner loop of the contraction -----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products, adder tree and accumulator for a block of computation packets.
//
// The eight rows of the MAC array are the lanes of the host's vectors, so that
// the tree's adjacent pairs are whole vectors and the sum has exactly the order
// that the manual gives: level by level, adjacent pairs, each addition rounded.
//
// Lanes j and j + lanes/2 go together: a packet of activations is a list of
// such pairs, and a vector of weights holds both lanes for each row in turn.
// One broadcast of a pair then multiplies two lanes for all rows, the trees
// over the lower and the upper half of the lanes run in one go, and only the
// last level crosses the halves.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_CONTRACTKERNEL_H
#define SEQUIN_LIB_SIM_CONTRACTKERNEL_H

#include <cstdint>

namespace sequin::sim {

/// Rows of one vector: the MAC array's, whether used or not.
inline constexpr int64_t kRows = 8;

/// What happens to one computation packet.
struct ContractStep {
  uint32_t weight = 0; ///< index of the weight packet
  uint16_t slot = 0;   ///< of the accumulator
  bool store = false;  ///< instead of adding
  bool emit = false;   ///< the slot is complete
};

/// Where a lane stands in a packet of activations.
inline int64_t activationPosition(int64_t lane, int64_t lanes) {
  return lane % (lanes / 2) * 2 + lane / (lanes / 2);
}
/// Where a lane stands in a packet of weights.
inline int64_t weightPosition(int64_t lane, int64_t row, int64_t lanes) {
  return (lane % (lanes / 2) * kRows + row) * 2 + lane / (lanes / 2);
}

/// E is float or uint32_t (integers wrap).
template <class E> struct ContractCall {
  /// Packets of `lanes` elements, each used timeBroadcast times; the first has
  /// been used `phase` times before.
  const E *activations;
  int64_t timeBroadcast, phase;
  const E *weights;
  const ContractStep *steps;
  int64_t count;
  int64_t columns;
  /// Lanes of a packet and levels of the tree.
  int64_t lanes, depth;
  /// [slot][column][row].
  E *accumulator;
  /// Emitted slots, [column][row] each.
  E *out;
};

/// Runs the block and returns one past the last element written to `out`.
template <class E> using ContractKernel = E *(*)(const ContractCall<E> &);

/// Reduce-max: one row, packets of activations and weights in the order of
/// lanes, one weight per lane. Row 0 of the accumulator is used.
template <class E> ContractKernel<E> maxKernel();
extern template ContractKernel<float> maxKernel<float>();
extern template ContractKernel<uint32_t> maxKernel<uint32_t>();

/// The kernel for packets of `lanes` elements and a tree of `depth` levels, for
/// the processor this runs on. Results do not depend on the processor.
template <class E>
ContractKernel<E> contractKernel(int64_t lanes, int64_t depth);
extern template ContractKernel<float> contractKernel<float>(int64_t, int64_t);
extern template ContractKernel<uint32_t> contractKernel<uint32_t>(int64_t,
                                                                  int64_t);

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_CONTRACTKERNEL_H
