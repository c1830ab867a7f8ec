//===- ReduceGroups.h - Slices that reduce together -------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which slices the inter-slice block can fold into one (TCP, Inter-Slice
// Block): all of the manual's examples reduce the innermost factors of Slice,
// contiguous and with stride 1, and the vendor's later text says it in words
// (INT-03). A group is then a block of neighbours; padding of a reduced factor
// takes no part, and results lie in the places of the block.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_MACHINE_REDUCEGROUPS_H
#define SEQUIN_MACHINE_REDUCEGROUPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <string>

namespace sequin {

/// Why the inter-slice block cannot reduce so, or "". `sourcesOf` gives, for
/// each of `slices` slices, those that it folds, ascending; none if it has no
/// result.
std::string explainReduceGroups(
    int64_t slices,
    llvm::function_ref<llvm::ArrayRef<int64_t>(int64_t)> sourcesOf);

} // namespace sequin

#endif // SEQUIN_MACHINE_REDUCEGROUPS_H
