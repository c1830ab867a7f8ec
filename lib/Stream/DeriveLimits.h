//===- DeriveLimits.h - Loops within the limits of a machine ----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Merging, splitting, re-factoring and segments: what happens to the loops of a
// stream when a sequencer cannot take them as they are.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_STREAM_DERIVELIMITS_H
#define SEQUIN_LIB_STREAM_DERIVELIMITS_H

#include "Nest.h"

namespace sequin {

/// Positions of the stream that a term or a loop walks: the digit of position
/// / inner % (outer / inner).
struct PositionRange {
  int64_t inner, outer;
  llvm::SmallVector<LoopTerm, 1> terms;
};

/// A nest as a sequencer with the terms that its loops walk; the packet has at
/// least `lanes` elements.
Sequencer sequencerOf(const Nest &nest, int64_t lanes,
                      llvm::ArrayRef<PositionRange> ranges);

/// What `result.initial` visits, anyAddress where the stream is padding; none
/// if no position is, or that is not known.
using DataVisits = llvm::function_ref<std::optional<std::vector<int64_t>>()>;

/// Sets result.sequencer, and what says how it was found, from result.initial.
llvm::Error fitLimits(Derivation &result, const DeriveOptions &options,
                      const AddressMap &buffer, int64_t packetSize,
                      DataVisits dataVisits);

} // namespace sequin

#endif // SEQUIN_LIB_STREAM_DERIVELIMITS_H
