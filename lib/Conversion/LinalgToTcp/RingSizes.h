//===- RingSizes.h - Sizes that loops are padded to -------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOTCP_RINGSIZES_H
#define SEQUIN_LIB_CONVERSION_LINALGTOTCP_RINGSIZES_H

#include "Program.h"

namespace sequin::linalg_to_tcp {

/// Ascending.
llvm::SmallVector<int64_t> getDivisors(int64_t n);
/// Counts that `count` is padded to: itself, and multiples of the largest
/// powers of two that are a sixteenth and a quarter more at most.
llvm::SmallVector<int64_t> getPaddedCounts(int64_t count);
/// Sizes of tiles, the last of which may be ragged: the divisors of all padded
/// counts, ascending.
llvm::SmallVector<int64_t> getTileCounts(int64_t count);

/// Whether positions behind the end of a loop belong to nobody else: no other
/// loop shares a dimension with it, and memory is not laid out yet.
bool endsAlone(const Access &access, LoopId loop);
/// Whether a sum that runs past the end of a contraction's loop adds zeros,
/// which HBM has behind both factors.
bool addsZerosBehind(const Group &group, LoopId loop);

} // namespace sequin::linalg_to_tcp

#endif // SEQUIN_LIB_CONVERSION_LINALGTOTCP_RINGSIZES_H
