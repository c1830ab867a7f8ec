//===- MappingPlan.cpp - Evaluation of normal forms at a position ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappingImpl.h"
#include "MappingSliding.h"
#include "Saturating.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <limits>

using namespace sequin;
using llvm::ArrayRef;
using llvm::MutableArrayRef;
using llvm::StringRef;
using llvm::Twine;

namespace {

bool sameBase(const Factor &a, const Factor &b) {
  return a.kind == b.kind && a.base == b.base;
}

/// Collects the bases that `factors` name, through composites, one factor each.
void collectBases(ArrayRef<Factor> factors,
                  llvm::SmallVectorImpl<const Factor *> &bases) {
  for (const Factor &f : factors) {
    if (f.kind == Factor::Kind::Broadcast ||
        llvm::any_of(bases,
                     [&](const Factor *known) { return sameBase(*known, f); }))
      continue;
    bases.push_back(&f);
    if (!f.composite)
      continue;
    collectBases(f.composite->factors, bases);
    for (const CompositeBase::SlidingTerm &term : f.composite->sliding)
      collectBases(term.factors, bases);
  }
}

int indexOf(const AxisSizes &axes, StringRef name) {
  for (auto [i, axis] : llvm::enumerate(axes.axes()))
    if (axis.first == name)
      return static_cast<int>(i);
  return -1;
}

} // namespace

//===----------------------------------------------------------------------===//
// Building and checking
//===----------------------------------------------------------------------===//

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
        if (f.kind != Factor::Kind::Broadcast && sameBase(*base, f))
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
    if (f->composite) {
      slot.base = f->composite;
      slot.digits = digitsOf(f->composite->factors);
      for (const CompositeBase::SlidingTerm &term : f->composite->sliding)
        slot.terms.push_back(digitsOf(term.factors));
    } else if (const AxisSizes::Skew *skew =
                   f->skewed ? axes.lookupSkew(f->base) : nullptr) {
      slot.axis = indexOf(axes, skew->base);
      slot.skew = static_cast<int>(skew - axes.skews().begin());
      plan.skews.push_back({slot.axis, indexOf(axes, skew->by), skew->plus,
                            axes.axes()[slot.axis].second});
    } else {
      slot.axis = indexOf(axes, f->base);
    }
    plan.slots.push_back(std::move(slot));
  }
  return plan;
}

namespace {

/// What a slot's sum depends on: the position of the mapping (source 0), or of
/// a term of a sliding combination (a number of its own). Sources are chosen
/// independently of each other.
struct Reach {
  static constexpr int nothing = -1, several = -2;
  int source = nothing;
  /// The largest sum.
  int64_t most = 0;
};

} // namespace

llvm::Error EvaluationPlan::check(const AxisSizes &axes) const {
  auto skewName = [&](const Slot &slot) {
    return axes.skews()[slot.skew].name;
  };
  for (const Slot &slot : slots) {
    if (slot.skew < 0)
      continue;
    const AxisSizes::Skew &skew = axes.skews()[slot.skew];
    for (const Slot &other : slots) {
      if (&other != &slot && other.axis == slot.axis)
        return llvm::createStringError(
            "axis '" + skew.base + "' is walked both as '" + skewName(slot) +
            "' and as '" + (other.skew < 0 ? skew.base : skewName(other)) +
            "'");
      if (other.skew >= 0 && other.axis == indexOf(axes, skew.by))
        return llvm::createStringError(
            "'" + skewName(slot) + "' is skewed by axis '" + skew.by +
            "', which the mapping walks skewed itself, as '" + skewName(other) +
            "'");
    }
  }
  if (llvm::none_of(slots, [](const Slot &slot) { return slot.isSliding(); }))
    return llvm::Error::success();

  llvm::SmallVector<Reach, 8> reach(slots.size());
  // `last` is the largest position of the list that is asked for.
  auto addList = [&](const Digits &list, int source, int64_t last) {
    for (const Digit &digit : list) {
      int64_t value = std::min(last - digit.first, digit.valid - 1);
      last /= digit.extent;
      if (digit.slot == noSlot)
        continue;
      Reach &to = reach[digit.slot];
      if (to.source == Reach::nothing)
        to.source = source;
      else if (to.source != source)
        to.source = Reach::several;
      to.most = saturatingAdd(
          to.most,
          saturatingAdd(digit.offset, saturatingMul(std::max<int64_t>(value, 0),
                                                    digit.stride)));
    }
  };
  constexpr int64_t anywhere = std::numeric_limits<int64_t>::max();
  int sources = 0;
  addList(digits, sources++, anywhere);
  // Every slot is reached by slots before it only.
  for (auto [i, slot] : llvm::enumerate(slots)) {
    addList(slot.digits, reach[i].source,
            slot.base && slot.base->table ? anywhere : reach[i].most);
    for (const Digits &term : slot.terms)
      addList(term, sources++, anywhere);
  }
  for (auto [slot, to] : llvm::zip_equal(slots, reach)) {
    if (to.source != Reach::several)
      continue;
    if (slot.axis < 0)
      return llvm::createStringError(
          "a term of a sliding combination shares parts of a group with what "
          "stands outside of it; expected a group that one term has alone");
    if (to.most >= slot.size)
      return llvm::createStringError(
          "axis '" +
          (slot.skew < 0 ? axes.axes()[slot.axis].first : skewName(slot)) +
          "' is walked by a term of a sliding combination and by another part "
          "of the mapping, and their coordinates may add up to " +
          Twine(to.most) + ", past its size " + Twine(slot.size));
  }
  return llvm::Error::success();
}

void EvaluationPlan::markSlots(unsigned slot,
                               MutableArrayRef<bool> used) const {
  if (used[slot])
    return;
  used[slot] = true;
  auto mark = [&](const Digits &list) {
    for (const Digit &digit : list)
      if (digit.slot != noSlot)
        markSlots(digit.slot, used);
  };
  mark(slots[slot].digits);
  for (const Digits &term : slots[slot].terms)
    mark(term);
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

bool EvaluationPlan::add(const Digits &digits, int64_t position,
                         MutableArrayRef<int64_t> sums,
                         MutableArrayRef<bool> reached) const {
  for (const Digit &digit : digits) {
    int64_t quotient = position / digit.extent;
    int64_t value = position - quotient * digit.extent - digit.first;
    position = quotient;
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

/// Hands the sum of a slot that has one decomposition on to the slots it names.
bool EvaluationPlan::step(unsigned i, MutableArrayRef<int64_t> sums,
                          MutableArrayRef<bool> reached) const {
  const Slot &slot = slots[i];
  if (sums[i] >= slot.size)
    return false;
  if (slot.axis >= 0)
    return true;
  const auto &table = slot.base->table;
  return add(slot.digits, table ? (*table)[sums[i]] : sums[i], sums, reached);
}

/// The coordinates of base axes when all slots are done.
void EvaluationPlan::collect(ArrayRef<int64_t> sums, ArrayRef<bool> reached,
                             MutableArrayRef<int64_t> coordinates) const {
  for (auto [i, slot] : llvm::enumerate(slots))
    if (reached[i] && slot.axis >= 0)
      coordinates[slot.axis] = sums[i];
  for (const Skew &skew : skews) {
    int64_t by = coordinates[skew.by] % skew.size;
    int64_t &to = coordinates[skew.base];
    // Both are below the size, and b + by = b - (size - by) + size.
    int64_t down = skew.plus ? by : (by == 0 ? 0 : skew.size - by);
    to = to >= down ? to - down : to + (skew.size - down);
  }
}

bool EvaluationPlan::finish(MutableArrayRef<int64_t> sums,
                            MutableArrayRef<bool> reached,
                            MutableArrayRef<int64_t> coordinates) const {
  for (unsigned i = 0; i < slots.size(); ++i) {
    if (!reached[i])
      continue;
    const Slot &slot = slots[i];
    if (!slot.isSliding()) {
      if (!step(i, sums, reached))
        return false;
      continue;
    }
    llvm::SmallVector<int64_t, 4> parts(slot.terms.size(), 0);
    if (sums[i] >= slot.size || !slot.base->search->first(sums[i], parts))
      return false;
    for (auto [term, part] : llvm::zip_equal(slot.terms, parts))
      if (!add(term, part, sums, reached))
        return false;
  }
  collect(sums, reached, coordinates);
  return true;
}

bool EvaluationPlan::finishAll(unsigned from, ArrayRef<int64_t> oldSums,
                               ArrayRef<bool> oldReached, Visit visit,
                               int64_t *steps) const {
  llvm::SmallVector<int64_t, 8> sums(oldSums);
  llvm::SmallVector<bool, 8> reached(oldReached);
  for (unsigned i = from; i < slots.size(); ++i) {
    if (!reached[i])
      continue;
    const Slot &slot = slots[i];
    if (!slot.isSliding()) {
      if (!step(i, sums, reached))
        return true;
      continue;
    }
    if (sums[i] >= slot.size)
      return true;
    bool more = true;
    slot.base->search->forEach(sums[i], [&](ArrayRef<int64_t> parts) {
      if (steps && --*steps < 0)
        return more = false;
      llvm::SmallVector<int64_t, 8> nextSums(sums);
      llvm::SmallVector<bool, 8> nextReached(reached);
      bool valid = true;
      for (size_t t = 0; t < slot.terms.size() && valid; ++t)
        valid = add(slot.terms[t], parts[t], nextSums, nextReached);
      more = !valid || finishAll(i + 1, nextSums, nextReached, visit, steps);
      return more;
    });
    return more;
  }
  llvm::SmallVector<int64_t, 8> coordinates;
  size_t axes = 0;
  for (const Slot &slot : slots)
    axes = std::max(axes, static_cast<size_t>(slot.axis + 1));
  for (const Skew &skew : skews)
    axes = std::max(axes, static_cast<size_t>(skew.by + 1));
  coordinates.assign(axes, 0);
  collect(sums, reached, coordinates);
  return visit(coordinates);
}

bool EvaluationPlan::evaluate(const Digits &list, int64_t position,
                              MutableArrayRef<int64_t> coordinates) const {
  llvm::SmallVector<int64_t, 8> sums(slots.size(), 0);
  llvm::SmallVector<bool, 8> reached(slots.size(), false);
  return add(list, position, sums, reached) &&
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

void EvaluationPlan::evaluateAll(int64_t position, Visit visit,
                                 int64_t *steps) const {
  llvm::SmallVector<int64_t, 8> sums(slots.size(), 0);
  llvm::SmallVector<bool, 8> reached(slots.size(), false);
  if (add(digits, position, sums, reached))
    finishAll(0, sums, reached, visit, steps);
}

bool Mapping::Impl::evaluate(
    int64_t position, llvm::SmallVectorImpl<int64_t> &coordinates) const {
  coordinates.assign(axes.axes().size(), 0);
  return plan.evaluate(position, coordinates);
}

TensorIndex Mapping::Impl::index(ArrayRef<int64_t> coordinates) const {
  TensorIndex index;
  for (auto [axis, value] : llvm::zip(axes.axes(), coordinates))
    if (value != 0)
      index.emplace_back(axis.first, value);
  return index;
}
