//===- MappingBlocks.cpp - Evaluation of many positions at a time ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block is some hundred successive positions. What the innermost digits add
// to each slot is the same in every block and computed once, the pattern; a
// block adds to it what the outer digits stand for. Then the slots are worked
// off in their order, each for all positions of the block. Where digits move
// nothing but axes, within their sizes, the pattern itself is the answer.
//
//===----------------------------------------------------------------------===//

#include "MappingSliding.h"
#include "MappingWalk.h"
#include "Saturating.h"

#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace sequin;
using namespace sequin::walk;
using llvm::ArrayRef;
using llvm::MutableArrayRef;
using Digit = EvaluationPlan::Digit;

namespace {

/// Positions of a block, at most.
constexpr int64_t maxBlock = 512;

/// Division of numbers from 0 to 2^63 - 1 by a constant. With L = ceil(log2 d)
/// and m = ceil(2^(63 + L) / d), n m / 2^(63 + L) exceeds n / d by less than
/// 1 / d, since m d - 2^(63 + L) < d <= 2^L and n < 2^63.
class Divider {
public:
  explicit Divider(int64_t divisor) : divisor(divisor) {
    while (shift < 63 && (int64_t(1) << shift) < divisor)
      ++shift;
    if (divisor > 1) {
      auto power = static_cast<unsigned __int128>(1) << (63 + shift);
      factor = static_cast<uint64_t>((power + (divisor - 1)) / divisor);
    }
  }
  int64_t operator()(int64_t n) const {
    if (divisor == 1)
      return n;
    auto product =
        static_cast<unsigned __int128>(static_cast<uint64_t>(n)) * factor;
    return static_cast<int64_t>(static_cast<uint64_t>(product >> 64) >>
                                (shift - 1));
  }

private:
  int64_t divisor;
  unsigned shift = 0;
  uint64_t factor = 0;
};

class BlockWalk : public Walk {
public:
  BlockWalk(const Scope &scope, const EvaluationPlan::Digits &digits,
            int lastUntabulated)
      : scope(scope), plan(scope.plan), slots(plan.slots.size()) {
    for (const Digit &digit : digits)
      size *= digit.extent;
    if (!findReached(digits))
      return;
    placeDigits(digits);
    for (unsigned i = 0; i < slots.size(); ++i)
      if (slots[i].reached)
        setUpSlot(i, lastUntabulated);
    for (const EvaluationPlan::Skew &skew : plan.skews)
      setUpSkew(skew);
    affine = shears.empty() && llvm::all_of(slots, [](const Slot &slot) {
               return !slot.reached || slot.way == Way::Axis;
             });
    makePattern();
    valid = true;
  }

  /// Whether all sums fit in 64 bits.
  bool isValid() const { return valid; }

  bool next(Run &run) override {
    while (pending.empty()) {
      if (position >= size)
        return false;
      queueBlock();
    }
    run = pending.pop_back_val();
    return true;
  }

private:
  /// How a slot is worked off.
  enum class Way : uint8_t { Axis, Table, Digits, Sliding, Covered };

  struct Slot {
    bool reached = false;
    bool direct = false; ///< moved by a digit of the walk
    Way way = Way::Axis;
    int64_t size = 1;
    int64_t weight = 0;
    int64_t base = 0; ///< what the digits outside of a block add
    int64_t patternMost = 0;
    std::vector<int64_t> pattern;
    std::vector<int64_t> sums;
    std::vector<int64_t> table;
    std::vector<Divider> dividers; ///< of the digits
    /// Of a sliding combination, by term: the part at every position.
    std::vector<std::vector<int64_t>> parts;
    std::vector<std::vector<Divider>> termDividers;
  };
  struct Shear {
    unsigned slot;
    int by; ///< slot, or -1
    bool plus;
    int64_t size;
    Divider divider;
  };

  const Scope scope;
  const EvaluationPlan &plan;
  std::vector<Slot> slots;
  int64_t size = 1;
  bool valid = false;
  bool affine = false;

  /// Digits that lie within a block, the one that crosses its end, and the
  /// digits further out with their values.
  llvm::SmallVector<Digit, 8> inside;
  Digit crossing{1, 0, 1, 0, 0, EvaluationPlan::noSlot};
  llvm::SmallVector<Digit, 8> outer;
  llvm::SmallVector<int64_t, 8> values;
  int64_t insideSize = 1;
  int64_t chunk = 1; ///< values of the crossing digit in one block
  int64_t crossingValue = 0;
  int64_t position = 0;

  std::vector<uint8_t> patternValid;
  bool patternAllValid = true;
  std::vector<int64_t> patternLinear;
  llvm::SmallVector<Shear, 1> shears;

  std::vector<uint8_t> ok;
  std::vector<int64_t> rest;
  std::vector<int64_t> linear;
  llvm::SmallVector<Run, 3> pending;

  /// Which slots are moved; false if a sum may leave 62 bits.
  bool findReached(const EvaluationPlan::Digits &digits) {
    std::vector<int64_t> most(slots.size(), 0);
    auto reach = [&](const EvaluationPlan::Digits &list) {
      for (const Digit &digit : list) {
        if (digit.slot == EvaluationPlan::noSlot)
          continue;
        slots[digit.slot].reached = true;
        int64_t &to = most[digit.slot];
        to = saturatingAdd(
            to, saturatingAdd(digit.offset,
                              saturatingMul(digit.extent, digit.stride)));
      }
    };
    reach(digits);
    for (const Digit &digit : digits)
      if (digit.slot != EvaluationPlan::noSlot)
        slots[digit.slot].direct = true;
    for (unsigned i = 0; i < slots.size(); ++i) {
      if (!slots[i].reached)
        continue;
      reach(plan.slots[i].digits);
      for (const EvaluationPlan::Digits &term : plan.slots[i].terms)
        reach(term);
    }
    return llvm::all_of(most,
                        [](int64_t value) { return value < int64_t(1) << 62; });
  }

  void placeDigits(const EvaluationPlan::Digits &digits) {
    size_t i = 0;
    for (; i < digits.size() && insideSize * digits[i].extent <= maxBlock;
         insideSize *= digits[i++].extent)
      inside.push_back(digits[i]);
    if (i < digits.size()) {
      crossing = digits[i++];
      chunk = std::min(crossing.extent, maxBlock / insideSize);
    }
    for (; i < digits.size(); ++i) {
      outer.push_back(digits[i]);
      values.push_back(0);
    }
  }

  /// Whether everything below slot `i` is moved by it alone.
  bool isClosed(unsigned i) const {
    llvm::SmallVector<bool, 16> below(slots.size(), false);
    plan.markSlots(i, below);
    auto touches = [&](const EvaluationPlan::Digits &list) {
      return llvm::any_of(list, [&](const Digit &digit) {
        return digit.slot != EvaluationPlan::noSlot && digit.slot != i &&
               below[digit.slot];
      });
    };
    for (unsigned j = 0; j < slots.size(); ++j) {
      if (j != i && below[j] && slots[j].direct)
        return false;
      if (below[j] || !slots[j].reached)
        continue;
      if (touches(plan.slots[j].digits) ||
          llvm::any_of(plan.slots[j].terms, touches))
        return false;
    }
    for (const EvaluationPlan::Skew &skew : plan.skews) {
      int base = slotOfAxis(skew.base), by = slotOfAxis(skew.by);
      if (base >= 0 && by >= 0 && below[base] != below[by])
        return false;
    }
    return true;
  }

  int slotOfAxis(int axis) const {
    for (unsigned i = 0; i < slots.size(); ++i)
      if (slots[i].reached && plan.slots[i].axis == axis)
        return static_cast<int>(i);
    return -1;
  }

  void setUpSlot(unsigned i, int lastUntabulated) {
    Slot &slot = slots[i];
    const EvaluationPlan::Slot &from = plan.slots[i];
    slot.size = from.size;
    if (slot.way == Way::Covered)
      return;
    slot.sums.resize(std::min(size, maxBlock));
    if (from.axis >= 0) {
      slot.weight = scope.weights[from.axis];
      return;
    }
    if (static_cast<int>(i) > lastUntabulated &&
        maySlotHaveTable(scope, i, size) && isClosed(i)) {
      slot.way = Way::Table;
      slot.table = tabulate(scope, i);
      llvm::SmallVector<bool, 16> below(slots.size(), false);
      plan.markSlots(i, below);
      for (unsigned j = i + 1; j < slots.size(); ++j)
        if (below[j])
          slots[j].way = Way::Covered;
      return;
    }
    auto dividers = [](const EvaluationPlan::Digits &list) {
      std::vector<Divider> result;
      for (const Digit &digit : list)
        result.emplace_back(digit.extent);
      return result;
    };
    slot.dividers = dividers(from.digits);
    slot.way = Way::Digits;
    if (!from.isSliding())
      return;
    slot.way = Way::Sliding;
    for (const EvaluationPlan::Digits &term : from.terms)
      slot.termDividers.push_back(dividers(term));
    if (maySlotHaveTable(scope, i, size))
      slot.parts = from.base->search->tabulateParts();
  }

  void setUpSkew(const EvaluationPlan::Skew &skew) {
    int slot = slotOfAxis(skew.base), by = slotOfAxis(skew.by);
    if (slot < 0 || slots[slot].way == Way::Covered)
      return;
    shears.push_back({static_cast<unsigned>(slot), by, skew.plus, skew.size,
                      Divider(skew.size)});
  }

  void makePattern() {
    int64_t count = insideSize * chunk;
    patternValid.assign(count, 1);
    for (Slot &slot : slots)
      if (slot.direct)
        slot.pattern.assign(count, 0);
    int64_t weight = 1;
    auto addDigit = [&](const Digit &digit, int64_t extent, int64_t first,
                        int64_t end, int64_t offset) {
      int64_t *to = digit.slot == EvaluationPlan::noSlot
                        ? nullptr
                        : slots[digit.slot].pattern.data();
      for (int64_t k = 0, value = 0, left = weight; k < count; ++k) {
        if (value < first || value >= end)
          patternValid[k] = 0;
        else if (to)
          to[k] += (value - first) * digit.stride + offset;
        if (--left == 0) {
          left = weight;
          value = value + 1 == extent ? 0 : value + 1;
        }
      }
      weight *= extent;
    };
    for (const Digit &digit : inside)
      addDigit(digit, digit.extent, digit.first, digit.first + digit.valid,
               digit.offset);
    // Where the data of the crossing digit ends is found block by block.
    addDigit(crossing, chunk, 0, chunk, 0);
    patternAllValid = !llvm::is_contained(patternValid, 0);
    for (Slot &slot : slots)
      if (slot.direct)
        for (int64_t k = 0; k < count; ++k)
          if (patternValid[k])
            slot.patternMost = std::max(slot.patternMost, slot.pattern[k]);
    if (affine) {
      patternLinear.assign(count, 0);
      for (const Slot &slot : slots)
        if (slot.reached)
          for (int64_t k = 0; k < count; ++k)
            // May leave 64 bits past the end of a base; not used then.
            patternLinear[k] = static_cast<int64_t>(
                static_cast<uint64_t>(patternLinear[k]) +
                static_cast<uint64_t>(slot.weight) *
                    static_cast<uint64_t>(slot.pattern[k]));
      for (int64_t k = 0; k < count; ++k)
        if (!patternValid[k])
          patternLinear[k] = -1;
    }
    ok.resize(count);
    rest.resize(count);
    linear.resize(count);
  }

  void padding(int64_t from, int64_t to) {
    if (to > from)
      pending.push_back({position + from, to - from, -1, 0, nullptr});
  }

  /// Queues the runs of the next block, last first, and steps past it.
  void queueBlock() {
    int64_t steps = std::min(chunk, crossing.extent - crossingValue);
    int64_t count = steps * insideSize;
    int64_t begin = 0, end = count;
    bool data = true;
    for (Slot &slot : slots)
      slot.base = 0;
    for (auto [digit, value] : llvm::zip_equal(outer, values)) {
      int64_t part = value - digit.first;
      data &= part >= 0 && part < digit.valid;
      if (digit.slot != EvaluationPlan::noSlot)
        slots[digit.slot].base += part * digit.stride + digit.offset;
    }
    if (crossing.slot != EvaluationPlan::noSlot)
      slots[crossing.slot].base +=
          (crossingValue - crossing.first) * crossing.stride + crossing.offset;
    begin = std::clamp<int64_t>(crossing.first - crossingValue, 0, steps) *
            insideSize;
    end = std::clamp<int64_t>(crossing.first + crossing.valid - crossingValue,
                              0, steps) *
          insideSize;
    if (!data || begin >= end) {
      padding(0, count);
    } else {
      padding(end, count);
      evaluate(begin, end);
      padding(0, begin);
    }
    position += count;
    crossingValue += steps;
    if (crossingValue < crossing.extent)
      return;
    crossingValue = 0;
    for (size_t i = 0; i < outer.size(); ++i) {
      if (++values[i] < outer[i].extent)
        break;
      values[i] = 0;
    }
  }

  void evaluate(int64_t begin, int64_t end) {
    if (affine) {
      bool within = llvm::all_of(slots, [](const Slot &slot) {
        return !slot.reached ||
               (slot.base >= 0 && slot.base + slot.patternMost < slot.size);
      });
      if (within) {
        int64_t start = 0;
        for (const Slot &slot : slots)
          if (slot.reached)
            start += slot.base * slot.weight;
        pending.push_back({position + begin, end - begin, start, 1,
                           patternLinear.data() + begin});
        return;
      }
    }
    for (int64_t k = begin; k < end; ++k) {
      ok[k] = patternValid[k];
      linear[k] = 0;
    }
    for (Slot &slot : slots) {
      if (!slot.reached || slot.way == Way::Covered)
        continue;
      if (slot.direct)
        for (int64_t k = begin; k < end; ++k)
          slot.sums[k] = slot.base + slot.pattern[k];
      else
        std::fill(slot.sums.begin() + begin, slot.sums.begin() + end, 0);
    }
    for (unsigned i = 0; i < slots.size(); ++i)
      if (slots[i].reached)
        workOff(i, begin, end);
    for (const Shear &shear : shears)
      addShear(shear, begin, end);
    for (int64_t k = begin; k < end; ++k)
      linear[k] = ok[k] ? linear[k] : -1;
    pending.push_back(
        {position + begin, end - begin, 0, 1, linear.data() + begin});
  }

  void workOff(unsigned i, int64_t begin, int64_t end) {
    Slot &slot = slots[i];
    if (slot.way == Way::Covered)
      return;
    int64_t *sums = slot.sums.data();
    auto bound = static_cast<uint64_t>(slot.size);
    // Garbage of positions without data counts as 0 from here on.
    for (int64_t k = begin; k < end; ++k) {
      bool inRange = static_cast<uint64_t>(sums[k]) < bound;
      ok[k] &= inRange;
      sums[k] = inRange ? sums[k] : 0;
    }
    const EvaluationPlan::Slot &from = plan.slots[i];
    switch (slot.way) {
    case Way::Axis:
      for (int64_t k = begin; k < end; ++k)
        linear[k] += sums[k] * slot.weight;
      break;
    case Way::Table:
      for (int64_t k = begin; k < end; ++k) {
        int64_t part = slot.table[sums[k]];
        ok[k] &= part >= 0;
        linear[k] += part;
      }
      break;
    case Way::Digits:
      for (int64_t k = begin; k < end; ++k)
        rest[k] = from.base->table ? (*from.base->table)[sums[k]] : sums[k];
      addDigits(from.digits, slot.dividers, begin, end);
      break;
    case Way::Sliding:
      workOffSliding(slot, from, begin, end);
      break;
    case Way::Covered:
      break;
    }
  }

  void workOffSliding(const Slot &slot, const EvaluationPlan::Slot &from,
                      int64_t begin, int64_t end) {
    // By term, as the parts of all are found together.
    std::vector<std::vector<int64_t>> found;
    if (slot.parts.empty()) {
      found.assign(from.terms.size(), std::vector<int64_t>(end, -1));
      llvm::SmallVector<int64_t, 4> parts(from.terms.size(), 0);
      for (int64_t k = begin; k < end; ++k) {
        if (!ok[k] || !from.base->search->first(slot.sums[k], parts))
          continue;
        for (auto [to, part] : llvm::zip_equal(found, parts))
          to[k] = part;
      }
    }
    for (size_t t = 0; t < from.terms.size(); ++t) {
      for (int64_t k = begin; k < end; ++k) {
        int64_t part =
            slot.parts.empty() ? found[t][k] : slot.parts[t][slot.sums[k]];
        ok[k] &= part >= 0;
        rest[k] = part < 0 ? 0 : part;
      }
      addDigits(from.terms[t], slot.termDividers[t], begin, end);
    }
  }

  /// Takes `rest` apart into digits; their shares go to their slots.
  void addDigits(const EvaluationPlan::Digits &digits,
                 ArrayRef<Divider> dividers, int64_t begin, int64_t end) {
    for (size_t d = 0; d < digits.size(); ++d) {
      const Digit digit = digits[d];
      const Divider divider = dividers[d];
      // What is left at the outermost digit is its value.
      bool last = d + 1 == digits.size();
      int64_t *to = digit.slot == EvaluationPlan::noSlot
                        ? nullptr
                        : slots[digit.slot].sums.data();
      if (to && slots[digit.slot].way == Way::Covered)
        to = nullptr;
      auto range = static_cast<uint64_t>(digit.valid);
      for (int64_t k = begin; k < end; ++k) {
        int64_t quotient = last ? 0 : divider(rest[k]);
        int64_t value = rest[k] - quotient * digit.extent - digit.first;
        rest[k] = quotient;
        bool inRange = static_cast<uint64_t>(value) < range;
        ok[k] &= inRange;
        if (to)
          to[k] += inRange ? value * digit.stride + digit.offset : 0;
      }
    }
  }

  /// Moves the coordinate of a skewed axis by that of the other axis.
  void addShear(const Shear &shear, int64_t begin, int64_t end) {
    const Slot &slot = slots[shear.slot];
    if (shear.by < 0)
      return;
    const int64_t *by = slots[shear.by].sums.data();
    for (int64_t k = begin; k < end; ++k) {
      int64_t part = by[k] - shear.divider(by[k]) * shear.size;
      int64_t up = shear.plus ? (part == 0 ? 0 : shear.size - part) : part;
      int64_t wrapped = slot.sums[k] >= shear.size - up ? up - shear.size : up;
      linear[k] += wrapped * slot.weight;
    }
  }
};

} // namespace

std::unique_ptr<Walk> walk::walkBlocks(const Scope &scope,
                                       const EvaluationPlan::Digits &digits,
                                       int lastUntabulated) {
  auto walk = std::make_unique<BlockWalk>(scope, digits, lastUntabulated);
  if (!walk->isValid())
    return nullptr;
  return walk;
}
