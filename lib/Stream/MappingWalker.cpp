//===- MappingWalker.cpp - Evaluation and enumeration of mappings ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappingImpl.h"
#include "Saturating.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>

using namespace sequin;
using llvm::ArrayRef;
using llvm::MutableArrayRef;

//===----------------------------------------------------------------------===//
// EvaluationPlan
//===----------------------------------------------------------------------===//

/// Collects the bases that `factors` name, through composites, one factor each.
static void collectBases(ArrayRef<Factor> factors,
                         llvm::SmallVectorImpl<const Factor *> &bases) {
  for (const Factor &f : factors) {
    if (f.kind == Factor::Kind::Broadcast ||
        llvm::any_of(bases, [&](const Factor *known) {
          return known->kind == f.kind && known->base == f.base;
        }))
      continue;
    bases.push_back(&f);
    if (f.composite)
      collectBases(f.composite->factors, bases);
  }
}

EvaluationPlan EvaluationPlan::build(ArrayRef<Factor> factors,
                                     const AxisSizes &axes) {
  llvm::SmallVector<const Factor *, 4> bases;
  collectBases(factors, bases);
  auto depth = [](const Factor *f) {
    return f->composite ? f->composite->depth : 0u;
  };
  llvm::sort(bases, [&](const Factor *a, const Factor *b) {
    return depth(a) != depth(b) ? depth(a) > depth(b) : a->base < b->base;
  });
  auto digitsOf = [&](ArrayRef<Factor> list) {
    Digits digits;
    for (const Factor &f : llvm::reverse(list)) {
      unsigned slot = noSlot;
      for (auto [i, base] : llvm::enumerate(bases))
        if (f.kind != Factor::Kind::Broadcast && base->kind == f.kind &&
            base->base == f.base)
          slot = static_cast<unsigned>(i);
      digits.push_back({f.extent, f.first, f.valid, f.stride, f.offset, slot});
    }
    return digits;
  };
  EvaluationPlan plan;
  plan.digits = digitsOf(factors);
  for (const Factor *f : bases) {
    Slot slot;
    slot.size = f->baseSize;
    if (f->composite)
      slot.digits = digitsOf(f->composite->factors);
    else
      for (auto [i, axis] : llvm::enumerate(axes.axes()))
        if (axis.first == f->base)
          slot.axis = static_cast<int>(i);
    plan.slots.push_back(std::move(slot));
  }
  return plan;
}

bool EvaluationPlan::add(const Digits &digits, int64_t position,
                         MutableArrayRef<int64_t> sums,
                         MutableArrayRef<bool> reached) const {
  for (const Digit &digit : digits) {
    int64_t value = position % digit.extent - digit.first;
    position /= digit.extent;
    if (value < 0 || value >= digit.valid)
      return false;
    if (digit.slot != noSlot) {
      sums[digit.slot] =
          saturatingAdd(saturatingAdd(sums[digit.slot], digit.offset),
                        saturatingMul(value, digit.stride));
      reached[digit.slot] = true;
    }
  }
  return true;
}

bool EvaluationPlan::finish(MutableArrayRef<int64_t> sums,
                            MutableArrayRef<bool> reached,
                            MutableArrayRef<int64_t> coordinates) const {
  for (size_t i = 0; i < slots.size(); ++i) {
    const Slot &slot = slots[i];
    if (!reached[i])
      continue;
    if (sums[i] >= slot.size)
      return false;
    if (slot.axis >= 0)
      coordinates[slot.axis] = sums[i];
    else if (!add(slot.digits, sums[i], sums, reached))
      return false;
  }
  return true;
}

bool EvaluationPlan::evaluate(int64_t position,
                              MutableArrayRef<int64_t> coordinates) const {
  llvm::SmallVector<int64_t, 8> sums(slots.size(), 0);
  llvm::SmallVector<bool, 8> reached(slots.size(), false);
  return add(digits, position, sums, reached) &&
         finish(sums, reached, coordinates);
}

bool EvaluationPlan::evaluateSlot(unsigned slot, int64_t linear,
                                  MutableArrayRef<int64_t> coordinates) const {
  llvm::SmallVector<int64_t, 8> sums(slots.size(), 0);
  llvm::SmallVector<bool, 8> reached(slots.size(), false);
  sums[slot] = linear;
  reached[slot] = true;
  return finish(sums, reached, coordinates);
}

void EvaluationPlan::markSlots(unsigned slot,
                               MutableArrayRef<bool> used) const {
  if (used[slot])
    return;
  used[slot] = true;
  for (const Digit &digit : slots[slot].digits)
    if (digit.slot != noSlot)
      markSlots(digit.slot, used);
}

bool Mapping::Impl::evaluate(
    int64_t position, llvm::SmallVectorImpl<int64_t> &coordinates) const {
  coordinates.assign(axes.axes().size(), 0);
  return plan.evaluate(position, coordinates);
}

//===----------------------------------------------------------------------===//
// MappingWalker
//===----------------------------------------------------------------------===//

namespace {
/// Composites up to this size are tabulated; 8 bytes per position.
constexpr int64_t maxTableSize = int64_t(1) << 21;
} // namespace

struct MappingWalker::State {
  using Digit = EvaluationPlan::Digit;

  const Mapping::Impl &mapping;
  /// Row-major weight of each axis; wraps where the axes' product does.
  llvm::SmallVector<int64_t, 8> weights;

  // The state of the odometer. `slow` evaluates position by position, for
  // composites that are too large to tabulate or share an axis with others.
  bool slow = false;
  bool done = false;
  int64_t position = 0;
  /// The innermost digit that advances; the runs walk it.
  Digit inner{1, 0, 1, 0, 0, EvaluationPlan::noSlot};
  /// The other digits, innermost first, and their values.
  llvm::SmallVector<Digit, 8> outer;
  llvm::SmallVector<int64_t, 8> values;
  /// How many of the outer digits stand on padding.
  unsigned invalid = 0;

  struct Slot {
    int64_t sum = 0;
    int64_t size = 1;
    int64_t weight = 0;
    std::vector<int64_t> table; ///< linear index per composite position
  };
  llvm::SmallVector<Slot, 4> slots;
  int64_t noSum = 0;

  /// Runs found but not handed out yet, in reverse order.
  llvm::SmallVector<Run, 3> pending;

  explicit State(const Mapping::Impl &mapping) : mapping(mapping) {
    auto axes = mapping.axes.axes();
    weights.resize(axes.size());
    uint64_t weight = 1;
    for (size_t i = axes.size(); i-- > 0;) {
      weights[i] = static_cast<int64_t>(weight);
      weight *= static_cast<uint64_t>(axes[i].second);
    }
    setUpSlots();
    if (slow)
      return;
    for (const Digit &digit : mapping.plan.digits) {
      if (inner.extent == 1 && digit.extent > 1)
        inner = digit;
      else
        addOuter(digit);
    }
    if (inner.slot != EvaluationPlan::noSlot)
      slots[inner.slot].sum += inner.offset;
  }

  void setUpSlots() {
    const EvaluationPlan &plan = mapping.plan;
    slots.resize(plan.slots.size());
    llvm::SmallVector<bool, 8> seen(slots.size(), false);
    llvm::SmallVector<bool, 8> direct(slots.size(), false);
    for (const Digit &digit : plan.digits)
      if (digit.slot != EvaluationPlan::noSlot) {
        direct[digit.slot] = true;
        int64_t &most = slots[digit.slot].sum; // reset below
        most = saturatingAdd(saturatingAdd(most, digit.offset),
                             saturatingMul(digit.valid, digit.stride));
        slow |= most == std::numeric_limits<int64_t>::max();
      }
    for (Slot &slot : slots)
      slot.sum = 0;
    slow |= !mapping.axes.linearSize();
    if (slow)
      return;
    for (unsigned i = 0; i < slots.size(); ++i) {
      if (!direct[i])
        continue;
      const EvaluationPlan::Slot &from = plan.slots[i];
      slots[i].size = from.size;
      if (from.axis >= 0) {
        slots[i].weight = weights[from.axis];
      } else if (from.size > maxTableSize || from.size / 4 > mapping.size) {
        slow = true;
        return;
      } else {
        tabulate(i);
      }
      // The parts are added up only after each was checked against its own
      // limit, so no base may be reached by two of them.
      llvm::SmallVector<bool, 8> used(slots.size(), false);
      plan.markSlots(i, used);
      for (auto [a, b] : llvm::zip(seen, used)) {
        if (a && b) {
          slow = true;
          return;
        }
        a = a || b;
      }
    }
  }

  void tabulate(unsigned slot) {
    std::vector<int64_t> &table = slots[slot].table;
    table.resize(slots[slot].size);
    llvm::SmallVector<int64_t, 8> coordinates;
    for (size_t i = 0; i < table.size(); ++i) {
      coordinates.assign(weights.size(), 0);
      bool valid = mapping.plan.evaluateSlot(slot, i, coordinates);
      int64_t linear = 0;
      for (auto [value, weight] : llvm::zip(coordinates, weights))
        linear += value * weight;
      table[i] = valid ? linear : -1;
    }
  }

  int64_t &sumOf(const Digit &digit) {
    return digit.slot == EvaluationPlan::noSlot ? noSum : slots[digit.slot].sum;
  }

  static bool isValid(const Digit &digit, int64_t value) {
    return value >= digit.first && value - digit.first < digit.valid;
  }

  void addOuter(const Digit &digit) {
    outer.push_back(digit);
    values.push_back(0);
    if (!isValid(digit, 0))
      ++invalid;
    else
      sumOf(digit) += digit.offset;
  }

  /// Moves one outer digit. Its share is part of its slot's sum while it is
  /// valid.
  void setDigit(size_t i, int64_t value) {
    const Digit &digit = outer[i];
    bool was = isValid(digit, values[i]), is = isValid(digit, value);
    int64_t &sum = sumOf(digit);
    if (was && is) {
      sum += (value - values[i]) * digit.stride;
    } else {
      if (was)
        sum -= (values[i] - digit.first) * digit.stride + digit.offset;
      if (is)
        sum += (value - digit.first) * digit.stride + digit.offset;
      invalid += was;
      invalid -= is;
    }
    values[i] = value;
  }

  /// Advances the outer digits by one; false after the last.
  bool advance() {
    for (size_t i = 0; i < outer.size(); ++i) {
      if (values[i] + 1 < outer[i].extent) {
        setDigit(i, values[i] + 1);
        return true;
      }
      setDigit(i, 0);
    }
    return false;
  }

  void padding(int64_t from, int64_t to) {
    if (to > from)
      pending.push_back({position + from, to - from, -1, 0, nullptr});
  }

  /// Queues the runs of the current inner loop, last first.
  void queueRuns() {
    int64_t linear = 0;
    int64_t begin = inner.first, end = inner.first + inner.valid;
    bool valid = invalid == 0;
    for (size_t s = 0; s < slots.size() && valid; ++s) {
      const Slot &slot = slots[s];
      if (slot.sum >= slot.size) {
        valid = false;
      } else if (s == inner.slot) {
        int64_t room = slot.size - slot.sum; // at least 1
        if (inner.stride > 0)
          end = std::min(end, begin + (room - 1) / inner.stride + 1);
        if (slot.table.empty())
          linear += slot.sum * slot.weight;
      } else if (slot.table.empty()) {
        linear += slot.sum * slot.weight;
      } else if (int64_t part = slot.table[slot.sum]; part >= 0) {
        linear += part;
      } else {
        valid = false;
      }
    }
    if (!valid || end <= begin)
      return padding(0, inner.extent);
    padding(end, inner.extent);
    Run run{position + begin, end - begin, linear, 0, nullptr};
    if (inner.slot != EvaluationPlan::noSlot) {
      const Slot &slot = slots[inner.slot];
      run.step = inner.stride;
      if (slot.table.empty())
        run.step *= slot.weight;
      else
        run.table = slot.table.data() + slot.sum;
    }
    pending.push_back(run);
    padding(0, begin);
  }

  bool next(Run &run) {
    if (slow)
      return nextSlow(run);
    if (pending.empty()) {
      if (done)
        return false;
      queueRuns();
      position += inner.extent;
      done = !advance();
    }
    run = pending.pop_back_val();
    return true;
  }

  bool nextSlow(Run &run) {
    if (position >= mapping.size)
      return false;
    llvm::SmallVector<int64_t, 8> coordinates;
    run = {position, 1, -1, 0, nullptr};
    if (mapping.evaluate(position, coordinates)) {
      run.linear = 0;
      for (auto [value, weight] : llvm::zip(coordinates, weights))
        run.linear += static_cast<int64_t>(static_cast<uint64_t>(value) *
                                           static_cast<uint64_t>(weight));
    }
    ++position;
    return true;
  }
};

MappingWalker::MappingWalker(const Mapping &mapping)
    : state(std::make_unique<State>(*mapping.impl)) {}
MappingWalker::~MappingWalker() = default;
bool MappingWalker::next(Run &run) { return state->next(run); }
