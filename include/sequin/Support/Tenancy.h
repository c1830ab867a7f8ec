//===- Tenancy.h - Bytes that are taken for a while -------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_TENANCY_H
#define SEQUIN_SUPPORT_TENANCY_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <utility>

namespace sequin {

/// Bytes [begin, end) of a memory, taken from time `first` to time `last`, both
/// included.
struct Tenancy {
  int64_t begin, end;
  int64_t first, last;

  bool overlaps(const Tenancy &other) const {
    return begin < end && other.begin < other.end && begin < other.end &&
           other.begin < end && first <= other.last && other.first <= last;
  }
};

/// Two that want a byte at the same time, by index, the smaller one first:
/// those with the smallest second index, and of these with the smallest first
/// one. Takes n log n if there are none.
std::optional<std::pair<size_t, size_t>>
findOverlap(llvm::ArrayRef<Tenancy> tenancies);

} // namespace sequin

#endif // SEQUIN_SUPPORT_TENANCY_H
