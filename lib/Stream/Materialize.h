//===- Materialize.h - The addresses a stream asks for ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The definition of a derivation, position by position: what AddressTable
// finds by digits, looked up in a table of the whole buffer. A position of the
// stream with several indices needs a position of the buffer that holds them
// all; to be written, one that holds no others. Of a buffer that has several
// such positions the first one counts.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_STREAM_MATERIALIZE_H
#define SEQUIN_LIB_STREAM_MATERIALIZE_H

#include "Nest.h"

namespace sequin {

/// Positions of a buffer or a stream that are looked up at most, and indices
/// that they hold.
inline constexpr int64_t maxMaterialized = int64_t(1) << 20;

/// The address at a stream position whose index the buffer does not hold.
inline constexpr int64_t noAddress = anyAddress + 1;

struct Materialized {
  /// By position of the stream; anyAddress where it is padding.
  std::vector<int64_t> addresses;
  /// The addresses that hold data, and that exist.
  std::vector<int64_t> dataAddresses, allAddresses;
};

/// None if the stream or the buffer is too large. To a read, a buffer holds
/// every index of an axis of which it holds index 0 alone; to a write it does
/// not.
std::optional<Materialized> materialize(const AddressMap &buffer,
                                        const Mapping &stream,
                                        Direction direction);

/// Sets the addresses of padding positions of `stream` to anyAddress; false if
/// there are none.
bool forgetPadding(const Mapping &stream, std::vector<int64_t> &addresses);

} // namespace sequin

#endif // SEQUIN_LIB_STREAM_MATERIALIZE_H
