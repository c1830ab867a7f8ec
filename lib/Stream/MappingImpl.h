//===- MappingImpl.h - A resolved mapping ready to evaluate -----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_STREAM_MAPPINGIMPL_H
#define SEQUIN_LIB_STREAM_MAPPINGIMPL_H

#include "sequin/Stream/Mapping.h"

namespace sequin {

/// A list of factors with every base resolved to a slot. Composites have slots
/// too, and their own digits add to the slots of their bases: two parts of one
/// base meet in its slot, wherever they come from.
struct EvaluationPlan {
  struct Digit {
    int64_t extent, first, valid, stride, offset;
    unsigned slot;
  };
  using Digits = llvm::SmallVector<Digit, 6>;
  struct Slot {
    /// Index of the axis, or -1 for a composite.
    int axis = -1;
    int64_t size = 1;
    Digits digits; ///< of a composite
  };
  /// Innermost first. Broadcast digits have the slot noSlot.
  Digits digits;
  /// Composites before all that their digits name.
  llvm::SmallVector<Slot, 4> slots;
  static constexpr unsigned noSlot = ~0u;

  static EvaluationPlan build(llvm::ArrayRef<Factor> factors,
                              const AxisSizes &axes);

  /// The axis coordinates of `position`; false for padding. `coordinates` has
  /// one entry per axis, all zero.
  bool evaluate(int64_t position,
                llvm::MutableArrayRef<int64_t> coordinates) const;
  /// The same for index `linear` of one composite.
  bool evaluateSlot(unsigned slot, int64_t linear,
                    llvm::MutableArrayRef<int64_t> coordinates) const;

  /// Marks the slots that `slot` adds to, and itself.
  void markSlots(unsigned slot, llvm::MutableArrayRef<bool> used) const;

private:
  bool add(const Digits &digits, int64_t position,
           llvm::MutableArrayRef<int64_t> sums,
           llvm::MutableArrayRef<bool> reached) const;
  bool finish(llvm::MutableArrayRef<int64_t> sums,
              llvm::MutableArrayRef<bool> reached,
              llvm::MutableArrayRef<int64_t> coordinates) const;
};

struct Mapping::Impl {
  AxisSizes axes;
  std::shared_ptr<const MappingExpr> expr;
  llvm::SmallVector<Term, 4> terms;
  llvm::SmallVector<Factor, 4> factors;
  int64_t size = 1;
  EvaluationPlan plan;

  /// Builds the plan from the factors.
  void compile() { plan = EvaluationPlan::build(factors, axes); }

  /// Coordinates by axis of axes; false for padding.
  bool evaluate(int64_t position,
                llvm::SmallVectorImpl<int64_t> &coordinates) const;
};

} // namespace sequin

#endif // SEQUIN_LIB_STREAM_MAPPINGIMPL_H
