//===- MappingWalker.cpp - Enumeration of mappings by strides -------------===//
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
#include <algorithm>
#include <limits>

using namespace sequin;
using llvm::ArrayRef;
using llvm::MutableArrayRef;

namespace {

using Digit = EvaluationPlan::Digit;
using Run = MappingWalker::Run;

/// Expressions up to this size are tabulated; 8 bytes per position.
constexpr int64_t maxTableSize = int64_t(3) << 23;

/// Walks one list of digits of a plan: that of a mapping, or that of an
/// expression inside, whose table is filled from it.
class DigitWalk {
public:
  DigitWalk(const EvaluationPlan &plan, const EvaluationPlan::Digits &digits,
            ArrayRef<int64_t> weights, bool linearFits)
      : plan(plan), digits(digits), weights(weights) {
    size = 1;
    for (const Digit &digit : digits)
      size *= digit.extent;
    slow = !linearFits;
    setUpSlots();
    if (slow)
      return;
    for (const Digit &digit : digits) {
      if (inner.extent == 1 && digit.extent > 1)
        inner = digit;
      else
        addOuter(digit);
    }
    if (inner.slot != EvaluationPlan::noSlot)
      slots[inner.slot].sum += inner.offset;
  }

  bool next(Run &run) {
    if (slow)
      return nextSlow(run);
    if (sheared.left > 0 && sheared.isNext)
      return nextSheared(run);
    if (pending.empty()) {
      if (done)
        return false;
      queueRuns();
      position += inner.extent;
      done = !advance();
    }
    run = pending.pop_back_val();
    if (run.count < 0) {
      sheared.isNext = true;
      return nextSheared(run);
    }
    return true;
  }

private:
  const EvaluationPlan &plan;
  const EvaluationPlan::Digits &digits;
  /// Row-major weight of each axis; wraps where the axes' product does.
  ArrayRef<int64_t> weights;
  int64_t size;

  // The state of the odometer. `slow` evaluates position by position, for
  // expressions that are too large to tabulate or share an axis with others.
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
    std::vector<int64_t> table; ///< linear index per position
  };
  llvm::SmallVector<Slot, 4> slots;
  int64_t noSum = 0;

  /// A skewed axis whose parts the digits move directly.
  struct Shear {
    unsigned slot; ///< of the skewed axis
    int by;        ///< the slot of the axis that is added, or -1
    bool plus;
    int64_t size, weight;
    int64_t value = 0; ///< the coordinate, while runs are made
    int64_t step = 0;  ///< its advance, in [0, size)
  };
  llvm::SmallVector<Shear, 1> shears;
  /// The rest of an inner loop in which a skewed coordinate wraps.
  struct {
    bool isNext = false;
    int64_t left = 0, position = 0, linear = 0, step = 0;
  } sheared;

  /// Runs found but not handed out yet, in reverse order. A run of negative
  /// length stands for the sheared ones.
  llvm::SmallVector<Run, 3> pending;

  void setUpSlots() {
    slots.resize(plan.slots.size());
    llvm::SmallVector<bool, 8> seen(slots.size() + plan.skews.size(), false);
    llvm::SmallVector<bool, 8> direct(slots.size(), false);
    for (const Digit &digit : digits)
      if (digit.slot != EvaluationPlan::noSlot) {
        direct[digit.slot] = true;
        int64_t &most = slots[digit.slot].sum; // reset below
        most = saturatingAdd(saturatingAdd(most, digit.offset),
                             saturatingMul(digit.valid, digit.stride));
        slow |= most == std::numeric_limits<int64_t>::max();
      }
    for (Slot &slot : slots)
      slot.sum = 0;
    if (slow)
      return;
    // The parts are added up only after each was checked against its own
    // limit, so no base may be reached by two of them, nor may one part move a
    // skewed axis and another what it is skewed by.
    for (unsigned i = 0; i < slots.size(); ++i) {
      if (!direct[i])
        continue;
      bool axis = plan.slots[i].axis >= 0;
      llvm::SmallVector<bool, 8> used(seen.size(), false);
      plan.markSlots(i, MutableArrayRef<bool>(used).take_front(slots.size()));
      for (auto [k, skew] : llvm::enumerate(plan.skews))
        for (unsigned j = 0; j < slots.size(); ++j)
          if (used[j] && !axis &&
              (plan.slots[j].axis == skew.base ||
               plan.slots[j].axis == skew.by))
            used[slots.size() + k] = true;
      for (auto [a, b] : llvm::zip(seen, used)) {
        slow |= a && b;
        a = a || b;
      }
    }
    for (auto [k, skew] : llvm::enumerate(plan.skews))
      for (unsigned i = 0; i < slots.size(); ++i)
        slow |=
            direct[i] && seen[slots.size() + k] &&
            (plan.slots[i].axis == skew.base || plan.slots[i].axis == skew.by);
    if (slow)
      return;
    for (unsigned i = 0; i < slots.size(); ++i) {
      if (!direct[i])
        continue;
      const EvaluationPlan::Slot &from = plan.slots[i];
      slots[i].size = from.size;
      if (from.skew < 0 && from.axis >= 0) {
        slots[i].weight = weights[from.axis];
      } else if (from.axis < 0) {
        if (from.size > maxTableSize || from.size / 4 > size) {
          slow = true;
          return;
        }
        slots[i].table = tabulate(i);
      }
    }
    for (const EvaluationPlan::Skew &skew : plan.skews) {
      // Twice the size is computed with.
      slow |= skew.size > std::numeric_limits<int64_t>::max() / 4;
      Shear shear{~0u, -1, skew.plus, skew.size, weights[skew.base]};
      bool named = false;
      for (unsigned i = 0; i < slots.size(); ++i) {
        if (!direct[i])
          continue;
        if (plan.slots[i].axis == skew.base) {
          shear.slot = i;
          named = true;
        } else if (plan.slots[i].axis == skew.by) {
          shear.by = static_cast<int>(i);
          named = true;
        }
      }
      if (named)
        shears.push_back(shear);
    }
  }

  int64_t linearOf(ArrayRef<int64_t> coordinates) const {
    // Wraps where the axes' product does.
    uint64_t linear = 0;
    for (auto [value, weight] : llvm::zip(coordinates, weights))
      linear += static_cast<uint64_t>(value) * static_cast<uint64_t>(weight);
    return static_cast<int64_t>(linear);
  }

  /// The linear index of every position of a slot, -1 for padding.
  std::vector<int64_t> tabulate(unsigned slot) const {
    const EvaluationPlan::Slot &from = plan.slots[slot];
    if (from.isSliding() && plan.skews.empty()) {
      bool small = llvm::all_of(from.base->sliding, [](const auto &term) {
        return term.size <= maxTableSize;
      });
      if (small)
        return tabulateSliding(from);
    } else if (!from.isSliding()) {
      int64_t inside = 1;
      for (const Digit &digit : from.digits)
        inside *= digit.extent;
      const auto &lookup = from.base->table;
      if (inside <= maxTableSize && (!lookup || inside / 4 <= from.size)) {
        if (!lookup)
          return walkDigits(from.digits);
        std::vector<int64_t> result(from.size);
        // One stretch needs no table of its own.
        DigitWalk walk(plan, from.digits, weights, true);
        Run run;
        if (walk.next(run) && run.count == inside && !run.table) {
          for (auto [entry, to] : llvm::zip_equal(*lookup, result))
            to = run.linear + entry * run.step;
          return result;
        }
        std::vector<int64_t> table = walkDigits(from.digits);
        for (auto [entry, to] : llvm::zip_equal(*lookup, result))
          to = table[entry];
        return result;
      }
    }
    std::vector<int64_t> table(from.size, -1);
    llvm::SmallVector<int64_t, 8> coordinates;
    for (int64_t i = 0; i < from.size; ++i) {
      coordinates.assign(weights.size(), 0);
      if (plan.evaluateSlot(slot, i, coordinates))
        table[i] = linearOf(coordinates);
    }
    return table;
  }

  std::vector<int64_t> walkDigits(const EvaluationPlan::Digits &list) const {
    DigitWalk walk(plan, list, weights, true);
    std::vector<int64_t> table(walk.size, -1);
    Run run;
    while (walk.next(run)) {
      int64_t *to = table.data() + run.position;
      if (run.table) {
        for (int64_t i = 0; i < run.count; ++i) {
          int64_t part = run.table[i * run.step];
          to[i] = part < 0 ? -1 : run.linear + part;
        }
      } else {
        for (int64_t i = 0; i < run.count; ++i)
          to[i] = run.linear + i * run.step;
      }
    }
    return table;
  }

  std::vector<int64_t> tabulateSliding(const EvaluationPlan::Slot &from) const {
    std::vector<std::vector<int64_t>> terms;
    for (const EvaluationPlan::Digits &term : from.terms)
      terms.push_back(walkDigits(term));
    std::vector<int64_t> table(from.size, -1);
    ArrayRef<CompositeBase::SlidingTerm> sliding = from.base->sliding;
    if (terms.size() == 2 &&
        saturatingMul(sliding[0].size, sliding[1].size) / 8 <= from.size) {
      // The largest part of the first term comes last and stays.
      for (int64_t i = 0; i < sliding[0].size; ++i) {
        int64_t *to = table.data() + i * sliding[0].stride;
        if (terms[0][i] < 0)
          continue;
        for (int64_t j = 0; j < sliding[1].size; ++j)
          if (terms[1][j] >= 0)
            to[j * sliding[1].stride] = terms[0][i] + terms[1][j];
      }
      return table;
    }
    llvm::SmallVector<int64_t, 4> parts(terms.size(), 0);
    for (int64_t i = 0; i < from.size; ++i) {
      if (!from.base->search->first(i, parts))
        continue;
      table[i] = 0;
      for (auto [term, part] : llvm::zip_equal(terms, parts))
        table[i] += term[part];
    }
    return table;
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

  /// Sets the skewed coordinates at the first valid inner digit; whether one of
  /// them moves with the inner digit.
  bool startShears(int64_t &linear) {
    bool moving = false;
    for (Shear &shear : shears) {
      int64_t value = shear.slot == ~0u ? 0 : slots[shear.slot].sum;
      int64_t by = shear.by < 0 ? 0 : slots[shear.by].sum % shear.size;
      shear.value = shear.plus ? value - by : value - shear.size + by;
      if (shear.value < 0)
        shear.value += shear.size;
      shear.step = 0;
      if (inner.slot != EvaluationPlan::noSlot) {
        int64_t step = inner.stride % shear.size;
        if (inner.slot == shear.slot)
          shear.step = step;
        else if (static_cast<int>(inner.slot) == shear.by)
          shear.step = shear.plus && step ? shear.size - step : step;
      }
      moving |= shear.step != 0;
      linear += shear.value * shear.weight;
    }
    return moving;
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
    bool moving = !shears.empty() && startShears(linear);
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
    if (moving) {
      sheared = {false, run.count, run.position, run.linear, run.step};
      run.count = -1;
    }
    pending.push_back(run);
    padding(0, begin);
  }

  /// The run up to where the next skewed coordinate wraps.
  bool nextSheared(Run &run) {
    int64_t count = sheared.left, step = sheared.step;
    for (const Shear &shear : shears) {
      if (shear.step == 0)
        continue;
      count = std::min(count, ceilDiv(shear.size - shear.value, shear.step));
      step += shear.step * shear.weight;
    }
    run = {sheared.position, count, sheared.linear, step, nullptr};
    sheared.position += count;
    sheared.left -= count;
    sheared.linear += count * step;
    for (Shear &shear : shears) {
      if (shear.step == 0)
        continue;
      // Below twice the size, which a checked product of sizes bounds.
      shear.value += count * shear.step;
      if (shear.value >= shear.size) {
        shear.value -= shear.size;
        sheared.linear -= shear.size * shear.weight;
      }
    }
    if (sheared.left == 0)
      sheared.isNext = false;
    return true;
  }

  bool nextSlow(Run &run) {
    if (position >= size)
      return false;
    llvm::SmallVector<int64_t, 8> coordinates(weights.size(), 0);
    run = {position, 1, -1, 0, nullptr};
    if (plan.evaluate(digits, position, coordinates))
      run.linear = linearOf(coordinates);
    ++position;
    return true;
  }
};

} // namespace

struct MappingWalker::State {
  llvm::SmallVector<int64_t, 8> weights;
  std::optional<DigitWalk> walk;

  explicit State(const Mapping::Impl &mapping) {
    auto axes = mapping.axes.axes();
    weights.resize(axes.size());
    uint64_t weight = 1;
    for (size_t i = axes.size(); i-- > 0;) {
      weights[i] = static_cast<int64_t>(weight);
      weight *= static_cast<uint64_t>(axes[i].second);
    }
    walk.emplace(mapping.plan, mapping.plan.digits, weights,
                 mapping.axes.linearSize().has_value());
  }
};

MappingWalker::MappingWalker(const Mapping &mapping)
    : state(std::make_unique<State>(*mapping.impl)) {}
MappingWalker::~MappingWalker() = default;
bool MappingWalker::next(Run &run) { return state->walk->next(run); }
