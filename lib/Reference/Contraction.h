//===- Contraction.h - align, contract, accumulate --------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contraction engine by its meaning: the element of the result at an index
// is the sum of stream times weight over the axes that the result leaves out.
// The order of the sum is the machine's (TCP manual, Reducer; ruling SIL-10):
// inside a packet the adder tree adds adjacent pairs, level by level; over time
// the sums are added as they come, the first one stored. Reduce-max takes the
// largest product in the same order.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_REFERENCE_CONTRACTION_H
#define SEQUIN_LIB_REFERENCE_CONTRACTION_H

#include "Tensor.h"

namespace sequin::reference {

/// The mappings of one pass through the contraction engine.
struct ContractionShape {
  /// Chip, cluster, slice.
  llvm::SmallVector<Digits, 3> grid;
  Digits row, time, packet;
  /// What the adder tree leaves of the packet.
  Digits kept;
  /// Output stream, for its innermost part that follows from rows and columns.
  Digits outTime;
  bool sequential = false;
  /// Reduce-max: the largest product instead of the sum.
  bool max = false;
};

/// `stream` and `weights` are placed by the mappings. Sums of undefined
/// products are undefined.
llvm::Expected<Tensor> contract(Space &space, const ContractionShape &shape,
                                const Tensor &stream, const Tensor &weights);

} // namespace sequin::reference

#endif // SEQUIN_LIB_REFERENCE_CONTRACTION_H
