//===- MappingWalker.cpp - Enumeration of mappings by strides -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappingSliding.h"
#include "MappingWalk.h"
#include "Saturating.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>

using namespace sequin;
using namespace sequin::walk;
using llvm::ArrayRef;
using llvm::MutableArrayRef;
using Digit = EvaluationPlan::Digit;

namespace {

/// Expressions up to this size are tabulated; 8 bytes per position.
constexpr int64_t maxTableSize = int64_t(3) << 23;

/// Tables that are alive at a time, at most.
constexpr unsigned maxTableDepth = 3;

/// Innermost digits from this extent on are handed out as stretches, if there
/// are positions enough to care.
constexpr int64_t minStretch = 64;
constexpr int64_t minBlockedSize = 1024;

class DigitWalk : public Walk {
public:
  DigitWalk(const Scope &scope, const EvaluationPlan::Digits &digits)
      : scope(scope), plan(scope.plan), digits(digits), weights(scope.weights) {
    size = 1;
    for (const Digit &digit : digits)
      size *= digit.extent;
    for (const Digit &digit : digits) {
      if (inner.extent == 1 && digit.extent > 1)
        inner = digit;
      else
        outer.push_back(digit);
    }
    slow = inner.extent < minStretch && size > minBlockedSize;
    if (slow)
      return;
    setUpSlots();
    if (slow)
      return;
    llvm::SmallVector<Digit, 8> list;
    std::swap(list, outer);
    for (const Digit &digit : list)
      addOuter(digit);
    if (inner.slot != EvaluationPlan::noSlot)
      slots[inner.slot].sum += inner.offset;
  }

  /// Whether this way serves.
  bool isValid() const { return !slow; }

  bool next(Run &run) override {
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
  const Scope scope;
  const EvaluationPlan &plan;
  const EvaluationPlan::Digits &digits;
  /// Row-major weight of each axis; wraps where the axes' product does.
  ArrayRef<int64_t> weights;
  int64_t size;

  // The state of the odometer. `slow`: the digits are not walked this way.
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
        if (!maySlotHaveTable(scope, i, size)) {
          slow = true;
          return;
        }
        slots[i].table = tabulate(scope, i);
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
};

/// Position by position, for sums that may leave 64 bits.
class PositionWalk : public Walk {
public:
  PositionWalk(const Scope &scope, const EvaluationPlan::Digits &digits)
      : scope(scope), digits(digits) {
    for (const Digit &digit : digits)
      size *= digit.extent;
  }
  bool next(Run &run) override {
    if (position >= size)
      return false;
    llvm::SmallVector<int64_t, 8> coordinates(scope.weights.size(), 0);
    run = {position, 1, -1, 0, nullptr};
    if (scope.plan.evaluate(digits, position, coordinates)) {
      // Wraps where the axes' product does.
      uint64_t linear = 0;
      for (auto [value, weight] : llvm::zip_equal(coordinates, scope.weights))
        linear += static_cast<uint64_t>(value) * static_cast<uint64_t>(weight);
      run.linear = static_cast<int64_t>(linear);
    }
    ++position;
    return true;
  }

private:
  const Scope scope;
  const EvaluationPlan::Digits &digits;
  int64_t size = 1;
  int64_t position = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static std::vector<int64_t> tabulateDigits(Walk &walk, int64_t size) {
  std::vector<int64_t> table(size, -1);
  Run run;
  while (walk.next(run)) {
    int64_t *to = table.data() + run.position;
    if (run.table) {
      for (int64_t i = 0; i < run.count; ++i) {
        int64_t part = run.table[i * run.step];
        to[i] = part < 0 ? -1 : run.linear + part;
      }
    } else if (run.linear >= 0) {
      for (int64_t i = 0; i < run.count; ++i)
        to[i] = run.linear + i * run.step;
    }
  }
  return table;
}

/// The linear indices of a term of a sliding combination: a stretch, or a
/// table.
namespace {
struct TermIndices {
  Run stretch;
  std::vector<int64_t> table;

  TermIndices(const Scope &scope, const EvaluationPlan::Digits &digits,
              int64_t size) {
    auto walk = walkDigits(scope, digits);
    if (walk->next(stretch) && stretch.count == size && !stretch.table)
      return;
    stretch.count = 0;
    table = tabulateDigits(*walkDigits(scope, digits), size);
  }
  int64_t operator[](int64_t part) const {
    return stretch.count ? stretch.linear + part * stretch.step : table[part];
  }
};
} // namespace

static std::vector<int64_t> tabulateSliding(const Scope &scope,
                                            const EvaluationPlan::Slot &from) {
  std::vector<TermIndices> terms;
  for (auto [digits, term] : llvm::zip_equal(from.terms, from.base->sliding))
    terms.emplace_back(scope, digits, term.size);
  std::vector<int64_t> table(from.size, -1);
  int64_t *to = table.data();
  from.base->search->forEachFirst([&](int64_t position, int64_t count,
                                      int64_t step, ArrayRef<int64_t> parts) {
    // The parts of the last term advance, those before stay.
    int64_t sum = 0;
    size_t last = terms.size() - 1;
    for (size_t t = 0; t < last; ++t)
      sum += terms[t][parts[t]];
    for (int64_t i = 0; i < count; ++i)
      to[position + i * step] = sum + terms[last][parts[last] + i];
  });
  return table;
}

bool walk::maySlotHaveTable(const Scope &scope, unsigned slot,
                            int64_t positions) {
  int64_t size = scope.plan.slots[slot].size;
  return scope.depth < maxTableDepth && size <= maxTableSize &&
         size / 4 <= positions;
}

std::vector<int64_t> walk::tabulate(const Scope &outerScope, unsigned slot) {
  Scope scope = outerScope;
  ++scope.depth;
  const EvaluationPlan::Slot &from = scope.plan.slots[slot];
  if (from.isSliding()) {
    bool small = llvm::all_of(from.base->sliding, [](const auto &term) {
      return term.size <= maxTableSize;
    });
    if (small && scope.plan.skews.empty())
      return tabulateSliding(scope, from);
  } else if (!from.base->table) {
    return tabulateDigits(*walkDigits(scope, from.digits), from.size);
  } else {
    // A lookup in one stretch needs no table of what it looks up in.
    int64_t inside = 1;
    for (const Digit &digit : from.digits)
      inside *= digit.extent;
    auto walk = walkDigits(scope, from.digits);
    Run run;
    if (walk->next(run) && run.count == inside && !run.table &&
        run.linear >= 0) {
      std::vector<int64_t> result(from.size);
      for (auto [entry, to] : llvm::zip_equal(*from.base->table, result))
        to = run.linear + entry * run.step;
      return result;
    }
  }
  EvaluationPlan::Digits whole{{from.size, 0, from.size, 1, 0, slot}};
  auto walk = walkBlocks(scope, whole, static_cast<int>(slot));
  if (!walk)
    walk = std::make_unique<PositionWalk>(scope, whole);
  return tabulateDigits(*walk, from.size);
}

std::unique_ptr<Walk> walk::walkDigits(const Scope &scope,
                                       const EvaluationPlan::Digits &digits) {
  auto stretches = std::make_unique<DigitWalk>(scope, digits);
  if (stretches->isValid())
    return stretches;
  if (auto blocks = walkBlocks(scope, digits))
    return blocks;
  return std::make_unique<PositionWalk>(scope, digits);
}

//===----------------------------------------------------------------------===//
// MappingWalker
//===----------------------------------------------------------------------===//

struct MappingWalker::State {
  llvm::SmallVector<int64_t, 8> weights;
  std::unique_ptr<Walk> walk;

  explicit State(const Mapping::Impl &mapping) {
    auto axes = mapping.axes.axes();
    weights.resize(axes.size());
    uint64_t weight = 1;
    for (size_t i = axes.size(); i-- > 0;) {
      weights[i] = static_cast<int64_t>(weight);
      weight *= static_cast<uint64_t>(axes[i].second);
    }
    Scope scope{mapping.plan, weights};
    if (mapping.axes.linearSize())
      walk = walkDigits(scope, mapping.plan.digits);
    else
      walk = std::make_unique<PositionWalk>(scope, mapping.plan.digits);
  }
};

MappingWalker::MappingWalker(const Mapping &mapping)
    : state(std::make_unique<State>(*mapping.impl)) {}
MappingWalker::~MappingWalker() = default;
bool MappingWalker::next(Run &run) { return state->walk->next(run); }
