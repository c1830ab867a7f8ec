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

#include "Program.h"

namespace sequin::linalg_to_tcp {

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
