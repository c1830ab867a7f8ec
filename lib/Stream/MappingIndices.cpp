//===- MappingIndices.cpp - All indices, inverse images, address parts ----===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FactorList.h"
#include "MappingImpl.h"
#include "MappingSliding.h"
#include "Saturating.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <set>

using namespace sequin;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// All indices of a position
//===----------------------------------------------------------------------===//

std::vector<TensorIndex> Mapping::allAt(int64_t position) const {
  std::vector<TensorIndex> result;
  if (position < 0 || position >= impl->size)
    return result;
  std::set<llvm::SmallVector<int64_t, 8>> seen;
  impl->plan.evaluateAll(position, [&](ArrayRef<int64_t> coordinates) {
    if (seen.insert(llvm::SmallVector<int64_t, 8>(coordinates)).second)
      result.push_back(impl->index(coordinates));
    return true;
  });
  return result;
}

int64_t Mapping::maxIndices() const {
  int64_t product = 1;
  for (const EvaluationPlan::Slot &slot : impl->plan.slots) {
    if (!slot.isSliding())
      continue;
    // The position of the largest term follows from those of the others.
    int64_t largest = 1;
    for (const auto &term : slot.base->sliding)
      largest = std::max(largest, term.size);
    bool left = false;
    for (const auto &term : slot.base->sliding) {
      if (term.size == largest && !left)
        left = true;
      else
        product = saturatingMul(product, term.size);
    }
  }
  return product;
}

//===----------------------------------------------------------------------===//
// Inverse images
//===----------------------------------------------------------------------===//

namespace {

/// Choices of digits and of indices that positionsOf() tries, at most.
constexpr int64_t maxInverseSteps = int64_t(1) << 22;

/// Chooses the digits of a position, outermost first. Digits that move an axis
/// directly are bounded by what the digits further in can still add; the rest
/// is tried.
class InverseSearch {
public:
  InverseSearch(const EvaluationPlan &plan, ArrayRef<int64_t> target)
      : plan(plan), target(target), rest(plan.slots.size(), 0),
        bounded(plan.slots.size(), false) {
    // Axes that only digits of the position move.
    for (auto [i, slot] : llvm::enumerate(plan.slots))
      bounded[i] = slot.axis >= 0;
    for (const EvaluationPlan::Slot &slot : plan.slots) {
      unbound(slot.digits);
      for (const EvaluationPlan::Digits &term : slot.terms)
        unbound(term);
    }
    for (auto [i, slot] : llvm::enumerate(plan.slots))
      if (bounded[i])
        rest[i] = goal(slot);
    reach.resize(plan.digits.size(), 0);
    std::vector<int64_t> most(plan.slots.size(), 0);
    int64_t volume = 1;
    for (auto [i, digit] : llvm::enumerate(plan.digits)) {
      volumes.push_back(volume);
      volume *= digit.extent;
      if (digit.slot == EvaluationPlan::noSlot)
        continue;
      reach[i] = most[digit.slot];
      most[digit.slot] = saturatingAdd(
          most[digit.slot],
          saturatingAdd(digit.offset,
                        saturatingMul(std::max<int64_t>(digit.valid, 1) - 1,
                                      digit.stride)));
    }
  }

  /// Fails if it takes too many steps.
  bool run(std::vector<int64_t> &into) {
    found = &into;
    return choose(plan.digits.size(), 0);
  }

private:
  void unbound(const EvaluationPlan::Digits &list) {
    for (const EvaluationPlan::Digit &digit : list)
      if (digit.slot != EvaluationPlan::noSlot)
        bounded[digit.slot] = false;
  }

  /// The sum of the slot of an axis that gives the target.
  int64_t goal(const EvaluationPlan::Slot &slot) const {
    int64_t value = target[slot.axis];
    for (const EvaluationPlan::Skew &skew : plan.skews) {
      if (skew.base != slot.axis)
        continue;
      int64_t by = target[skew.by] % skew.size;
      int64_t up = skew.plus ? by : (by == 0 ? 0 : skew.size - by);
      value = value >= skew.size - up ? value - (skew.size - up) : value + up;
    }
    return value;
  }

  bool holdsTarget(int64_t position) {
    bool equal = false;
    plan.evaluateAll(
        position,
        [&](ArrayRef<int64_t> coordinates) {
          equal = true;
          for (auto [i, value] : llvm::enumerate(target))
            equal &= value == (i < coordinates.size() ? coordinates[i] : 0);
          return !equal;
        },
        &steps);
    return equal;
  }

  bool choose(size_t left, int64_t position) {
    if (--steps < 0)
      return false;
    if (left == 0) {
      if (holdsTarget(position))
        found->push_back(position);
      return steps >= 0;
    }
    const EvaluationPlan::Digit &digit = plan.digits[left - 1];
    int64_t volume = volumes[left - 1];
    int64_t low = 0, high = digit.valid - 1;
    bool direct = digit.slot != EvaluationPlan::noSlot && bounded[digit.slot];
    if (direct) {
      int64_t room = rest[digit.slot] - digit.offset;
      if (room < 0)
        return true;
      if (digit.stride > 0)
        high = std::min(high, room / digit.stride);
      if (room > reach[left - 1] && digit.stride > 0)
        low = ceilDiv(room - reach[left - 1], digit.stride);
    }
    for (int64_t value = low; value <= high; ++value) {
      int64_t moved = direct ? digit.offset + value * digit.stride : 0;
      if (direct)
        rest[digit.slot] -= moved;
      bool more = choose(left - 1, position + (digit.first + value) * volume);
      if (direct)
        rest[digit.slot] += moved;
      if (!more)
        return false;
    }
    return true;
  }

  const EvaluationPlan &plan;
  ArrayRef<int64_t> target;
  /// What the digits still have to add to each bounded slot.
  std::vector<int64_t> rest;
  std::vector<bool> bounded;
  /// What the digits further in than this one can add to its slot.
  std::vector<int64_t> reach;
  std::vector<int64_t> volumes;
  std::vector<int64_t> *found = nullptr;
  int64_t steps = maxInverseSteps;
};

} // namespace

llvm::Expected<std::vector<int64_t>>
Mapping::positionsOf(const TensorIndex &index) const {
  llvm::SmallVector<int64_t, 8> target(impl->axes.axes().size(), 0);
  for (const auto &[name, value] : index) {
    bool known = false;
    for (auto [i, axis] : llvm::enumerate(impl->axes.axes()))
      if (axis.first == name) {
        target[i] = value;
        known = true;
        if (value < 0 || value >= axis.second)
          return std::vector<int64_t>();
      }
    if (!known)
      return llvm::createStringError("axis '" + name + "' is not declared");
  }
  std::vector<int64_t> result;
  if (!InverseSearch(impl->plan, target).run(result))
    return llvm::createStringError("finding the positions of an index in '" +
                                   str() + "' takes too many steps");
  llvm::sort(result);
  return result;
}

//===----------------------------------------------------------------------===//
// Parts of an address
//===----------------------------------------------------------------------===//

static bool isAffineBase(const Factor &f) {
  return !f.composite || (f.kind == Factor::Kind::Composite &&
                          llvm::all_of(f.composite->factors, isAffineBase));
}

/// Appends `list` with `unit` positions per position.
static llvm::Error place(ArrayRef<Factor> list, int64_t unit,
                         llvm::SmallVectorImpl<PlacedFactor> &parts) {
  int64_t position = 1;
  for (const Factor &f : list)
    position *= f.extent;
  for (const Factor &f : list) {
    position /= f.extent;
    auto stride = llvm::checkedMul(position, unit);
    if (!stride)
      return llvm::createStringError("the positions of '" + f.str() +
                                     "' do not fit in 64 bits");
    if (isAffineBase(f)) {
      parts.push_back({f, *stride});
      continue;
    }
    bool sole = llvm::none_of(list, [&](const Factor &other) {
      return &other != &f && other.base == f.base;
    });
    bool whole =
        sole && f.stride == 1 && f.offset == 0 && f.valid == f.baseSize;
    if (f.kind != Factor::Kind::Sliding || !whole)
      return llvm::createStringError(
          "'" + f.str().substr(0, 200) + "' is not affine: " +
          (f.kind == Factor::Kind::Lookup
               ? "a table has no strides"
               : "only a whole sliding combination is a sum of loops"));
    if (f.first != 0) {
      Factor low;
      low.kind = Factor::Kind::Broadcast;
      low.extent = f.extent;
      low.first = f.first;
      parts.push_back({low, *stride});
    }
    for (const CompositeBase::SlidingTerm &term : f.composite->sliding) {
      auto step = llvm::checkedMul(*stride, term.stride);
      if (!step)
        return llvm::createStringError("the positions of '" + f.str() +
                                       "' do not fit in 64 bits");
      if (llvm::Error error = place(term.factors, *step, parts))
        return error;
    }
  }
  return llvm::Error::success();
}

llvm::Expected<llvm::SmallVector<PlacedFactor, 8>>
Mapping::placedFactors() const {
  llvm::SmallVector<PlacedFactor, 8> parts;
  if (llvm::Error error = place(impl->factors, 1, parts))
    return error;
  return parts;
}

//===----------------------------------------------------------------------===//
// Skewed axes of two sides
//===----------------------------------------------------------------------===//

llvm::Error sequin::checkSkews(ArrayRef<Mapping> left,
                               ArrayRef<Mapping> right) {
  auto walks = [](ArrayRef<Mapping> side, StringRef axis, StringRef skew) {
    return llvm::any_of(side, [&](const Mapping &mapping) {
      return llvm::any_of(
          mapping.impl->plan.slots, [&](const EvaluationPlan::Slot &slot) {
            if (slot.axis < 0 || mapping.axes().axes()[slot.axis].first != axis)
              return false;
            StringRef as;
            if (slot.skew >= 0)
              as = mapping.axes().skews()[slot.skew].name;
            return as == skew;
          });
    });
  };
  for (ArrayRef<Mapping> from : {left, right})
    for (const Mapping &mapping : from)
      for (const EvaluationPlan::Slot &slot : mapping.impl->plan.slots) {
        if (slot.skew < 0)
          continue;
        const AxisSizes::Skew &skew = mapping.axes().skews()[slot.skew];
        for (ArrayRef<Mapping> side : {left, right}) {
          bool other = walks(side, skew.base, "");
          for (const Mapping &part : side)
            for (const AxisSizes::Skew &known : part.axes().skews())
              other |= known.base == skew.base && known.name != skew.name &&
                       walks(side, skew.base, known.name);
          if (other)
            return llvm::createStringError(
                "axis '" + skew.base + "' is walked as '" + skew.name +
                "' in one mapping and not so in another");
        }
        if (walks(left, skew.by, "") != walks(right, skew.by, ""))
          return llvm::createStringError(
              "'" + skew.name + "' is skewed by axis '" + skew.by +
              "', which only one of the two sides walks");
      }
  return llvm::Error::success();
}
