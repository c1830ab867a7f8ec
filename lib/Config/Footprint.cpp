//===- Footprint.cpp - What two sequencers have in common -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Config/Footprint.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace sequin;
using namespace sequin::config;

namespace {

constexpr int64_t kMaxRuns = int64_t(1) << 24;
constexpr int64_t kMaxWindow = int64_t(1) << 30;

/// Runs of neighbouring bits: one at every combination of the loops.
struct Runs {
  int64_t base = 0, bits = 0;
  llvm::SmallVector<Loop, 8> loops; ///< innermost first, strides in bits
  int64_t begin = 0, end = 0;       ///< in bytes
  int64_t count = 1;

  /// The first element is `skipped` elements behind the sequencer's.
  Runs(const Sequencer &sequencer, int64_t elementBits, int64_t skipped = 0)
      : base(sequencer.baseAddress * 8 + skipped * elementBits),
        bits(elementBits) {
    for (const Loop &entry : llvm::reverse(sequencer.entries)) {
      int64_t stride = entry.stride * elementBits;
      if (entry.size <= 1 || stride == 0)
        continue;
      if (loops.empty() && stride == bits) {
        bits *= entry.size;
        continue;
      }
      loops.push_back({entry.size, stride});
      count = entry.size > kMaxRuns / count ? kMaxRuns + 1 : count * entry.size;
    }
    int64_t low = base, high = base + bits;
    for (const Loop &loop : loops) {
      int64_t reach = (loop.size - 1) * loop.stride;
      (reach < 0 ? low : high) += reach;
    }
    begin = low >> 3;
    end = (high + 7) >> 3;
  }

  /// Calls visit(first byte, one past the last) until it returns false.
  template <typename Visit> void forEach(Visit &&visit) const {
    llvm::SmallVector<int64_t, 8> at(loops.size(), 0);
    int64_t address = base;
    while (visit(address >> 3, (address + bits + 7) >> 3)) {
      size_t i = 0;
      for (; i < loops.size(); ++i) {
        address += loops[i].stride;
        if (++at[i] < loops[i].size)
          break;
        address -= loops[i].size * loops[i].stride;
        at[i] = 0;
      }
      if (i == loops.size())
        return;
    }
  }
};

} // namespace

static std::optional<int64_t> findCommon(const Runs &first,
                                         const Runs &second) {
  int64_t begin = std::max(first.begin, second.begin);
  int64_t end = std::min(first.end, second.end);
  if (begin >= end)
    return std::nullopt;
  if (first.count > kMaxRuns || second.count > kMaxRuns ||
      end - begin > kMaxWindow)
    return begin;
  llvm::BitVector touched(end - begin);
  auto clip = [&](int64_t &from, int64_t &to) {
    from = std::max(from, begin) - begin;
    to = std::min(to, end) - begin;
    return from < to;
  };
  first.forEach([&](int64_t from, int64_t to) {
    if (clip(from, to))
      touched.set(from, to);
    return true;
  });
  std::optional<int64_t> common;
  second.forEach([&](int64_t from, int64_t to) {
    if (!clip(from, to))
      return true;
    int found = touched.find_first_in(from, to);
    if (found >= 0)
      common = begin + found;
    return !common;
  });
  return common;
}

std::optional<int64_t> config::findCommonByte(const Sequencer &a, int64_t aBits,
                                              const Sequencer &b,
                                              int64_t bBits) {
  return findCommon(Runs(a, aBits), Runs(b, bBits));
}

namespace {
/// A sequencer with the elements that a mask lets through: entries cut to some
/// of their iterations.
struct Unmasked {
  Sequencer sequencer;
  int64_t skipped = 0; ///< elements

  /// Keeps the iterations [begin, end) of an entry.
  void cut(int64_t entry, int64_t begin, int64_t end) {
    Loop &loop = sequencer.entries[entry];
    skipped += begin * loop.stride;
    loop.size = end - begin;
  }
};
} // namespace

/// The parts of a fetch that its mask treats alike. An entry that is cut to
/// nothing makes a part of no elements.
static std::vector<Unmasked> splitByMask(const FetchStage &fetch) {
  const FetchMask &mask = *fetch.mask;
  int64_t dim0 = static_cast<int64_t>(fetch.sequencer.entries.size()) - 1;
  int64_t rows = fetch.sequencer.entries[dim0].size;
  int64_t last = fetch.sequencer.entries[mask.lastDim].size - 1;
  std::vector<Unmasked> parts;
  auto add = [&](int64_t begin, int64_t end) -> Unmasked & {
    Unmasked &part = parts.emplace_back(Unmasked{fetch.sequencer});
    part.cut(mask.lastDim, begin, end);
    return part;
  };
  // Neither first nor last; first and not last.
  if (last > 1)
    add(1, last);
  if (last > 0)
    add(0, 1).cut(dim0, mask.leftPad, rows);
  int64_t left = last == 0 ? mask.leftPad : 0;
  for (auto [index, count] : llvm::enumerate(mask.validCounts)) {
    int64_t at = static_cast<int64_t>(index);
    if (mask.countDim == mask.lastDim && at != last)
      continue;
    Unmasked &part = add(last, last + 1);
    part.cut(dim0, left, std::max(left, std::min(count, rows)));
    if (mask.countDim && mask.countDim != mask.lastDim)
      part.cut(*mask.countDim, at, at + 1);
  }
  return parts;
}

std::optional<int64_t> config::findCommonByte(const FetchStage &fetch,
                                              const Sequencer &written,
                                              int64_t bits) {
  int64_t fromBits = getBitWidth(fetch.from);
  Runs second(written, bits);
  if (!fetch.mask)
    return findCommon(Runs(fetch.sequencer, fromBits), second);
  for (const Unmasked &part : splitByMask(fetch)) {
    bool isEmpty = llvm::any_of(part.sequencer.entries, [](const Loop &loop) {
      return loop.size <= 0;
    });
    if (isEmpty)
      continue;
    if (auto common =
            findCommon(Runs(part.sequencer, fromBits, part.skipped), second))
      return common;
  }
  return std::nullopt;
}
