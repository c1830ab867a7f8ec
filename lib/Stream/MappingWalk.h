//===- MappingWalk.h - Ways to enumerate a list of digits -------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Digits are walked in one of two ways.
//
// DigitWalk steps the outer digits one by one and hands out the innermost as a
// stretch. It serves where that digit is long and no base is moved by two
// parts.
//
// BlockWalk evaluates some hundred positions at a time, slot by slot, each
// slot for all positions. It serves for anything.
//
// Both tabulate expressions that nothing else has a part of.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_STREAM_MAPPINGWALK_H
#define SEQUIN_LIB_STREAM_MAPPINGWALK_H

#include "MappingImpl.h"

namespace sequin::walk {

using Run = MappingWalker::Run;

/// What a walk is about. `weights` are the row-major weights of the axes.
struct Scope {
  const EvaluationPlan &plan;
  llvm::ArrayRef<int64_t> weights;
  /// How many tables deep; tables for tables for tables cost more than they
  /// save.
  unsigned depth = 0;
};

class Walk {
public:
  virtual ~Walk() = default;
  /// As MappingWalker::next.
  virtual bool next(Run &run) = 0;
};

/// Chooses the way. `digits` must outlive the walk.
std::unique_ptr<Walk> walkDigits(const Scope &scope,
                                 const EvaluationPlan::Digits &digits);

/// A BlockWalk that tabulates no slot up to `lastUntabulated`. Nothing if sums
/// may leave 64 bits.
std::unique_ptr<Walk> walkBlocks(const Scope &scope,
                                 const EvaluationPlan::Digits &digits,
                                 int lastUntabulated = -1);

/// Whether a slot may have a table in a walk over `positions`.
bool maySlotHaveTable(const Scope &scope, unsigned slot, int64_t positions);

/// The linear index of every position of a slot, -1 for padding.
std::vector<int64_t> tabulate(const Scope &scope, unsigned slot);

} // namespace sequin::walk

#endif // SEQUIN_LIB_STREAM_MAPPINGWALK_H
