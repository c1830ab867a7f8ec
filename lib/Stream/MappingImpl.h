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
#include "llvm/ADT/STLFunctionalExtras.h"

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
    /// Index of the axis, or -1 for an expression.
    int axis = -1;
    /// Index of the skewed axis in the table's skews(), or -1.
    int skew = -1;
    int64_t size = 1;
    Digits digits; ///< of a composite or a lookup
    /// Of expressions.
    std::shared_ptr<const CompositeBase> base;
    std::vector<Digits> terms; ///< of a sliding combination
    bool isSliding() const { return base && base->search; }
  };
  /// A skewed axis that is walked: axis `base` holds the coordinate of the
  /// skewed one until the coordinate of axis `by` is added.
  struct Skew {
    int base, by;
    bool plus;
    int64_t size;
  };
  /// Innermost first. Broadcast digits have the slot noSlot.
  Digits digits;
  /// Expressions before all that their digits name.
  llvm::SmallVector<Slot, 4> slots;
  llvm::SmallVector<Skew, 1> skews;
  static constexpr unsigned noSlot = ~0u;

  static EvaluationPlan build(llvm::ArrayRef<Factor> factors,
                              const AxisSizes &axes);

  /// Whether every index is well defined: skewed axes are not mixed with what
  /// they skew, and the parts of sliding combinations hold data independently
  /// of each other.
  llvm::Error check(const AxisSizes &axes) const;

  /// The axis coordinates of `position`; false for padding. `coordinates` has
  /// one entry per axis, all zero.
  bool evaluate(int64_t position,
                llvm::MutableArrayRef<int64_t> coordinates) const {
    return evaluate(digits, position, coordinates);
  }
  /// The same for digits of a slot alone, and for index `linear` of a slot.
  bool evaluate(const Digits &list, int64_t position,
                llvm::MutableArrayRef<int64_t> coordinates) const;
  bool evaluateSlot(unsigned slot, int64_t linear,
                    llvm::MutableArrayRef<int64_t> coordinates) const;

  /// Calls `visit` with the coordinates of every index at `position` until it
  /// returns false. An index may come more than once. Each decomposition of a
  /// sliding combination takes one off `steps`, if given; below 0 it stops.
  void evaluateAll(int64_t position,
                   llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> visit,
                   int64_t *steps = nullptr) const;

  /// Marks the slots that `slot` adds to, and itself.
  void markSlots(unsigned slot, llvm::MutableArrayRef<bool> used) const;

private:
  using Visit = llvm::function_ref<bool(llvm::ArrayRef<int64_t>)>;
  bool add(const Digits &digits, int64_t position,
           llvm::MutableArrayRef<int64_t> sums,
           llvm::MutableArrayRef<bool> reached) const;
  bool finish(llvm::MutableArrayRef<int64_t> sums,
              llvm::MutableArrayRef<bool> reached,
              llvm::MutableArrayRef<int64_t> coordinates) const;
  bool finishAll(unsigned slot, llvm::ArrayRef<int64_t> sums,
                 llvm::ArrayRef<bool> reached, Visit visit,
                 int64_t *steps) const;
  bool step(unsigned slot, llvm::MutableArrayRef<int64_t> sums,
            llvm::MutableArrayRef<bool> reached) const;
  void collect(llvm::ArrayRef<int64_t> sums, llvm::ArrayRef<bool> reached,
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

  TensorIndex index(llvm::ArrayRef<int64_t> coordinates) const;
};

} // namespace sequin

#endif // SEQUIN_LIB_STREAM_MAPPINGIMPL_H
