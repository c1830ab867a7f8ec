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

  Runs(const Sequencer &sequencer, int64_t elementBits)
      : base(sequencer.baseAddress * 8), bits(elementBits) {
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

std::optional<int64_t> config::findCommonByte(const Sequencer &a, int64_t aBits,
                                              const Sequencer &b,
                                              int64_t bBits) {
  Runs first(a, aBits), second(b, bBits);
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
