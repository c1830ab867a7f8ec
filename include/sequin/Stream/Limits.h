//===- Limits.h - What machines bound of streams ----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Apart from what they bound, so that a machine's row is read without it.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_STREAM_LIMITS_H
#define SEQUIN_STREAM_LIMITS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace sequin {

/// Limits of a sequencer; a machine has one row per engine
/// (TCP manual, Sequencer, Configuration Failures).
struct SequencerLimits {
  unsigned maxEntries;
  int64_t maxSize;
  /// Access sizes the engine can issue, ascending, in bytes.
  llvm::ArrayRef<int64_t> accessBytes;
};

/// Of a valid count generator (TCP manual, Valid Count Generator).
struct ValidCountLimits {
  int64_t maxCounters; ///< of the sequencer
  int64_t maxGates;    ///< gate dims beside the packet dim
  int64_t maxSize;     ///< limit of one counter
  int64_t maxIndex;    ///< largest V, stride and index of a dim
  int64_t lanes;       ///< elements of a flit
  int64_t slices;      ///< slices that the slice number tells apart
};

/// Widths of a machine's DSD fields (DSD, One-Dimensional Memory Vectors; Two-,
/// Three-, or Four-Dimensional Memory Vectors; Circular Buffers).
struct DsdLimits {
  unsigned mem4dDimensions; ///< most loops of a mem4d_dsd; a mem1d_dsd has one
  unsigned mem1dStrideBits; ///< signed
  unsigned mem4dStrideBits; ///< signed
  unsigned offsetBits;      ///< signed
  unsigned extentBits;      ///< unsigned
  unsigned wraparoundBits;  ///< unsigned
};

} // namespace sequin

#endif // SEQUIN_STREAM_LIMITS_H
