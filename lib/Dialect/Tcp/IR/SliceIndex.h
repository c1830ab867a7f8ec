//===- SliceIndex.h - Finding slices by what they hold ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Coordinates of positions as numbers, and the way back: which positions of a
// mapping hold an index. For mappings over slices, which are few.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_DIALECT_TCP_IR_SLICEINDEX_H
#define SEQUIN_LIB_DIALECT_TCP_IR_SLICEINDEX_H

#include "sequin/Dialect/Tcp/IR/TcpDialect.h"
#include "llvm/ADT/Hashing.h"
#include <unordered_map>

namespace sequin::tcp {

struct RoutingShape;

/// A coordinate for every axis of a stream, in the order they were declared;
/// axes that only the result of an operation names ("new" ones) have none.
using Coordinates = llvm::SmallVector<int64_t, 4>;

class StreamAxes {
public:
  /// The axes that `stream` speaks of in any of its mappings.
  explicit StreamAxes(StreamType stream);

  bool has(llvm::StringRef axis) const { return numbers.contains(axis); }
  size_t size() const { return names.size(); }
  unsigned number(llvm::StringRef axis) const { return numbers.at(axis); }
  /// What `position` of `mapping` holds of these axes; std::nullopt for
  /// padding.
  std::optional<Coordinates> at(const Mapping &mapping, int64_t position) const;
  /// "{A: 1, B: 7}".
  std::string describe(llvm::ArrayRef<int64_t> coordinates) const;

private:
  llvm::SmallVector<std::string, 4> names;
  llvm::StringMap<unsigned> numbers;
};

/// Positions of a mapping by what they hold.
class PositionIndex {
public:
  PositionIndex(const StreamAxes &axes, const Mapping &mapping);
  /// Ascending; empty for what no position holds.
  llvm::ArrayRef<int64_t> find(const Coordinates &coordinates) const;
  /// The one of several that shares the smallest aligned block of slices with
  /// `near`, or std::nullopt.
  std::optional<int64_t> nearest(const Coordinates &coordinates,
                                 int64_t near) const;

private:
  // Asked once for every slice that another listens to.
  struct Hash {
    size_t operator()(llvm::ArrayRef<int64_t> coordinates) const {
      return llvm::hash_combine_range(coordinates);
    }
  };
  std::unordered_map<Coordinates, llvm::SmallVector<int64_t, 1>, Hash>
      positions;
};

/// The axes that the factors of a mapping speak of.
void collectAxes(const Mapping &mapping, llvm::StringMap<unsigned> &axes);

/// The smallest power of two such that aligned blocks of so many slices have
/// every slice and all slices that it listens to in one.
int64_t smallestRing(const RoutingShape &shape);

} // namespace sequin::tcp

#endif // SEQUIN_LIB_DIALECT_TCP_IR_SLICEINDEX_H
