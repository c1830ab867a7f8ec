//===- WeightStream.h - Weights that stream past activations ----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product with few rows of activations reads every weight once, so HBM bounds
// it. Then the activations are what stays: all of their sum is in the register
// files of all slices, and the weights stream from DM through the fetch engine
// without a stop in a register file. With codes of four bits this is also where
// they become numbers, by the fetch engine's table.
//
// The slices of a cluster are [rowParts, sumParts]: the inter-slice block adds
// what neighbours have. The sum is counted in cells: the elements that share a
// scale, or those of a packet. A scale multiplies the sum of its cell, which
// takes one multiplication by the vector engine for as many weights as the cell
// has; scaled weights would take one each, on four lanes, which is slower than
// HBM.
//
// Weights may lie across the sum in HBM, with a row after the other contiguous:
// an argument that is row-major, or a result of the program. Then loads are cut
// along the sum, so that they follow HBM all the same, and the transpose engine
// turns each of them in DM before it streams. The sums of a load are added to
// those of the loads before.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOTCP_WEIGHTSTREAM_H
#define SEQUIN_LIB_CONVERSION_LINALGTOTCP_WEIGHTSTREAM_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace sequin {
struct TcpMachine;
} // namespace sequin

namespace sequin::linalg_to_tcp {

/// The rows of a slice in time.
struct WeightStreamCut {
  /// Loads of weights, rows and cells of each; rows of a pass of the tensor
  /// unit.
  int64_t steps = 1, stepRows = 1, stepCells = 1, passRows = 1;
  /// What is contiguous in HBM and in DM.
  int64_t runCells = 1, runRows = 1;
};

/// How weights stream past activations.
struct WeightStreamPlan : WeightStreamCut {
  /// Loops of the group: over clusters, slices and iterations of a slice.
  unsigned cluster = 0, slice = 0, row = 0;
  unsigned sumPart = 0, cell = 0, element = 0;
  std::optional<unsigned> token; ///< rows of activations

  int64_t clusters = 1;               ///< that work
  int64_t sumParts = 1, rowParts = 1; ///< slices of a cluster
  int64_t rowSlots = 1;               ///< slices for each part of the sum
  int64_t rows = 1;                   ///< of weights, in each slice
  int64_t cells = 1;                  ///< of the sum, in each slice
  int64_t cellSize = 1;               ///< elements
  int64_t columns = 1;                ///< cells of a packet
  int64_t tokens = 1;

  /// Whether the host sends weights and scales in the order of the loads. In
  /// that order runs are whole units of HBM and go to the DM networks in turn:
  /// [step, cells / runCells, rows / runRows, slices, rows % runRows,
  /// cells % runCells].
  bool ordered = false;
  /// Whether rows are contiguous in HBM, not the sum.
  bool across = false;
  /// Scales: cells are padded to so many; [rows / scaleRows, slices, rows %
  /// scaleRows, cells].
  int64_t scaleCells = 1, scaleRows = 1;

  /// Cells of the activations that each slice of those with the same part of
  /// the sum brings from HBM, for the switch to pass around; 0 if each slice
  /// brings all of its part.
  int64_t spreadCells = 0;

  /// Slices with neighbouring rows that put their results side by side.
  int64_t gathered = 1;

  /// As few loads as fit into DM: if another group's loads follow, the tensor
  /// unit works beside them.
  WeightStreamCut followed;

  int64_t cycles = 0; ///< by the cost model
};

/// A digit of the slices of a chip, in the order in which their networks take
/// turns: those inside a network first, then the networks.
struct SliceDigit {
  enum class Of { Cluster, SumPart, Row } of;
  int64_t unit, count;
};
llvm::SmallVector<SliceDigit, 4> getSliceOrder(const WeightStreamPlan &plan,
                                               const TcpMachine &machine);

} // namespace sequin::linalg_to_tcp

#endif // SEQUIN_LIB_CONVERSION_LINALGTOTCP_WEIGHTSTREAM_H
