//===- SliceReduction.h - Reduction inside a slice --------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Intra-slice reduce by its meaning: an element of the result is the reduction
// of the elements that a slice sees for it. The order is the machine's (TCP
// manual, Intra-Slice Reduce; ruling SIL-12): the four lanes of a packet as
// op(op(a, b), op(c, d)), packets in the order of time, starting from the
// identity; padding counts as the identity.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_REFERENCE_SLICEREDUCTION_H
#define SEQUIN_LIB_REFERENCE_SLICEREDUCTION_H

#include "Tensor.h"

namespace sequin::reference {

enum class SliceReductionKind : uint8_t { Add, Max, Min };

struct SliceReductionShape {
  /// Chip, cluster, slice.
  llvm::SmallVector<Digits, 3> grid;
  Digits time, packet;
  Digits outTime, outPacket;
  /// The axis that is reduced.
  int axis = 0;
  SliceReductionKind kind = SliceReductionKind::Add;
};

/// `stream` is placed by the mappings; what undefined elements enter is
/// undefined.
llvm::Expected<Tensor> reduceInSlices(const Space &space,
                                      const SliceReductionShape &shape,
                                      const Tensor &stream);

/// Bits of the element that changes nothing.
uint32_t identityOf(SliceReductionKind kind, ElementType type);

} // namespace sequin::reference

#endif // SEQUIN_LIB_REFERENCE_SLICEREDUCTION_H
