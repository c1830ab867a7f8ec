//===- Overlap.h - Axes that mappings walk twice ----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor in chips, slices and their memory holds at each place the union of
// the indices that the mappings of its dimensions give (TCP Virtual ISA manual,
// Formal Definition). With A = 8, slice `A / 4` and element `A % 4` the parts
// of A are digits of one number. With slice `A` and element `A % 4` both speak
// of the same indices, and there is no union (SIL-51).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_STREAM_OVERLAP_H
#define SEQUIN_STREAM_OVERLAP_H

#include "sequin/Stream/Mapping.h"

namespace sequin {

/// A dimension by the name it has in messages.
struct NamedMapping {
  llvm::StringRef name;
  Mapping mapping;
};

/// An error if two parts of one axis or group, in one of the dimensions or in
/// two, walk the same indices of it: sorted by stride, each part has to step
/// past all that those before it reach together. A part of one position is
/// none. Names the parts and their dimensions.
llvm::Error checkOverlap(llvm::ArrayRef<NamedMapping> dimensions);

} // namespace sequin

#endif // SEQUIN_STREAM_OVERLAP_H
